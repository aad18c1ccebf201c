"""Streams and logs that fail, at the seams where a real process cannot show it."""

import errno
import io
import sys
from pathlib import Path

import pytest

from evalgate_sql.cli.logging import event_log
from evalgate_sql.cli.progress import progress_of
from evalgate_sql.cli.streams import say, wants_color
from evalgate_sql.errors import UnavailableError
from evalgate_sql.logs import Event


class _Full(io.StringIO):
    def flush(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_log_fails_once_and_is_silent_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first line that is lost ends the run; the report of it must not be lost to the second."""
    monkeypatch.setattr(sys, "stderr", _Full())
    with event_log(log_format="console", level="info", file=None) as log:
        with pytest.raises(UnavailableError, match="No space left"):
            log.info(Event.RUN_STARTED)
        log.info(Event.RUN_FINISHED)


def test_closed_stderr_means_no_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller that closed standard error gets no log there, and no error."""
    monkeypatch.setattr(sys, "stderr", None)
    with event_log(log_format="json", level="debug", file=None) as log:
        log.error(Event.RUN_FAILED)


def test_bug_is_logged_by_its_class_only(tmp_path: Path) -> None:
    """What an unexpected exception says stays out of the log."""
    path = tmp_path / "run.log"
    with pytest.raises(KeyError), event_log(log_format="json", level="error", file=str(path)):
        raise KeyError("SELECT name FROM patients")
    assert '"exception": "KeyError"}' in path.read_text(encoding="utf-8")
    assert "patients" not in path.read_text(encoding="utf-8")


def test_error_message_is_not_doubled_on_stderr(monkeypatch: pytest.MonkeyPatch) -> None:
    """A console log on standard error leaves failures to the error message, which follows."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with pytest.raises(KeyError), event_log(log_format="console", level="debug", file=None):
        raise KeyError
    assert stream.getvalue() == ""


@pytest.mark.parametrize("stream", [None, _Full()], ids=["closed", "full"])
def test_saying_never_fails(stream: io.StringIO | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A courtesy that cannot be told is dropped."""
    monkeypatch.setattr(sys, "stderr", stream)
    say("not heard")


@pytest.mark.parametrize("kind", ["auto", "plain", "none"])
def test_progress_without_stderr_is_silent(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kind of progress bears a closed standard error."""
    monkeypatch.setattr(sys, "stderr", None)
    with progress_of(kind) as tell:
        tell(1, 1)


class _BrokenTerminal(_Terminal):
    def write(self, _text: str) -> int:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")


def test_bar_on_a_terminal_that_is_gone_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress that cannot be drawn is not drawn."""
    monkeypatch.setattr(sys, "stderr", _BrokenTerminal())
    with progress_of("auto") as tell:
        tell(1, 2)
        tell(2, 2)


@pytest.mark.parametrize(
    ("variables", "stream", "wanted"),
    [
        ({}, _Terminal(), True),
        ({}, io.StringIO(), False),
        ({"NO_COLOR": "1"}, _Terminal(), False),
        ({"NO_COLOR": ""}, _Terminal(), True),
        ({"FORCE_COLOR": "1"}, io.StringIO(), True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, io.StringIO(), False),
        ({"FORCE_COLOR": "1"}, None, False),
    ],
)
def test_colour_is_decided_by_variables_then_terminal(
    variables: dict[str, str], stream: io.StringIO | None, *, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NO_COLOR, then FORCE_COLOR, then the stream."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert wants_color(stream) is wanted
