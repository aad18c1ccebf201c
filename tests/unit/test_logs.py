"""The log: what it writes, what it never lets through, and how it fails."""

import errno
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evalgate_sql.logs import FIELDS, Event, EventLog, SilentLog, UnsafeFieldError, configure

SQL = "SELECT name FROM patients"


def _json_lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.fixture(name="stream")
def _stream() -> io.StringIO:
    return io.StringIO()


@pytest.fixture(name="json_log")
def _json_log(stream: io.StringIO) -> EventLog:
    return configure(format="json", level="debug", stream=stream, colors=False)


@pytest.fixture(name="console_log")
def _console_log(stream: io.StringIO) -> EventLog:
    return configure(format="console", level="debug", stream=stream, colors=False)


def test_json_event_is_one_object_a_line(json_log: EventLog, stream: io.StringIO) -> None:
    """A line holds the time in UTC, the level, the event and the fields."""
    json_log.info(Event.CASE_FINISHED, case_id="c-1", outcome="match", duration_ms=1.5)
    json_log.error(Event.RUN_FAILED, error_code="policy_unknown", exit_code=5)
    first, second = _json_lines(stream)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", first.pop("timestamp"))
    assert first == {
        "level": "info",
        "event": "case_finished",
        "case_id": "c-1",
        "outcome": "match",
        "duration_ms": 1.5,
    }
    assert (second["level"], second["event"], second["exit_code"]) == ("error", "run_failed", 5)


def test_console_event_reads_as_a_line(console_log: EventLog, stream: io.StringIO) -> None:
    """A line for people has time, level and event first, and quotes what holds blanks."""
    console_log.warning(Event.WORKER_LOST, case_id="top customers", signal=9, file=None, case_set="crème")
    line = stream.getvalue().partition(" ")[2]
    assert line == 'warning worker_lost case_id="top customers" signal=9 file=null case_set=crème\n'


def test_console_quotes_what_would_look_like_another_field(console_log: EventLog, stream: io.StringIO) -> None:
    """An id cannot pretend to be a field of its own."""
    console_log.info(Event.CASE_FINISHED, case_id='a" outcome=match')
    assert stream.getvalue().endswith('case_finished case_id="a\\" outcome=match"\n')


def test_colors_are_written_only_when_asked_for(stream: io.StringIO) -> None:
    """Escape sequences stand in the line with colors and never without."""
    configure(format="console", level="info", stream=stream, colors=True).info(Event.RUN_STARTED, jobs=2)
    assert "\x1b[32minfo" in stream.getvalue()


@pytest.mark.parametrize(
    ("level", "expected"),
    [("debug", 4), ("info", 3), ("warning", 2), ("error", 1)],
)
def test_level_hides_what_is_below_it(level: Any, expected: int, stream: io.StringIO) -> None:  # noqa: ANN401 - each in turn
    """Only events of the level and above are written."""
    log = configure(format="json", level=level, stream=stream, colors=False)
    for write in (log.debug, log.info, log.warning, log.error):
        write(Event.RUN_STARTED)
    assert len(_json_lines(stream)) == expected


UNSAFE = [
    {"sql": SQL},
    {"question": "Who is ill?"},
    {"message": "no such table"},
    {"exc_info": True},
    {"reason": SQL},
    {"outcome": "match; DROP"},
    {"error_code": "postgresql://user:secret@host/db"},
    {"policy": "postgresql://user:secret@host/db"},
    {"policy_sha256": "abc"},
    {"case_id": "x" * 257},
    {"case_id": ["a row"]},
    {"row_count": "12"},
    {"row_count": True},
    {"complete": 1},
    {"duration_ms": float("nan")},
    {"duration_ms": float("inf")},
    {"byte_count": 10**400},
]


@pytest.mark.parametrize("fields", UNSAFE, ids=str)
def test_unlisted_field_never_reaches_the_stream(fields: Any, json_log: EventLog, stream: io.StringIO) -> None:  # noqa: ANN401 - wrong on purpose
    """A field off the list, or of another shape than listed, is dropped and counted."""
    json_log.info(Event.CASE_FINISHED, case_count=1, **fields)
    (line,) = _json_lines(stream)
    assert (line["case_count"], line["dropped_fields"]) == (1, 1)
    assert not set(fields) & set(line)


