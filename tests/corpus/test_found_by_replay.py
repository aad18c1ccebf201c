"""Faults that replaying real data and hostile files found, each on a fixture of its own."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from evalgate_sql.model.outcome import Outcome, Reason
from tests.corpus.replay import Pair, check, verdicts, write_cases

pytestmark = pytest.mark.corpus

Judge = Callable[[str, str], tuple[Outcome, Reason | None]]


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """Return what makes a database by a script and tells how a query ends there that is its own reference."""

    def judge(script: str, sql: str) -> tuple[Outcome, Reason | None]:
        database = tmp_path / "fixture.db"
        with closing(sqlite3.connect(database)) as connection:
            connection.executescript(script)
        cases = write_cases(tmp_path / "cases.jsonl", [Pair("one", sql, sql)])
        verdict = verdicts(check(cases, database))["one"]
        return verdict.outcome, verdict.reason

    return judge


def test_a_table_whose_name_has_a_capital_beyond_ascii_is_read(judge: Judge) -> None:
    """SQLite folds ASCII letters only and Python all, so both sides have to be folded by one of them."""
    script = 'CREATE TABLE "ÖFFNUNGSZEITEN"("Ä"); INSERT INTO "ÖFFNUNGSZEITEN" VALUES (1);'

    assert judge(script, 'SELECT "Ä" FROM "ÖFFNUNGSZEITEN"') == (Outcome.MATCH, None)


def test_a_view_whose_name_has_a_capital_beyond_ascii_is_read(judge: Judge) -> None:
    """A view is asked for by its own name and by those of its tables."""
    script = 'CREATE TABLE "ŁÓDŹ"(a); CREATE VIEW "ŻÓŁĆ" AS SELECT a FROM "ŁÓDŹ";'

    assert judge(script, 'SELECT a FROM "ŻÓŁĆ"') == (Outcome.MATCH, None)


def test_a_view_over_a_pragma_is_refused_as_a_virtual_table(judge: Judge) -> None:
    """SQLite calls both functions and virtual tables unsafe, in words that begin alike."""
    script = "CREATE VIEW v AS SELECT * FROM pragma_database_list;"

    assert judge(script, "SELECT * FROM v") == (Outcome.REFERENCE_ERROR, Reason.VIRTUAL_TABLE)


def test_a_full_text_table_is_refused_as_a_virtual_table(judge: Judge) -> None:
    """FTS4 asks for a PRAGMA first and reports a failed constructor, not what it was denied."""
    script = "CREATE VIRTUAL TABLE f USING fts4(a); INSERT INTO f VALUES ('hello');"

    assert judge(script, "SELECT * FROM f") == (Outcome.REFERENCE_ERROR, Reason.VIRTUAL_TABLE)


def test_a_time_function_that_sqlite_lacks_is_unknown(judge: Judge) -> None:
    """Watching computed times makes no function known: on SQLite before 3.43 there is no `timediff`."""
    expected = (
        (Outcome.MATCH, None)
        if sqlite3.sqlite_version_info >= (3, 43)
        else (Outcome.REFERENCE_ERROR, Reason.FUNCTION_UNKNOWN)
    )

    assert judge("CREATE TABLE t(d);", "SELECT timediff(d, d) FROM t") == expected


def test_a_time_that_is_no_utf8_is_an_argument_nobody_can_judge(judge: Judge) -> None:
    """The guard of the clock cannot be handed the text; that is our limit, not an error of the query."""
    script = "CREATE TABLE t(d); INSERT INTO t VALUES (CAST(x'ff' AS TEXT));"

    assert judge(script, "SELECT date(d || '') FROM t") == (Outcome.REFERENCE_ERROR, Reason.ARGUMENT_NOT_ALLOWED)


def test_a_column_that_is_no_utf8_is_a_time_like_any_other(judge: Judge) -> None:
    """A time value of the fixture's needs no guard, so SQLite judges it: it is NULL."""
    script = "CREATE TABLE t(d); INSERT INTO t VALUES (CAST(x'ff' AS TEXT));"

    assert judge(script, "SELECT date(d) FROM t") == (Outcome.MATCH, None)


@pytest.mark.parametrize(
    ("sql", "ending"),
    [
        ("SELECT d FROM v", (Outcome.REFERENCE_ERROR, Reason.FUNCTION_NONDETERMINISTIC)),
        ("SELECT d FROM w", (Outcome.MATCH, None)),
        ("SELECT d, date(d || '') FROM w", (Outcome.MATCH, None)),
        ("SELECT date('n' || 'ow')", (Outcome.REFERENCE_ERROR, Reason.FUNCTION_NONDETERMINISTIC)),
    ],
)
def test_a_view_is_read_like_a_statement(judge: Judge, sql: str, ending: tuple[Outcome, Reason | None]) -> None:
    """A view that reads the clock is nondeterministic, and one that does not takes nothing from other statements."""
    script = "CREATE VIEW v AS SELECT date('now') AS d; CREATE VIEW w AS SELECT date('2024-01-31') AS d;"

    assert judge(script, sql) == ending
