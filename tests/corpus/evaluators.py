"""How published evaluators read two results, as departures from the contract's section 6.

Each departure is one habit, and an evaluator is a set of them; the contract has none. So a difference between two
verdicts can be explained by the fewest habits that turn the one into the other.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import permutations

from tests.corpus.bare_sqlite import BareResult, Row

MAX_PERMUTED_COLUMNS = 6
TOLERANCE = 1e-9


class Habit(StrEnum):
    """One way to depart from the contract."""

    DISTINCT_REMOVED = "every DISTINCT is deleted from both queries"
    COLUMNS_PERMUTED = "columns may stand in any order"
    ORDER_BY_REFERENCE = "order counts where the reference says ORDER BY"
    ROWS_AS_SET = "equal rows count once"
    EMPTY_IS_EMPTY = "empty results are equal, whatever their columns"
    NO_TOLERANCE = "floats are compared exactly"


Habits = frozenset[Habit]
Run = Callable[[str], BareResult]

CONTRACT: Habits = frozenset()
_BIRD = frozenset({Habit.ROWS_AS_SET, Habit.EMPTY_IS_EMPTY, Habit.NO_TOLERANCE})
_SPIDER = frozenset(Habit) - {Habit.ROWS_AS_SET}
PUBLISHED: dict[str, Habits] = {
    "expected_exact_multiset": frozenset({Habit.NO_TOLERANCE}),
    "spider_official_ex": _SPIDER,
    "bird_ex": _BIRD,
    "bird_set": _BIRD,
}
"""The evaluators whose verdicts lie beside the real data, by the field that holds them."""

_QUOTED_OR_DISTINCT = re.compile(r"""('(?:[^']|'')*'|"[^"]*"|`[^`]*`)|\bdistinct\b""", re.IGNORECASE)


def are_equal(reference_sql: str, generated_sql: str, *, run: Run, habits: Habits) -> bool:
    """Tell whether an evaluator of these habits takes the results of two queries for equal."""
    texts = (reference_sql, generated_sql)
    if Habit.DISTINCT_REMOVED in habits:
        texts = (_without_distinct(reference_sql), _without_distinct(generated_sql))
    reference, generated = map(run, texts)
    if reference.error is not None or generated.error is not None:
        return False
    if Habit.EMPTY_IS_EMPTY in habits and not reference.rows and not generated.rows:
        return True
    if reference.column_count != generated.column_count:
        return False
    in_order = Habit.ORDER_BY_REFERENCE in habits and "order by" in reference_sql.lower()
    return any(
        _have_equal_rows(list(reference.rows), rows, in_order=in_order, habits=habits)
        for rows in _arrangements(generated, habits)
    )


def _without_distinct(sql: str) -> str:
    return _QUOTED_OR_DISTINCT.sub(lambda match: match[1] or "", sql)


def _arrangements(result: BareResult, habits: Habits) -> Iterator[list[Row]]:
    """Yield the rows with their columns in each order that the habits allow, the given one first."""
    positions = range(result.column_count)
    if Habit.COLUMNS_PERMUTED not in habits or len(positions) > MAX_PERMUTED_COLUMNS:
        yield list(result.rows)
        return
    for order in permutations(positions):
        yield [tuple(row[position] for position in order) for row in result.rows]


def _have_equal_rows(left: list[Row], right: list[Row], *, in_order: bool, habits: Habits) -> bool:
    if Habit.ROWS_AS_SET in habits:
        return set(left) == set(right)
    if len(left) != len(right):
        return False
    if in_order:
        return left == right
    if Counter(left) == Counter(right):
        return True
    return Habit.NO_TOLERANCE not in habits and _pair_off_within_tolerance(left, right)


def _pair_off_within_tolerance(left: list[Row], right: list[Row]) -> bool:
    """Tell whether sorting finds a pairing within the tolerance. One that it finds is proof; none is not."""
    pairs = zip(sorted(left, key=_rough), sorted(right, key=_rough), strict=True)
    return all(_is_close(one, other) for ours, theirs in pairs for one, other in zip(ours, theirs, strict=True))


def _rough(row: Row) -> tuple[str, ...]:
    return tuple(f"{value:.6g}" if isinstance(value, float) else repr(value) for value in row)


def _is_close(one: object, other: object) -> bool:
    if isinstance(one, float | int) and isinstance(other, float | int) and float in (type(one), type(other)):
        return abs(one - other) <= TOLERANCE
    return type(one) is type(other) and one == other
