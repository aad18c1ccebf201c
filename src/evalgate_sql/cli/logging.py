"""The log as the options ask for it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evalgate_sql import logs
from evalgate_sql.cli.output import wants_color
from evalgate_sql.errors import UnavailableError
from evalgate_sql.logs import EventLog, Format, Level


@contextmanager
def event_log(*, log_format: Format, level: Level, file: str | None) -> Iterator[EventLog]:
    """Give the log of one command: on stderr, or appended to `file`.

    Raises `UnavailableError` when the file cannot be opened.
    """
    if file is None:
        yield logs.configure(format=log_format, level=level, stream=sys.stderr, colors=wants_color(sys.stderr))
        return
    try:
        stream = Path(file).open("a", encoding="utf-8")  # noqa: SIM115 - the failure is the opening's alone
    except OSError as error:
        raise UnavailableError("log_not_written", f"the log cannot be written: {error.strerror}", file=file) from None
    with stream:
        yield logs.configure(format=log_format, level=level, stream=stream, colors=False)
