"""Compares two results as contract section 6 says, and names the rule that parts them. Knows no engine and no SQL.

A verdict never depends on the order in which a dictionary or a matching happens to work: every path proves either a
perfect pairing of all rows or that there is none.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat

from evalgate_sql.compare.columns import Side, divide, inspect
from evalgate_sql.compare.distance import acceptable
from evalgate_sql.compare.matching import Leftover
from evalgate_sql.compare.pairing import pair
from evalgate_sql.limits import MAX_DIFF_ROWS
from evalgate_sql.model.outcome import Reason, Stage
from evalgate_sql.model.result import ResultSet

_PLAIN = frozenset({type(None), int, float, str, bytes})
"""Types on which `==` never says equal where section 6 says different."""

_Group = tuple[Sequence[int], Sequence[int]]
"""The reference and generated rows that have the same exact part."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether two results are equal, and if not, why and which rows show it."""

    reason: Reason | None
    """None for equal results."""
    reference_rows: tuple[int, ...] = ()
    """Positions of at most MAX_DIFF_ROWS reference rows worth showing, ascending."""
    generated_rows: tuple[int, ...] = ()
    """The same for the generated rows."""


def compare(reference: ResultSet, generated: ResultSet, *, order_matters: bool, float_tolerance: float) -> Comparison:
    """Compare two results, as sequences if order matters and as multisets if not.

    Raises UnsupportedType for a cell that cannot be compared, the reference's first.
    """
    if _are_plainly_equal(reference, generated):
        return Comparison(None)
    inspected = inspect(reference, stage=Stage.REFERENCE), inspect(generated, stage=Stage.GENERATED)
    if reference.column_count != generated.column_count:
        first = range(MAX_DIFF_ROWS)
        return Comparison(Reason.COLUMN_COUNT, tuple(first[: len(reference.rows)]), tuple(first[: len(generated.rows)]))
    left, right = divide(*inspected, float_tolerance=float_tolerance)
    if order_matters and len(left.keys) == len(right.keys):
        return _compare_sequences(left, right, float_tolerance)
    return _compare_multisets(left, right, float_tolerance)


def _are_plainly_equal(reference: ResultSet, generated: ResultSet) -> bool:
    """Tell whether Python's own equality settles it: the same rows in the same order, of types it judges as we do.

    It does so for all of SQLite's types. It is looser than section 6 where booleans are, so they have to take the long
    way; NaN, which it never finds equal, does that by itself.
    """
    if reference.column_count != generated.column_count or reference.rows != generated.rows:
        return False
    return _PLAIN.issuperset(map(type, chain.from_iterable(chain(reference.rows, generated.rows))))


def _compare_sequences(left: Side, right: Side, tolerance: float) -> Comparison:
    differing = tuple(islice(_differing_positions(left, right, tolerance), MAX_DIFF_ROWS))
    if not differing:
        return Comparison(None)
    reason = _compare_multisets(left, right, tolerance).reason
    return Comparison(reason or Reason.ORDER, differing, differing)


def _differing_positions(left: Side, right: Side, tolerance: float) -> Iterator[int]:
    pairs = zip(left.keys, right.keys, left.points, right.points, strict=True)
    for position, (left_key, right_key, left_point, right_point) in enumerate(pairs):
        if left_key != right_key or not acceptable(left_point, right_point, tolerance):
            yield position


def _compare_multisets(left: Side, right: Side, tolerance: float) -> Comparison:
    if left.is_exact and (left.keys == right.keys or _count(left.keys) == _count(right.keys)):
        return Comparison(None)
    rest = _leftover(left, right, tolerance)
    if not rest.left and not rest.right:
        return Comparison(None)
    if len(left.keys) != len(right.keys):
        reason = Reason.ROW_COUNT
    else:
        reason = Reason.VALUES if rest.isolated else Reason.MULTIPLICITY
    return Comparison(reason, _shown(rest.left), _shown(rest.right))


def _count(keys: Sequence[Hashable]) -> dict[Hashable, int]:
    # NOTE: counters compare themselves in Python code, dictionaries do not.
    return dict(Counter(keys))


def _shown(rows: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(rows)[:MAX_DIFF_ROWS])


def _leftover(left: Side, right: Side, tolerance: float) -> Leftover:
    numbers: dict[Hashable, int] = {}
    # Most of the time goes into hashing and comparing keys, so each is looked up once.
    left_numbers = [numbers.setdefault(key, len(numbers)) for key in left.keys]
    left_count = len(numbers)
    right_numbers = [numbers.setdefault(key, len(numbers)) for key in right.keys]
    if left_count == len(numbers) == len(left_numbers) == len(right_numbers) == len(set(right_numbers)):
        return _pair_off(left, right, partners=right_numbers, tolerance=tolerance)
    lefts, rights = _gather(left_numbers, len(numbers)), _gather(right_numbers, len(numbers))
    return _pair_groups(left, right, groups=list(zip(lefts, rights, strict=True)), tolerance=tolerance)


def _pair_off(left: Side, right: Side, *, partners: Sequence[int], tolerance: float) -> Leftover:
    """Compare results in which every exact part occurs once on each side, as it does when there is an id."""
    points = map(left.points.__getitem__, partners)
    accepted = map(acceptable, points, right.points, repeat(tolerance))
    apart = [row for row, is_accepted in enumerate(accepted) if not is_accepted]
    return Leftover([partners[row] for row in apart], apart, isolated=bool(apart))


def _pair_groups(left: Side, right: Side, *, groups: Sequence[_Group], tolerance: float) -> Leftover:
    """Return what a maximum matching leaves, or as much of it as a verdict and a diff need."""
    free_left = [row for lefts, rights in groups if not rights for row in lefts]
    free_right = [row for lefts, rights in groups if not lefts for row in rights]
    isolated = bool(free_left or free_right)
    for lefts, rights in groups:
        if isolated and len(free_left) >= MAX_DIFF_ROWS and len(free_right) >= MAX_DIFF_ROWS:
            break
        if not lefts or not rights:
            continue
        rest = pair([left.points[row] for row in lefts], [right.points[row] for row in rights], tolerance=tolerance)
        free_left.extend(lefts[row] for row in rest.left)
        free_right.extend(rights[row] for row in rest.right)
        isolated = isolated or rest.isolated
    return Leftover(free_left, free_right, isolated=isolated)


def _gather(numbers: Sequence[int], count: int) -> list[list[int]]:
    """Return the rows of each number."""
    groups: list[list[int]] = [[] for _ in range(count)]
    for row, number in enumerate(numbers):
        groups[number].append(row)
    return groups
