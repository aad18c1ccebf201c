"""A fixture in WAL mode is read where nothing can be written, as in a read-only mount or a folder of another user."""

import ctypes
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.corpus.replay import Pair, write_cases

pytestmark = pytest.mark.corpus

PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE = 1
DENIED = 13


@pytest.fixture
def read_only_folder(tmp_path: Path) -> Path:
    """Return a folder that nobody may write, with a WAL fixture and its cases."""
    folder = tmp_path / "mount"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "wal.db")) as connection:
        connection.executescript("PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES (7);")
    write_cases(folder / "cases.jsonl", [Pair("one", "SELECT 7", "SELECT a FROM t")])
    for path in (*folder.iterdir(), folder):
        path.chmod(path.stat().st_mode & ~0o222)
    return folder


def be_bound_by_permissions() -> None:
    """Give up root's power to write everywhere, so that it is a user as any other here."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)


def run_python(program: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in `cwd` as a user whom permissions bind."""
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=be_bound_by_permissions,
    )


def test_a_wal_fixture_in_a_read_only_folder_is_read(read_only_folder: Path) -> None:
    """The case matches, and no `-wal` or `-shm` appears beside the fixture."""
    attempt = "try: open('new', 'x')\nexcept OSError as error: raise SystemExit(error.errno)"
    if run_python(attempt, cwd=read_only_folder).returncode != DENIED:
        pytest.skip("nothing binds the user of these tests, who may write to a folder without that right")
    arguments = ("check", "--cases", "cases.jsonl", "--db", "sqlite:///wal.db", "--format", "json")

    ended = run_python("from evalgate_sql.cli.main import main; main()", *arguments, cwd=read_only_folder)

    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert (report["status"], report["outcomes"]["match"], report["fixtureUnchanged"]) == ("PASS", 1, True)
    assert sorted(file.name for file in read_only_folder.iterdir()) == ["cases.jsonl", "wal.db"]
