"""How the two queries of a case run on SQLite: text rules, policy and engine put together.

The text rules see a query first, the engine under the authorizer second. Chooses no outcome.
"""

from evalgate_sql.backends.sqlite import SqliteSession
from evalgate_sql.model.fault import Refused
from evalgate_sql.model.outcome import Reason
from evalgate_sql.policy.sqlite_authorizer import SqliteAuthorizer
from evalgate_sql.policy.sqlite_statement import read_statement
from evalgate_sql.wire.messages import JobContext
from evalgate_sql.worker.evaluate import Answer


class SqliteQueries:
    """The fixture opened for one case. See `evaluate.OpenFixture`."""

    def __init__(self, context: JobContext) -> None:
        """Open the fixture, take the snapshot and put everything after it under the policy."""
        self._policy = context.policy
        self._limits = context.limits
        self._session = SqliteSession(context.fixture)
        names = self._session.names
        self._session.authorize(
            SqliteAuthorizer(
                context.policy, tables=names.tables, virtual_tables=names.virtual_tables, modules=names.modules
            )
        )

    def run(self, sql: str) -> Answer:
        """Run one query. Raises `QueryFault`, `FixtureLocked` or `MemoryError`."""
        statement = read_statement(sql, self._policy)
        if not statement.is_query:
            # The grammar speaks first: what is no statement at all is not a forbidden one.
            self._session.compile_only(statement.text, is_explain=statement.is_explain)
            raise Refused(Reason.NOT_SELECT)
        if statement.computes_time and self._policy.clock is not None:
            self._session.watch_clock(self._policy.clock)
        return Answer(self._session.fetch(statement.text, limits=self._limits), statement)
