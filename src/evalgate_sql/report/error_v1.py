"""An error that ends a command, as JSON (schema version 1) and for a person. Knows no report.

Contract section 2. What an error may say is the business of `errors`; here it only becomes harmless to print.
"""

from evalgate_sql.errors import EvalGateError
from evalgate_sql.report.document_v1 import ErrorEnvelopeV1, ErrorV1, NextActionV1
from evalgate_sql.report.json_text import compact
from evalgate_sql.report.terminal import Paint, inert


def encode(error: EvalGateError) -> bytes:
    """Return the error as one line of JSON."""
    return compact(envelope_fields(error)) + b"\n"


def envelope_fields(error: EvalGateError) -> ErrorEnvelopeV1:
    """Return the whole document."""
    return ErrorEnvelopeV1(
        schemaVersion=1,
        ok=False,
        status=error.exit_code.name,
        exitCode=error.exit_code,
        error=error_fields(error),
        nextActions=[
            NextActionV1(command=action.command, description=action.description) for action in error.next_actions
        ],
    )


def error_fields(error: EvalGateError) -> ErrorV1:
    """Return code, message and place; reports of a stopped set show them too."""
    fields = ErrorV1(code=error.code, message=error.message)
    if error.file is not None:
        fields["file"] = error.file
    if error.line is not None:
        fields["line"] = error.line
    return fields


def render(error: EvalGateError, *, color: bool = False) -> str:
    """Return the error for a terminal: one line, and a line for everything that can be done now."""
    paint = Paint(color=color)
    first = f"evalgate-sql: {paint(error.exit_code.name, 'red')}: {inert(error.diagnostics())}"
    actions = [f"Next: {inert(action.command)} — {inert(action.description)}" for action in error.next_actions]
    return "".join(f"{line}\n" for line in (first, *actions))
