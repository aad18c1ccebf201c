"""What a person sees: a real terminal on standard output or error."""

import os
import pty
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Start = Callable[..., Any]
Evalgate = Callable[..., Any]
WriteCases = Callable[[Path, list[dict[str, Any]]], None]

PATIENCE_S = 60
CHECK = ("check", "--cases", "mismatch.jsonl", "--db", "sqlite:///fixture.db", "--jobs", "1")


def _read_terminal(master: int) -> str:
    """Return all that was written until the other side was closed."""
    seen = b""
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    os.close(master)
    return seen.decode()


@pytest.fixture(name="on_terminal")
def _on_terminal(start: Start) -> Callable[..., tuple[int, str]]:
    """Return what runs the command with one stream on a terminal, and gives exit code and what was seen."""

    def run(stream: str, *arguments: str, **settings: Any) -> tuple[int, str]:  # noqa: ANN401 - those of `start`
        master, slave = pty.openpty()
        with start(*arguments, **{stream: slave}, **settings) as process:
            os.close(slave)
            seen = _read_terminal(master)
            process.communicate(timeout=PATIENCE_S)
        return process.returncode, seen

    return run


def test_bar_shows_progress_on_a_terminal(on_terminal: Callable[..., tuple[int, str]]) -> None:
    """Standard error on a terminal gets a bar that reaches the end, and then a line of its own."""
    _, seen = on_terminal("stderr", *CHECK)
    assert "2/2" in seen
    assert seen.endswith("\r\n")


def test_bar_can_be_turned_off(on_terminal: Callable[..., tuple[int, str]]) -> None:
    """`--progress none` leaves a terminal alone."""
    assert on_terminal("stderr", *CHECK, "--progress", "none") == (1, "")


def test_pipe_gets_no_bar(mismatched: Any) -> None:  # noqa: ANN401 - a finished process
    """Standard error in a pipe stays empty by default."""
    assert mismatched.stderr == ""


def test_report_on_a_terminal_is_coloured(on_terminal: Callable[..., tuple[int, str]]) -> None:
    """A person at a terminal gets colour without asking for it."""
    _, seen = on_terminal("stdout", *CHECK)
    assert "\x1b[31mmismatch\x1b[0m" in seen


HOSTILE_IDS = (
    "\x1b]0;title\x07\x1b[2J",
    "\u202egnp.exe",
    "two\nlines\r",
    "\x9b31m",
    "zero\u200bwidth",
    "a\u2028b",
    "$(id)`id`",
)


@pytest.mark.parametrize("report_format", ["human", "json"])
def test_hostile_ids_are_inert_on_a_terminal(
    report_format: str, on_terminal: Callable[..., tuple[int, str]], scratch: Path, write_cases: WriteCases
) -> None:
    """No id moves the cursor, turns the text around, ends a line or hides in it."""
    write_cases(
        scratch / "mismatch.jsonl",
        [{"id": i, "question": "Q", "generatedSql": "SELECT 2", "referenceSql": "SELECT 1"} for i in HOSTILE_IDS],
    )
    exit_code, seen = on_terminal(
        "stdout", *CHECK, "--format", report_format, cwd=scratch, variables={"NO_COLOR": "1", "COLUMNS": "200"}
    )
    assert exit_code == 1
    assert [line for line in seen.split("\r\n") if not line.isprintable()] == []


def test_hostile_ids_are_inert_in_the_log(
    on_terminal: Callable[..., tuple[int, str]], scratch: Path, write_cases: WriteCases
) -> None:
    """The log on a terminal escapes them as well, beside its own colours."""
    write_cases(
        scratch / "mismatch.jsonl",
        [{"id": i, "question": "Q", "generatedSql": "SELECT 2", "referenceSql": "SELECT 1"} for i in HOSTILE_IDS],
    )
    arguments = (*CHECK, "--progress", "none", "--log-level", "debug")
    _, seen = on_terminal("stderr", *arguments, cwd=scratch, variables={"NO_COLOR": "1"})
    assert seen.count("case_finished") == len(HOSTILE_IDS)
    assert [line for line in seen.split("\r\n") if not line.isprintable()] == []
