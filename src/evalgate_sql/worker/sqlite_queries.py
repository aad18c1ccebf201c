"""How the two queries of a case run on SQLite: text rules, policy and engine put together.

The text rules see a query first, the engine under the authorizer second. Chooses no outcome.
"""

from evalgate_sql.backends.sqlite import SqliteSession, UnwatchableError
from evalgate_sql.model.fault import Refused
from evalgate_sql.model.outcome import Reason
from evalgate_sql.model.policy import ClockRule
from evalgate_sql.model.result import ResultSet
from evalgate_sql.policy.sqlite_authorizer import SqliteAuthorizer
from evalgate_sql.policy.sqlite_statement import Statement, read_statement
from evalgate_sql.policy.sqlite_time import reads_clock
from evalgate_sql.policy.sqlite_tokens import tokenize
from evalgate_sql.wire.messages import JobContext
from evalgate_sql.worker.evaluate import Answer


class SqliteQueries:
    """The fixture opened for one case. See `evaluate.OpenFixture`."""

    def __init__(self, context: JobContext) -> None:
        """Open the fixture, take the snapshot and put everything after it under the policy."""
        self._policy = context.policy
        self._limits = context.limits
        self._fixture = context.fixture
        self._session = SqliteSession(context.fixture)
        self._watched: SqliteSession | None = None
        names = self._session.names
        self._authorizer = SqliteAuthorizer(
            context.policy, tables=names.tables, virtual_tables=names.virtual_tables, modules=names.modules
        )
        self._session.authorize(self._authorizer)

    def run(self, sql: str) -> Answer:
        """Run one query. Raises `QueryFault`, `FixtureLocked` or `MemoryError`."""
        statement = read_statement(sql, self._policy)
        if not statement.is_query or statement.objection:
            # The engine speaks first: what is no statement at all, or names what is not there, is not a forbidden one.
            self._session.compile_only(statement.text, is_explain=statement.is_explain, is_query=statement.is_query)
            raise Refused(statement.objection or Reason.NOT_SELECT)
        clock = self._policy.clock
        if statement.watches_clock and clock is not None:
            result = self._watched_fetch(statement, clock)
        else:
            result = self._session.fetch(statement.text, limits=self._limits)
        if self._authorizer.calls_in_views and clock is not None:
            self._check_views(clock)
        return Answer(result, statement)

    def _watched_fetch(self, statement: Statement, clock: ClockRule) -> ResultSet:
        """Run a statement that might compute a time value that means the clock on a session that is watched.

        The second session sees the same snapshot: the first holds its lock, or the file is immutable.
        """
        try:
            return self._watched_session(clock).fetch(statement.text, limits=self._limits)
        except UnwatchableError:
            return self._session.fetch(statement.text, limits=self._limits)

    def _watched_session(self, clock: ClockRule) -> SqliteSession:
        if self._watched is None:
            self._watched = SqliteSession(self._fixture, watched=clock)
            self._watched.authorize(self._authorizer)
        return self._watched

    def _check_views(self, clock: ClockRule) -> None:
        """Raise `Refused` where a view through which the last statement called a time function reads the clock."""
        time_functions = frozenset().union(*(call.functions for call in clock.calls))
        for view in sorted({view for view, function in self._authorizer.calls_in_views if function in time_functions}):
            if reads_clock(tokenize(self._session.definition(view)), clock):
                raise Refused(Reason.FUNCTION_NONDETERMINISTIC)
