"""Exact arithmetic of the tolerance: which finite numbers are equal. Knows neither results nor columns.

A difference computed in floating point is the exact one, rounded. Rounding is monotone, so below or above the
tolerance it decides; only where it equals the tolerance, or a number is no double, the exact one is needed.
"""

from itertools import repeat
from typing import TYPE_CHECKING, Final, TypeGuard, Union

if TYPE_CHECKING:
    from decimal import Decimal

Number = Union[int, float, "Decimal"]
"""A finite number. Python compares any two of them by exact value."""

Point = tuple[Number | None, ...]
"""What a row has in the tolerant columns; None where that cell is no finite number and belongs to the exact part."""

_GREATEST_EXACT_INTEGER: Final = 2**53


def acceptable(left: Point, right: Point, tolerance: float) -> bool:
    """Tell whether two rows of one exact part are equal. This is no equivalence: it is not transitive."""
    return left == right or all(map(_within, left, right, repeat(tolerance)))


def near(a: Number, b: Number, tolerance: float) -> bool:
    """Tell whether two numbers lie within the tolerance, whatever their types."""
    # The first half is part of the second, and takes a third of its time.
    if (type(a) is float and type(b) is float) or (_is_double(a) and _is_double(b)):
        gap = abs(a - b)
        if gap != tolerance:
            return gap < tolerance
    return _is_exactly_near(a, b, tolerance)


def _within(a: Number | None, b: Number | None, tolerance: float) -> bool:
    if type(a) is float and type(b) is float and (gap := abs(a - b)) != tolerance:
        return gap < tolerance
    if a is None or b is None or a == b:
        return a == b
    # Integers and decimals have no tolerance among themselves.
    return (type(a) is float or type(b) is float) and near(a, b, tolerance)


def _is_double(number: Number) -> TypeGuard[float]:
    if type(number) is int:
        return -_GREATEST_EXACT_INTEGER <= number <= _GREATEST_EXACT_INTEGER
    return type(number) is float


def _is_exactly_near(a: Number, b: Number, tolerance: float) -> bool:
    top_a, bottom_a = a.as_integer_ratio()
    top_b, bottom_b = b.as_integer_ratio()
    top, bottom = tolerance.as_integer_ratio()
    return abs(top_a * bottom_b - top_b * bottom_a) * bottom <= top * bottom_a * bottom_b
