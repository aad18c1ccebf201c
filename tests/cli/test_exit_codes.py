"""Every exit code of the contract that this version can reach, by the shortest way."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Evalgate = Callable[..., Any]

MARKER = "SELECT secret_marker"


def test_low_score_exits_1(mismatched: Any) -> None:  # noqa: ANN401 - a finished process
    """A conclusive run below the minimum is SCORE_BELOW."""
    assert mismatched.returncode == 1


def test_missing_fixture_exits_5_and_is_not_created(evalgate: Evalgate, example: Path) -> None:
    """A database that does not exist is refused, and opening does not make one."""
    done = evalgate("check", "--cases", "match.jsonl", "--db", "sqlite:///absent.db")
    assert (done.returncode, (example / "absent.db").exists()) == (5, False)


def test_inconclusive_run_exits_7(refused: Any) -> None:  # noqa: ANN401 - a finished process
    """A refused case keeps the gate inconclusive whatever the score."""
    assert refused.returncode == 7


def _run_with_a_bug(example: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the command with a `run_check` that fails as only a bug can."""
    program = f"""
import sys
from evalgate_sql.cli import check, main

def broken(*_, **__):
    raise RuntimeError({MARKER!r})

check.run_check = broken
main.main(sys.argv[1:])
"""
    arguments = ["check", "--cases", "match.jsonl", "--db", "sqlite:///fixture.db", "--format", "json"]
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=example,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_bug_exits_99_and_shows_no_message(example: Path, environment: dict[str, str]) -> None:
    """A bug of ours is INTERNAL_ERROR, with the place in the code and without the exception's text."""
    done = _run_with_a_bug(example, environment)
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (99, "internal_error")
    assert "RuntimeError" in done.stderr
    assert "secret_marker" not in (done.stdout + done.stderr).replace(f"raise RuntimeError({MARKER!r})", "")
