"""The child's own clock: stages that announce themselves, each under a kernel timer.

SIGALRM keeps its default action, so the timer ends the process even inside one long C call, where no handler of Python
and no progress callback of the engine would run. The server sees which stage it was by the marks, which lie in memory
it shares with the child: announcing a stage costs no system call.
"""

import mmap
import signal
import time

from evalgate_sql.limits import WORKER_SETUP_MS
from evalgate_sql.model.outcome import Stage
from evalgate_sql.wire.control import MARKS

_STAGES = tuple(Stage)


class StageClock:
    """Marks the beginning of each stage of one case and arms its timer."""

    def __init__(self, page: mmap.mmap) -> None:
        """Write the marks at the beginning of `page`."""
        self._page = page
        self._marks_ns = [0] * len(_STAGES)
        self._stopped_ns = 0

    def begin(self, stage: Stage, *, limit_ms: int) -> None:
        """Announce `stage` and give it `limit_ms` milliseconds of wall time."""
        self._marks_ns[_STAGES.index(stage)] = time.monotonic_ns()
        MARKS.pack_into(self._page, 0, *self._marks_ns)
        signal.setitimer(signal.ITIMER_REAL, limit_ms / 1000)

    def stop(self) -> None:
        """End the last stage: what is left, sending the verdict, has the time that setup had."""
        self._stopped_ns = time.monotonic_ns()
        signal.setitimer(signal.ITIMER_REAL, WORKER_SETUP_MS / 1000)

    def elapsed_ms(self, stage: Stage) -> float | None:
        """Return how long a stage took, in milliseconds; None when it did not begin."""
        begun = self._marks_ns[_STAGES.index(stage)]
        if not begun:
            return None
        later = (mark for mark in self._marks_ns[_STAGES.index(stage) + 1 :] if mark)
        return (next(later, self._stopped_ns) - begun) / 1e6


def read_marks(page: mmap.mmap) -> tuple[int, ...]:
    """Return the marks of all stages, in monotonic nanoseconds; 0 for a stage that has not begun."""
    return MARKS.unpack_from(page)


def clear_marks(page: mmap.mmap) -> None:
    """Forget the marks of the case before."""
    page[: MARKS.size] = bytes(MARKS.size)
