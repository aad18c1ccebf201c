"""The tokenizer against SQLite itself."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evalgate_sql.model.fault import QueryFault
from evalgate_sql.policy.load import load_policy
from evalgate_sql.policy.sqlite_statement import read_statement
from evalgate_sql.policy.sqlite_tokens import tokenize

POLICY = load_policy(None, engine="sqlite", base=Path())

BLANKS = [" ", "\t", "\n", "\r", "\f", " \v", "\ufeff", "-- c\n", "--\n", "/* c */", "/**/", "/* ; ' */"]
PIECES = [
    *("SELECT", "select", "WITH", "FROM", "t", "a", "1", "2.5", ".5e1", "1e5", "0xF", "x'00'", "'it''s'", "''", "';'"),
    *('"a"', "[a]", "`a`", "é", "(", ")", ",", "*", "+", "-", "/", "||", "<>", "=", ".", "->", "AS", "ORDER", "BY"),
    *("'", '"', "[", "`", "/*", "--", ";", "\v", "$", "?", "\\"),
]
PARTS = st.sampled_from(BLANKS + PIECES)
TEXTS = st.lists(PARTS, max_size=12).map("".join) | st.text("'\"`[]/*-;() \n\va1.x", max_size=16) | st.text(max_size=12)
EXPRESSIONS = st.recursive(
    st.sampled_from(["1", "2.5", "'it''s'", "';'", '"a"', "[a]", "`a`", "a", "x'00'", "NULL", "'--'", "'/*'"]),
    lambda inner: (
        st.tuples(inner, st.sampled_from(["+", "||", "=", "AND", "->>"]), inner).map(" ".join)
        | inner.map("({})".format)
        | inner.map("abs({})".format)
    ),
    max_leaves=6,
)
TAILS = st.lists(st.sampled_from([*BLANKS, ";", "-- c", "/* open"]), max_size=6).map("".join)


@pytest.fixture(scope="module")
def engine() -> Iterator[sqlite3.Connection]:
    """Return an engine with a table of one row."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t(a)")
        connection.execute("INSERT INTO t VALUES (1)")
        yield connection


@given(TEXTS)
def test_tokens_and_blanks_are_the_whole_text(sql: str) -> None:
    """Tokens are pieces of the text in their order, and nothing but blanks and comments is between them."""
    end = 0
    for token in tokenize(sql):
        assert (token.start >= end, sql[token.start : token.end]) == (True, token.text)
        assert tokenize(sql[end : token.start]) == []
        end = token.end
    assert tokenize(sql[end:]) == []


def answer(engine: sqlite3.Connection, sql: str) -> object:
    """Return the rows of a statement, or that it has none because SQLite does not take it."""
    try:
        return engine.execute(sql).fetchall()
    except (sqlite3.Error, sqlite3.Warning):
        return "not taken"


@given(EXPRESSIONS, TAILS)
def test_cut_tail_changes_nothing(engine: sqlite3.Connection, expression: str, tail: str) -> None:
    """A valid statement with a tail is the same statement without, to us and to SQLite."""
    sql = f"SELECT {expression} FROM t"
    try:
        statement = read_statement(f"{sql} {tail}", POLICY)
    except QueryFault:
        # An opened comment hides a semicolon that we would call the end.
        assume(False)
        raise
    assert statement.text == sql
    assert answer(engine, statement.text) == answer(engine, sql)


@given(st.lists(PARTS, max_size=10))
def test_statement_without_its_tail_is_taken_as_with_it(engine: sqlite3.Connection, parts: list[str]) -> None:
    """Where a text has no semicolon, SQLite answers the cut text as it answers the given one."""
    sql = f"SELECT {''.join(parts)}"
    assume(not any(token.text == ";" for token in tokenize(sql)))
    try:
        statement = read_statement(sql, POLICY)
    except QueryFault:
        return
    assert answer(engine, statement.text) == answer(engine, sql)


@given(st.lists(PARTS, max_size=10))
def test_blanks_are_blanks_to_sqlite(engine: sqlite3.Connection, parts: list[str]) -> None:
    """A text of tokens with one space between them is the same to SQLite as the text itself."""
    sql = f"SELECT {''.join(parts)}"
    assume("\0" not in sql and "->" not in sql and "||" not in sql and "<>" not in sql and "x'" not in sql)
    rejoined = " ".join(token.text for token in tokenize(sql))
    if answer(engine, sql) != "not taken":
        assert answer(engine, rejoined) == answer(engine, sql)
