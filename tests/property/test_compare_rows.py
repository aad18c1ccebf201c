"""The comparison against a naive oracle: every pair of cells by fractions, every pairing by plain augmentation."""

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalgate_sql.compare.rows import Comparison, compare
from evalgate_sql.limits import MAX_DIFF_ROWS
from evalgate_sql.model.outcome import Reason
from evalgate_sql.model.result import ResultSet, Row

Cell = None | bool | int | float | Decimal | str | bytes
Rows = list[Row]

TOLERANCES = (0.0, 1e-9, 0.5, 1.0, 2.0)

FLOATS = (0.0, -0.0, 0.1, 0.3, 0.1 + 0.2, 0.5, 1.0, 1.0 + 1e-9, 1.5, 2.0, 3.0, 3.5, float(2**53))
INTEGERS = (-1, 0, 1, 2, 3, 4, 2**53, 2**53 + 1)
DECIMALS = (Decimal(0), Decimal("0.3"), Decimal("0.5"), Decimal("1.00"), Decimal("1.4"), Decimal(2**53 + 1))
SPECIALS = (math.nan, math.inf, -math.inf, Decimal("NaN"), Decimal("Infinity"), Decimal("-Infinity"))
OTHERS = (None, True, False, "", "a", "1", b"", b"a", "\udc80")

FLOAT = st.sampled_from(FLOATS)
INTEGER = st.sampled_from(INTEGERS)
MIXED = st.sampled_from(FLOATS + INTEGERS)
NUMBER = st.sampled_from(FLOATS + INTEGERS + DECIMALS + SPECIALS)
ANYTHING = st.sampled_from(FLOATS + INTEGERS + DECIMALS + SPECIALS + OTHERS)
EXACT = st.sampled_from(INTEGERS[:3] + OTHERS)
COLUMN = st.sampled_from((FLOAT, FLOAT, MIXED, INTEGER, NUMBER, ANYTHING, EXACT))

tolerances = st.sampled_from(TOLERANCES)


@st.composite
def results(draw: st.DrawFn, max_rows: int = 7) -> tuple[ResultSet, ResultSet]:
    """Two results of the same few columns; often one has the other's rows, shifted and shuffled."""
    columns = draw(st.lists(COLUMN, min_size=1, max_size=3))
    row = st.tuples(*columns)
    reference = draw(st.lists(row, max_size=max_rows))
    if draw(st.booleans()):
        generated = draw(st.lists(row, max_size=max_rows))
    else:
        shift = draw(st.sampled_from((0.0, 1e-9, 0.5, 1.0)))
        generated = draw(st.permutations([_shifted(each, shift) for each in reference]))
        if draw(st.booleans()) and generated:
            generated = [*generated[1:], draw(row)]
    return ResultSet(len(columns), reference), ResultSet(len(columns), generated)


def _shifted(row: Row, shift: float) -> Row:
    return tuple(cell + shift if type(cell) is float else cell for cell in row)


def _special_name(cell: float | Decimal) -> str | None:
    if math.isnan(cell):
        return "NaN"
    return str(float(cell)) if math.isinf(cell) else None


def _numbers_equal(left: float | Decimal, right: float | Decimal, tolerance: float) -> bool:
    names = _special_name(left), _special_name(right)
    if names != (None, None):
        return names[0] == names[1]
    gap = abs(Fraction(left) - Fraction(right))
    return gap == 0 or (float in {type(left), type(right)} and gap <= Fraction(tolerance))


def cells_equal(left: object, right: object, tolerance: float) -> bool:
    """Apply the type table of contract section 6, literally."""
    numbers = (int, float, Decimal)
    if type(left) in numbers and type(right) in numbers:
        assert isinstance(left, numbers)
        assert isinstance(right, numbers)
        return _numbers_equal(left, right, tolerance)
    return type(left) is type(right) and left == right


def rows_equal(left: Row, right: Row, tolerance: float) -> bool:
    """Tell whether all cells of two rows are equal."""
    return all(cells_equal(a, b, tolerance) for a, b in zip(left, right, strict=True))


