"""SQLite's values as they are, and its connection as the contract wants it."""

import math
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from evalgate_sql.backends.sqlite import SqliteSession
from evalgate_sql.model.fault import FixtureDamaged, QueryFault, Refused, Rejected
from evalgate_sql.model.fixture import FileStamp, SqliteFixture
from evalgate_sql.model.outcome import Reason
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.model.result import ResultSet
from evalgate_sql.project.sqlite_fixture import inspect_sqlite_fixture

OpenSession = Callable[..., SqliteSession]


def fetch(session: SqliteSession, sql: str) -> ResultSet:
    """Run one query under the default limits."""
    return session.fetch(sql, limits=QueryLimits())


def fault(session: SqliteSession, sql: str) -> tuple[type[QueryFault], Reason]:
    """Return how a query fails."""
    with pytest.raises(QueryFault) as caught:
        fetch(session, sql)
    return type(caught.value), caught.value.reason


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("9007199254740993", 9_007_199_254_740_993),
        ("9223372036854775807", 2**63 - 1),
        ("1e400", math.inf),
        ("-1e400", -math.inf),
        ("NULL", None),
        ("1.0", 1.0),
        ("x'00ff'", b"\x00\xff"),
        ("'a' || char(0) || 'b'", "a\0b"),
        ("'é'", "é"),
        ("CAST(x'61ff' AS TEXT)", "a\udcff"),
        ("CAST(x'c3a9' AS TEXT)", "é"),
        ("1 = 1", 1),
    ],
)
def test_value_arrives_as_it_is(open_session: OpenSession, sql: str, value: object) -> None:
    """Large integers, infinities, embedded NULs, blobs and undecodable text lose nothing."""
    ((found,),) = fetch(open_session(), f"SELECT {sql}").rows
    assert (type(found), found) == (type(value), value)


def test_undecodable_text_compares_by_its_bytes(open_session: OpenSession) -> None:
    """Two texts that are no UTF-8 are equal when their bytes are, and a blob of the same bytes is another value."""
    rows = fetch(open_session(), "SELECT CAST(x'ff' AS TEXT), CAST(x'ff' AS TEXT), CAST(x'fe' AS TEXT), x'ff'").rows
    first, same, other, blob = rows[0]
    assert (first == same, first == other, first == blob) == (True, False, False)


def test_empty_result_has_its_columns(open_session: OpenSession) -> None:
    """The number of columns comes from the cursor, not from a row."""
    assert fetch(open_session(), "SELECT 1, 2, 3 WHERE 0") == ResultSet(3, [])


def test_double_quoted_text_is_a_string(open_session: OpenSession) -> None:
    """What models often write, `country = "FR"`, means the text where no column has the name."""
    session = open_session("CREATE TABLE t(country); INSERT INTO t VALUES ('FR'), ('DE')")
    assert fetch(session, 'SELECT country FROM t WHERE country = "FR"').rows == [("FR",)]


def test_view_is_read(open_session: OpenSession) -> None:
    """A view over allowed functions is a table like any other."""
    session = open_session("CREATE TABLE t(a); INSERT INTO t VALUES (-1); CREATE VIEW v AS SELECT abs(a) AS a FROM t")
    assert fetch(session, "SELECT a FROM v").rows == [(1,)]


def test_view_that_calls_a_refused_function_is_refused(open_session: OpenSession) -> None:
    """The authorizer sees through a view."""
    session = open_session("CREATE VIEW v AS SELECT random() AS a")
    assert fault(session, "SELECT a FROM v") == (Refused, Reason.FUNCTION_NONDETERMINISTIC)


def test_table_named_like_a_json_function_is_read(open_session: OpenSession) -> None:
    """A fixture may have a table called json_each; it shadows the function and is read."""
    session = open_session("CREATE TABLE json_each(a); INSERT INTO json_each VALUES (7)")
    assert fetch(session, "SELECT a FROM json_each").rows == [(7,)]


def test_column_whose_name_is_no_text_fails_as_a_query(open_session: OpenSession) -> None:
    """The driver cannot name such a column; the query fails, and not the worker."""
    session = open_session("CREATE TABLE t(qqqqqq)", rename=(b"qqqqqq", b"\xff\xfeqqqq"))
    assert fault(session, "SELECT * FROM t") == (Rejected, Reason.EXECUTION_ERROR)


def test_message_that_is_no_text_fails_as_a_query(open_session: OpenSession) -> None:
    """A complaint that repeats undecodable bytes of the query is a complaint like any other."""
    found = fault(open_session(), "SELECT json_extract('{}', CAST(x'24ff' AS TEXT))")
    assert found == (Rejected, Reason.EXECUTION_ERROR)


@pytest.mark.parametrize(
    ("sql", "is_explain", "found"),
    [
        ("DROP TABLE t", False, (Refused, Reason.NOT_SELECT)),
        ("DROP TABLE absent", False, (Rejected, Reason.UNDEFINED_TABLE)),
        ("DROP TABEL t", False, (Rejected, Reason.PARSE_ERROR)),
        ("EXPLAIN SELEC", True, (Rejected, Reason.PARSE_ERROR)),
    ],
)
def test_statement_is_compiled_and_not_run(
    open_session: OpenSession, sql: str, found: tuple[type[QueryFault], Reason], *, is_explain: bool
) -> None:
    """The engine's complaint about another command is heard, and the command does not happen."""
    session = open_session()
    with pytest.raises(QueryFault) as caught:
        session.compile_only(sql, is_explain=is_explain, is_query=False)
    assert (type(caught.value), caught.value.reason) == found
    assert fetch(session, "SELECT count(*) FROM t").rows == [(0,)]


def test_untrusted_text_needs_an_authorizer(tmp_path: Path) -> None:
    """A session without an authorizer runs nothing."""
    path = tmp_path / "fixture.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t(a)")
    with closing(SqliteSession(inspect_sqlite_fixture(path).fixture)) as session, pytest.raises(AssertionError):
        fetch(session, "SELECT 1")


def test_both_queries_see_one_snapshot(open_session: OpenSession, tmp_path: Path) -> None:
    """What another process tries to write meanwhile is not seen by the second query."""
    session = open_session("CREATE TABLE t(a)")
    before = fetch(session, "SELECT count(*) FROM t").rows
    with closing(sqlite3.connect(tmp_path / "fixture.db", timeout=0, isolation_level=None)) as writer:
        writer.execute("PRAGMA locking_mode=NORMAL")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            writer.execute("INSERT INTO t VALUES (1)")
    assert fetch(session, "SELECT count(*) FROM t").rows == before == [(0,)]


def test_missing_file_is_damage_and_not_created(tmp_path: Path) -> None:
    """Opening never makes a file."""
    path = tmp_path / "absent.db"
    with pytest.raises(FixtureDamaged):
        SqliteSession(SqliteFixture(str(path), FileStamp(0, 0, 0, 0, 0), immutable=False))
    assert not path.exists()


@pytest.mark.parametrize("name", ["a b.db", "50%25.db", "q?mode=rwc.db", "h#ash.db", "ü.db"])
def test_any_file_name_is_opened_as_it_is(tmp_path: Path, name: str) -> None:
    """No character of a path is read as a part of the URI."""
    path = tmp_path / name
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t(a)")
    with closing(SqliteSession(inspect_sqlite_fixture(path).fixture)) as session:
        assert session.names.tables == {"t"}
