"""What the cells of a diff look like."""

import math
import sys
import tracemalloc
from decimal import Decimal

import pytest

from evalgate_sql.compare.preview import preview
from evalgate_sql.compare.rows import Comparison
from evalgate_sql.model.outcome import Reason
from evalgate_sql.model.result import ResultSet
from evalgate_sql.model.verdict import Diff, Preview

LIMIT = 120


def show(cell: object) -> Preview:
    """Return the preview of one cell."""
    result = ResultSet(1, [(cell,)])
    return preview(result, ResultSet(1, []), Comparison(Reason.ROW_COUNT, (0,))).reference_rows[0][0]


@pytest.mark.parametrize(
    "cell", [None, True, False, 0, -7, 2**53, -(2**53), 0.1, 1e300, "", "caf\u00e9", "x" * LIMIT, "\x00\n\u2028"]
)
def test_what_json_has_is_shown_as_it_is(cell: object) -> None:
    """NULL, booleans, ordinary numbers and text stay plain."""
    shown = show(cell)

    assert shown == cell
    assert type(shown) is type(cell)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (2**53 + 1, {"type": "integer", "value": "9007199254740993"}),
        (-(2**53) - 1, {"type": "integer", "value": "-9007199254740993"}),
        (math.nan, {"type": "float", "value": "NaN"}),
        (math.inf, {"type": "float", "value": "Infinity"}),
        (-math.inf, {"type": "float", "value": "-Infinity"}),
        (Decimal("1.00"), {"type": "decimal", "value": "1.00"}),
        (Decimal("1E+3"), {"type": "decimal", "value": "1000"}),
        (Decimal("-1E-7"), {"type": "decimal", "value": "-0.0000001"}),
        (Decimal("NaN"), {"type": "decimal", "value": "NaN"}),
        (Decimal("-Infinity"), {"type": "decimal", "value": "-Infinity"}),
        (b"", {"type": "bytes", "value": ""}),
        (b"\x00\xff", {"type": "bytes", "value": "00ff"}),
        ("caf\udce9", {"type": "text", "value": "caf\\xe9"}),
        ("\ud800", {"type": "text", "value": "\\ud800"}),
    ],
)
def test_what_json_would_lose_is_tagged(cell: object, expected: Preview) -> None:
    """A type that JSON has not, or a value that it cannot hold, is shown with its type."""
    assert show(cell) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("x" * 121, {"type": "text", "value": "x" * 120, "clipped": True}),
        ("\udcff" * 31, {"type": "text", "value": "\\xff" * 30, "clipped": True}),
        (b"\xab" * 61, {"type": "bytes", "value": "ab" * 60, "clipped": True}),
        (10**120, {"type": "integer", "value": "1" + "0" * 119, "clipped": True}),
        (Decimal("0." + "7" * 200), {"type": "decimal", "value": "0." + "7" * 96, "clipped": True}),
        (Decimal("7" * 200), {"type": "decimal", "value": "7." + "7" * 95 + "E+199", "clipped": True}),
        (Decimal("1E+400"), {"type": "decimal", "value": "1E+400"}),
        (Decimal("1E-400"), {"type": "decimal", "value": "1E-400"}),
    ],
)
def test_long_cells_are_clipped(cell: object, expected: Preview) -> None:
    """At most 120 characters are shown, and what was cut says so; a decimal keeps its magnitude."""
    assert show(cell) == expected


@pytest.mark.parametrize("cell", ["x" * 1_000_000, "\u20ac" * 300_000, b"x" * 1_000_000])
def test_a_huge_cell_is_sliced_before_anything_else(cell: object) -> None:
    """A preview takes memory for what it shows, not for what it cuts off."""
    tracemalloc.start()
    try:
        show(cell)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak_bytes < 50_000


def test_an_integer_too_long_to_print_is_shown() -> None:
    """Python refuses to print such an integer in decimal, so its first hexadecimal digits stand for it."""
    digits = sys.get_int_max_str_digits()

    assert show(10 ** (digits + 1)) == {"type": "integer", "value": f"{10 ** (digits + 1):#x}"[:LIMIT], "clipped": True}
    assert show(-(16**5000)) == {"type": "integer", "value": "-0x1" + "0" * (LIMIT - 4), "clipped": True}


def test_columns_beyond_the_twentieth_are_cut() -> None:
    """Wide rows are cut, and the diff says so, also if only one side is wide."""
    wide, narrow = ResultSet(21, [tuple(range(21))]), ResultSet(20, [tuple(range(20))])

    assert preview(wide, narrow, Comparison(Reason.COLUMN_COUNT, (0,), (0,))) == Diff(
        (tuple(range(20)),), (tuple(range(20)),), columns_clipped=True
    )
    assert not preview(narrow, narrow, Comparison(None)).columns_clipped


def test_only_the_rows_of_the_comparison_are_shown() -> None:
    """A diff holds the named rows of each side, in their order."""
    reference, generated = ResultSet(1, [("a",), ("b",), ("c",)]), ResultSet(1, [("d",), ("b",)])

    assert preview(reference, generated, Comparison(Reason.ROW_COUNT, (0, 2), (0,))) == Diff(
        (("a",), ("c",)), (("d",),), columns_clipped=False
    )
