"""The limits of one query, at their exact borders, on real children."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evalgate_sql.model.outcome import Outcome, Reason, Stage
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.supervisor.slot import Task
from evalgate_sql.wire.messages import Reply

Ending = tuple[Outcome, Reason | None, Stage | None]
RunQueries = Callable[..., list[Ending]]

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
LONG_A = "replace(printf('%.1000c', 'a'), 'a', printf('%.900c', 'a'))"
"""900,000 letters a, in one value."""
ONE_LONG_CALL = f"SELECT instr({LONG_A}, substr({LONG_A}, 450000) || 'b')"
MATCH: Ending = (Outcome.MATCH, None, None)


def count_to(rows: int, columns: str) -> str:
    """Return a query of so many rows, numbered from 1 as x."""
    return f"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT {rows}) SELECT {columns} FROM c"


# Sorting keeps all rows in memory, and each is a text of 900,000 letters.
MEMORY_BOMB = f"SELECT length(s) FROM (SELECT {LONG_A} || x AS s FROM ({count_to(2000, 'x')}) ORDER BY s) LIMIT 1"


@pytest.mark.parametrize(
    "bomb",
    [
        ENDLESS,
        ONE_LONG_CALL,
        f"SELECT length(replace({LONG_A}, substr({LONG_A}, 450000) || 'b', ''))",
        f"SELECT count(*) FROM {', '.join(f'person AS p{number}' for number in range(20))}",
    ],
    ids=["endless recursion", "instr", "replace", "cross join"],
)
def test_query_that_does_not_end_is_a_timeout(run_queries: RunQueries, bomb: str) -> None:
    """A query past its deadline is a timeout of its stage, also inside one call that SQLite cannot interrupt."""
    assert run_queries(bomb, timeout_ms=300) == [(Outcome.TIMEOUT, Reason.STATEMENT_DEADLINE, Stage.GENERATED)]


@pytest.mark.parametrize("bomb", [ENDLESS, ONE_LONG_CALL], ids=["endless recursion", "instr"])
def test_reference_that_does_not_end_is_a_reference_error(run_queries: RunQueries, bomb: str) -> None:
    """The same in the reference says nothing about the generated query."""
    ending = (Outcome.REFERENCE_ERROR, Reason.STATEMENT_DEADLINE, Stage.REFERENCE)
    assert run_queries("SELECT 1", reference=bomb, timeout_ms=300) == [ending]


def test_timeout_is_told_with_the_times_of_its_stages(
    make_task: Callable[..., Task], run_tasks: Callable[..., list[Reply]]
) -> None:
    """A case that was ended by its timer still says how long each stage took, by its marks."""
    (reply,) = run_tasks([make_task(0, ENDLESS, timeout_ms=300)])
    assert isinstance(reply, Verdict)
    assert reply.reference_ms is not None
    assert reply.generated_ms is not None
    assert reply.generated_ms >= 300
    assert reply.compare_ms is None


def test_comparison_has_a_deadline_of_its_own(run_queries: RunQueries, misbehaving: Path) -> None:
    """A comparison whose timer goes off is a timeout of that stage."""
    ending = run_queries("late_in_compare", bootstrap=misbehaving)
    assert ending == [(Outcome.TIMEOUT, Reason.COMPARE_DEADLINE, Stage.COMPARE)]


def test_setup_that_is_late_is_no_timeout_of_a_query(run_queries: RunQueries, misbehaving: Path) -> None:
    """A child whose timer goes off before its first query ran into the wall, not into the query's deadline."""
    ending = run_queries("late_in_setup", bootstrap=misbehaving)
    assert ending == [(Outcome.RESOURCE_LIMIT, Reason.WALL_DEADLINE, Stage.SETUP)]


def test_query_that_needs_too_much_memory_is_a_resource_limit(run_queries: RunQueries) -> None:
    """A query that does not fit into the worker's address space ends as memory, not as a death."""
    assert run_queries(MEMORY_BOMB) == [(Outcome.RESOURCE_LIMIT, Reason.MEMORY, Stage.GENERATED)]


def test_reference_that_needs_too_much_memory_is_a_reference_error(run_queries: RunQueries) -> None:
    """Memory is the reference's own fault in its stage."""
    ending = (Outcome.REFERENCE_ERROR, Reason.MEMORY, Stage.REFERENCE)
    assert run_queries("SELECT 1", reference=MEMORY_BOMB) == [ending]


@pytest.mark.parametrize(("rows", "outcome"), [(7, Outcome.MATCH), (8, Outcome.TOO_MANY_ROWS)])
def test_rows_may_reach_the_cap_and_not_pass_it(run_queries: RunQueries, rows: int, outcome: Outcome) -> None:
    """As many rows as the limit says are a result; one more is too many."""
    reference = count_to(7, "x")
    ((found, _, _),) = run_queries(count_to(rows, "x"), reference=reference, max_rows=7)
    assert found is outcome


def test_one_row_too_many_in_the_reference_is_a_reference_error(run_queries: RunQueries) -> None:
    """A cap that the reference passes is a fault of the case."""
    ending = (Outcome.REFERENCE_ERROR, Reason.ROW_CAP, Stage.REFERENCE)
    assert run_queries("SELECT 1", reference=count_to(8, "x"), max_rows=7) == [ending]


def test_endless_rows_are_read_up_to_the_cap_only(run_queries: RunQueries) -> None:
    """A result without end is too many rows and no timeout."""
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
    assert run_queries(endless) == [(Outcome.TOO_MANY_ROWS, Reason.ROW_CAP, Stage.GENERATED)]


@pytest.mark.parametrize(
    ("letters", "ending"),
    [(1_000_000, MATCH), (1_000_001, (Outcome.TOO_MANY_BYTES, Reason.VALUE_BYTES, Stage.GENERATED))],
)
def test_value_may_reach_the_engine_s_limit_and_not_pass_it(
    run_queries: RunQueries, letters: int, ending: Ending
) -> None:
    """SQLite makes no value of more than a million bytes, and says so."""
    long = "replace(printf('%.1000c', 'a'), 'a', printf('%.1000c', 'a'))"
    text = long if letters == 1_000_000 else f"{long} || 'a'"
    assert run_queries(f"SELECT {text}", reference=f"SELECT {long}") == [ending]


@pytest.mark.parametrize(
    ("letters", "ending"),
    [(388_608, MATCH), (388_609, (Outcome.TOO_MANY_BYTES, Reason.RESULT_BYTES, Stage.GENERATED))],
)
def test_result_may_reach_its_bytes_and_not_pass_them(run_queries: RunQueries, letters: int, ending: Ending) -> None:
    """Eight values of a million bytes and one of 388,608 are 8 MiB, the most there may be; one more is too much."""
    million = "replace(printf('%.1000c', 'a'), 'a', printf('%.1000c', 'a'))"
    row = f"SELECT {', '.join([million] * 8)}, substr({million}, 1, {{}})"
    assert run_queries(row.format(letters), reference=row.format(388_608)) == [ending]
