"""A fixture in WAL mode is read where nothing can be written, as another user would mount it."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.replay import Pair, write_cases

pytestmark = pytest.mark.corpus

NOBODY = 65534
IS_ROOT = os.geteuid() == 0


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    """Return a folder that holds a WAL fixture and its cases, and that the user of `run_unprivileged` cannot write.

    It is not in pytest's own folder, which other users may not enter.
    """
    folder = Path(tempfile.mkdtemp())
    with closing(sqlite3.connect(folder / "wal.db")) as connection:
        connection.executescript("PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES (7);")
    write_cases(folder / "cases.jsonl", [Pair("one", "SELECT 7", "SELECT a FROM t")])
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def run_unprivileged(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run Python as a user whom permissions bind: as nobody where this process is root's."""
    identity: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if IS_ROOT else {}
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, check=False, **identity
    )


def test_a_wal_fixture_in_a_read_only_folder_is_read(read_only_folder: Path) -> None:
    """The case matches, and no `-wal` or `-shm` appears beside the fixture."""
    try:
        imports = run_unprivileged("-c", "import evalgate_sql.cli.main", cwd=read_only_folder)
    except PermissionError:
        pytest.skip("another user may not run this Python")
    if imports.returncode:
        pytest.skip("another user may not read this installation")
    arguments = ("check", "--cases", "cases.jsonl", "--db", "sqlite:///wal.db", "--format", "json")

    ended = run_unprivileged(
        "-c", "from evalgate_sql.cli.main import main; main()", *arguments, cwd=read_only_folder
    )

    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert (report["status"], report["outcomes"]["match"], report["fixtureUnchanged"]) == ("PASS", 1, True)
    assert sorted(file.name for file in read_only_folder.iterdir()) == ["cases.jsonl", "wal.db"]
