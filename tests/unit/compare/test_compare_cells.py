"""Which types a result may hold, and how others are refused."""

import datetime as dt
import enum
from decimal import Decimal
from fractions import Fraction

import pytest

from evalgate_sql.compare.cells import UnsupportedType, cell_type
from evalgate_sql.compare.rows import compare
from evalgate_sql.model.outcome import Stage
from evalgate_sql.model.result import ResultSet

GOOD = ResultSet(1, [(1,)])


class Colour(enum.IntEnum):
    """An integer in another coat."""

    RED = 1


@pytest.mark.parametrize("value", [dt.timedelta(days=30), Fraction(1), [1], {"a": 1}, (1,), bytearray(b"a"), 1j])
def test_other_types_are_refused(value: object) -> None:
    """A type that is not in the table is refused by name, also where both sides hold the same value."""
    result = ResultSet(1, [(None,), (value,)])

    with pytest.raises(UnsupportedType) as caught:
        compare(result, result, order_matters=False, float_tolerance=1e-9)

    assert caught.value.type_name == type(value).__qualname__


def test_a_subclass_is_another_type() -> None:
    """A value that only inherits from a supported type may print and compare in its own way, so it is refused."""
    with pytest.raises(UnsupportedType):
        compare(ResultSet(1, [(Colour.RED,)]), GOOD, order_matters=False, float_tolerance=1e-9)


@pytest.mark.parametrize(
    ("reference", "generated", "stage"),
    [
        (ResultSet(1, [([],)]), GOOD, Stage.REFERENCE),
        (GOOD, ResultSet(1, [([],)]), Stage.GENERATED),
        (ResultSet(1, [([],)]), ResultSet(1, [({},)]), Stage.REFERENCE),
    ],
)
def test_a_refusal_names_the_query(reference: ResultSet, generated: ResultSet, stage: Stage) -> None:
    """The side that holds the value is named, and the reference comes first."""
    with pytest.raises(UnsupportedType) as caught:
        compare(reference, generated, order_matters=False, float_tolerance=1e-9)

    assert caught.value.stage is stage


def test_a_refusal_comes_before_a_mismatch() -> None:
    """A value that cannot be compared is refused even where the number of columns differs."""
    with pytest.raises(UnsupportedType):
        compare(GOOD, ResultSet(2, [([], 1)]), order_matters=False, float_tolerance=1e-9)


@pytest.mark.parametrize("value", [None, True, 7, 0.5, Decimal("0.5"), "a", b"a"])
def test_every_type_can_be_printed(value: object) -> None:
    """Each entry of the table prints its values, whether or not JSON would have them as they are."""
    printed = cell_type(type(value)).print(value, 120)

    assert printed.text
    assert not printed.clipped


def test_only_floats_are_tolerant() -> None:
    """The tolerance comes with floats and with nothing else that exists so far."""
    assert [kind for kind in (type(None), bool, int, float, str, bytes) if cell_type(kind).tolerant] == [float]
