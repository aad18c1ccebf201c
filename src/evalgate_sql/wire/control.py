"""The fixed-size records on the control socket between the supervisor and a fork server.

A request carries descriptors beside its number: two for a case, which are the queries to read and the pipe for the
reply, or one for what the cases after it share. A status says how the child for a number ended. The socket keeps
record boundaries, so there is no framing.
"""

import struct
from dataclasses import dataclass

from evalgate_sql.model.outcome import Stage

REQUEST = struct.Struct("<Q")
_STATUS = struct.Struct("<QiQ5Q")
STATUS_BYTES = _STATUS.size
NO_MARKS = (0,) * 5

CONTEXT = 2**64 - 2
"""The number of the request that brings the context of the cases after it, and forks nothing."""

READY = 2**64 - 1
"""The number of the status with which a server announces that its limits hold and it can fork."""

NOT_FORKED = -1
"""The wait status of a child that could not be made."""

EXIT_FAULT = 3
EXIT_MEMORY = 4
"""Exit statuses of a child that ended without a reply: a fault of ours, no memory left."""

_STAGES = tuple(Stage)

MARKS = struct.Struct(f"={len(_STAGES)}Q")
"""When each stage of a case began, in monotonic nanoseconds; 0 for a stage that did not."""


@dataclass(frozen=True, slots=True)
class ChildStatus:
    """How one child ended, as its fork server saw it."""

    number: int
    wait_status: int
    """As `os.wait4` gave it."""
    cpu_ms: int
    marks_ns: tuple[int, ...]
    """When each stage began, in the order of `Stage`, then when the child was reaped."""

    def pack(self) -> bytes:
        """Return the record."""
        return _STATUS.pack(self.number, self.wait_status, self.cpu_ms, *self.marks_ns)

    @classmethod
    def unpack(cls, record: bytes) -> "ChildStatus":
        """Read a record. Raises `struct.error` when it has another size."""
        number, wait_status, cpu_ms, *marks = _STATUS.unpack(record)
        return cls(number, wait_status, cpu_ms, tuple(marks))

    @property
    def stage(self) -> Stage | None:
        """The stage that was under way when the child ended; None when it had not begun one."""
        begun = [stage for stage, mark in zip(_STAGES, self.marks_ns, strict=False) if mark]
        return begun[-1] if begun else None

    def elapsed_ms(self, stage: Stage) -> float | None:
        """Return how long `stage` took, or None when it did not begin. Never negative, whatever the child wrote."""
        index = _STAGES.index(stage)
        if not self.marks_ns[index]:
            return None
        end = next((mark for mark in self.marks_ns[index + 1 :] if mark), self.marks_ns[index])
        return max(0, end - self.marks_ns[index]) / 1e6
