"""What a result counts, byte by byte, and where it is too much."""

import pytest

from evalgate_sql.backends.accounting import ResultBudget, row_bytes
from evalgate_sql.model.fault import CapExceeded
from evalgate_sql.model.outcome import Reason

MIB = 1024 * 1024


@pytest.mark.parametrize(
    ("row", "size"),
    [
        ((), 0),
        ((None, 1, 1.5, 2**70), 32),
        (("", "abc", b""), 24),
        (("123456789", b"1234567890"), 19),
        (("é" * 5,), 10),
        (("\U00010348" * 3,), 12),
        (("\udcff" * 9,), 9),
    ],
)
def test_row_counts_its_values(row: tuple[object, ...], size: int) -> None:
    """Text counts its UTF-8 length, undecodable bytes themselves, bytes their length, the rest 8, nothing less."""
    assert row_bytes(row) == size


def reason_of(budget: ResultBudget, *rows: tuple[object, ...]) -> Reason | None:
    """Take rows and return why the budget stopped them."""
    try:
        for row in rows:
            budget.take(row)
    except CapExceeded as fault:
        return fault.reason
    return None


@pytest.mark.parametrize("value", ["a" * MIB, b"a" * MIB, "é" * (MIB // 2)], ids=["ascii", "bytes", "text"])
def test_value_may_have_a_mebibyte(value: object) -> None:
    """A value of exactly the cap passes."""
    assert reason_of(ResultBudget(1), (value,)) is None


@pytest.mark.parametrize(
    "value", ["a" * (MIB + 1), b"a" * (MIB + 1), "é" * (MIB // 2) + "a"], ids=["ascii", "bytes", "text"]
)
def test_value_may_not_have_more(value: object) -> None:
    """One byte more is too much, and named as the value's fault."""
    assert reason_of(ResultBudget(1), (value,)) is Reason.VALUE_BYTES


def test_result_may_have_eight_mebibytes() -> None:
    """Values that add up to exactly the cap pass."""
    assert reason_of(ResultBudget(9), *[("a" * MIB,)] * 8) is None


def test_result_may_not_have_more() -> None:
    """The smallest value more is too much, since it counts eight bytes."""
    assert reason_of(ResultBudget(9), *[("a" * MIB,)] * 8, (None,)) is Reason.RESULT_BYTES


def test_rows_may_reach_the_cap() -> None:
    """As many rows as allowed pass."""
    assert reason_of(ResultBudget(3), (1,), (1,), (1,)) is None


def test_rows_may_not_pass_it() -> None:
    """One row more is too many, whatever it weighs."""
    assert reason_of(ResultBudget(3), *[(1,)] * 3, ("a" * (MIB + 1),)) is Reason.ROW_CAP
