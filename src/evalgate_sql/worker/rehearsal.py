"""A case played through in the fork server before it forks, with a stand-in for the engine.

The interpreter adapts code to what it meets in its first runs, and fills caches. Done in the server, that is done once,
in pages that all children share; left to the children, each would copy the pages to do it again. Opens no database and
reads no case: what is played stands below.
"""

import mmap
import signal

from evalgate_sql.compare.rows import compare
from evalgate_sql.model.result import ResultSet
from evalgate_sql.policy.sqlite_statement import read_statement
from evalgate_sql.wire.job_codec import decode_queries, encode_queries
from evalgate_sql.wire.messages import JobContext, Queries
from evalgate_sql.wire.reply_codec import encode_reply
from evalgate_sql.worker.deadline import StageClock
from evalgate_sql.worker.evaluate import Answer, evaluate

_RUNS = 16
"""CPython adapts a function after eight calls."""

_SQL = "SELECT name, count(*), round(avg(price), 2) FROM item AS i WHERE i.kind = 'a' GROUP BY name"
_QUERIES = Queries(_SQL, _SQL, order_matters=False, float_tolerance=1e-9)
_ROWS = [("a", 1, 0.5), ("b", 2, None)]


class _StandIn:
    """Answers any query with the same rows."""

    def __init__(self, context: JobContext) -> None:
        self._policy = context.policy

    def run(self, sql: str) -> Answer:
        return Answer(ResultSet(3, _ROWS), read_statement(sql, self._policy))


def rehearse(context: JobContext) -> None:
    """Play a case until the interpreter has nothing left to adapt, and leave no timer behind."""
    shuffled = ResultSet(3, _ROWS[::-1])
    with mmap.mmap(-1, mmap.PAGESIZE) as page:
        for _ in range(_RUNS):
            queries = decode_queries(encode_queries(_QUERIES)) or _QUERIES
            encode_reply(evaluate(context, queries, StageClock(page), open_fixture=_StandIn))
            compare(ResultSet(3, _ROWS), shuffled, order_matters=False, float_tolerance=queries.float_tolerance)
    signal.setitimer(signal.ITIMER_REAL, 0)
