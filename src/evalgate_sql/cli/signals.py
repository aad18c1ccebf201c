"""SIGINT and SIGTERM: the first asks for a report of the finished cases, the second for nothing at all."""

import signal
from types import FrameType

from evalgate_sql.errors import Cancelled
from evalgate_sql.supervisor.stop import StopRequest

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def stop_on_signals() -> StopRequest:
    """Return a stop request that the first signal sets; the second raises `Cancelled` where the program stands.

    The handlers stay until the process ends: a report that is being written when the first signal comes is finished,
    and the second leaves neither half of one nor a traceback.
    """
    stop = StopRequest()

    def handle(_number: int, _frame: FrameType | None) -> None:
        if stop.requested:
            raise Cancelled("cancelled", "stopped by a second signal; no report was written")
        stop.set()

    for number in _SIGNALS:
        # A shell that starts us in the background has SIGINT ignored, and means it.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handle)
    return stop
