"""The policy at the engine: SQLite asks this for every action that a statement compiles to.

Allows SELECT, reading of the fixture's own tables and views, listed functions and recursion, and denies the rest.
The first denial is kept, since the engine only says "not authorized".
"""

import sqlite3

from evalgate_sql.model.outcome import Reason
from evalgate_sql.model.policy import Policy

_SYSTEM_PREFIX = "sqlite_"
_DECLARATION = (sqlite3.SQLITE_UPDATE, "sqlite_master")


class SqliteAuthorizer:
    """A callback for `sqlite3.Connection.set_authorizer`. Any exception in it would deny, too."""

    def __init__(
        self, policy: Policy, *, tables: frozenset[str], virtual_tables: frozenset[str], modules: frozenset[str]
    ) -> None:
        """Take the names, in lower case, that were read from the fixture and the engine before any query ran."""
        self._functions = policy.functions
        self._nondeterministic = policy.nondeterministic
        self._readable = (tables - virtual_tables) | policy.table_functions
        self._virtual = virtual_tables | (modules - policy.table_functions)
        self._is_query = False
        self.calls_in_views: set[tuple[str, str]] = set()
        """The views of the current statement with the functions that they call, in lower case."""
        self.denial: Reason | None = None

    def begin_statement(self, *, is_query: bool) -> None:
        """Forget the denial of an earlier statement. `is_query`: the next begins with SELECT or WITH."""
        self.denial = None
        self._is_query = is_query
        self.calls_in_views.clear()

    def __call__(
        self, action: int, subject: str | None, detail: str | None, _database: str | None, view: str | None
    ) -> int:
        """Answer SQLITE_OK or SQLITE_DENY for one action, which may stand in the definition of `view`."""
        if view and action == sqlite3.SQLITE_FUNCTION:
            self.calls_in_views.add((view, (detail or "").lower()))
        reason = self._objection(action, (subject or "").lower(), (detail or "").lower())
        if reason is None:
            return sqlite3.SQLITE_OK
        self.denial = self.denial or reason
        return sqlite3.SQLITE_DENY

    def _objection(self, action: int, subject: str, detail: str) -> Reason | None:
        if action == sqlite3.SQLITE_READ:
            return self._read_objection(subject, detail)
        if action == sqlite3.SQLITE_FUNCTION:
            return self._function_objection(detail)
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return None
        # A query asks for these only because SQLite, or a full-text module, sets up a virtual table for it.
        if self._is_query and (action == sqlite3.SQLITE_PRAGMA or (action, subject) == _DECLARATION):
            return Reason.VIRTUAL_TABLE
        return Reason.NOT_SELECT

    def _read_objection(self, table: str, column: str) -> Reason | None:
        if table in self._readable and not table.startswith(_SYSTEM_PREFIX):
            return None
        if table in self._virtual or table.startswith("pragma_"):
            return Reason.VIRTUAL_TABLE
        # NOTE: `WITH x AS (…) SELECT count(*) FROM x` asks to read table x, column empty: x is no table at all.
        if not column and not table.startswith(_SYSTEM_PREFIX):
            return None
        return Reason.SYSTEM_TABLE

    def _function_objection(self, function: str) -> Reason | None:
        if function in self._functions:
            return None
        if function in self._nondeterministic:
            return Reason.FUNCTION_NONDETERMINISTIC
        return Reason.FUNCTION_NOT_ALLOWED
