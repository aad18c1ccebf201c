"""Jobs and contexts as bytes: what the parent writes is what the worker reads."""

from dataclasses import replace
from pathlib import Path

import pytest

from evalgate_sql.model.fixture import FileStamp, SqliteFixture
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.policy.load import load_policy
from evalgate_sql.wire.frames import FrameError
from evalgate_sql.wire.job_codec import decode_context, decode_queries, encode_context, encode_queries
from evalgate_sql.wire.messages import JobContext, Queries

QUERIES = Queries("SELECT 'é'", "SELECT '\U00010348'", order_matters=True, float_tolerance=0.25)


@pytest.mark.parametrize("groups", [(), ("clock",), ("clock", "random")])
def test_context_comes_back_as_it_was(groups: tuple[str, ...]) -> None:
    """Fixture, limits and every rule of the shipped policy survive; only its origin stays with the parent."""
    policy = load_policy(None, engine="sqlite", enable_groups=groups, base=Path())
    stamp = FileStamp(1, 2, 3, 4, 5)
    context = JobContext(SqliteFixture("/a b/ä.db", stamp, immutable=True), policy, QueryLimits(7, 8), show_diff=True)
    read = decode_context(encode_context(context))
    assert replace(read, policy=replace(read.policy, enabled_groups=policy.enabled_groups)) == context


def test_queries_come_back_as_they_were() -> None:
    """Text, order and tolerance survive."""
    assert decode_queries(encode_queries(QUERIES)) == QUERIES


def test_probe_has_no_queries() -> None:
    """A job without queries is a probe."""
    assert decode_queries(encode_queries(None)) is None


def test_lone_surrogate_reaches_the_worker() -> None:
    """A text that has no UTF-8 travels as it is, so that the worker can reject it by name."""
    queries = replace(QUERIES, generated_sql="SELECT '\ud800'")
    assert decode_queries(encode_queries(queries)) == queries


def test_cut_job_is_no_job() -> None:
    """A job that lost its last byte is not read as a shorter one."""
    with pytest.raises(FrameError):
        decode_queries(encode_queries(QUERIES)[:-1])
