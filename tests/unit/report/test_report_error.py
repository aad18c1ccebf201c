"""The error that ends a command."""

import json

from hypothesis import given
from hypothesis import strategies as st

from evalgate_sql.errors import EvalGateError, NextAction, UnavailableError, UserError
from evalgate_sql.report import error_v1


def test_place_is_left_out_where_there_is_none() -> None:
    """An error without a file has no `file` and no `line`."""
    envelope = json.loads(error_v1.encode(UserError("jobs_invalid", "Jobs must be at least 1.")))
    assert envelope["error"] == {"code": "jobs_invalid", "message": "Jobs must be at least 1."}


def test_error_owns_status_and_code() -> None:
    """Status and exit code are those of the error's class, our own bugs included."""
    envelopes = [error_v1.envelope_fields(kind("x", "X.")) for kind in (UserError, UnavailableError, EvalGateError)]
    assert [(e["status"], e["exitCode"]) for e in envelopes] == [
        ("BAD_ARGS", 5),
        ("IO_ERROR", 11),
        ("INTERNAL_ERROR", 99),
    ]


def test_colour_marks_the_status() -> None:
    """The status stands out on a terminal."""
    assert error_v1.render(UserError("x", "X."), color=True) == "evalgate-sql: \x1b[31mBAD_ARGS\x1b[0m: X.\n"


@given(message=st.text(), file=st.text(), command=st.text())
def test_any_error_is_harmless_on_a_terminal(message: str, file: str, command: str) -> None:
    """A path with control characters cannot act on the terminal, in either format."""
    error = UserError("x", message, file=file, line=1, next_actions=(NextAction(command, message),))
    assert all(line.isprintable() for line in error_v1.render(error).split("\n"))
    encoded = error_v1.encode(error).decode()
    assert encoded.removesuffix("\n").isprintable()
    assert json.loads(encoded)["error"]["message"] == message
