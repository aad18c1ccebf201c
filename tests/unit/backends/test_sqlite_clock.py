"""The clock rule at the engine, where time values are computed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evalgate_sql.backends.sqlite import SqliteSession, UnwatchableError
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
        "date(x'6e6f7700')",
        "date('now' || char(0))",
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
    session = open_session(WORDS, watched=rule)
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
    session = open_session(WORDS, watched=rule)
    rows = session.fetch(f"SELECT {expression} FROM w WHERE word = '2024-02-29'", limits=LIMITS).rows
    assert rows == [(value,)]


def test_denial_of_one_query_is_not_the_next_one_s(open_session: OpenSession, rule: ClockRule) -> None:
    """After a query that read the clock, another fault is told for what it is."""
    session = open_session(WORDS, watched=rule)
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
def test_definition_that_uses_time_functions_cannot_be_watched(
    open_session: OpenSession, rule: ClockRule, definition: str
) -> None:
    """SQLite runs no replaced function inside the schema, so the statement needs a session without the guard."""
    with pytest.raises(UnwatchableError):
        open_session(definition, watched=rule).fetch("SELECT day FROM v", limits=LIMITS)


def test_default_that_uses_the_clock_is_no_hindrance(open_session: OpenSession, rule: ClockRule) -> None:
    """A default never runs in a query, so the table that has one is read, and the guard works."""
    session = open_session("CREATE TABLE e(d DEFAULT (datetime('now'))); INSERT INTO e VALUES ('x')", watched=rule)
    assert session.fetch("SELECT d FROM e", limits=LIMITS).rows == [("x",)]
    with pytest.raises(Refused):
        session.fetch("SELECT date('n' || 'ow') FROM e", limits=LIMITS)


def test_definition_of_a_view_is_read_in_spite_of_the_authorizer(open_session: OpenSession) -> None:
    """The session tells a view's text to the rules, and hides the schema from statements again."""
    session = open_session("CREATE VIEW v AS SELECT 1 AS one")
    assert session.definition("v") == "CREATE VIEW v AS SELECT 1 AS one"
    with pytest.raises(Refused):
        session.fetch("SELECT sql FROM sqlite_schema", limits=LIMITS)
