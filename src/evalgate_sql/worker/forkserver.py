"""The fork server: one per slot of the pool, forks one bounded child per job and says how it ended.

Theory of operation
===================
    supervisor --(control socket: number + two descriptors)--> server --fork--> child
    supervisor --(control socket: context descriptor)--> server, once a case set
    child: reads its job from the first descriptor, writes one reply frame to the second, exits
    server: waits for the child, sends its status on the control socket, takes the next request

- The server reads no job and no reply: they are in descriptors that only the supervisor and one child ever read. So a
  child starts from a process that has seen no case, opened no database and started no thread (a test holds this).
  What it does read is the context, which is the operator's: policy, limits, path of the fixture. Reading it once and
  before the fork saves each child a fifth of its time.
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
from typing import NoReturn, Protocol

from evalgate_sql.wire.control import CONTEXT, NO_MARKS, NOT_FORKED, READY, REQUEST, ChildStatus
from evalgate_sql.worker.deadline import clear_marks, read_marks
from evalgate_sql.worker.rlimits import die_with_parent, forbid_new_privileges

_MAX_DESCRIPTORS = 2


class Worker(Protocol):
    """What a server's children do."""

    def load(self, context: bytes) -> None:
        """Take what the cases from now on share. Runs in the server."""

    def run(self, job_fd: int, reply_fd: int, page: mmap.mmap) -> NoReturn:
        """Do the job in one descriptor, reply to the other, mark the stages in the page. Runs in a child."""


def serve(control_fd: int, worker: Worker) -> NoReturn:
    """Fork a child for each request until the supervisor closes the control socket, then exit."""
    die_with_parent(os.getppid())
    forbid_new_privileges()
    _reset_signals()
    control = socket.socket(fileno=control_fd)
    page = mmap.mmap(-1, mmap.PAGESIZE)
    gc.disable()
    control.send(ChildStatus(READY, 0, 0, NO_MARKS).pack())
    while True:
        request, descriptors, _, _ = socket.recv_fds(control, REQUEST.size, _MAX_DESCRIPTORS)
        if not request:
            os._exit(0)
        (number,) = REQUEST.unpack(request)
        if number == CONTEXT:
            worker.load(_read_whole(descriptors[0]))
        else:
            control.send(_fork_and_wait(number, descriptors, control, page=page, worker=worker).pack())
        for descriptor in descriptors:
            os.close(descriptor)


def _read_whole(descriptor: int) -> bytes:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


def _reset_signals() -> None:
    """Undo what our starter may have left: ignored and blocked signals outlive an exec, and the timers need theirs."""
    for number in (signal.SIGALRM, signal.SIGXCPU, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _fork_and_wait(
    number: int, descriptors: list[int], control: socket.socket, *, page: mmap.mmap, worker: Worker
) -> ChildStatus:
    clear_marks(page)
    server_pid = os.getpid()
    try:
        pid = os.fork()
    except OSError:  # no process or no memory left on this machine
        return ChildStatus(number, NOT_FORKED, 0, NO_MARKS)
    if pid == 0:
        os.close(control.fileno())
        die_with_parent(server_pid)
        job_fd, reply_fd = descriptors
        worker.run(job_fd, reply_fd, page)
    _, wait_status, usage = os.wait4(pid, 0)
    cpu_ms = int((usage.ru_utime + usage.ru_stime) * 1000)
    return ChildStatus(number, wait_status, cpu_ms, (*read_marks(page), time.monotonic_ns()))
