"""The type table of contract section 6, row by row, for the types that exist so far."""

import math
from decimal import Decimal

import pytest

from evalgate_sql.compare.rows import compare
from evalgate_sql.model.outcome import Reason
from evalgate_sql.model.result import ResultSet

TOLERANCE = 1e-9


def are_equal(left: object, right: object, *, tolerance: float = TOLERANCE) -> bool:
    """Compare two results of one cell, both ways round."""
    one, other = ResultSet(1, [(left,)]), ResultSet(1, [(right,)])
    there = compare(one, other, order_matters=False, float_tolerance=tolerance).reason
    back = compare(other, one, order_matters=False, float_tolerance=tolerance).reason
    assert there is back
    assert there in {None, Reason.VALUES}
    return there is None


def test_null_equals_null() -> None:
    """NULL is equal to NULL."""
    assert are_equal(None, None)


@pytest.mark.parametrize("other", [0, 0.0, False, "", "None", "NULL", "NA", b"", Decimal(0), math.nan])
def test_null_equals_nothing_else(other: object) -> None:
    """NULL is no zero, no empty text, no NaN and no word for nothing."""
    assert not are_equal(None, other)


@pytest.mark.parametrize("value", [True, False])
def test_a_boolean_equals_itself(value: bool) -> None:  # noqa: FBT001 - the cell
    """Booleans are compared."""
    assert are_equal(value, value)


@pytest.mark.parametrize(
    ("boolean", "other"),
    [(True, False), (True, 1), (False, 0), (True, 1.0), (False, Decimal(0)), (True, "true"), (False, None)],
)
def test_a_boolean_equals_booleans_only(boolean: bool, other: object) -> None:  # noqa: FBT001 - the cell
    """A boolean is never a number, although Python thinks so."""
    assert not are_equal(boolean, other)


@pytest.mark.parametrize("other", [True, Decimal("1.00"), 1.0 + 1e-12, "1", b"1", None])
def test_a_boolean_stays_apart_in_a_column_with_floats(other: object) -> None:
    """A float elsewhere in the column does not turn a boolean into a number."""
    left, right = ResultSet(1, [(True,), (0.5,)]), ResultSet(1, [(other,), (0.5,)])

    comparison = compare(left, right, order_matters=False, float_tolerance=TOLERANCE)

    assert (comparison.reason is None) == (other is True)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, Decimal("1.00")),
        (Decimal("1.0"), Decimal("1.000")),
        (Decimal("1E+2"), 100),
        (0, Decimal("-0.0")),
        (10**400, 10**400),
        (10**400, Decimal("1E+400")),
    ],
)
def test_integers_and_decimals_are_equal_by_value(left: object, right: object) -> None:
    """Scale and type do not count, value does."""
    assert are_equal(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (2**53, 2**53 + 1),
        (2**63 - 1, 2**63 - 2),
        (1, Decimal("1.0000000001")),
        (Decimal("0.1"), Decimal("0.10000000000000000001")),
        (10**400, 10**400 + 1),
    ],
)
def test_integers_and_decimals_have_no_tolerance(left: object, right: object) -> None:
    """The least difference parts exact numbers, at any tolerance."""
    assert not are_equal(left, right, tolerance=1.0)


@pytest.mark.parametrize(
    ("left", "right"),
    [(0.1 + 0.2, 0.3), (1.0, 1), (1, 1.0 + 1e-10), (Decimal("0.1"), 0.1), (0.5, Decimal("0.5000000001"))],
)
def test_a_float_on_either_side_has_the_tolerance(left: object, right: object) -> None:
    """A difference within the tolerance is none where one number is a float."""
    assert are_equal(left, right)


@pytest.mark.parametrize(("left", "right"), [(0.300, 0.305), (1, 1.0 + 1e-8), (Decimal("0.1"), 0.1 + 1e-8)])
def test_a_float_beyond_the_tolerance_differs(left: object, right: object) -> None:
    """A difference beyond the tolerance counts."""
    assert not are_equal(left, right)


@pytest.mark.parametrize(
    ("left", "right", "tolerance", "expected"),
    [
        (0.0, 1.0, 1.0, True),  # exactly the tolerance
        (0.0, math.nextafter(1.0, 2), 1.0, False),
        (1e16, 1e16 + 2, 1.9, False),
        (2**53 + 1, float(2**53), 0.5, False),  # as doubles they would be one number
        (2**53 + 1, float(2**53), 1.0, True),
        (0.3, 0.1, 0.2, True),  # the exact difference is below the double 0.2, the rounded one is it
        (1.1, 1.0, 0.1, False),  # and here above the double 0.1
        (Decimal("1.1"), 1.0, 0.1, True),
        (1.7e308, -1.7e308, 1.7e308, False),  # the rounded difference is infinite
        (10**400, 1e308, 1.0, False),  # no double at all
        (5e-324, 0.0, 5e-324, True),
        (1, 2, 1.0, False),  # no float, no tolerance
    ],
)
def test_the_difference_is_computed_exactly(left: object, right: object, tolerance: float, expected: bool) -> None:  # noqa: FBT001
    """No rounding moves a pair across the edge of the tolerance."""
    assert are_equal(left, right, tolerance=tolerance) is expected


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_special_floats_equal_themselves(value: float) -> None:
    """NaN and the infinities are values like any other."""
    assert are_equal(value, value)
    assert are_equal(value, Decimal(value))
    assert are_equal(Decimal(value), Decimal(value))


@pytest.mark.parametrize(
    ("left", "right"),
    [(math.nan, math.inf), (math.inf, -math.inf), (math.inf, 1.7e308), (math.nan, 0.0), (math.nan, "NaN")],
)
def test_special_floats_equal_nothing_else(left: object, right: object) -> None:
    """No tolerance reaches an infinity or NaN."""
    assert not are_equal(left, right, tolerance=1.7e308)


@pytest.mark.parametrize("tolerance", [0.0, TOLERANCE])
def test_negative_zero_is_zero(tolerance: float) -> None:
    """The sign of zero does not count."""
    assert are_equal(-0.0, 0.0, tolerance=tolerance)
    assert are_equal(-0.0, 0, tolerance=tolerance)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a", "A"),
        ("a", "a "),
        ("", " "),
        ("e\u0301", "\u00e9"),  # canonically equivalent, other code points
        ("007", 7),
        ("1.0", 1.0),
        ("a", b"a"),
        ("\udc80", b"\x80"),
        ("\udc80", "\udc81"),
    ],
)
def test_text_is_exact(left: object, right: object) -> None:
    """Text equals text of the same code points, never bytes or a number."""
    assert not are_equal(left, right)


def test_text_that_is_no_utf8_compares_by_bytes() -> None:
    """What surrogateescape kept of two texts is equal where the bytes were."""
    raw = b"caf\xe9"

    assert are_equal(raw.decode("utf-8", "surrogateescape"), raw.decode("utf-8", "surrogateescape"))
    assert not are_equal(raw.decode("utf-8", "surrogateescape"), raw.decode("latin-1"))


@pytest.mark.parametrize("other", [b"ab", "a", 97, None])
def test_bytes_equal_the_same_bytes_only(other: object) -> None:
    """Bytes are a type of their own."""
    assert are_equal(b"a", b"a")
    assert not are_equal(b"a", other)
