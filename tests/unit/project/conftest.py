"""SQLite files for the tests of this folder, made by Python's own SQLite."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

MakeDatabase = Callable[[str, str], Path]


@pytest.fixture
def make_database(tmp_path: Path) -> MakeDatabase:
    """Return what writes a small database of one row, given its name and journal mode, and closes it."""

    def make(name: str, journal_mode: str) -> Path:
        path = tmp_path / name
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA journal_mode={journal_mode}")
            connection.execute("CREATE TABLE t(a)")
            connection.execute("INSERT INTO t VALUES (1)")
            connection.commit()
        return path

    return make


@pytest.fixture
def database(make_database: MakeDatabase) -> Path:
    """Return a database in rollback mode."""
    return make_database("fixture.db", "DELETE")
