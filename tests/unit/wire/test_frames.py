"""Frames: what is one, and the four ways not to be one."""

import pytest

from evalgate_sql.wire.frames import FrameError, pack, split, unpack


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "missing"),
        (b"\0", "short"),
        (b"\0\0\0", "short"),
        (b"\0\0\0\1", "short"),
        (b"\0\0\0\5four", "short"),
        (b"\0\0\0\1ab", "trailing"),
        (b"\0\0\0\0\0", "trailing"),
        (b"\0\0\0\x09", "oversize"),
        (b"\xff\xff\xff\xff", "oversize"),
    ],
)
def test_bytes_that_are_no_frame(data: bytes, fault: str) -> None:
    """Missing, short, oversize and trailing bytes are told apart, the size before there is a body."""
    with pytest.raises(FrameError) as caught:
        unpack(data, max_bytes=8)
    assert caught.value.fault == fault


def test_largest_body_is_a_frame() -> None:
    """A body of exactly the cap is a frame."""
    assert unpack(pack(b"12345678"), max_bytes=8) == b"12345678"


def test_empty_body_is_a_frame() -> None:
    """A length of zero is a message, if an empty one."""
    assert unpack(pack(b""), max_bytes=8) == b""


def test_split_leaves_the_second_frame() -> None:
    """The first of two frames is cut off; the rest is left for the next reader."""
    assert split(pack(b"one") + pack(b"two"), max_bytes=8) == (b"one", pack(b"two"))
