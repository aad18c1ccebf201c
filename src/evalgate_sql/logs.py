"""What the program tells about its own work while it runs: named events with fields from a closed list.

No log line may hold SQL, row values, a question, database error text or a connection string (contract section 2).
That is not left to care: a field that is not on the list below, or does not have the shape the list gives it, never
reaches the stream. Knows nothing of runs, cases or options; a stream that cannot be written raises `OSError`, which
the command line turns into exit 11.
"""

import errno
import json
import re
from collections.abc import Callable, Mapping, MutableMapping
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, Protocol, TextIO

Field = str | int | float | bool | None
Format = Literal["console", "json"]
Level = Literal["debug", "info", "warning", "error"]


class Event(StrEnum):
    """The events of a run. The values are stable: people filter by them."""

    RUN_STARTED = "run_started"
    CASES_VALIDATED = "cases_validated"
    FIXTURE_CHECKED = "fixture_checked"
    FIXTURE_CHANGED = "fixture_changed"
    WORKER_STARTED = "worker_started"
    WORKER_LOST = "worker_lost"
    CASE_FINISHED = "case_finished"
    CASE_RETRIED = "case_retried"
    RUN_CANCELLED = "run_cancelled"
    RUN_EXPIRED = "run_expired"
    REPORT_WRITTEN = "report_written"
    RUN_FAILED = "run_failed"
    RUN_FINISHED = "run_finished"


class EventLog(Protocol):
    """What library code takes as its `log`."""

    def debug(self, event: Event, /, **fields: Field) -> None:
        """Tell what only a developer of this program wants to know."""

    def info(self, event: Event, /, **fields: Field) -> None:
        """Tell about ordinary progress."""

    def warning(self, event: Event, /, **fields: Field) -> None:
        """Tell what costs a case or weakens the evidence."""

    def error(self, event: Event, /, **fields: Field) -> None:
        """Tell what ends the run."""


class SilentLog:
    """An `EventLog` that says nothing, for callers who want no log."""

    def debug(self, event: Event, /, **fields: Field) -> None:
        """Say nothing."""

    def info(self, event: Event, /, **fields: Field) -> None:
        """Say nothing."""

    def warning(self, event: Event, /, **fields: Field) -> None:
        """Say nothing."""

    def error(self, event: Event, /, **fields: Field) -> None:
        """Say nothing."""


class UnsafeFieldError(ValueError):
    """A field or an event that is not on the list: a mistake of ours, raised in tests only."""


def _is_number(value: object) -> bool:
    # The bounds also keep out NaN and the infinities, which JSON has no words for.
    return isinstance(value, int | float) and not isinstance(value, bool) and -1e18 < value < 1e18


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _text_shape(pattern: str) -> Callable[[object], bool]:
    compiled = re.compile(pattern, re.DOTALL)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


