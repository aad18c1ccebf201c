"""Where a report or an error goes: reports to stdout or their files, what people should know to stderr."""

import shutil
import sys
from collections.abc import Iterator

from evalgate_sql.cli.streams import say, wants_color
from evalgate_sql.errors import EvalGateError, UnavailableError
from evalgate_sql.exit_codes import strongest
from evalgate_sql.report import error_v1, human, json_v1
from evalgate_sql.report.values import Report
from evalgate_sql.report.write import write_atomically, write_stdout

_FILE_WIDTH = 100
_NARROWEST = 60


def show_report(report: Report, *, report_format: str, targets: tuple[tuple[str, str], ...]) -> None:
    """Write the report to every target, then to stdout.

    Raises `UnavailableError` for the first that cannot be written.
    """
    for kind, path in targets:
        write_atomically(path, _rendered(report, kind, color=False, width=_FILE_WIDTH))
    if report.contains_fixture_rows:
        say("evalgate-sql: the report contains rows of the fixture (--show-diff)\n")
    print_bytes(_rendered(report, report_format, color=wants_color(sys.stdout), width=terminal_width()))


def print_bytes(pieces: Iterator[bytes]) -> None:
    """Write to standard output. Raises `UnavailableError` when it is closed, broken or full."""
    write_stdout(pieces, None if sys.stdout is None else sys.stdout.buffer)


def terminal_width() -> int:
    """Return the columns there are to lay out a report in."""
    return max(_NARROWEST, shutil.get_terminal_size((_FILE_WIDTH, 24)).columns)


def _rendered(report: Report, kind: str, *, color: bool, width: int) -> Iterator[bytes]:
    if kind == "json":
        return json_v1.encode(report)
    return iter([human.render(report, color=color, width=width).encode()])


def show_error(error: EvalGateError, *, as_json: bool) -> int:
    """Say what went wrong and return the exit code: the error's own, or 11 where its JSON cannot be written."""
    codes = {error.exit_code}
    if as_json:
        try:
            print_bytes(iter([error_v1.encode(error)]))
        except UnavailableError as unwritable:
            codes.add(unwritable.exit_code)
    say(error_v1.render(error, color=wants_color(sys.stderr)))
    return int(strongest(codes))
