"""SIGINT and SIGTERM: the first asks for a report of the finished cases, the second for nothing at all."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from evalgate_sql.errors import Cancelled
from evalgate_sql.supervisor.stop import StopRequest

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_on_signals() -> Iterator[StopRequest]:
    """Give a stop request that the first signal sets; the second raises `Cancelled` where the program stands."""
    stop = StopRequest()

    def handle(_number: int, _frame: FrameType | None) -> None:
        if stop.requested:
            raise Cancelled("cancelled", "stopped by a second signal; no report was written")
        stop.set()

    earlier = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
        stop.close()
