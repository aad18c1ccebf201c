"""Standard streams that callers closed, and a standard error that cannot be written."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Evalgate = Callable[..., Any]
Closed = Callable[..., "subprocess.CompletedProcess[str]"]

CHECK = ("check", "--cases", "mismatch.jsonl", "--db", "sqlite:///fixture.db", "--jobs", "1")


@pytest.fixture(name="closed")
def _closed(command: str, environment: dict[str, str], example: Path) -> Closed:
    """Return what runs the command with descriptors closed before it starts."""

    def run(redirections: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["sh", "-c", f'exec "$0" "$@" {redirections}', command, *arguments],
            cwd=example,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.parametrize(
    ("redirections", "exit_code"),
    [("<&- 2>&-", 1), (">&-", 11), ("<&- >&- 2>&-", 11)],
    ids=["stdin and stderr", "stdout", "all"],
)
def test_closed_stream_is_no_bug(redirections: str, exit_code: int, closed: Closed) -> None:
    """Only a closed stdout matters, since the report has no place to go; nothing ends in a traceback."""
    done = closed(redirections, *CHECK, "--progress", "plain")
    assert (done.returncode, "Traceback" in done.stdout + done.stderr) == (exit_code, False)


def test_report_goes_to_its_file_when_all_streams_are_closed(closed: Closed, tmp_path: Path) -> None:
    """No file of ours takes the number of a closed stream, so the report is whole."""
    path = tmp_path / "report.json"
    closed("<&- >&- 2>&-", *CHECK, "--log-level", "debug", "--show-diff", "-o", str(path))
    assert json.loads(path.read_text(encoding="utf-8"))["scoredCount"] == 2


@pytest.mark.parametrize("redirections", ["2>&-", "2>/dev/full"], ids=["closed", "full"])
def test_errors_that_cannot_be_told_keep_their_code(redirections: str, closed: Closed) -> None:
    """An error is still its own exit code when standard error cannot take its message."""
    assert closed(redirections, "check").returncode == 5


def test_progress_that_cannot_be_shown_costs_nothing(closed: Closed) -> None:
    """A full standard error does not take the report with it."""
    done = closed("2>/dev/full", *CHECK, "--progress", "plain", "--show-diff")
    assert (done.returncode, "accuracy 0.5000" in done.stdout) == (1, True)


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)], ids=" ".join)
def test_help_needs_no_stderr(arguments: tuple[str, ...], closed: Closed) -> None:
    """Help is told with every other stream closed."""
    assert closed("<&- 2>&-", *arguments).returncode == 0
