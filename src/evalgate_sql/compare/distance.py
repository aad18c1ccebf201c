"""Exact arithmetic of the tolerance: which finite numbers are equal. Knows neither results nor columns.

A difference computed in floating point is the exact one, rounded. Rounding is monotone, so below or above the
tolerance it decides; only where it equals the tolerance, or a number is no double, the exact one is needed.
"""

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
    if left == right:
        return True
    for a, b in zip(left, right):  # noqa: B905 - points of one group are of one length, and this is the innermost loop
        if a != b and not _within(a, b, tolerance):
            return False
    return True


def near(a: Number, b: Number, tolerance: float) -> bool:
    """Tell whether two numbers lie within the tolerance, whatever their types."""
    if type(a) is float and type(b) is float:  # says what the next line says, in a third of the time
        gap = abs(a - b)
    elif _is_double(a) and _is_double(b):
        gap = abs(a - b)
    else:
        return _is_exactly_near(a, b, tolerance)
    if gap != tolerance:
        return gap < tolerance
    return _is_exactly_near(a, b, tolerance)


def _within(a: Number | None, b: Number | None, tolerance: float) -> bool:
    # Two unequal numbers need a float on one side: integers and decimals have no tolerance.
    if type(a) is float and type(b) is float and (gap := abs(a - b)) != tolerance:
        return gap < tolerance
    if a is None or b is None or (type(a) is not float and type(b) is not float):
        return False
    return near(a, b, tolerance)


def _is_double(number: Number) -> TypeGuard[float]:
    if type(number) is int:
        return -_GREATEST_EXACT_INTEGER <= number <= _GREATEST_EXACT_INTEGER
    return type(number) is float


def _is_exactly_near(a: Number, b: Number, tolerance: float) -> bool:
    top_a, bottom_a = a.as_integer_ratio()
    top_b, bottom_b = b.as_integer_ratio()
    top, bottom = tolerance.as_integer_ratio()
    return abs(top_a * bottom_b - top_b * bottom_a) * bottom <= top * bottom_a * bottom_b