def partners(left: Sequence[Row], right: Sequence[Row], tolerance: float) -> list[list[int]]:
    """Find the right rows that each left row is equal to."""
    return [[j for j, b in enumerate(right) if rows_equal(a, b, tolerance)] for a in left]


def matching_size(left: Sequence[Row], right: Sequence[Row], tolerance: float) -> int:
    """Count the pairs of a maximum matching."""
    edges = partners(left, right, tolerance)
    owner: dict[int, int] = {}

    def find(row: int, seen: set[int]) -> bool:
        for other in edges[row]:
            if other not in seen:
                seen.add(other)
                if other not in owner or find(owner[other], seen):
                    owner[other] = row
                    return True
        return False

    return sum(find(row, set()) for row in range(len(left)))


def multiset_reason(left: Sequence[Row], right: Sequence[Row], tolerance: float) -> Reason | None:
    """Derive the reason that the definitions give to two results of the same number of columns."""
    if len(left) != len(right):
        return Reason.ROW_COUNT
    if matching_size(left, right, tolerance) == len(left):
        return None
    all_have_partners = all(partners(left, right, tolerance)) and all(partners(right, left, tolerance))
    return Reason.MULTIPLICITY if all_have_partners else Reason.VALUES


def run(left: ResultSet, right: ResultSet, tolerance: float, *, order_matters: bool = False) -> Comparison:
    """Compare two results."""
    return compare(left, right, order_matters=order_matters, float_tolerance=tolerance)


@settings(max_examples=200, deadline=None)
@given(results(), tolerances)
def test_multiset_verdict_is_that_of_a_maximum_matching(pair: tuple[ResultSet, ResultSet], tolerance: float) -> None:
    """Match and reason are what trying all pairings gives."""
    left, right = pair

    assert run(left, right, tolerance).reason == multiset_reason(left.rows, right.rows, tolerance)


@settings(max_examples=60, deadline=None)
@given(results(max_rows=24), tolerances)
def test_larger_results_agree_too(pair: tuple[ResultSet, ResultSet], tolerance: float) -> None:
    """Groups that are split into clusters before they are matched come to the same verdict."""
    left, right = pair

    assert run(left, right, tolerance).reason == multiset_reason(left.rows, right.rows, tolerance)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(MIXED, MIXED), min_size=12, max_size=20),
    st.lists(st.tuples(MIXED, MIXED), min_size=12, max_size=20),
    st.sampled_from((0.5, 1.0, 2.0)),
)
def test_one_crowded_group_agrees_too(reference: Rows, generated: Rows, tolerance: float) -> None:
    """Two tolerant columns in which most rows accept many others come to the verdict of a maximum matching."""
    comparison = run(ResultSet(2, reference), ResultSet(2, generated), tolerance)

    assert comparison.reason == multiset_reason(reference, generated, tolerance)


@settings(max_examples=120, deadline=None)
@given(results(), tolerances)
def test_shown_rows_are_left_over_by_a_maximum_matching(pair: tuple[ResultSet, ResultSet], tolerance: float) -> None:
    """As many rows as a maximum matching leaves are shown, up to the cap, and one exists that leaves just them."""
    left, right = pair
    size = matching_size(left.rows, right.rows, tolerance)
    comparison = run(left, right, tolerance)
    rest_left = [row for position, row in enumerate(left.rows) if position not in comparison.reference_rows]
    rest_right = [row for position, row in enumerate(right.rows) if position not in comparison.generated_rows]

    assert len(comparison.reference_rows) == min(MAX_DIFF_ROWS, len(left.rows) - size)
    assert len(comparison.generated_rows) == min(MAX_DIFF_ROWS, len(right.rows) - size)
    assert matching_size(rest_left, rest_right, tolerance) == size


