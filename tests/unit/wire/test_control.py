"""The status records: which stage a child was in, and how long each took."""

import struct

import pytest

from evalgate_sql.model.outcome import Stage
from evalgate_sql.wire.control import NO_MARKS, STATUS_BYTES, ChildStatus


def test_status_comes_back_as_it_was() -> None:
    """A status survives the socket, negative wait statuses and the largest number included."""
    status = ChildStatus(2**64 - 1, -1, 12_345, (1, 2, 3, 4, 2**64 - 1))
    assert ChildStatus.unpack(status.pack()) == status


def test_record_of_another_size_is_refused() -> None:
    """Half a record is no status."""
    with pytest.raises(struct.error):
        ChildStatus.unpack(bytes(STATUS_BYTES - 1))


@pytest.mark.parametrize(
    ("marks", "stage"),
    [
        (NO_MARKS, None),
        ((5, 0, 0, 0, 9), Stage.SETUP),
        ((5, 6, 0, 0, 9), Stage.REFERENCE),
        ((5, 6, 7, 0, 9), Stage.GENERATED),
        ((5, 6, 7, 8, 9), Stage.COMPARE),
    ],
)
def test_last_mark_is_the_stage(marks: tuple[int, ...], stage: Stage | None) -> None:
    """The stage under way is the last that began; the moment of reaping is no stage."""
    assert ChildStatus(0, 0, 0, marks).stage is stage


def test_stage_lasts_until_the_next_mark() -> None:
    """A stage that ended by the next, and one that ended by the reaping, have their times in milliseconds."""
    status = ChildStatus(0, 0, 0, (1_000_000, 3_000_000, 7_500_000, 0, 10_000_000))
    assert [status.elapsed_ms(stage) for stage in Stage] == [2.0, 4.5, 2.5, None]


def test_nonsense_marks_give_no_negative_time() -> None:
    """A child may write anything into its marks; a report shows no negative time."""
    assert ChildStatus(0, 0, 0, (0, 9_000_000, 3_000_000, 0, 1)).elapsed_ms(Stage.REFERENCE) == 0
