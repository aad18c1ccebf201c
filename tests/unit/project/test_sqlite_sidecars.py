"""How files that SQLite leaves beside a database decide whether it may be a fixture."""

import os
import shlex
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from evalgate_sql.errors import DatabaseRefused
from evalgate_sql.project import sqlite_fixture
from evalgate_sql.project.sqlite_fixture import inspect_sqlite_fixture

MakeDatabase = Callable[[str, str], Path]


def copy_with_sidecar(source: Path, target: Path, suffix: str) -> Path:
    """Copy a database that is in use, as a crash would leave it."""
    shutil.copy(source, target)
    shutil.copy(f"{source}{suffix}", f"{target}{suffix}")
    return target


def refusal(path: Path) -> DatabaseRefused:
    """Return the error that `path` is refused with."""
    with pytest.raises(DatabaseRefused) as caught:
        inspect_sqlite_fixture(path)
    return caught.value


@pytest.fixture
def pending(tmp_path: Path, make_database: MakeDatabase) -> Path:
    """Return a WAL database whose last row is still in its log."""
    source = make_database("source.db", "WAL")
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("INSERT INTO t VALUES (2)")
        connection.commit()
        return copy_with_sidecar(source, tmp_path / "pending.db", "-wal")


@pytest.fixture
def hot(tmp_path: Path, make_database: MakeDatabase) -> Path:
    """Return a database that a crash left in the middle of a transaction."""
    source = make_database("source.db", "DELETE")
    with closing(sqlite3.connect(source, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size=1")
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO t VALUES (?)", [("x" * 1000,)] * 100)
        copy = copy_with_sidecar(source, tmp_path / "hot.db", "-journal")
        connection.execute("ROLLBACK")
    return copy


def test_an_empty_log_is_no_obstacle(database: Path) -> None:
    """A truncating checkpoint of a program that is still open leaves an empty log."""
    Path(f"{database}-wal").touch()

    assert not inspect_sqlite_fixture(database).fixture.immutable


def test_pending_frames_are_refused_with_a_command_that_repairs(pending: Path) -> None:
    """The command named in the refusal moves the frames into the file, which is then accepted."""
    error = refusal(pending)
    assert error.code == "fixture_wal_pending"

    run_repair(error)

    assert inspect_sqlite_fixture(pending).fixture.immutable


def test_frames_beside_a_rollback_database_are_refused(database: Path, pending: Path) -> None:
    """SQLite would read them, although the header says that there are none."""
    shutil.copy(f"{pending}-wal", f"{database}-wal")

    assert refusal(database).code == "fixture_wal_pending"


def test_a_hot_journal_is_refused_with_a_command_that_repairs(hot: Path) -> None:
    """The command named in the refusal rolls the transaction back, and the file is then accepted."""
    error = refusal(hot)
    assert error.code == "fixture_hot_journal"

    run_repair(error)

    assert inspect_sqlite_fixture(hot).sha256 is not None


def run_repair(error: DatabaseRefused) -> None:
    """Do what the one next action says, with Python's SQLite in place of the command-line program."""
    (action,) = error.next_actions
    program, path, pragma = shlex.split(action.command)
    assert program == "sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(pragma).fetchall()


@pytest.mark.parametrize("journal_mode", ["PERSIST", "TRUNCATE"])
def test_a_kept_journal_is_not_hot(make_database: MakeDatabase, journal_mode: str) -> None:
    """A journal that was zeroed or emptied belongs to a finished transaction."""
    database = make_database("kept.db", journal_mode)
    assert Path(f"{database}-journal").exists()

    assert inspect_sqlite_fixture(database).change_counter is not None


@pytest.mark.parametrize("suffix", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("kind", ["pipe", "directory", "link"])
def test_a_sidecar_that_is_no_file_is_refused(database: Path, suffix: str, kind: str) -> None:
    """An engine would wait on a pipe and follow a link; nothing here does."""
    sidecar = Path(f"{database}{suffix}")
    match kind:
        case "pipe":
            os.mkfifo(sidecar)
        case "directory":
            sidecar.mkdir()
        case _:
            sidecar.symlink_to("elsewhere")

    error = refusal(database)

    assert error.code == "fixture_sidecar_not_regular"
    assert kind in error.message


def test_a_journal_that_vanishes_is_not_hot(tmp_path: Path) -> None:
    """Its transaction ended between two looks at the folder."""
    assert not sqlite_fixture._is_hot(str(tmp_path / "gone-journal"))
