"""What the engine is told when it asks, action by action."""

import sqlite3
from pathlib import Path

import pytest

from evalgate_sql.model.outcome import Reason
from evalgate_sql.policy.load import load_policy
from evalgate_sql.policy.sqlite_authorizer import SqliteAuthorizer

TABLES = frozenset({"person", "adult", "notes", "json_each_of_mine"})
MODULES = frozenset({"fts5", "json_each", "json_tree", "dbstat", "sqlite_dbpage"})


@pytest.fixture
def authorizer() -> SqliteAuthorizer:
    """Return the authorizer of the shipped policy for a fixture with one virtual table, before a query."""
    policy = load_policy(None, engine="sqlite", base=Path())
    authorizer = SqliteAuthorizer(policy, tables=TABLES, virtual_tables=frozenset({"notes"}), modules=MODULES)
    authorizer.begin_statement(is_query=True)
    return authorizer


@pytest.mark.parametrize(
    ("action", "subject", "detail"),
    [
        (sqlite3.SQLITE_SELECT, None, None),
        (sqlite3.SQLITE_RECURSIVE, None, None),
        (sqlite3.SQLITE_READ, "person", "name"),
        (sqlite3.SQLITE_READ, "Person", ""),
        (sqlite3.SQLITE_READ, "adult", "name"),
        (sqlite3.SQLITE_READ, "json_each", "value"),
        (sqlite3.SQLITE_READ, "json_tree", "value"),
        (sqlite3.SQLITE_READ, "name_of_a_cte", ""),
        (sqlite3.SQLITE_FUNCTION, None, "COUNT"),
        (sqlite3.SQLITE_FUNCTION, None, "->>"),
    ],
)
def test_reading_is_allowed(authorizer: SqliteAuthorizer, action: int, subject: str | None, detail: str | None) -> None:
    """SELECT, recursion, the fixture's tables and views, JSON tables, names of CTEs and listed functions pass."""
    assert authorizer(action, subject, detail, "main", None) == sqlite3.SQLITE_OK
    assert authorizer.denial is None


@pytest.mark.parametrize(
    ("action", "subject", "detail", "reason"),
    [
        (sqlite3.SQLITE_READ, "sqlite_master", "sql", Reason.SYSTEM_TABLE),
        (sqlite3.SQLITE_READ, "SQLITE_MASTER", "", Reason.SYSTEM_TABLE),
        (sqlite3.SQLITE_READ, "pragma_x", "", Reason.VIRTUAL_TABLE),
        (sqlite3.SQLITE_READ, "unknown", "column", Reason.SYSTEM_TABLE),
        (sqlite3.SQLITE_READ, "notes", "body", Reason.VIRTUAL_TABLE),
        (sqlite3.SQLITE_READ, "notes", "", Reason.VIRTUAL_TABLE),
        (sqlite3.SQLITE_READ, "dbstat", "", Reason.VIRTUAL_TABLE),
        (sqlite3.SQLITE_READ, "sqlite_dbpage", "data", Reason.VIRTUAL_TABLE),
        (sqlite3.SQLITE_UPDATE, "sqlite_master", "sql", Reason.VIRTUAL_TABLE),
        (sqlite3.SQLITE_PRAGMA, "page_size", None, Reason.VIRTUAL_TABLE),
        (sqlite3.SQLITE_UPDATE, "person", "name", Reason.NOT_SELECT),
        (sqlite3.SQLITE_FUNCTION, None, "load_extension", Reason.FUNCTION_NOT_ALLOWED),
        (sqlite3.SQLITE_FUNCTION, None, "random", Reason.FUNCTION_NONDETERMINISTIC),
        (sqlite3.SQLITE_FUNCTION, None, "current_date", Reason.FUNCTION_NONDETERMINISTIC),
        (sqlite3.SQLITE_FUNCTION, None, None, Reason.FUNCTION_NOT_ALLOWED),
        (sqlite3.SQLITE_INSERT, "person", None, Reason.NOT_SELECT),
        (sqlite3.SQLITE_ATTACH, ":memory:", None, Reason.NOT_SELECT),
        (sqlite3.SQLITE_TRANSACTION, "COMMIT", None, Reason.NOT_SELECT),
        (9_999, None, None, Reason.NOT_SELECT),
    ],
)
def test_anything_else_is_denied(
    authorizer: SqliteAuthorizer, action: int, subject: str | None, detail: str | None, reason: Reason
) -> None:
    """Catalogue and virtual tables, other functions and every other action are denied with the reason that fits."""
    assert authorizer(action, subject, detail, "main", None) == sqlite3.SQLITE_DENY
    assert authorizer.denial is reason


def test_statement_that_is_no_query_sets_up_no_virtual_table(authorizer: SqliteAuthorizer) -> None:
    """Where the user wrote UPDATE or PRAGMA, that is what is refused."""
    authorizer.begin_statement(is_query=False)
    authorizer(sqlite3.SQLITE_UPDATE, "sqlite_master", "sql", "main", None)
    assert authorizer.denial is Reason.NOT_SELECT


def test_first_denial_is_the_one_that_counts(authorizer: SqliteAuthorizer) -> None:
    """What the engine asks for after a denial does not change why it was denied."""
    authorizer(sqlite3.SQLITE_FUNCTION, None, "random", None, None)
    authorizer(sqlite3.SQLITE_PRAGMA, "query_only", None, None, None)
    assert authorizer.denial is Reason.FUNCTION_NONDETERMINISTIC


def test_denial_of_the_reference_is_forgotten(authorizer: SqliteAuthorizer) -> None:
    """The generated query is judged for itself."""
    authorizer(sqlite3.SQLITE_FUNCTION, None, "random", None, None)
    authorizer.begin_statement(is_query=True)
    assert authorizer.denial is None
