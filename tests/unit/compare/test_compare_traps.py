"""Ways in which a comparison can be wrong, each met in a measurement, each a test."""

import math
from decimal import Decimal

from evalgate_sql.compare.rows import Comparison, compare
from evalgate_sql.model.outcome import Reason
from evalgate_sql.model.result import ResultSet, Row


def run(
    reference: list[Row], generated: list[Row], *, tolerance: float = 1e-9, order_matters: bool = False
) -> Comparison:
    """Compare rows of at least one column."""
    columns = len([*reference, *generated][0])
    return compare(
        ResultSet(columns, reference),
        ResultSet(columns, generated),
        order_matters=order_matters,
        float_tolerance=tolerance,
    )


def test_noise_in_a_leading_column_does_not_misalign_rows() -> None:
    """Sorting and zipping would pair (0.3, b) with (0.3, a): ordinary AVG noise, a false mismatch."""
    assert run([(0.3, "b"), (0.1 + 0.2, "a")], [(0.3, "a"), (0.3, "b")]).reason is None


def test_acceptance_is_not_transitive() -> None:
    """Greedy pairing would give 0.9 to 0.8 and leave 0.0 against 1.7."""
    assert run([(0.9,), (0.0,)], [(0.8,), (1.7,)], tolerance=0.85).reason is None


def test_two_tolerant_columns_need_a_matching() -> None:
    """Sorted by the first column, the rows of either side line up wrongly."""
    assert run([(0.0, 0.0), (0.05, 1.0)], [(0.05, 0.0), (0.0, 1.0)], tolerance=0.1).reason is None


def test_equal_rows_may_not_be_taken_out_first() -> None:
    """Pairing 1 with 1 would leave 0 against 2."""
    assert run([(0.0,), (1.0,)], [(1.0,), (2.0,)], tolerance=1.0).reason is None


def test_equal_rows_may_not_be_taken_out_first_in_two_columns() -> None:
    """The same with a second tolerant column, where no sorting decides."""
    assert run([(0.0, 0.0), (1.0, 0.0)], [(1.0, 0.0), (2.0, 0.0)], tolerance=1.0).reason is None


def test_sorting_fails_where_integers_and_floats_mix() -> None:
    """0, 1 against 1, 1.5 with tolerance 2 match as 0-1.5 and 1-1, for two integers have no tolerance."""
    assert run([(0,), (1,)], [(1,), (1.5,)], tolerance=2.0).reason is None


def test_sorting_fails_where_decimals_and_floats_mix() -> None:
    """Decimals may lie closer together than any tolerance and still differ."""
    reference: list[Row] = [(Decimal("0.1"),), (Decimal("0.2"),)]

    assert run(reference, [(Decimal("0.2"),), (0.3,)], tolerance=0.25).reason is None
    assert run(reference, [(Decimal("0.3"),), (0.3,)], tolerance=0.25).reason is Reason.VALUES


def test_integers_keep_their_exactness_beside_floats() -> None:
    """A float elsewhere in the column gives two integers no tolerance, only itself to either of them."""
    assert run([(1,), (1.5,)], [(2,), (1.5,)], tolerance=1.0).reason is None
    assert run([(1,), (9.5,)], [(2,), (9.5,)], tolerance=1.0).reason is Reason.VALUES


def test_rounding_into_buckets_is_wrong() -> None:
    """Two numbers next to each other on either side of a bucket's edge are equal."""
    assert run([(0.4999999999,)], [(0.5000000001,)]).reason is None


def test_python_takes_one_for_true_and_for_one_point_zero() -> None:
    """Rows that Python's own equality holds for one are four different ones here."""
    cells = (True, "1", b"1", None)
    wrong = [
        (a, b)
        for a in cells
        for b in (1, 1.0, Decimal("1.00"))
        if run([(a, "x")], [(b, "x")]).reason is not Reason.VALUES
    ]

    assert wrong == []


def test_a_boolean_is_not_found_among_the_integers_of_its_column() -> None:
    """True does not pair with the 1 of another row, as it would as the key of a dictionary."""
    assert run([(True,), (2,)], [(1,), (2,)]).reason is Reason.VALUES


def test_nan_equals_nan_without_being_the_same_object() -> None:
    """Two NaNs that were computed apart are equal, with or without tolerance and in either mode."""
    left, right = float("nan"), math.inf - math.inf

    assert run([(left, 1)], [(right, 1)]).reason is None
    assert run([(left, 1)], [(right, 1)], tolerance=0.0).reason is None
    assert run([(left, 1)], [(right, 1)], order_matters=True).reason is None


def test_a_decimal_half_and_a_decimal_tenth_follow_one_rule() -> None:
    """Python says 0.5 is Decimal('0.5') and 0.1 is not Decimal('0.1'); within the tolerance both are."""
    assert run([(0.5,), (0.1,)], [(Decimal("0.5"),), (Decimal("0.1"),)]).reason is None
    assert run([(0.5,), (0.1,)], [(Decimal("0.5"),), (Decimal("0.1"),)], tolerance=0.0).reason is Reason.VALUES


def test_overflowing_integers_come_as_floats() -> None:
    """SQLite makes a float of an integer sum that overflows: equal to the exact one only within the tolerance."""
    assert run([(2**63,)], [(float(2**63),)]).reason is None
    assert run([(2**63 + 1,)], [(float(2**63),)]).reason is Reason.VALUES


def test_a_hall_violation_is_a_wrong_multiplicity() -> None:
    """Three rows that can only go to the same two have partners and no matching."""
    reference: list[Row] = [(0.0, 0.0), (0.1, 0.1), (0.2, 0.2), (5.0, 5.0)]
    generated: list[Row] = [(0.5, 0.5), (0.5, 0.5), (5.0, 5.0), (5.0, 5.1)]

    assert run(reference, generated, tolerance=0.5).reason is Reason.MULTIPLICITY


def test_duplicates_that_trade_places_are_a_wrong_multiplicity() -> None:
    """The same distinct rows, said another number of times."""
    comparison = run([("a",), ("a",), ("b",)], [("a",), ("b",), ("b",)])

    assert comparison == Comparison(Reason.MULTIPLICITY, (1,), (2,))


def test_a_repeated_reference_key_does_not_hide_a_new_generated_one() -> None:
    """As many distinct keys in all as rows on each side is no proof that both sides have the same."""
    assert run([(1, 0.5), (1, 0.5)], [(1, 0.5), (2, 0.5)]).reason is Reason.VALUES


def test_a_path_may_be_as_long_as_the_result() -> None:
    """One free row at the end of a chain moves every pair of it, deeper than Python recurses."""
    count = 3000
    reference: list[Row] = [(float(2 * i), 0.0) for i in range(count)]
    generated: list[Row] = [(float(2 * i + 1), 0.0) for i in range(count)]

    assert run(reference, generated, tolerance=1.0).reason is None
    assert run([*reference[1:], (float(2 * count), 0.0)], generated, tolerance=1.0).reason is None


def test_everything_may_accept_everything() -> None:
    """A complete group of ten thousand rows with one row astray is settled, not run out of memory."""
    rows: list[Row] = [(i / 20_000, 1 - i / 20_000, 0.5) for i in range(10_000)]
    astray: list[Row] = [*rows[1:], (7.0, 7.0, 7.0)]

    assert run(rows, rows[::-1], tolerance=1.0).reason is None
    assert run(rows, astray, tolerance=1.0).reason is Reason.VALUES
