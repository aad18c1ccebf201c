"""Reports on stdout and in files, and what becomes of them where they cannot be written."""

import fcntl
import json
import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Evalgate = Callable[..., Any]
WriteCases = Callable[[Path, list[dict[str, Any]]], None]

OLD_REPORT = '{"old": true}\n'


def test_files_and_stdout_hold_one_report(check: Evalgate, tmp_path: Path) -> None:
    """Several `-o` and stdout show the same run, each in its own format."""
    as_json, as_text = tmp_path / "report.json", tmp_path / "report.txt"
    done = check("mismatch.jsonl", "-o", f"json={as_json}", "-o", f"human={as_text}", "--format", "human")
    assert done.stdout == as_text.read_text(encoding="utf-8")
    assert json.loads(as_json.read_text(encoding="utf-8"))["matchCount"] == 1


def test_missing_folder_is_noticed_before_the_run(check: Evalgate, tmp_path: Path) -> None:
    """A report that has no folder to go to is exit 11 at once, not after an hour."""
    done = check("endless.jsonl", "--timeout-ms", "300000", "-o", str(tmp_path / "absent" / "report.json"))
    assert (done.returncode, done.stdout) == (11, "")


@pytest.fixture(name="many_cases")
def _many_cases(scratch: Path, write_cases: WriteCases) -> Path:
    """Return a folder with a case file whose report takes more than 8 KiB."""
    cases = [
        {"id": f"{number:0>240}", "question": "Q", "generatedSql": "SELECT 1", "referenceSql": "SELECT 1"}
        for number in range(20)
    ]
    write_cases(scratch / "many.jsonl", cases)
    return scratch


def test_reader_that_leaves_early_is_exit_11(many_cases: Path, check: Evalgate) -> None:
    """`| head -c 10` costs the report, and is told as an error in one line, not as a traceback."""
    read_end, write_end = os.pipe()
    # Smaller than the report: the writer has to notice that the reader left.
    fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, 4096)
    with subprocess.Popen(["head", "-c", "10"], stdin=read_end, stdout=subprocess.PIPE) as head:
        os.close(read_end)
        done = check("many.jsonl", "--format", "json", cwd=many_cases, stdout=write_end)
        os.close(write_end)
        seen, _ = head.communicate(timeout=60)
    assert (done.returncode, len(seen), done.stderr.count("\n")) == (11, 10, 1)


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)], ids=" ".join)
def test_help_without_a_reader_is_exit_11(arguments: tuple[str, ...], evalgate: Evalgate) -> None:
    """A broken pipe is never 1, which would be a low score."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = evalgate(*arguments, stdout=write_end)
    os.close(write_end)
    assert (done.returncode, "Traceback" in done.stderr) == (11, False)


def test_full_device_on_stdout_is_exit_11(check: Evalgate) -> None:
    """A report that standard output cannot take is IO_ERROR and no traceback."""
    with Path("/dev/full").open("wb") as full:
        done = check("match.jsonl", stdout=full)
    assert (done.returncode, done.stderr) == (
        11,
        "evalgate-sql: IO_ERROR: standard output: The report could not be written: No space left on device.\n",
    )


@pytest.fixture(name="tiny_disk")
def _tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 8 KiB, where the test may."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8k", "none", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting a tmpfs is not allowed here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_full_disk_leaves_the_old_report(many_cases: Path, check: Evalgate, tiny_disk: Path) -> None:
    """A disk that fills up while the report is written costs the new report, and nothing else."""
    report = tiny_disk / "report.json"
    report.write_text(OLD_REPORT)
    done = check("many.jsonl", "-o", str(report), cwd=many_cases)
    assert (done.returncode, done.stdout) == (11, "")
    assert {path.name: path.read_text() for path in tiny_disk.iterdir()} == {"report.json": OLD_REPORT}


def test_failing_write_leaves_the_old_report(many_cases: Path, check: Evalgate, tmp_path: Path) -> None:
    """The same without a mount: the system refuses to let the file grow."""
    report = tmp_path / "out" / "report.json"
    report.parent.mkdir()
    report.write_text(OLD_REPORT)
    limit = 6 * 1024
    done = check(
        "many.jsonl",
        "-o",
        str(report),
        cwd=many_cases,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert (done.returncode, "File too large" in done.stderr) == (11, True)
    assert {path.name: path.read_text() for path in report.parent.iterdir()} == {"report.json": OLD_REPORT}


def test_report_that_fails_is_an_error_in_json(check: Evalgate, tmp_path: Path) -> None:
    """With `--format json` stdout holds one document: the error instead of the report."""
    done = check("match.jsonl", "-o", str(tmp_path), "--format", "json")
    assert json.loads(done.stdout)["error"]["code"] == "report_not_written"


def test_diff_is_marked_wherever_it_goes(check: Evalgate, tmp_path: Path) -> None:
    """Rows of the fixture are announced in the JSON, in the text and on stderr."""
    path = tmp_path / "report.json"
    done = check("mismatch.jsonl", "--show-diff", "-o", str(path))
    assert json.loads(path.read_text(encoding="utf-8"))["containsFixtureRows"] is True
    assert "This report contains rows of the fixture." in done.stdout
    assert done.stderr == "evalgate-sql: the report contains rows of the fixture (--show-diff)\n"
