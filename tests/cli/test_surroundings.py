"""Locales, folders and file names as they come."""

import json
import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Evalgate = Callable[..., Any]
WriteCases = Callable[[Path, list[dict[str, Any]]], None]

MISMATCH = {"id": "café", "question": "Où?", "generatedSql": "SELECT 'é'", "referenceSql": "SELECT 'è'"}

LOCALES = {
    "no locale": {},
    "POSIX without UTF-8 mode": {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}


@pytest.mark.parametrize("name", LOCALES)
def test_report_is_utf_8_in_every_locale(name: str, check: Evalgate, scratch: Path, write_cases: WriteCases) -> None:
    """What the locale says about encodings changes no byte of a report."""
    write_cases(scratch / "cases.jsonl", [MISMATCH])
    done = check("cases.jsonl", "--show-diff", cwd=scratch, variables=LOCALES[name])
    assert "café" in done.stdout
    assert "+ 'é'" in done.stdout


def test_bytecode_and_hash_settings_of_the_caller_do_not_matter(check: Evalgate) -> None:
    """PYTHON variables that would break a worker do not reach it."""
    done = check("match.jsonl", variables={"PYTHONHASHSEED": "7", "PYTHONPATH": "/nonexistent", "PYTHONOPTIMIZE": "2"})
    assert done.returncode == 0


def test_deleted_working_directory_is_told(
    command: str, environment: dict[str, str], example: Path, tmp_path: Path
) -> None:
    """A working directory that is gone is one clear line."""
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'rmdir "$PWD" && exec "$0" "$@"'
    arguments = ["check", "--cases", str(example / "match.jsonl"), "--db", f"sqlite:///{example}/fixture.db"]
    done = subprocess.run(
        ["sh", "-c", script, command, *arguments],
        cwd=gone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (
        11,
        "evalgate-sql: IO_ERROR: the working directory does not exist any more\n",
    )


ODD_NAMES = [b"two words\nand lines.jsonl", b"-\xff no utf-8.jsonl"]


@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
def test_case_file_may_have_any_name(name: bytes, evalgate: Evalgate, scratch: Path, write_cases: WriteCases) -> None:
    """A case file is found by whatever name the system gave it, and the report is one JSON document in UTF-8."""
    write_cases(scratch / os.fsdecode(name), [{**MISMATCH, "id": "a"}])
    done = evalgate(
        "check", b"--cases=" + name, "--db", "sqlite:///fixture.db", "--jobs", "1", "--format", "json", cwd=scratch
    )
    assert json.loads(done.stdout)["scoredCount"] == 1


def test_odd_name_of_a_missing_file_is_told(evalgate: Evalgate) -> None:
    """An error about such a name is printable."""
    done = evalgate("check", b"--cases=\xff\x1b[2J\n", "--db", "sqlite:///fixture.db")
    assert (done.returncode, done.stderr.splitlines()) == (
        5,
        ["evalgate-sql: BAD_ARGS: \\udcff\\x1b[2J\\n: there is no such case file"],
    )


@pytest.mark.parametrize("seconds", [20, 60])
def test_lower_limit_of_the_user_stays_in_force(check: Evalgate, seconds: int) -> None:
    """A processor limit below ours cannot be raised; cases run under it."""
    done = check("match.jsonl", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_report_beside_the_fixture_does_not_look_like_unfinished_work(
    check: Evalgate, suffix: str, example: Path
) -> None:
    """SQLite would take a file of such a name for its own, so no output may have it."""
    done = check("match.jsonl", "-o", f"json=fixture.db{suffix}")
    assert done.returncode == 5
    assert not (example / f"fixture.db{suffix}").exists()
