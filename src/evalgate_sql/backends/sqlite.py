"""SQLite, opened so that a hostile statement or file can read the fixture and nothing else (contract section 4).

Runs the text it is given. Knows neither the policy, which comes as an authorizer, nor what a result is compared with.
"""

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from evalgate_sql.backends.accounting import ResultBudget
from evalgate_sql.backends.base import Authorizer
from evalgate_sql.backends.sqlite_clock import ClockGuard
from evalgate_sql.backends.sqlite_errors import fault_of
from evalgate_sql.limits import (
    MAX_SQL_BYTES,
    SQLITE_BUSY_TIMEOUT_MS,
    SQLITE_MAX_LENGTH_BYTES,
    SQLITE_MAX_LIKE_PATTERN_BYTES,
)
from evalgate_sql.model.fault import FixtureDamaged, FixtureLocked, Refused
from evalgate_sql.model.fixture import SqliteFixture
from evalgate_sql.model.outcome import Reason
from evalgate_sql.model.policy import ClockRule
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.model.result import ResultSet, Row

_PRAGMAS = """
PRAGMA query_only=ON;
PRAGMA trusted_schema=OFF;
PRAGMA temp_store=MEMORY;
PRAGMA cell_size_check=ON;
PRAGMA mmap_size=0;
"""

_URI_ESCAPES = str.maketrans({"%": "%25", "?": "%3f", "#": "%23"})
"""The characters of a path that mean something in a URI of SQLite's."""

# NOTE: the comment keeps what follows a token of its own; after a blank, SQLite would take a \v for one more.
_EXPLAIN = "EXPLAIN/**/"

_ENGINE_LIMITS = (
    (sqlite3.SQLITE_LIMIT_LENGTH, SQLITE_MAX_LENGTH_BYTES),
    (sqlite3.SQLITE_LIMIT_SQL_LENGTH, MAX_SQL_BYTES + len(_EXPLAIN)),
    (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, SQLITE_MAX_LIKE_PATTERN_BYTES),
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 0),
    (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
)

# The driver decodes the names of columns and the engine's messages strictly, and a fixture or a query may put any bytes
# into both.
_DRIVER_ERRORS = (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError)

# Text that is not UTF-8 is kept byte for byte (PEP 383), so that it compares by bytes. A partial of `str` runs in C.
_TEXT: Callable[[bytes], str] = partial(str, encoding="utf-8", errors="surrogateescape")


@dataclass(frozen=True, slots=True)
class Names:
    """The names an authorizer needs, in lower case, as fixture and engine give them."""

    tables: frozenset[str]
    virtual_tables: frozenset[str]
    modules: frozenset[str]


class UnwatchableError(Exception):
    """A watched session cannot run the statement, since a definition of the fixture itself uses a time function."""


