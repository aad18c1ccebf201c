"""Frames under every mutation: what is not the message itself is told apart or is another message, never a crash."""

from hypothesis import given
from hypothesis import strategies as st

from evalgate_sql.wire.frames import HEADER_BYTES, FrameError, pack, split, unpack

BODIES = st.binary(max_size=64)
CAP = 64


@given(BODIES)
def test_body_comes_back(body: bytes) -> None:
    """Packing and unpacking is nothing."""
    assert unpack(pack(body), max_bytes=CAP) == body


@given(BODIES, BODIES)
def test_first_of_two_is_split_off(first: bytes, second: bytes) -> None:
    """What follows a frame is left as it was."""
    assert split(pack(first) + second, max_bytes=CAP) == (first, second)


@given(BODIES, st.data())
def test_truncated_frame_is_no_frame(body: bytes, data: st.DataObject) -> None:
    """Any prefix of a frame is an error."""
    whole = pack(body)
    assert _is_refused(whole[: data.draw(st.integers(0, len(whole) - 1))])


@given(BODIES, st.binary(min_size=1, max_size=8))
def test_extended_frame_is_no_frame(body: bytes, more: bytes) -> None:
    """Any byte behind a frame is an error."""
    assert _is_refused(pack(body) + more)


@given(BODIES, st.data())
def test_flipped_bit_of_the_length_is_no_frame(body: bytes, data: st.DataObject) -> None:
    """A length that says something else does not fit the bytes."""
    whole = bytearray(pack(body))
    whole[data.draw(st.integers(0, HEADER_BYTES - 1))] ^= 1 << data.draw(st.integers(0, 7))
    assert _is_refused(bytes(whole))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_an_error(data: bytes) -> None:
    """No bytes do anything else, and what is read is within the cap."""
    try:
        body = unpack(data, max_bytes=CAP)
    except FrameError:
        return
    assert pack(body) == data
    assert len(body) <= CAP


def _is_refused(data: bytes) -> bool:
    try:
        unpack(data, max_bytes=CAP)
    except FrameError:
        return True
    return False
