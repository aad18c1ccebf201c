"""Pairs the rows of one group, all of the same exact part, as well as can be. Knows no keys and no verdict.

Acceptance is not transitive, so pairing greedily, sorting and zipping, or rounding into buckets all give false
mismatches, and so does taking equal rows out first: 0, 1 against 1, 2 with tolerance 1 match as 0-1 and 1-2. What is
right is a maximum matching. Cheaper ways are taken where they prove one.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise, repeat
from typing import Final

from evalgate_sql.compare.distance import Number, Point, acceptable, near
from evalgate_sql.compare.matching import UNPAIRED, Leftover, Matching
from evalgate_sql.compare.neighbours import Neighbours

_NOTHING: Final = Leftover()

_SMALL_CLUSTER: Final = 16
"""Rows of both sides that are matched sooner than they are split."""

_Cluster = tuple[Sequence[int], Sequence[int]]
"""Left and right rows."""


def pair(left: Sequence[Point], right: Sequence[Point], *, tolerance: float) -> Leftover:
    """Return what a maximum matching of two nonempty sides leaves unpaired."""
    if len(left) == len(right) == 1:
        return _NOTHING if acceptable(left[0], right[0], tolerance) else Leftover((0,), (0,), isolated=True)
    if len(left) == len(right) and all(map(acceptable, sorted(left), sorted(right), repeat(tolerance))):
        return _NOTHING
    axes = [axis for axis, number in enumerate(left[0]) if number is not None]
    if not axes or (len(axes) == 1 and _is_plain(left, right, axis=axes[0], tolerance=tolerance)):
        return _swept(left, right, partners=_sweep(left, right, tolerance), tolerance=tolerance)
    return _pair_clusters(left, right, axes=axes, tolerance=tolerance)


def _sweep(left: Sequence[Point], right: Sequence[Point], tolerance: float) -> list[int]:
    """Pair both sides in sorted order and return each left row's partner.

    In one column in which distance alone decides, this is a maximum matching; in any other case it is one if nothing
    is left over, and a start if something is.
    """
    partners = [UNPAIRED] * len(left)
    lefts = sorted(range(len(left)), key=left.__getitem__)
    rights = sorted(range(len(right)), key=right.__getitem__)
    pairs = _march(left, right, orders=(lefts, rights), tolerance=tolerance)
    # Noise in the first column swaps rows, and what one march passes over the next may find.
    while pairs:
        for i, j in pairs:
            partners[i] = j
        taken = {j for _, j in pairs}
        lefts = [i for i in lefts if partners[i] == UNPAIRED]
        rights = [j for j in rights if j not in taken]
        worthwhile = len(pairs) >= min(len(lefts), len(rights)) > 0
        pairs = _march(left, right, orders=(lefts, rights), tolerance=tolerance) if worthwhile else []
    return partners


def _march(
    left: Sequence[Point], right: Sequence[Point], *, orders: tuple[Sequence[int], Sequence[int]], tolerance: float
) -> list[tuple[int, int]]:
    """Walk along both sorted sides, pair what is acceptable and pass over the row that comes too early."""
    pairs = []
    lefts, rights = map(iter, orders)
    try:
        i, j = next(lefts), next(rights)
        while True:
            if acceptable(left[i], right[j], tolerance):
                pairs.append((i, j))
                i, j = next(lefts), next(rights)
            elif left[i] < right[j]:
                i = next(lefts)
            else:
                j = next(rights)
    except StopIteration:
        return pairs


def _is_plain(left: Sequence[Point], right: Sequence[Point], *, axis: int, tolerance: float) -> bool:
    """Tell whether distance alone decides in a column: no two exact numbers differ by less than the tolerance."""
    left_types = {type(point[axis]) for point in left}
    right_types = {type(point[axis]) for point in right}
    if left_types == {float} or right_types == {float}:
        return True
    return tolerance < 1 and left_types | right_types <= {int, float}


def _swept(left: Sequence[Point], right: Sequence[Point], *, partners: Sequence[int], tolerance: float) -> Leftover:
    taken = set(partners)
    free_left = [row for row, partner in enumerate(partners) if partner == UNPAIRED]
    free_right = [row for row in range(len(right)) if row not in taken]
    isolated = _holds_isolated([left[row] for row in free_left], right, tolerance) or _holds_isolated(
        [right[row] for row in free_right], left, tolerance
    )
    return Leftover(free_left, free_right, isolated=isolated)


def _holds_isolated(points: Sequence[Point], others: Sequence[Point], tolerance: float) -> bool:
    # If the nearest number on either hand is out of reach, every number is.
    ordered = sorted(others)
    for point in points:
        position = bisect_left(ordered, point)
        if not any(acceptable(point, other, tolerance) for other in ordered[max(position - 1, 0) : position + 1]):
            return True
    return False


def _pair_clusters(left: Sequence[Point], right: Sequence[Point], *, axes: Sequence[int], tolerance: float) -> Leftover:
    free_left: list[int] = []
    free_right: list[int] = []
    isolated = False
    for lefts, rights in _clusters(left, right, axes=axes, tolerance=tolerance):
        if len(lefts) == len(rights) == 1 and acceptable(left[lefts[0]], right[rights[0]], tolerance):
            continue
        rest = _match([left[row] for row in lefts], [right[row] for row in rights], axes=axes, tolerance=tolerance)
        free_left.extend(lefts[row] for row in rest.left)
        free_right.extend(rights[row] for row in rest.right)
        isolated = isolated or rest.isolated
    return Leftover(free_left, free_right, isolated=isolated)


def _match(left: Sequence[Point], right: Sequence[Point], *, axes: Sequence[int], tolerance: float) -> Leftover:
    if not left or not right:
        return Leftover(range(len(left)), range(len(right)), isolated=True)
    partners = _sweep(left, right, tolerance)
    if len(left) == len(right) and UNPAIRED not in partners:
        return _NOTHING
    return Matching(Neighbours(left, right, axes=axes, tolerance=tolerance), partners).grow()


def _clusters(
    left: Sequence[Point], right: Sequence[Point], *, axes: Sequence[int], tolerance: float
) -> Iterator[_Cluster]:
    """Yield parts of which no row accepts a row of another part, so that each can be matched by itself.

    Columns are tried in turn until none splits a part any further. On ordinary data, where differences are noise,
    this leaves clusters of a few rows.
    """
    whole = (range(len(left)), range(len(right)))
    pending: list[tuple[_Cluster, int, int]] = [(whole, 0, 0)]
    while pending:
        cluster, turn, idle_turns = pending.pop()
        parts = _split(left, right, cluster=cluster, axis=axes[turn], tolerance=tolerance)
        idle_turns = 1 if len(parts) > 1 else idle_turns + 1
        for part in parts:
            if idle_turns == len(axes) or _is_done(part):
                yield part
            else:
                pending.append((part, (turn + 1) % len(axes), idle_turns))


def _is_done(cluster: _Cluster) -> bool:
    left, right = cluster
    return not left or not right or len(left) + len(right) <= _SMALL_CLUSTER


def _split(
    left: Sequence[Point], right: Sequence[Point], *, cluster: _Cluster, axis: int, tolerance: float
) -> list[_Cluster]:
    """Cut a cluster wherever two neighbouring numbers of one column lie farther apart than the tolerance."""
    lefts, rights = cluster
    numbers = [*_column(left, lefts, axis), *_column(right, rights, axis)]
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    ascending = map(numbers.__getitem__, order)
    cuts = [cut for cut, (a, b) in enumerate(pairwise(ascending), 1) if not near(a, b, tolerance)]
    if not cuts:
        return [cluster]
    parts = [order[start:end] for start, end in pairwise((0, *cuts, len(order)))]
    count = len(lefts)
    return [([lefts[i] for i in part if i < count], [rights[i - count] for i in part if i >= count]) for part in parts]


def _column(points: Sequence[Point], rows: Sequence[int], axis: int) -> Iterator[Number]:
    return (number for row in rows if (number := points[row][axis]) is not None)
