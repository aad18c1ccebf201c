"""The matching by itself: what it leaves over, from any start and at any size."""

from evalgate_sql.compare.distance import Point
from evalgate_sql.compare.matching import UNPAIRED, Leftover, Matching
from evalgate_sql.compare.neighbours import Neighbours
from evalgate_sql.compare.pairing import pair


def grow(left: list[Point], right: list[Point], start: list[int]) -> Leftover:
    """Grow a matching of one column with tolerance 1."""
    return Matching(Neighbours(left, right, axes=(0,), tolerance=1.0), start).grow()


def points(*numbers: float) -> list[Point]:
    """Make rows of one number."""
    return [(number,) for number in numbers]


def test_a_matching_grows_from_nothing() -> None:
    """Without a start all pairs are found."""
    assert grow(points(0.0, 1.0), points(1.0, 2.0), [UNPAIRED, UNPAIRED]) == Leftover([], [])


def test_a_bad_start_is_undone() -> None:
    """A pair that blocks the only complete pairing is given up."""
    assert grow(points(0.0, 1.0), points(1.0, 2.0), [UNPAIRED, 0]) == Leftover([], [])


def test_a_long_path_is_followed_without_recursion() -> None:
    """Each of thousands of pairs moves on by one when the last row is the only free one."""
    count = 5000
    start = [UNPAIRED, *range(count - 1)]

    left = points(*(2.0 * i for i in range(count)))
    right = points(*(2.0 * i + 1 for i in range(count)))

    assert grow(left, right, start) == Leftover([], [])


def test_a_leftover_row_with_a_taken_partner_is_not_isolated() -> None:
    """Two rows that want the same one leave one of them over."""
    assert grow(points(0.0, 0.5), points(0.2), [0, UNPAIRED]) == Leftover([1], [], isolated=False)


def test_a_row_that_nothing_accepts_is_isolated_on_either_side() -> None:
    """A row out of everyone's reach is told from one that came too late."""
    assert grow(points(0.0, 9.0), points(0.2), [0, UNPAIRED]).isolated
    assert grow(points(0.0), points(0.2, 9.0), [0]).isolated
    assert not grow(points(0.0), points(0.2, 0.3), [0]).isolated


def test_pairing_one_column_needs_no_bit_sets_to_find_the_maximum() -> None:
    """Left and right leftovers of a sorted column are those of a maximum matching."""
    assert pair(points(0.0, 1.0, 5.0), points(1.0, 2.0, 3.0), tolerance=1.0) == Leftover([2], [2], isolated=True)
    assert pair(points(0.0, 0.1, 2.0), points(1.0, 3.0, 3.1), tolerance=1.0) == Leftover([1], [2], isolated=True)


def test_clusters_are_matched_apart() -> None:
    """Rows far apart in any column share no cluster, and what each leaves over is counted from the whole."""
    left: list[Point] = [(float(x), float(y)) for x in range(0, 50, 5) for y in range(0, 50, 5)]
    right: list[Point] = [
        (x + 0.5, y - 0.5) for x, y in reversed(left) if isinstance(x, float) and isinstance(y, float)
    ]
    right[0] = (200.0, 0.0)

    assert pair(left, right, tolerance=1.0) == Leftover([len(left) - 1], [0], isolated=True)
