"""Divides results into the exact part of each row and its tolerant numbers. Knows no pairing and no verdict.

A column in which no float occurs, on either side, is exact. In any other the finite numbers are the tolerant part and
all else, NULL and infinities among it, is exact. Rows can only be equal when their exact parts are.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evalgate_sql.compare.cells import CellType, cell_type
from evalgate_sql.compare.distance import Number, Point
from evalgate_sql.model.outcome import Stage
from evalgate_sql.model.result import ResultSet, Row

_FINITE: Final[Hashable] = object()
"""The exact part of a cell whose value is in the tolerant part."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a result, with the types that occur in it."""

    cells: Sequence[Any]
    types: Mapping[type, CellType]

    @property
    def is_tolerant(self) -> bool:
        """True when a float occurs."""
        return any(entry.tolerant for entry in self.types.values())


@dataclass(frozen=True, slots=True)
class Inspected:
    """A result whose cells can all be compared."""

    rows: Sequence[Row]
    columns: Sequence[Column]


@dataclass(frozen=True, slots=True)
class Side:
    """One result, divided. Both sequences are as long as it has rows."""

    keys: Sequence[Hashable]
    """The exact part of each row: equal keys, equal exact parts."""
    points: Sequence[Point]
    """The tolerant part of each row. Empty tuples when no column has one."""
    is_exact: bool
    """True when no column has a tolerant part."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """A divided column of one side. A part that is the same in every row of both sides is None."""

    exact: Sequence[Any] | None
    numbers: Sequence[Number | None] | None = None


def inspect(result: ResultSet, *, stage: Stage) -> Inspected:
    """Find the types in each column of a result.

    Raises UnsupportedType, naming `stage`, for a cell that cannot be compared.
    """
    columns = list(zip(*result.rows, strict=True)) if result.rows else [()] * result.column_count
    return Inspected(result.rows, [Column(cells, _types(cells, stage)) for cells in columns])


def _types(cells: Sequence[object], stage: Stage) -> Mapping[type, CellType]:
    return {kind: cell_type(kind, stage=stage) for kind in set(map(type, cells))}


def divide(left: Inspected, right: Inspected, *, float_tolerance: float) -> tuple[Side, Side]:
    """Divide two results with the same number of columns."""
    pairs = zip(left.columns, right.columns, strict=True)
    parts = [_divide_pair(*pair, float_tolerance=float_tolerance) for pair in pairs]
    return _side(left, [part for part, _ in parts]), _side(right, [part for _, part in parts])


def _divide_pair(left: Column, right: Column, *, float_tolerance: float) -> tuple[_Parts, _Parts]:
    # With a tolerance of nothing floats are exact too, for Python compares numbers of any type by exact value.
    if not float_tolerance or not (left.is_tolerant or right.is_tolerant):
        return _Parts(_exact_keys(left)), _Parts(_exact_keys(right))
    if _holds_only_finite(left) and _holds_only_finite(right):
        return _Parts(None, left.cells), _Parts(None, right.cells)
    return _divide_mixed(left), _divide_mixed(right)


def _exact_keys(column: Column) -> Sequence[Any]:
    makers = {kind: entry.key for kind, entry in column.types.items() if entry.key is not None}
    if not makers:
        return column.cells
    return [cell if (make := makers.get(type(cell))) is None else make(cell) for cell in column.cells]


def _holds_only_finite(column: Column) -> bool:
    # The two shapes of ordinary results; anything else is divided cell by cell.
    kinds = column.types.keys()
    return kinds <= {int} or (kinds == {float} and all(map(math.isfinite, column.cells)))


def _divide_mixed(column: Column) -> _Parts:
    tests = {kind: entry.is_finite for kind, entry in column.types.items() if entry.is_finite is not None}
    numbers = [cell if (test := tests.get(type(cell))) is not None and test(cell) else None for cell in column.cells]
    keys = _exact_keys(column)
    return _Parts([_FINITE if n is not None else key for key, n in zip(keys, numbers, strict=True)], numbers)


def _side(result: Inspected, parts: Sequence[_Parts]) -> Side:
    numbers = [part.numbers for part in parts if part.numbers is not None]
    points: Sequence[Point] = list(zip(*numbers, strict=True)) if numbers else [()] * len(result.rows)
    return Side(_row_keys(result, parts), points, is_exact=not numbers)


def _row_keys(result: Inspected, parts: Sequence[_Parts]) -> Sequence[Hashable]:
    # A row in which every cell is its own key is a key already.
    if all(part.exact is column.cells for part, column in zip(parts, result.columns, strict=True)):
        return result.rows
    keys = [part.exact for part in parts if part.exact is not None]
    return list(zip(*keys, strict=True)) if keys else [()] * len(result.rows)
