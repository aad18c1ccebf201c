"""Where reports, errors and colours go: reports to stdout or their files, everything else to stderr."""

import os
import shutil
import sys
from collections.abc import Iterator
from typing import TextIO

from evalgate_sql.errors import EvalGateError, UnavailableError
from evalgate_sql.exit_codes import strongest
from evalgate_sql.report import error_v1, human, json_v1
from evalgate_sql.report.values import Report
from evalgate_sql.report.write import write_atomically, write_stdout

_FILE_WIDTH = 100
_NARROWEST = 60


def wants_color(stream: TextIO) -> bool:
    """Obey NO_COLOR, then FORCE_COLOR, then whether the stream is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def show_report(report: Report, *, report_format: str, targets: tuple[tuple[str, str], ...]) -> None:
    """Write the report to every target, then to stdout.

    Raises `UnavailableError` for the first that cannot be written.
    """
    for kind, path in targets:
        write_atomically(path, _rendered(report, kind, color=False, width=_FILE_WIDTH))
    if report.contains_fixture_rows:
        sys.stderr.write("evalgate-sql: the report contains rows of the fixture (--show-diff)\n")
    width = max(_NARROWEST, shutil.get_terminal_size((_FILE_WIDTH, 24)).columns)
    pieces = _rendered(report, report_format, color=wants_color(sys.stdout), width=width)
    write_stdout(pieces, sys.stdout.buffer if sys.stdout else None)


def _rendered(report: Report, kind: str, *, color: bool, width: int) -> Iterator[bytes]:
    if kind == "json":
        return json_v1.encode(report)
    return iter([human.render(report, color=color, width=width).encode()])


def show_error(error: EvalGateError, *, as_json: bool) -> int:
    """Say what went wrong and return the exit code: the error's own, or 11 where not even that can be written."""
    try:
        if as_json:
            write_stdout([error_v1.encode(error)], sys.stdout.buffer if sys.stdout else None)
        if sys.stderr:
            sys.stderr.write(error_v1.render(error, color=wants_color(sys.stderr)))
            sys.stderr.flush()
    except (UnavailableError, OSError) as unwritable:
        own = unwritable.exit_code if isinstance(unwritable, UnavailableError) else UnavailableError.exit_code
        return int(strongest({error.exit_code, own}))
    return int(error.exit_code)
