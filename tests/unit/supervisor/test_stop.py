"""The request to stop, which a signal handler makes."""

import fcntl
import select
from contextlib import closing

from evalgate_sql.supervisor.stop import StopRequest


def test_request_wakes_whoever_waits() -> None:
    """Before the request nothing is to be read; after it there is, and stays so."""
    with closing(StopRequest()) as stop:
        before = select.select([stop], [], [], 0)[0]
        stop.set()
        after = select.select([stop], [], [], 0)[0]
    assert (before, after, stop.requested) == ([], [stop], True)


def test_request_may_be_made_many_times() -> None:
    """More requests than the pipe has room for neither block nor fail."""
    with closing(StopRequest()) as stop:
        fcntl.fcntl(stop._write_fd, fcntl.F_SETPIPE_SZ, 4096)
        for _ in range(5_000):
            stop.set()
        assert stop.requested