# A code or a version has no blank, so no sentence and no statement passes for one.
_is_code = _text_shape(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_is_version = _text_shape(r"[A-Za-z0-9][A-Za-z0-9_.@+-]{0,63}")
_is_digest = _text_shape(r"[0-9a-f]{64}")
_is_identifier = _text_shape(r".{1,256}")
_is_file_name = _text_shape(r".{1,4096}")

_SHAPES: tuple[tuple[Callable[[object], bool], str], ...] = (
    # Ids and file names that the user gave.
    (_is_identifier, "case_id case_set"),
    (_is_file_name, "file"),
    # Words from closed lists of ours, and the class name of an exception.
    (_is_code, "engine error_code exception format kind outcome reason stage status"),
    (_is_version, "engine_version policy tool_version"),
    (_is_digest, "policy_sha256 sha256"),
    (_is_flag, "complete"),
    # Counts and positions.
    (_is_number, "attempt byte_count case_count exit_code finished_count jobs line match_count max_rows not_run_count"),
    (_is_number, "row_count signal slot table_count warning_count worker_pid dropped_fields"),
    # Durations and shares.
    (_is_number, "compare_ms duration_ms generated_ms reference_ms timeout_ms accuracy min_accuracy"),
)

FIELDS: Mapping[str, Callable[[object], bool]] = MappingProxyType(
    {name: shape for shape, names in _SHAPES for name in names.split()}
)
"""The fields an event may have, each with the test of its shape. None is right everywhere."""

_WRITTEN_BY_US = ("timestamp", "level", "event")
_LEVELS: Mapping[str, int] = MappingProxyType({"debug": 10, "info": 20, "warning": 30, "error": 40})
_COLORS: Mapping[str, str] = MappingProxyType(
    {"debug": "\x1b[2m", "info": "\x1b[32m", "warning": "\x1b[33m", "error": "\x1b[31m"}
)
_RESET = "\x1b[0m"

_EventDict = MutableMapping[str, Any]
_Processor = Callable[[Any, str, _EventDict], Any]


def configure(*, format: Format, level: Level, stream: TextIO, colors: bool, strict: bool = False) -> EventLog:  # noqa: A002 - the option's own name
    """Return a log that writes one line an event to `stream`: `level` and above, times in UTC.

    Changes no global state. A field or event off the list is dropped and counted in `dropped_fields`; with `strict`,
    which tests use, it raises `UnsafeFieldError`. A stream that cannot be written raises `OSError`.
    """

    def make() -> EventLog:
        return _structlog_logger(_LineWriter(stream), level=level, guard=_guard(strict=strict), render=render)

    render = _render_json if format == "json" else _render_console(colors=colors)
    return _DeferredLog(make, level=level)


def _structlog_logger(writer: "_LineWriter", *, level: Level, guard: _Processor, render: _Processor) -> EventLog:
    import structlog  # noqa: PLC0415 - may cost 200 ms, which a run without log lines must not pay

    log: EventLog = structlog.wrap_logger(
        writer,
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            guard,
            render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        context_class=dict,
    ).bind()
    return log


class _DeferredLog:
    """Makes the log with the first line it has to write."""

    def __init__(self, make: Callable[[], EventLog], *, level: Level) -> None:
        self._make = make
        self._least = _LEVELS[level]

    @cached_property
    def _log(self) -> EventLog:
        return self._make()

    def debug(self, event: Event, /, **fields: Field) -> None:
        if self._least <= _LEVELS["debug"]:
            self._log.debug(event, **fields)

    def info(self, event: Event, /, **fields: Field) -> None:
        if self._least <= _LEVELS["info"]:
            self._log.info(event, **fields)

    def warning(self, event: Event, /, **fields: Field) -> None:
        if self._least <= _LEVELS["warning"]:
            self._log.warning(event, **fields)

    def error(self, event: Event, /, **fields: Field) -> None:
        self._log.error(event, **fields)


def _guard(*, strict: bool) -> _Processor:
    """Return the processor that lets only listed events and fields through."""

    def guard(_logger: object, _method: str, event: _EventDict) -> _EventDict:
        unsafe = [name for name, value in event.items() if not _is_safe(name, value)]
        if unsafe and strict:
            raise UnsafeFieldError(f"not on the list of logs.FIELDS, or not of its shape: {', '.join(sorted(unsafe))}")
        safe = {name: value for name, value in event.items() if name not in unsafe}
        safe.setdefault("event", "unlisted_event")
        return {**safe, "dropped_fields": len(unsafe)} if unsafe else safe

    return guard


def _is_safe(name: str, value: object) -> bool:
    if name == "event":
        return isinstance(value, Event)
    if name in _WRITTEN_BY_US or value is None:
        return name in _WRITTEN_BY_US or name in FIELDS
    return name in FIELDS and FIELDS[name](value)


def _render_json(_logger: object, _method: str, event: _EventDict) -> str:
    ordered = {name: event.pop(name) for name in _WRITTEN_BY_US}
    return _escaped_json({**ordered, **event})


def _render_console(*, colors: bool) -> _Processor:
    """Return the renderer for people: time, level and event, then the fields."""

    def paint(text: str, color: str) -> str:
        return f"{color}{text}{_RESET}" if colors else text

    def render(_logger: object, _method: str, event: _EventDict) -> str:
        timestamp, level, name = (event.pop(key) for key in _WRITTEN_BY_US)
        fields = [f"{key}={_shown(value)}" for key, value in event.items()]
        return " ".join([timestamp, paint(f"{level:<7}", _COLORS[level]), str(name), *fields])

    return render


def _shown(value: Field) -> str:
    """Return a value for a terminal: what a terminal would obey is escaped, and a text with blanks is quoted."""
    if not isinstance(value, str) or not value.isprintable():
        return _escaped_json(value)
    return json.dumps(value, ensure_ascii=False) if set(value) & set(" \"'\\=") else value


def _escaped_json(value: object) -> str:
    """Return `value` as JSON in printable ASCII: no C0 or C1 control, bidirectional override or lone surrogate."""
    return json.dumps(value).replace("\x7f", "\\u007f")


class _LineWriter:
    """The end of the chain: writes each line at once, so that a crash loses none."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def _write(self, line: str) -> None:
        try:
            self._stream.write(self._encodable(line) + "\n")
            self._stream.flush()
        except ValueError as error:
            # Python says ValueError for a stream that we closed ourselves; callers know OSError.
            raise OSError(errno.EBADF, "the log stream is closed") from error

    def _encodable(self, line: str) -> str:
        encoding = self._stream.encoding or "utf-8"
        return line.encode(encoding, "backslashreplace").decode(encoding)

    debug = info = warning = error = _write
