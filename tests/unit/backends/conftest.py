"""Sessions on small fixtures, in this process: nothing here is hostile."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from evalgate_sql.backends.sqlite import SqliteSession
from evalgate_sql.model.policy import ClockRule
from evalgate_sql.policy.load import load_policy
from evalgate_sql.policy.sqlite_authorizer import SqliteAuthorizer
from evalgate_sql.project.sqlite_fixture import inspect_sqlite_fixture

OpenSession = Callable[..., SqliteSession]


@pytest.fixture
def open_session(tmp_path: Path) -> Iterator[OpenSession]:
    """Return what writes a fixture by a script and opens an authorized session on it."""
    with ExitStack() as stack:

        def open_(
            script: str = "CREATE TABLE t(a)",
            *,
            rename: tuple[bytes, bytes] = (b"", b""),
            watched: ClockRule | None = None,
        ) -> SqliteSession:
            path = tmp_path / "fixture.db"
            with closing(sqlite3.connect(path)) as connection:
                connection.executescript(script)
            if rename[0]:
                path.write_bytes(path.read_bytes().replace(*rename))
            session = stack.enter_context(closing(SqliteSession(inspect_sqlite_fixture(path).fixture, watched=watched)))
            policy = load_policy(None, engine="sqlite", base=tmp_path)
            names = session.names
            session.authorize(
                SqliteAuthorizer(
                    policy, tables=names.tables, virtual_tables=names.virtual_tables, modules=names.modules
                )
            )
            return session

        yield open_
