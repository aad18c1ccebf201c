"""Exact distance and the windows made of it, against fractions."""

import math
from decimal import Decimal
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from evalgate_sql.compare.distance import Number, Point, acceptable, near
from evalgate_sql.compare.neighbours import Neighbours

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.one_of(
    FLOATS, st.integers(), st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30)
)
TOLERANCES = st.floats(min_value=0, allow_infinity=False, allow_nan=False)
GRID: st.SearchStrategy[Number] = st.sampled_from((0.0, 0.5, 1.0, 1.5, 2.0, 0, 1, 2, 3, Decimal("0.5"), Decimal("1.5")))


@settings(max_examples=200, deadline=None)
@given(NUMBERS, NUMBERS, TOLERANCES)
def test_near_is_the_exact_distance(a: Number, b: Number, tolerance: float) -> None:
    """No rounding shows: the answer is that of rational arithmetic."""
    assert near(a, b, tolerance) == (abs(Fraction(a) - Fraction(b)) <= Fraction(tolerance))


@settings(max_examples=200, deadline=None)
@given(FLOATS, TOLERANCES, st.integers(min_value=-2, max_value=2))
def test_near_is_exact_at_the_very_edge(a: float, tolerance: float, steps: int) -> None:
    """A number that lies on the edge, or one or two doubles beside it, is judged by its exact distance."""
    b = a + tolerance
    for _ in range(abs(steps)):
        b = math.nextafter(b, math.copysign(math.inf, steps))
    if not math.isfinite(b):
        return

    assert near(a, b, tolerance) == (abs(Fraction(a) - Fraction(b)) <= Fraction(tolerance))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(GRID, GRID), min_size=1, max_size=12),
    st.lists(st.tuples(GRID, GRID), min_size=1, max_size=12),
    st.sampled_from((0.25, 0.5, 1.0, 2.0)),
    st.sampled_from((2, 8, 40, 10_000)),
)
def test_neighbours_are_the_acceptable_rows(
    left: list[Point], right: list[Point], tolerance: float, memory_bytes: int
) -> None:
    """The windows of all columns meet in just the acceptable rows, however little memory they are given."""
    neighbours = Neighbours(left, right, axes=(0, 1), tolerance=tolerance, memory_bytes=memory_bytes)
    found = [neighbours.of(row) for row in range(len(left))]

    assert found == [
        sum(1 << j for j, other in enumerate(right) if acceptable(point, other, tolerance)) for point in left
    ]
    assert found == [neighbours.of(row) for row in range(len(left))]
