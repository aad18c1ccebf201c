"""When a SQLite fixture counts as changed."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evalgate_sql.errors import DatabaseRefused
from evalgate_sql.model.fixture import FileStamp
from evalgate_sql.project import sqlite_fixture
from evalgate_sql.project.sqlite_fixture import FixtureIdentity, inspect_sqlite_fixture

MakeDatabase = Callable[[str, str], Path]


@pytest.fixture
def identity(database: Path) -> FixtureIdentity:
    """Return what the database was before a test touches it."""
    return inspect_sqlite_fixture(database)


def test_looking_and_reading_change_nothing(database: Path, identity: FixtureIdentity) -> None:
    """Neither our look nor an engine that only reads counts as a change."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        connection.execute("SELECT a FROM t").fetchall()

    assert identity.unchanged()
    assert list(database.parent.iterdir()) == [database]


def test_a_write_is_a_change(database: Path, identity: FixtureIdentity) -> None:
    """A committed row shows in the identity."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("INSERT INTO t VALUES (2)")
        connection.commit()

    assert not identity.unchanged()


def test_a_write_with_its_time_restored_is_a_change(database: Path, identity: FixtureIdentity) -> None:
    """Other bytes of the same length under the old modification time do not go unseen."""
    status = database.stat()
    content = database.read_bytes()
    database.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    os.utime(database, ns=(status.st_atime_ns, status.st_mtime_ns))

    assert not identity.unchanged()


def test_a_replaced_file_is_a_change(database: Path, identity: FixtureIdentity) -> None:
    """The same bytes in another file are not the file that was run."""
    shutil.copy(database, database.with_suffix(".new"))
    database.with_suffix(".new").replace(database)

    assert not identity.unchanged()


def test_a_vanished_file_is_a_change(database: Path, identity: FixtureIdentity) -> None:
    """There is nothing left to compare with."""
    database.unlink()

    assert not identity.unchanged()


def test_a_file_under_another_link_is_a_change(database: Path, identity: FixtureIdentity) -> None:
    """A link in the place of the file may point to the same bytes and is another file."""
    database.rename(database.with_suffix(".moved"))
    database.symlink_to(database.with_suffix(".moved"))

    assert not identity.unchanged()


def test_frames_written_meanwhile_are_a_change(make_database: MakeDatabase) -> None:
    """In WAL mode the file itself may stay as it is while rows are added."""
    database = make_database("wal.db", "WAL")
    identity = inspect_sqlite_fixture(database)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("INSERT INTO t VALUES (2)")
        connection.commit()
        assert not identity.unchanged()


@pytest.fixture
def stale(database: Path) -> Iterator[tuple[int, FileStamp]]:
    """Return a descriptor and the stamp that its file had before it was touched."""
    stamp = inspect_sqlite_fixture(database).fixture.stamp
    os.utime(database, ns=(0, 0))
    descriptor = os.open(database, os.O_RDONLY)
    yield descriptor, stamp
    os.close(descriptor)


def test_a_file_that_changes_before_it_is_open_is_refused(stale: tuple[int, FileStamp]) -> None:
    """The stamp taken by name has to hold for what was opened."""
    with pytest.raises(DatabaseRefused) as caught:
        sqlite_fixture._read_header(*stale, "fixture.db")

    assert caught.value.code == "fixture_changing"


def test_a_file_that_changes_while_it_is_read_is_refused(stale: tuple[int, FileStamp], database: Path) -> None:
    """The stamp still has to hold when all has been read."""
    with pytest.raises(DatabaseRefused) as caught:
        sqlite_fixture._require_steady(*stale, str(database))

    assert caught.value.code == "fixture_changing"