class SqliteSession:
    """One connection with one read transaction. See `backends.base.Session`."""

    engine_version = sqlite3.sqlite_version

    def __init__(self, fixture: SqliteFixture, *, watched: ClockRule | None = None) -> None:
        """Open the fixture and take its snapshot. Untrusted text has to wait for `authorize`.

        With `watched`, computed time values are held against that rule.
        """
        self._authorizer: Authorizer | None = None
        self._guard = None if watched is None else ClockGuard(watched)
        try:
            self._connection = _connect(fixture)
            self.names = _begin(self._connection)
            if self._guard is not None:
                self._guard.install(self._connection)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise _open_fault(error) from None

    def authorize(self, authorizer: Authorizer) -> None:
        """Put every further statement under the authorizer."""
        self._authorizer = authorizer
        self._connection.set_authorizer(authorizer)

    def definition(self, name: str) -> str:
        """Return the SQL that the fixture's schema has for a view."""
        query = "SELECT CAST(sql AS TEXT) FROM sqlite_schema WHERE name = ?"
        with self._unauthorized():
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 1)
            rows = self._connection.execute(query, (name,)).fetchall()
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 0)
        return " ".join(sql for (sql,) in rows if sql)

    @contextmanager
    def _unauthorized(self) -> Iterator[None]:
        """Let our own statements read the schema, which no other may."""
        self._connection.set_authorizer(None)
        try:
            yield
        except _DRIVER_ERRORS as error:
            raise self._fault(error) from None
        finally:
            self._connection.set_authorizer(self._authorizer)

    def fetch(self, sql: str, *, limits: QueryLimits) -> ResultSet:
        """Run one query and return all its rows, within the limits."""
        try:
            return self._fetch(sql, ResultBudget(limits.max_rows))
        except _DRIVER_ERRORS as error:
            raise self._fault(error) from None

    def _fetch(self, sql: str, budget: ResultBudget) -> ResultSet:
        self._begin_statement(is_query=True)
        rows: list[Row] = []
        cursor = self._connection.execute(sql)
        for row in cursor:
            budget.take(row)
            rows.append(row)
        return ResultSet(len(cursor.description or ()), rows)

    def compile_only(self, sql: str, *, is_explain: bool, is_query: bool) -> None:
        """Let SQLite judge a statement without running it. EXPLAIN compiles the text and runs none of it."""
        self._begin_statement(is_query=is_query)
        try:
            self._connection.execute(sql if is_explain else _EXPLAIN + sql).close()
        except _DRIVER_ERRORS as error:
            raise self._fault(error) from None

    def close(self) -> None:
        """Let go of the snapshot."""
        self._connection.close()
        if self._guard is not None:
            self._guard.close()

    def _begin_statement(self, *, is_query: bool) -> None:
        if self._authorizer is None:
            raise AssertionError("untrusted SQL needs an authorizer")
        self._authorizer.begin_statement(is_query=is_query)
        if self._guard is not None:
            self._guard.denial = None

    def _fault(self, error: sqlite3.Error | sqlite3.Warning | UnicodeDecodeError) -> Exception:
        if self._guard is not None and self._guard.denial is not None:
            return Refused(self._guard.denial)
        if self._guard is not None and str(error).startswith("unsafe use of "):
            return UnwatchableError()
        if self._guard is not None and str(error) == "user-defined function raised exception":
            # A time function got text that is not UTF-8, which Python cannot hand to the guard: nobody judged it.
            return Refused(Reason.ARGUMENT_NOT_ALLOWED)
        return fault_of(error, denial=self._authorizer.denial if self._authorizer else None)


def _connect(fixture: SqliteFixture) -> sqlite3.Connection:
    uri = f"file:{fixture.path.translate(_URI_ESCAPES)}?mode=ro{'&immutable=1' if fixture.immutable else ''}"
    connection = sqlite3.connect(
        uri, uri=True, isolation_level=None, timeout=SQLITE_BUSY_TIMEOUT_MS / 1000, cached_statements=0
    )
    connection.text_factory = _TEXT
    for limit, value in _ENGINE_LIMITS:
        connection.setlimit(limit, value)
    if hasattr(connection, "enable_load_extension"):  # builds without extension loading lack the call
        connection.enable_load_extension(False)
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)
    connection.executescript(_PRAGMAS)
    return connection


def _begin(connection: sqlite3.Connection) -> Names:
    """Take the snapshot and read the names.

    The JSON table functions are touched here because SQLite before 3.5x asks an authorizer for UPDATE of
    `sqlite_master` when it first declares them.
    """
    connection.execute("BEGIN")
    rows = connection.execute(
        "SELECT name, sql LIKE 'create virtual %' FROM sqlite_schema WHERE type IN ('table', 'view')"
    ).fetchall()
    for touch in ("SELECT 1 FROM json_each('[]')", "SELECT 1 FROM json_tree('[]')"):
        try:
            connection.execute(touch).close()
        except sqlite3.OperationalError:  # a table of the fixture may bear the name
            continue
    modules = connection.execute("PRAGMA module_list").fetchall()
    # NOTE: not by SQLite's lower(), which leaves letters beyond ASCII as they are; the authorizer's lower() does not.
    return Names(
        tables=frozenset(name.lower() for name, _ in rows),
        virtual_tables=frozenset(name.lower() for name, is_virtual in rows if is_virtual),
        modules=frozenset(name.lower() for (name,) in modules),
    )


def _open_fault(error: Exception) -> Exception:
    """Return what is wrong with a fixture that does not open: it is locked, or it is damaged."""
    fault = fault_of(error, denial=None) if isinstance(error, sqlite3.Error) else None
    return fault if isinstance(fault, FixtureLocked) else FixtureDamaged()
