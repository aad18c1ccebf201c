"""What the worker asks of a database engine, whichever it is."""

from typing import Protocol

from evalgate_sql.model.outcome import Reason
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.model.result import ResultSet


class Session(Protocol):
    """One read-only connection with one snapshot, on which both queries of a case run.

    Every method raises `model.fault.QueryFault`, `model.fault.FixtureLocked` or `MemoryError` and nothing else.
    """

    @property
    def engine_version(self) -> str:
        """The version of the engine, as it names it."""

    def fetch(self, sql: str, *, limits: QueryLimits) -> ResultSet:
        """Run one query and return all its rows, within the limits."""

    def compile_only(self, sql: str, *, is_explain: bool, is_query: bool) -> None:
        """Let the engine judge a statement without running it. `is_explain`: its first word is EXPLAIN."""

    def close(self) -> None:
        """Let go of the snapshot."""


class Authorizer(Protocol):
    """The policy as an engine that asks about each action wants it."""

    denial: Reason | None
    """Why the first denied action of the current statement was denied."""

    def begin_statement(self, *, is_query: bool) -> None:
        """Forget the denial of an earlier statement. `is_query`: the next begins with SELECT or WITH."""

    def __call__(
        self, action: int, subject: str | None, detail: str | None, database: str | None, trigger: str | None, /
    ) -> int:
        """Answer the engine for one action."""
