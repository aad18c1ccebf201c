"""Length-prefixed frames: how bytes become one message, and nothing about what it says.

A frame is four bytes of length, big-endian, then that many bytes. The length is checked against the reader's cap
before the body is looked at.
"""

import struct

_LENGTH = struct.Struct(">I")
HEADER_BYTES = _LENGTH.size


class FrameError(Exception):
    """Bytes that are no frame: missing, short, too long, or followed by more. `fault` says which."""

    def __init__(self, fault: str) -> None:
        """Take one of `missing`, `short`, `oversize`, `trailing`."""
        super().__init__(fault)
        self.fault = fault


def pack(body: bytes) -> bytes:
    """Return `body` as one frame."""
    return _LENGTH.pack(len(body)) + body


def unpack(data: bytes, *, max_bytes: int) -> bytes:
    """Return the body of the one frame that `data` is.

    Raises `FrameError` for anything else, and for a body of more than `max_bytes`.
    """
    body, rest = split(data, max_bytes=max_bytes)
    if rest:
        raise FrameError("trailing")
    return body


def split(data: bytes, *, max_bytes: int) -> tuple[bytes, bytes]:
    """Return the body of the first frame in `data` and the bytes after it."""
    if not data:
        raise FrameError("missing")
    if len(data) < HEADER_BYTES:
        raise FrameError("short")
    (length,) = _LENGTH.unpack_from(data)
    if length > max_bytes:
        raise FrameError("oversize")
    if len(data) < HEADER_BYTES + length:
        raise FrameError("short")
    return data[HEADER_BYTES : HEADER_BYTES + length], data[HEADER_BYTES + length :]