@settings(max_examples=60, deadline=None)
@given(results(), tolerances, st.data())
def test_multiset_verdict_ignores_the_order_of_rows(
    pair: tuple[ResultSet, ResultSet], tolerance: float, data: st.DataObject
) -> None:
    """Shuffling either side changes neither verdict nor reason."""
    left, right = pair
    shuffled_left = ResultSet(left.column_count, data.draw(st.permutations(left.rows)))
    shuffled_right = ResultSet(right.column_count, data.draw(st.permutations(right.rows)))

    assert run(shuffled_left, shuffled_right, tolerance).reason == run(left, right, tolerance).reason


@settings(max_examples=60, deadline=None)
@given(results(), tolerances, st.booleans())
def test_comparison_is_symmetric(pair: tuple[ResultSet, ResultSet], tolerance: float, order_matters: bool) -> None:  # noqa: FBT001 - drawn
    """Reference and generated result may change places."""
    left, right = pair

    there = run(left, right, tolerance, order_matters=order_matters)
    back = run(right, left, tolerance, order_matters=order_matters)

    assert there.reason == back.reason


@settings(max_examples=60, deadline=None)
@given(results(), tolerances)
def test_a_result_equals_itself(pair: tuple[ResultSet, ResultSet], tolerance: float) -> None:
    """Whatever its cells are, NaN among them, a result matches itself in either mode."""
    left, _ = pair

    assert run(left, left, tolerance).reason is None
    assert run(left, left, tolerance, order_matters=True).reason is None


@settings(max_examples=60, deadline=None)
@given(results(), tolerances, st.data())
def test_multiplicity_counts(pair: tuple[ResultSet, ResultSet], tolerance: float, data: st.DataObject) -> None:
    """A row said once more is a row too many, and one said instead of another is at most a wrong multiplicity."""
    left, _ = pair
    again = data.draw(st.sampled_from(left.rows)) if left.rows else (None,) * left.column_count
    doubled = ResultSet(left.column_count, [*left.rows, again])

    assert run(left, doubled, tolerance).reason is Reason.ROW_COUNT


@settings(max_examples=120, deadline=None)
@given(results(), tolerances)
def test_sequence_verdict_is_the_pairwise_one(pair: tuple[ResultSet, ResultSet], tolerance: float) -> None:
    """With order, rows are equal position by position; what only order parts is `order`, and positions are shown."""
    left, right = pair
    comparison = run(left, right, tolerance, order_matters=True)
    if len(left.rows) != len(right.rows):
        assert comparison.reason is Reason.ROW_COUNT
        return
    differing = tuple(
        position
        for position, (a, b) in enumerate(zip(left.rows, right.rows, strict=True))
        if not rows_equal(a, b, tolerance)
    )
    expected = multiset_reason(left.rows, right.rows, tolerance) or Reason.ORDER if differing else None

    assert comparison == Comparison(expected, differing[:MAX_DIFF_ROWS], differing[:MAX_DIFF_ROWS])


@settings(max_examples=40, deadline=None)
@given(results(), st.integers(min_value=1, max_value=3), tolerances)
def test_column_count_decides_first(pair: tuple[ResultSet, ResultSet], extra: int, tolerance: float) -> None:
    """Another number of columns is the reason whatever the rows are, also without rows."""
    left, right = pair
    wider = ResultSet(right.column_count + extra, [row + (None,) * extra for row in right.rows])

    comparison = run(left, wider, tolerance)

    assert comparison.reason is Reason.COLUMN_COUNT
    assert comparison.reference_rows == tuple(range(min(MAX_DIFF_ROWS, len(left.rows))))
    assert comparison.generated_rows == tuple(range(min(MAX_DIFF_ROWS, len(right.rows))))


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_every_pair_of_cells_follows_the_table(tolerance: float) -> None:
    """Two results of one cell each are equal exactly where the type table says so, for all pairs of sample cells."""
    cells = FLOATS + INTEGERS + DECIMALS + SPECIALS + OTHERS
    wrong = [
        (left, right)
        for left in cells
        for right in cells
        if (run(ResultSet(1, [(left,)]), ResultSet(1, [(right,)]), tolerance).reason is None)
        != cells_equal(left, right, tolerance)
    ]

    assert wrong == []
