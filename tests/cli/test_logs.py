"""The log of a run: where it goes, in which form, and what a log that cannot be written costs."""

import json
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Evalgate = Callable[..., Any]


def test_console_log_is_for_people(check: Evalgate) -> None:
    """The default form is a line of words without JSON or colour."""
    done = check("match.jsonl", "--log-level", "info")
    assert done.stderr.splitlines()[-1].partition(" ")[2] == "info    run_finished status=PASS exit_code=0"


def test_log_file_is_appended_to(check: Evalgate, tmp_path: Path) -> None:
    """A second run adds to the log of the first."""
    path = tmp_path / "run.log"
    path.write_text("earlier\n", encoding="utf-8")
    check("match.jsonl", "--log-level", "info", "--log-file", str(path))
    lines = path.read_text(encoding="utf-8").splitlines()
    assert (lines[0], "run_finished" in lines[-1]) == ("earlier", True)


def test_log_file_tells_why_a_run_failed(check: Evalgate, tmp_path: Path) -> None:
    """An error is in the log with its code, not with its text."""
    path = tmp_path / "run.log"
    check("absent.jsonl", "--log-format", "json", "--log-file", str(path))
    (line,) = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    del line["timestamp"]
    assert line == {"level": "error", "event": "run_failed", "error_code": "case_file_missing", "exit_code": 5}


@pytest.mark.parametrize("path", ["/dev/full", "absent/run.log", "."])
def test_log_that_cannot_be_written_is_exit_11(path: str, check: Evalgate) -> None:
    """A lost log is IO_ERROR, by name."""
    done = check("match.jsonl", "--log-level", "debug", "--log-file", path, "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (11, "log_not_written")


def test_log_lost_during_the_run_keeps_the_finished_cases(check: Evalgate, tmp_path: Path) -> None:
    """A log that fails once cases are running stops the run, and the report lists what had finished."""
    path, report = tmp_path / "run.log", tmp_path / "report.json"
    # Room for what is told before the first case, and not for much more.
    limit = 16 * 1024
    path.write_bytes(b"\n" * (limit - 1000))
    done = check(
        "mismatch.jsonl",
        *("--log-level", "debug", "--log-format", "json", "--log-file", str(path), "-o", str(report), "--jobs", "1"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    document = json.loads(report.read_text(encoding="utf-8"))
    assert (done.returncode, document["complete"], document["error"]["code"]) == (11, False, "log_not_written")
