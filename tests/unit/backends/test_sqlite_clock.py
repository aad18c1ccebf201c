"""The clock rule at the engine, where time values are computed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evalgate_sql.backends.sqlite import SqliteSession
from evalgate_sql.model.fault import Refused, Rejected
from evalgate_sql.model.outcome import Reason
from evalgate_sql.model.policy import ClockRule
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.policy.load import load_policy

OpenSession = Callable[..., SqliteSession]
LIMITS = QueryLimits()
WORDS = "CREATE TABLE w(word); INSERT INTO w VALUES ('now'), ('2024-02-29'), (NULL), (2460310.5)"


@pytest.fixture
def rule() -> ClockRule:
    """Return the clock rule of the shipped policy."""
    rule = load_policy(None, engine="sqlite", base=Path()).clock
    assert rule is not None
    return rule


@pytest.mark.parametrize(
    "expression",
    [
        "date('n' || 'ow')",
        "date(upper('now'))",
        "date(x'6e6f77')",
        "date(CAST(x'6e6f77' AS TEXT))",
        "date((SELECT word FROM w LIMIT 1))",
        "date()",
        "datetime('2024-01-01', 'local' || 'time')",
        "datetime('2024-01-01', '+1 day', lower('UTC'))",
        "strftime('%Y', trim(' now '))",
        "julianday(coalesce(NULL, 'now'))",
    ],
)
def test_computed_clock_is_stopped(open_session: OpenSession, rule: ClockRule, expression: str) -> None:
    """However the word comes about, the call that would read the clock ends the query."""
    session = open_session(WORDS)
    session.watch_clock(rule)
    with pytest.raises(Refused) as caught:
        session.fetch(f"SELECT {expression}", limits=LIMITS)
    assert caught.value.reason is Reason.FUNCTION_NONDETERMINISTIC


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("date('2024-' || '02-29', '+1 year')", "2025-03-01"),
        ("strftime('%Y-%m', word)", "2024-02"),
        ("strftime('now', word)", "now"),
        ("julianday(word)", 2460369.5),
        ("date(NULL)", None),
        ("date(2460310.5)", "2024-01-01"),
        ("date('no' || 'thing')", None),
    ],
)
def test_watched_functions_answer_as_sqlite_does(
    open_session: OpenSession, rule: ClockRule, expression: str, value: object
) -> None:
    """A watched time function gives SQLite's own answer, type included."""
    session = open_session(WORDS)
    session.watch_clock(rule)
    rows = session.fetch(f"SELECT {expression} FROM w WHERE word = '2024-02-29'", limits=LIMITS).rows
    assert rows == [(value,)]


def test_watching_hides_the_schema_again(open_session: OpenSession, rule: ClockRule) -> None:
    """The guard reads the schema to install itself, and no statement may after it."""
    session = open_session(WORDS)
    session.watch_clock(rule)
    with pytest.raises(Refused) as caught:
        session.fetch("SELECT * FROM sqlite_schema", limits=LIMITS)
    assert caught.value.reason is Reason.SYSTEM_TABLE


def test_watching_twice_is_watching(open_session: OpenSession, rule: ClockRule) -> None:
    """The generated query may ask for what the reference asked for."""
    session = open_session(WORDS)
    session.watch_clock(rule)
    session.watch_clock(rule)
    with pytest.raises(Refused):
        session.fetch("SELECT date('n' || 'ow')", limits=LIMITS)


def test_denial_of_one_query_is_not_the_next_one_s(open_session: OpenSession, rule: ClockRule) -> None:
    """After a query that read the clock, another fault is told for what it is."""
    session = open_session(WORDS)
    session.watch_clock(rule)
    with pytest.raises(Refused):
        session.fetch("SELECT date('n' || 'ow')", limits=LIMITS)
    with pytest.raises(Rejected) as caught:
        session.fetch("SELECT absent FROM w", limits=LIMITS)
    assert caught.value.reason is Reason.UNDEFINED_COLUMN


@pytest.mark.parametrize(
    "definition",
    [
        "CREATE VIEW v AS SELECT date('2024-01-31', '+1 day') AS day",
        "CREATE VIEW v AS SELECT \"date\" ('2024-01-31', '+1 day') AS day",
        "CREATE TABLE v(a, day AS (date(a, '+1 day'))); INSERT INTO v VALUES ('2024-01-31')",
    ],
    ids=["view", "quoted", "generated column"],
)
def test_fixture_whose_schema_uses_time_functions_works(
    open_session: OpenSession, rule: ClockRule, definition: str
) -> None:
    """A schema that relies on SQLite's own time functions keeps them."""
    session = open_session(definition)
    session.watch_clock(rule)
    assert session.fetch("SELECT day FROM v", limits=LIMITS).rows == [("2024-02-01",)]
