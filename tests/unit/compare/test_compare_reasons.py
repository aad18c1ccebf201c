"""Which reason wins, and which rows a comparison names."""

from evalgate_sql.compare.rows import Comparison, compare
from evalgate_sql.model.outcome import Reason
from evalgate_sql.model.result import ResultSet, Row


def run(reference: list[Row], generated: list[Row], *, order_matters: bool = False) -> Comparison:
    """Compare rows of at least one column with a tolerance of a hundredth."""
    left, right = (ResultSet(len(rows[0]), rows) for rows in (reference, generated))
    return compare(left, right, order_matters=order_matters, float_tolerance=0.01)


def test_column_count_beats_row_count() -> None:
    """Of two reasons the one that is decided first is given, with the first rows of each side."""
    comparison = run([(1,), (2,)], [(1, 1)] * 9)

    assert comparison == Comparison(Reason.COLUMN_COUNT, (0, 1), (0, 1, 2, 3, 4))


def test_row_count_beats_values_and_order() -> None:
    """Results of different length are not compared position by position."""
    comparison = run([(1,), (2,), (3,)], [(3,), (9,)], order_matters=True)

    assert comparison == Comparison(Reason.ROW_COUNT, (0, 1), (1,))


def test_row_count_shows_the_surplus() -> None:
    """What a shorter result lacks is shown, not the rows both have."""
    assert run([(1, 0.5), (2, 0.5)], [(2, 0.501)]) == Comparison(Reason.ROW_COUNT, (0,), ())


def test_values_shows_the_rows_that_found_no_partner() -> None:
    """Rows both sides have are left out of the diff."""
    comparison = run([(1, 0.5), (2, 0.5), (3, 0.5)], [(3, 0.501), (2, 0.7), (1, 0.5)])

    assert comparison == Comparison(Reason.VALUES, (1,), (1,))


def test_values_beats_multiplicity() -> None:
    """One row without any partner is a difference in values, whatever else is wrong."""
    comparison = run([("a",), ("a",), ("b",), ("c",)], [("a",), ("b",), ("b",), ("d",)])

    assert comparison == Comparison(Reason.VALUES, (1, 3), (2, 3))


def test_tolerant_rows_can_have_a_wrong_multiplicity() -> None:
    """Two rows that want the same one, which wants both."""
    comparison = run([(0.0,), (0.001,), (1.0,)], [(0.002,), (1.0,), (1.001,)])

    assert comparison.reason is Reason.MULTIPLICITY


def test_order_shows_the_positions_that_differ() -> None:
    """In a sequence both sides of each differing position are shown."""
    comparison = run([(1,), (2,), (3,), (4,)], [(1,), (3,), (2,), (4,)], order_matters=True)

    assert comparison == Comparison(Reason.ORDER, (1, 2), (1, 2))


def test_a_sequence_of_other_values_is_no_matter_of_order() -> None:
    """Order is the reason only where sorting the rows would help."""
    comparison = run([(1,), (2,)], [(2,), (9,)], order_matters=True)

    assert comparison == Comparison(Reason.VALUES, (0, 1), (0, 1))


def test_a_sequence_of_another_multiplicity_says_so() -> None:
    """The reason of a sequence is that of its multiset, if that differs."""
    assert run([(1,), (1,), (2,)], [(1,), (2,), (2,)], order_matters=True).reason is Reason.MULTIPLICITY


def test_tolerance_holds_in_a_sequence() -> None:
    """Floats of a sequence are compared like those of a multiset."""
    assert run([(0.5, None), (1.0, 2.0)], [(0.501, None), (1.0, 2)], order_matters=True).reason is None


def test_at_most_five_rows_a_side_are_named() -> None:
    """Larger differences are cut, whichever rows and columns they are in."""
    exact = run([(i,) for i in range(20)], [(i + 100,) for i in range(20)])
    tolerant = run([(0.5, float(i)) for i in range(20)], [(0.5, i + 100.0) for i in range(20)])

    assert [len(exact.reference_rows), len(exact.generated_rows)] == [5, 5]
    assert [len(tolerant.reference_rows), len(tolerant.generated_rows)] == [5, 5]


def test_rows_without_columns_are_counted() -> None:
    """PostgreSQL has results without a column; they have a number of rows."""
    none, two = ResultSet(0, []), ResultSet(0, [(), ()])

    assert compare(two, two, order_matters=True, float_tolerance=0.01).reason is None
    assert compare(two, none, order_matters=False, float_tolerance=0.01).reason is Reason.ROW_COUNT
