"""Which rows of the right side each row of the left side accepts, as bit sets. Knows no matching.

In one column the numbers that a given one accepts are a window of the sorted column. The bits of a window are those of
the rows before its end without those before its start, so a column keeps the bits before every so many rows, as dense
as its share of memory allows. The neighbours of a row are what its windows in all columns have in common.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from evalgate_sql.compare.distance import Number, Point, near

_MEMORY_BYTES: Final = 112 * 2**20
"""What bit sets may take, half of it marks and half of it remembered neighbours.

It remembers the neighbours of 20,000 rows that all accept each other, and leaves the worker room for two results.
"""

_Numbers = Mapping[int, Number]
"""Numbers by row."""

_Windows = tuple[Sequence[int], Sequence[int]]
"""Starts and ends of slices, by row; a row that has none gets an empty one."""


class Neighbours:
    """The acceptable pairs of two sides whose rows have the same exact part."""

    __slots__ = ("_cache", "_columns", "_spare_bytes", "right_count")

    def __init__(
        self,
        left: Sequence[Point],
        right: Sequence[Point],
        *,
        axes: Sequence[int],
        tolerance: float,
        memory_bytes: int = _MEMORY_BYTES,
    ) -> None:
        self.right_count = len(right)
        self._cache: dict[int, int] = {}
        self._spare_bytes = memory_bytes // 2
        rulings = [list(_rulings(_numbers(left, axis), _numbers(right, axis), tolerance)) for axis in axes]
        mark_bytes = len(right) // 8 + 1
        marks = sum(len(order) for ruling in rulings for _, order in ruling)
        step = 1 + marks * mark_bytes // (memory_bytes // 2)
        self._columns = [[_Ruler(windows, order, step=step) for windows, order in ruling] for ruling in rulings]

    def of(self, left: int) -> int:
        """Return the right rows that a left row accepts."""
        mask = self._cache.get(left)
        if mask is None:
            mask = self._find(left)
            self._remember(left, mask)
        return mask

    def _find(self, left: int) -> int:
        mask = (1 << self.right_count) - 1
        for rulers in self._columns:
            accepted = 0
            for ruler in rulers:
                accepted |= ruler.window(left)
            mask &= accepted
            if not mask:
                break
        return mask

    def _remember(self, left: int, mask: int) -> None:
        self._spare_bytes -= mask.bit_length() // 8
        if self._spare_bytes >= 0:
            self._cache[left] = mask


class _Ruler:
    """Right rows in the order of their numbers in one column, and the window of them that each left row accepts."""

    __slots__ = ("_marks", "_order", "_step", "_windows")

    def __init__(self, windows: _Windows, order: Sequence[int], *, step: int) -> None:
        self._windows = windows
        self._order = order
        self._step = step
        self._marks = [0]
        for start, end in pairwise(range(0, len(order) + 1, step)):
            self._marks.append(self._marks[-1] | _mask(order[start:end]))

    def window(self, left: int) -> int:
        """Return the bits of the rows in a left row's window."""
        starts, ends = self._windows
        start, end = starts[left], ends[left]
        return self._before(end) ^ self._before(start) if start < end else 0

    def _before(self, position: int) -> int:
        mark, rest = divmod(position, self._step)
        return self._marks[mark] | _mask(self._order[position - rest : position]) if rest else self._marks[mark]


def _rulings(left: _Numbers, right: _Numbers, tolerance: float) -> Iterator[tuple[_Windows, Sequence[int]]]:
    """Yield the windows and the order of each kind of pair in one column.

    Only a pair with a float in it has a tolerance, so floats and exact numbers need rulers of their own.
    """
    size = len(left)
    left_floats, left_exacts = _split(left)
    right_floats, right_exacts = _split(right)
    for lefts, rights, allowed in (
        (left, right_floats, tolerance),
        (left_floats, right_exacts, tolerance),
        (left_exacts, right_exacts, 0.0),
    ):
        if lefts and rights:
            order = sorted(rights, key=rights.__getitem__)
            yield _windows(lefts, [rights[row] for row in order], tolerance=allowed, size=size), order


def _windows(left: _Numbers, right: Sequence[Number], *, tolerance: float, size: int) -> _Windows:
    """Return for each left row the slice of the sorted right numbers that lies within the tolerance.

    Both ends only ever move up with the left number, so all windows together take linear time.
    """
    # Arrays, for ten columns of 100,000 windows as tuples would take most of the worker's memory.
    starts, ends = array("l", [0]) * size, array("l", [0]) * size
    start = end = 0
    for row in sorted(left, key=left.__getitem__):
        number = left[row]
        while start < len(right) and right[start] < number and not near(number, right[start], tolerance):
            start += 1
        while end < len(right) and (right[end] <= number or near(number, right[end], tolerance)):
            end += 1
        starts[row], ends[row] = start, end
    return starts, ends


def _numbers(points: Sequence[Point], axis: int) -> _Numbers:
    return {row: number for row, point in enumerate(points) if (number := point[axis]) is not None}


def _split(numbers: _Numbers) -> tuple[_Numbers, _Numbers]:
    floats = {row: number for row, number in numbers.items() if type(number) is float}
    return floats, {row: number for row, number in numbers.items() if row not in floats}


def _mask(rows: Sequence[int]) -> int:
    buffer = bytearray(max(rows) // 8 + 1)
    for row in rows:
        buffer[row >> 3] |= 1 << (row & 7)
    return int.from_bytes(buffer, "little")
