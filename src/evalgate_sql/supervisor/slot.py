"""One slot of the pool: a fork server, the case its child is running, and the case that waits behind it.

Knows how a single case comes to an end. Which case comes next, and in which order endings are told, is the pool's.
"""

import os
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from selectors import EVENT_READ, BaseSelector

from evalgate_sql.limits import MAX_REPLY_BYTES
from evalgate_sql.supervisor.classify import Cause, Ending
from evalgate_sql.supervisor.fork_server import ForkServer, ServerLost
from evalgate_sql.wire.control import READY, ChildStatus
from evalgate_sql.wire.frames import HEADER_BYTES

_MAX_REPLY = HEADER_BYTES + MAX_REPLY_BYTES
_READ_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Task:
    """One job for one child, as bytes."""

    number: int
    payload: bytes
    deadline_ms: int
    context: bytes = b""
    """What the job shares with others: a server that holds another one is given it first."""
    tries: int = 1


class Attempt:
    """A task that was handed to a server, and the pipe its reply comes through."""

    __slots__ = ("_read_fd", "_selector", "reply", "started_s", "task")

    def __init__(self, task: Task, read_fd: int, selector: BaseSelector) -> None:
        """Wait for the reply on `selector`."""
        self.task = task
        self.reply = b""
        self.started_s = 0.0
        self._read_fd: int | None = read_fd
        self._selector = selector
        selector.register(read_fd, EVENT_READ, self)

    def read(self) -> None:
        """Take what the pipe holds; close it at its end, or when it gives more than a reply may be."""
        while self._read_fd is not None:
            try:
                piece = os.read(self._read_fd, _READ_BYTES)
            except BlockingIOError:
                return
            self.reply += piece
            if not piece or len(self.reply) > _MAX_REPLY:
                self.close()

    def close(self) -> None:
        """Close the pipe: a child that still writes finds nobody there."""
        if self._read_fd is not None:
            self._selector.unregister(self._read_fd)
            os.close(self._read_fd)
            self._read_fd = None


class Slot:
    """A server and at most two attempts: the first is running, the second waits in the socket."""

    DEPTH = 2

    def __init__(self, start_server: Callable[[], ForkServer], selector: BaseSelector) -> None:
        """Start the slot's server and wait for its statuses and replies on `selector`."""
        self._start_server = start_server
        self._selector = selector
        self.attempts: deque[Attempt] = deque()
        self.failed_starts = 0
        self._start()

    def _start(self) -> None:
        self.is_ready = False
        self._context = b""
        self.server = self._start_server()
        self._selector.register(self.server, EVENT_READ, self)

    def accepts(self, task: Task) -> bool:
        """Tell whether the task may be handed over now. One that lost its server before runs alone."""
        if not self.attempts:
            return True
        return len(self.attempts) < self.DEPTH and task.tries == 1 and all(a.task.tries == 1 for a in self.attempts)

    def submit(self, task: Task) -> None:
        """Hand a task to the server. Raises `ServerLost`."""
        if task.context != self._context:
            self.server.load(task.context)
            self._context = task.context
        attempt = Attempt(task, self.server.submit(task.number, task.payload), self._selector)
        self.attempts.append(attempt)
        self._start_clock()

    def next_ending(self) -> tuple[Task, Ending] | None:
        """Return the next case that its server has reaped, or None when there is none. Raises `ServerLost`."""
        while (status := self.server.next_status()) is not None:
            if status.number == READY:
                self.is_ready = True
                self.failed_starts = 0
            else:
                return self._finish(status)
        return None

    def _finish(self, status: ChildStatus) -> tuple[Task, Ending]:
        if not self.attempts or self.attempts[0].task.number != status.number:
            raise ServerLost  # it speaks of a case it was not given
        attempt = self.attempts.popleft()
        attempt.read()
        attempt.close()
        self._start_clock()
        cpu_limit_ms = attempt.task.deadline_ms - 1000
        return attempt.task, Ending(Cause.EXITED, attempt.reply, status, cpu_limit_ms)

    def _start_clock(self) -> None:
        if self.attempts and not self.attempts[0].started_s:
            self.attempts[0].started_s = time.monotonic()

    def deadline_s(self) -> float | None:
        """Return when the running case has to be over, in monotonic seconds; None when nothing runs."""
        if not self.attempts:
            return None
        return self.attempts[0].started_s + self.attempts[0].task.deadline_ms / 1000

    def restart(self) -> list[Task]:
        """Kill the server with its child, start another, and return the tasks that it had."""
        lost = self.shut_down()
        self._start()
        return lost

    def shut_down(self) -> list[Task]:
        """Kill the server with its child and return the tasks that it had."""
        self._selector.unregister(self.server)
        self.server.kill()
        lost = [attempt.task for attempt in self.attempts]
        for attempt in self.attempts:
            attempt.close()
        self.attempts.clear()
        return lost
