"""The clock rule on a text: what reads the clock, and what might compute a time value that does."""

from pathlib import Path

import pytest

from evalgate_sql.policy.load import load_policy
from evalgate_sql.policy.sqlite_time import may_compute_clock, reads_clock
from evalgate_sql.policy.sqlite_tokens import tokenize

SHIPPED = load_policy(None, engine="sqlite", base=Path())


@pytest.mark.parametrize(
    ("sql", "reads"),
    [
        ("date('now')", True),
        ("date('NOW')", True),
        ('date("now")', True),
        ("date([now])", True),
        ("date()", True),
        ("strftime('%Y')", True),
        ("strftime('%Y', 'now')", True),
        ("strftime('now', '2024-01-01')", False),
        ("timediff('2024-01-01', 'now')", True),
        ("timediff('2024-01-01')", True),
        ("datetime('2024-01-01', 'localtime')", True),
        ("datetime('2024-01-01', 'UTC')", True),
        ("unixepoch('subsec')", True),
        ("unixepoch('2024-01-01', 'subsec')", False),
        ("date('2024-01-01', '+1 day')", False),
        ("upper('now')", False),
        ("date(coalesce(day, 'now'))", True),
        ("date(upper(date('now')))", True),
    ],
)
def test_written_clock_is_read(sql: str, *, reads: bool) -> None:
    """A time function that is told to read the clock or the zone, or not told a time, is refused by its text."""
    assert SHIPPED.clock
    assert reads_clock(tokenize(sql), SHIPPED.clock) is reads


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT date('n' || 'ow')",
        "SELECT date(x'6e6f77')",
        "SELECT date(CAST(x'6e6f77' AS TEXT))",
        "SELECT date(char(110, 111, 119))",
        "SELECT date(upper(day)) FROM t",
        "SELECT date(day ->> '$') FROM t",
        "SELECT date(a) FROM (SELECT 'n' || 'ow' AS a)",
        "WITH q(a) AS (SELECT 'NOW') SELECT date(a) FROM q",
        "WITH q(a) AS (VALUES ('now')) SELECT date(a) FROM q",
        "SELECT date(value) FROM json_each('[\"now\"]')",
        "SELECT date(a) FROM (SELECT max(lower(b)) AS a FROM t)",
        "SELECT date((SELECT group_concat(a, '') FROM t))",
    ],
)
def test_statement_that_can_make_a_time_value_is_watched(sql: str) -> None:
    """A text that comes out of an operator, a function or a blob may say now."""
    assert may_compute_clock(tokenize(sql), SHIPPED)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT date('2024-01-01')",
        "SELECT date(2460310.5)",
        "SELECT strftime('%Y-%m', d) AS m, sum(amount) FROM o GROUP BY m",
        "SELECT count(*) FROM o WHERE julianday(d) - julianday('2020-01-01') > 5",
        "SELECT o.id FROM o WHERE date(o.d) BETWEEN '2024-01-01' AND '2024-02-01' AND strftime('%H', o.d) IN ('10')",
        "WITH q AS (SELECT strftime('%Y', d) AS y FROM o) SELECT count(DISTINCT y) FROM q",
        "SELECT max(date(coalesce(d, e))) FROM o WHERE EXISTS (SELECT 1 FROM p WHERE p.id = o.id)",
        "SELECT upper(name), strftime('%Y', d) FROM o",
        "SELECT name || ' ' || name, date(d) FROM o",
        "SELECT upper(day) FROM t",
        "SELECT 'now' FROM t",
    ],
)
def test_ordinary_statement_is_not_watched(sql: str) -> None:
    """Time values that stand in the text or in the fixture need no watch, which would cost each row."""
    assert not may_compute_clock(tokenize(sql), SHIPPED)


def test_enabled_clock_needs_no_watch() -> None:
    """With the group enabled there is nothing to watch."""
    enabled = load_policy(None, engine="sqlite", enable_groups=("clock",), base=Path())
    assert not may_compute_clock(tokenize("SELECT date('n' || 'ow')"), enabled)
