"""The fork server: one per slot of the pool, forks one bounded child per job and says how it ended.

Theory of operation
===================
    supervisor --(control socket: number + two descriptors)--> server --fork--> child
    child: reads its job from the first descriptor, writes one reply frame to the second, exits
    server: waits for the child, sends its status on the control socket, takes the next request

- The server reads no job and no reply: they are in descriptors that only the supervisor and one child ever read. So a
  child starts from a process that has seen no case, opened no database and started no thread (a test holds this).
- The supervisor owns the wall clock. It never signals a child, whose number it does not know: it kills the server's
  process group and starts a new server. A child dies with its server, a server with its supervisor.
- One request may wait in the socket while a child runs, so that the next child starts without a round trip.
- Modules are imported, and the collector switched off, before the first fork: children share those pages.
"""

import gc
import mmap
import os
import signal
import socket
import time
from collections.abc import Callable
from typing import NoReturn

from evalgate_sql.wire.control import NO_MARKS, NOT_FORKED, READY, REQUEST, ChildStatus
from evalgate_sql.worker.deadline import clear_marks, read_marks
from evalgate_sql.worker.rlimits import die_with_parent, forbid_new_privileges

RunChild = Callable[[int, int, mmap.mmap], NoReturn]
"""What a child does with the descriptors of its job and its reply, and the page for its stage marks."""

_DESCRIPTORS = 2


def serve(control_fd: int, run_child: RunChild) -> NoReturn:
    """Fork a child for each request until the supervisor closes the control socket, then exit."""
    die_with_parent(os.getppid())
    forbid_new_privileges()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=control_fd)
    page = mmap.mmap(-1, mmap.PAGESIZE)
    gc.disable()
    gc.freeze()
    control.send(ChildStatus(READY, 0, 0, NO_MARKS).pack())
    while True:
        request, descriptors, _, _ = socket.recv_fds(control, REQUEST.size, _DESCRIPTORS)
        if not request:
            os._exit(0)
        (number,) = REQUEST.unpack(request)
        control.send(_fork_and_wait(number, descriptors, control, page=page, run_child=run_child).pack())


def _fork_and_wait(
    number: int, descriptors: list[int], control: socket.socket, *, page: mmap.mmap, run_child: RunChild
) -> ChildStatus:
    clear_marks(page)
    server_pid = os.getpid()
    try:
        pid = os.fork()
    except OSError:  # no process or no memory left on this machine
        pid = NOT_FORKED
    if pid == 0:
        control.close()
        die_with_parent(server_pid)
        job_fd, reply_fd = descriptors
        run_child(job_fd, reply_fd, page)
    for descriptor in descriptors:
        os.close(descriptor)
    if pid == NOT_FORKED:
        return ChildStatus(number, NOT_FORKED, 0, NO_MARKS)
    _, wait_status, usage = os.wait4(pid, 0)
    cpu_ms = int((usage.ru_utime + usage.ru_stime) * 1000)
    return ChildStatus(number, wait_status, cpu_ms, (*read_marks(page), time.monotonic_ns()))
