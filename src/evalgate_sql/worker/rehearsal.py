"""The pure parts of a case, run in the fork server before it forks.

The interpreter adapts code to what it meets in its first runs, and fills caches. Done in the server, that is done once,
in pages that all children share; left to the children, each would copy the pages to do it again. Opens no database,
reads no case: what is rehearsed stands below.
"""

from evalgate_sql.compare.rows import compare
from evalgate_sql.model.outcome import Outcome
from evalgate_sql.model.policy import Policy
from evalgate_sql.model.result import ResultSet
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.policy.sqlite_statement import read_statement
from evalgate_sql.wire.job_codec import decode_queries, encode_queries
from evalgate_sql.wire.messages import Queries
from evalgate_sql.wire.reply_codec import encode_reply

_RUNS = 16
"""CPython adapts a function after eight calls."""

_SQL = "SELECT name, count(*), round(avg(price), 2) FROM item AS i WHERE i.kind = 'a' GROUP BY name ORDER BY 2"
_QUERIES = Queries(_SQL, _SQL, order_matters=False, float_tolerance=1e-9)
_LEFT = ResultSet(3, [("a", 1, 0.5), ("b", 2, None)])
_RIGHT = ResultSet(3, [("b", 2, None), ("a", 1, 0.5)])


def rehearse(policy: Policy) -> None:
    """Run them until the interpreter has nothing left to adapt."""
    for _ in range(_RUNS):
        queries = decode_queries(encode_queries(_QUERIES)) or _QUERIES
        read_statement(queries.generated_sql, policy)
        compare(_LEFT, _RIGHT, order_matters=queries.order_matters, float_tolerance=queries.float_tolerance)
        compare(_LEFT, _LEFT, order_matters=queries.order_matters, float_tolerance=queries.float_tolerance)
        encode_reply(Verdict(Outcome.MATCH, reference_ms=0.5, generated_ms=0.5, compare_ms=0.5))
