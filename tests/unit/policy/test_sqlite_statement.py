"""What can be said of a text before SQLite sees it."""

from pathlib import Path

import pytest

from evalgate_sql.limits import MAX_NESTING_DEPTH
from evalgate_sql.model.fault import QueryFault, Refused, Rejected
from evalgate_sql.model.outcome import Reason
from evalgate_sql.policy.load import load_policy
from evalgate_sql.policy.sqlite_statement import COMMAND_WORDS, read_statement

POLICY = load_policy(None, engine="sqlite", base=Path())


def fault(sql: str) -> tuple[type[QueryFault], Reason]:
    """Return the fault of a text."""
    with pytest.raises(QueryFault) as caught:
        read_statement(sql, POLICY)
    return type(caught.value), caught.value.reason


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT 1", "SELECT 1"),
        ("  SELECT 1  ", "  SELECT 1"),
        ("-- c\nSELECT 1", "-- c\nSELECT 1"),
        ("SELECT 1;", "SELECT 1"),
        ("SELECT 1 ; ;; -- c", "SELECT 1"),
        ("SELECT 1 /* ; */ + 1 /* c */;", "SELECT 1 /* ; */ + 1"),
        ("SELECT ';' ; ", "SELECT ';'"),
        ("SELECT  1,\t2", "SELECT  1,\t2"),
    ],
)
def test_tail_is_cut_and_nothing_else(sql: str, text: str) -> None:
    """Blanks, comments and semicolons behind the statement go; the rest is the given text, byte for byte."""
    assert read_statement(sql, POLICY).text == text


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("", (Rejected, Reason.EMPTY)),
        (" /* nothing */ -- here", (Rejected, Reason.EMPTY)),
        ("SELECT '\0'", (Rejected, Reason.INVALID_TEXT)),
        ("SELECT '\udfff'", (Rejected, Reason.INVALID_TEXT)),
        ("```sql\nSELECT 1\n```", (Rejected, Reason.FENCE)),
        (" \n~~~\nSELECT 1\n~~~", (Rejected, Reason.FENCE)),
        (";", (Refused, Reason.MULTIPLE_STATEMENTS)),
        ("; SELECT 1", (Refused, Reason.MULTIPLE_STATEMENTS)),
        ("SELECT 1; SELECT 2", (Refused, Reason.MULTIPLE_STATEMENTS)),
        ("SELECT 1;; dElEtE FROM t", (Refused, Reason.MULTIPLE_STATEMENTS)),
        ("SELECT 1; Explanation: one", (Rejected, Reason.PARSE_ERROR)),
        ("SELECT 1; 2", (Rejected, Reason.PARSE_ERROR)),
    ],
)
def test_text_with_a_fault(sql: str, expected: tuple[type[QueryFault], Reason]) -> None:
    """What is no statement is rejected, and what no statement may do is refused, before any engine sees it."""
    assert fault(sql) == expected


@pytest.mark.parametrize("word", sorted(COMMAND_WORDS))
def test_command_after_a_semicolon_is_a_second_statement(word: str) -> None:
    """A text after a semicolon that begins like a command of any dialect is a second statement."""
    assert fault(f"SELECT 1; {word} x") == (Refused, Reason.MULTIPLE_STATEMENTS)


def test_nesting_up_to_the_limit_is_a_statement() -> None:
    """Parentheses may be nested as deep as the published limit."""
    assert read_statement(f"SELECT {'(' * MAX_NESTING_DEPTH}1{')' * MAX_NESTING_DEPTH}", POLICY).is_query


def test_nesting_beyond_the_limit_is_refused() -> None:
    """One level more is too deep, closed or not."""
    assert fault(f"SELECT {'(' * (MAX_NESTING_DEPTH + 1)}1") == (Refused, Reason.TOO_DEEP)


def test_many_parentheses_side_by_side_are_not_deep() -> None:
    """Only how many are open at once counts."""
    assert read_statement(f"SELECT {', '.join(['(1)'] * 1000)}", POLICY).is_query


@pytest.mark.parametrize(
    ("sql", "is_query", "is_explain"),
    [
        ("SELECT 1", True, False),
        ("with x AS (SELECT 1) SELECT 1", True, False),
        ("VALUES (1)", False, False),
        ("EXPLAIN SELECT 1", False, True),
        ("/**/explain/**/SELECT 1", False, True),
        ("EXPLAINED", False, False),
        ("(SELECT 1)", False, False),
        ("DROP TABLE t", False, False),
    ],
)
def test_first_word_says_what_may_run(sql: str, *, is_query: bool, is_explain: bool) -> None:
    """Only what begins with SELECT or WITH may run; EXPLAIN is told apart, since it cannot be explained again."""
    statement = read_statement(sql, POLICY)
    assert (statement.is_query, statement.is_explain) == (is_query, is_explain)


def test_outer_order_is_told() -> None:
    """A statement says whether it orders its rows."""
    assert read_statement("SELECT 1 ORDER BY 1;", POLICY).is_ordered
    assert not read_statement("SELECT 1", POLICY).is_ordered


def test_computed_time_is_told() -> None:
    """A statement says whether the engine has to watch its time functions."""
    assert read_statement("SELECT date('n' || 'ow') FROM t", POLICY).watches_clock
    assert not read_statement("SELECT date(day, '+1 day') FROM t", POLICY).watches_clock


@pytest.mark.parametrize(
    ("sql", "objection"),
    [
        ("SELECT date('now')", Reason.FUNCTION_NONDETERMINISTIC),
        ("SELECT printf('%2000d', 1)", Reason.ARGUMENT_NOT_ALLOWED),
        ("SELECT date('2024-01-01')", None),
        ("SELECT 1", None),
    ],
)
def test_objection_waits_for_the_engine(sql: str, objection: Reason | None) -> None:
    """What the policy says against arguments is told with the statement, since the engine has the first word."""
    assert read_statement(sql, POLICY).objection is objection


@pytest.mark.parametrize(
    ("sql", "is_query"),
    [
        ("WITH x AS (SELECT 1) VALUES (2)", False),
        ("WITH x AS (VALUES (1)) SELECT * FROM x", True),
        ("SELECT 1 UNION VALUES (2)", True),
    ],
)
def test_values_after_with_is_no_query(sql: str, *, is_query: bool) -> None:
    """A bare VALUES is none, and WITH before it makes it none the more."""
    assert read_statement(sql, POLICY).is_query is is_query
