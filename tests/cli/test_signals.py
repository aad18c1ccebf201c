"""SIGINT and SIGTERM while a case runs that never ends."""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Start = Callable[..., Any]

CHECK = ("check", "--cases", "endless.jsonl", "--db", "sqlite:///fixture.db", "--jobs", "1", "--timeout-ms", "300000")
LOGGED = ("--log-level", "debug", "--log-format", "json", "--format", "json")
PATIENCE_S = 60


def _wait_for(event: str, process: "subprocess.Popen[bytes]") -> None:
    """Read the log until an event is in it."""
    assert process.stderr
    for line in process.stderr:
        if json.loads(line)["event"] == event:
            return
    pytest.fail(f"the log ended without {event}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_first_signal_gives_a_report_of_the_finished_cases(
    number: signal.Signals, start: Start, validate: Callable[[str, Any], None]
) -> None:
    """A cancelled run is 130, incomplete, without an accuracy, and lists what had finished."""
    with start(*CHECK, *LOGGED) as process:
        _wait_for("case_finished", process)
        process.send_signal(number)
        out, _ = process.communicate(timeout=PATIENCE_S)
    report = json.loads(out)
    validate("report.v1.json", report)
    assert (process.returncode, report["status"], report["complete"], report["accuracy"]) == (
        130,
        "CANCELLED",
        False,
        None,
    )
    assert [case["id"] for case in report["cases"]] == ["right"]


def test_lost_report_of_a_cancelled_run_is_still_cancelled(start: Start) -> None:
    """What ended the run goes before what became of its report: 130, not 11."""
    with start(*CHECK, *LOGGED, "-o", "/dev/full") as process:
        _wait_for("case_finished", process)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=PATIENCE_S)
    document = json.loads(out)
    assert (process.returncode, document["status"], document["error"]["code"]) == (
        130,
        "CANCELLED",
        "report_not_written",
    )


def _error_code(out: bytes) -> str:
    document = json.loads(out)
    return str(document["error"]["code"])


def test_two_signals_at_once_give_no_report(start: Start, tmp_path: Path) -> None:
    """Both signals are there before the program looks: 130, and nothing under the report's name."""
    report = tmp_path / "report.json"
    with start(*CHECK, *LOGGED, "-o", str(report)) as process:
        _wait_for("case_finished", process)
        for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
            process.send_signal(number)
        out, _ = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, _error_code(out), list(tmp_path.iterdir())) == (130, "cancelled", [])


def test_second_signal_ends_the_writing_of_a_report(start: Start, tmp_path: Path) -> None:
    """A report that waits for its reader is given up at the second signal, and what follows it is not begun."""
    fifo, report = tmp_path / "fifo", tmp_path / "report.json"
    os.mkfifo(fifo)
    with start(*CHECK, *LOGGED, "-o", f"human={fifo}", "-o", str(report)) as process:
        _wait_for("case_finished", process)
        process.send_signal(signal.SIGINT)
        _wait_for("run_finished", process)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, _error_code(out), report.exists()) == (130, "cancelled", False)


def test_signal_while_a_report_is_written_lets_it_finish(start: Start, tmp_path: Path) -> None:
    """Once the cases are done, the first signal changes neither the report nor the exit code."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    match = [*CHECK[:2], "match.jsonl", *CHECK[3:]]
    with start(*match, *LOGGED, "-o", f"json={fifo}") as process:
        _wait_for("run_finished", process)
        process.send_signal(signal.SIGTERM)
        report = json.loads(fifo.read_bytes())
        process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, report["status"]) == (0, "PASS")


def test_cancelled_run_leaves_no_process(start: Start) -> None:
    """The workers of a cancelled run are gone when it is."""
    with start(*CHECK, *LOGGED) as process:
        _wait_for("case_finished", process)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
    assert children
    assert not [pid for pid in children if Path(f"/proc/{pid}").exists()]
