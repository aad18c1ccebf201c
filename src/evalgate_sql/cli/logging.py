"""The log as the options ask for it, and what becomes of a run whose log cannot be written.

The first line that fails raises `UnavailableError`, exit 11, so that nobody waits for a run whose log is lost; a run
that has begun still reports its finished cases. After that the log is silent.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TextIO

from evalgate_sql import logs
from evalgate_sql.cli.streams import silence, wants_color
from evalgate_sql.errors import EvalGateError, UnavailableError
from evalgate_sql.logs import Event, EventLog, Field, Format, Level, SilentLog


@contextmanager
def event_log(*, log_format: Format, level: Level, file: str | None) -> Iterator[EventLog]:
    """Give the log of one command: on stderr, or appended to `file`.

    A failure that passes through is logged, unless the log is for the same eyes as the error message itself.
    Raises `UnavailableError` when the file cannot be opened.
    """
    with nullcontext(sys.stderr) if file is None else _appended(file) as stream:
        log = _log_on(stream, log_format=log_format, level=level, file=file)
        try:
            yield log
        except Exception as failure:
            if file is not None or log_format == "json":
                _tell_failure(log, failure)
            raise


def _log_on(stream: TextIO | None, *, log_format: Format, level: Level, file: str | None) -> EventLog:
    if stream is None:
        # The caller closed standard error, and so wants no log there.
        return SilentLog()
    colors = file is None and wants_color(stream)
    return _OutspokenLog(
        logs.configure(format=log_format, level=level, stream=stream, colors=colors), stream=stream, file=file
    )


@contextmanager
def _appended(file: str) -> Iterator[TextIO]:
    try:
        stream = Path(file).open("a", encoding="utf-8")  # noqa: SIM115 - the failure is the opening's alone
    except OSError as error:
        raise _not_written(error, file=file) from None
    try:
        yield stream
    finally:
        # Every line was flushed when it was written, and a failure told then.
        with suppress(OSError):
            stream.close()


def _not_written(error: OSError, *, file: str | None) -> UnavailableError:
    return UnavailableError(
        "log_not_written", f"the log cannot be written: {error.strerror}", file=file or "standard error"
    )


def _tell_failure(log: EventLog, failure: Exception) -> None:
    with suppress(UnavailableError):
        if isinstance(failure, EvalGateError):
            log.error(Event.RUN_FAILED, error_code=failure.code, exit_code=int(failure.exit_code))
        else:
            log.error(Event.RUN_FAILED, exception=type(failure).__name__)


class _OutspokenLog:
    """Turns the first failure of a log into an error of ours, and is silent afterwards."""

    def __init__(self, log: EventLog, *, stream: TextIO, file: str | None) -> None:
        self._log = log
        self._stream = stream
        self._file = file

    def _pass_on(self, write: Callable[..., None], event: Event, fields: dict[str, Field]) -> None:
        try:
            write(event, **fields)
        except OSError as error:
            self._log = SilentLog()
            silence(self._stream)
            raise _not_written(error, file=self._file) from None

    def debug(self, event: Event, /, **fields: Field) -> None:
        self._pass_on(self._log.debug, event, fields)

    def info(self, event: Event, /, **fields: Field) -> None:
        self._pass_on(self._log.info, event, fields)

    def warning(self, event: Event, /, **fields: Field) -> None:
        self._pass_on(self._log.warning, event, fields)

    def error(self, event: Event, /, **fields: Field) -> None:
        self._pass_on(self._log.error, event, fields)