@pytest.mark.parametrize("fields", UNSAFE, ids=str)
def test_unlisted_field_raises_in_tests(fields: Any, stream: io.StringIO) -> None:  # noqa: ANN401 - wrong on purpose
    """A strict log names the field, without its value, and writes nothing."""
    log = configure(format="json", level="debug", stream=stream, colors=False, strict=True)
    with pytest.raises(UnsafeFieldError, match=next(iter(fields))) as caught:
        log.info(Event.CASE_FINISHED, **fields)
    assert SQL not in str(caught.value)
    assert not stream.getvalue()


def test_free_text_is_no_event(json_log: EventLog, stream: io.StringIO) -> None:
    """An event that is not of the closed list is not written, since it could say anything."""
    json_log.info(SQL)  # type: ignore[arg-type]
    (line,) = _json_lines(stream)
    assert (line["event"], line["dropped_fields"]) == ("unlisted_event", 1)
    assert SQL not in stream.getvalue()


HARMFUL = ["\x1b[2J", "\r", "\n", "\x07", "\x7f", "\x9b31m", "\u202e", "\u2028", "\u200b", "\udc80", "\x00"]


@pytest.mark.parametrize("kind", ["console", "json"])
@pytest.mark.parametrize("text", HARMFUL, ids=ascii)
def test_terminal_is_not_obeyed(text: str, kind: Any, stream: io.StringIO) -> None:  # noqa: ANN401 - a Literal
    """Control, direction and separator characters of an id or a file name are escaped in both formats."""
    log = configure(format=kind, level="info", stream=stream, colors=False)
    log.info(Event.CASE_FINISHED, case_id=f"a{text}b", file=f"{text}.jsonl")
    line = stream.getvalue().removesuffix("\n")
    assert line.isprintable()
    assert "dropped_fields" not in line


def test_narrow_encoding_is_no_error() -> None:
    """A stream that cannot write a character gets its escape instead of an exception."""
    raw = io.BytesIO()
    log = configure(format="console", level="info", stream=io.TextIOWrapper(raw, encoding="ascii"), colors=False)
    log.info(Event.CASE_FINISHED, case_id="é")
    assert raw.getvalue().endswith(b"case_id=\\xe9\n")


def test_closed_stream_is_an_os_error() -> None:
    """A log that was closed fails as every log that cannot be written."""
    stream = io.StringIO()
    log = configure(format="json", level="info", stream=stream, colors=False)
    stream.close()
    with pytest.raises(OSError, match="closed"):
        log.info(Event.RUN_STARTED)


class _FullDisk(io.StringIO):
    def flush(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_full_disk_is_an_os_error() -> None:
    """A full disk is noticed at the event that meets it, not at the end of the run."""
    log = configure(format="json", level="info", stream=_FullDisk(), colors=False)
    with pytest.raises(OSError, match="No space left"):
        log.info(Event.RUN_STARTED)


def test_each_line_is_written_at_once(tmp_path: Path) -> None:
    """A line is in the file before the next event, so that a crash loses none."""
    path = tmp_path / "run.log"
    with path.open("w", encoding="utf-8") as stream:
        configure(format="json", level="info", stream=stream, colors=False).info(Event.RUN_STARTED)
        assert path.read_text(encoding="utf-8").count("\n") == 1


def test_two_logs_do_not_share_anything(stream: io.StringIO) -> None:
    """A second log changes neither the level nor the stream of the first."""
    first = configure(format="json", level="debug", stream=stream, colors=False)
    configure(format="console", level="error", stream=io.StringIO(), colors=True)
    first.debug(Event.RUN_STARTED)
    assert len(_json_lines(stream)) == 1


def test_silent_log_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """A library caller without a log needs no stream."""
    log: EventLog = SilentLog()
    for write in (log.debug, log.info, log.warning, log.error):
        write(Event.RUN_STARTED, case_id="a")
    assert capsys.readouterr() == ("", "")


def test_structlog_is_not_imported_with_the_module() -> None:
    """`--help` must stay fast, so the logging library waits until a log is made."""
    program = "import sys, evalgate_sql.logs; sys.exit('structlog' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_field_names_do_not_hide_our_own() -> None:
    """No field can stand for the time, the level or the event."""
    assert not {"timestamp", "level", "event"} & set(FIELDS)
