"""N cases at once, verdicts in case order.

One thread, one selector: it waits for statuses, replies, deadlines and the request to stop. Hostile SQL can make a
child do anything a process can do; all it can do to this loop is to end, or not to end in time.
"""

import selectors
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import Enum, auto
from typing import Self

from evalgate_sql.errors import UnavailableError
from evalgate_sql.limits import MAX_REPORT_BYTES
from evalgate_sql.logs import Event, EventLog
from evalgate_sql.supervisor.classify import Cause, Ending, classify
from evalgate_sql.supervisor.fork_server import ForkServer, ServerLost
from evalgate_sql.supervisor.slot import Attempt, Slot, Task
from evalgate_sql.supervisor.stop import StopRequest
from evalgate_sql.wire.messages import Reply

MAX_TRIES = 2
"""A case whose server dies is run once more; a second death is the case's own."""


MAX_STARTS = 2
"""A server that dies before it is ready is started once more; a second death is this machine's fault."""


class End(Enum):
    """Why the pool gave out no more replies."""

    COMPLETE = auto()
    CANCELLED = auto()
    EXPIRED = auto()


class Pool:
    """A fixed number of slots. Use as a context manager: leaving it kills what still runs."""

    def __init__(
        self,
        start_server: Callable[[], ForkServer],
        *,
        jobs: int,
        stop: StopRequest,
        expires_s: float | None = None,
        log: EventLog,
    ) -> None:
        """Start `jobs` servers. `expires_s` is the monotonic time at which the whole run has to end."""
        self._stop = stop
        self._expires_s = expires_s
        self._log = log
        self._selector = selectors.DefaultSelector()
        self._selector.register(stop, selectors.EVENT_READ)
        self._slots = [Slot(start_server, self._selector) for _ in range(jobs)]
        for slot in self._slots:
            log.debug(Event.WORKER_STARTED, worker_pid=slot.server.pid)
        self._retries: deque[Task] = deque()
        self._done: dict[int, tuple[Reply, int]] = {}
        self._done_bytes = 0
        self.end = End.COMPLETE

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for slot in self._slots:
            slot.shut_down()
        self._selector.close()

    def replies(self, tasks: Iterator[Task]) -> Iterator[tuple[int, Reply]]:
        """Run all tasks and yield their numbers with their replies, in the order of the tasks.

        Tasks are numbered from 0. Ends early, with `end` saying why, when a stop is requested or time is up.
        Raises `UnavailableError` when no server can be started.
        """
        following = 0
        upcoming = next(tasks, None)
        while upcoming is not None or self._retries or any(slot.attempts for slot in self._slots) or self._done:
            upcoming = self._submit(upcoming, tasks)
            while following in self._done:
                yield following, self._take(following)
                following += 1
            if self._must_end():
                return
            if any(slot.attempts for slot in self._slots):
                self._wait()

    def _must_end(self) -> bool:
        if self._stop.requested:
            self.end = End.CANCELLED
        elif self._expires_s is not None and time.monotonic() >= self._expires_s:
            self.end = End.EXPIRED
        return self.end is not End.COMPLETE

    def _submit(self, upcoming: Task | None, tasks: Iterator[Task]) -> Task | None:
        """Fill the slots, retries first, and return the task that found no place."""
        # NOTE: slots take turns, so that a second case waits behind a child only when every slot runs one.
        for depth in range(1, Slot.DEPTH + 1):
            for slot in self._slots:
                if len(slot.attempts) >= depth:
                    continue
                if self._retries:
                    if slot.accepts(self._retries[0]):
                        self._hand_over(slot, self._retries.popleft())
                elif upcoming is not None and slot.accepts(upcoming) and self._done_bytes < MAX_REPORT_BYTES:
                    self._hand_over(slot, upcoming)
                    upcoming = next(tasks, None)
        return upcoming

    def _hand_over(self, slot: Slot, task: Task) -> None:
        try:
            slot.submit(task)
        except ServerLost:
            self._retries.appendleft(task)
            self._replace(slot, Cause.SERVER_LOST)

    def _wait(self) -> None:
        for key, _ in self._selector.select(self._patience_s()):
            match key.data:
                case Attempt() as attempt:
                    attempt.read()
                case Slot() as slot:
                    self._hear(slot)
        now = time.monotonic()
        for slot in self._slots:
            deadline = slot.deadline_s()
            if deadline is not None and now >= deadline:
                self._replace(slot, Cause.WALL_DEADLINE)

    def _patience_s(self) -> float | None:
        """Return how long nothing but a signal or a child can matter, in seconds."""
        moments = [moment for slot in self._slots if (moment := slot.deadline_s()) is not None]
        if self._expires_s is not None:
            moments.append(self._expires_s)
        return max(0.0, min(moments) - time.monotonic()) if moments else None

    def _hear(self, slot: Slot) -> None:
        try:
            while (heard := slot.next_ending()) is not None:
                task, ending = heard
                self._keep(task, ending)
        except ServerLost:
            self._replace(slot, Cause.SERVER_LOST)

    def _replace(self, slot: Slot, cause: Cause) -> None:
        """Give a slot a new server; the case that ran on the old one is judged or tried once more."""
        self._log.warning(Event.WORKER_LOST, reason=cause.name.lower(), worker_pid=slot.server.pid)
        if not slot.is_ready:
            self._start_again(slot)
            return
        lost = slot.restart()
        if not lost:
            return
        # Only the first was running: the other waited in the socket and never began.
        running, waiting = lost[0], lost[1:]
        self._retries.extend(waiting)
        if cause is Cause.WALL_DEADLINE or running.tries >= MAX_TRIES:
            self._keep(running, Ending(cause))
        else:
            self._log.warning(Event.CASE_RETRIED, attempt=running.tries + 1)
            self._retries.appendleft(replace(running, tries=running.tries + 1))

    def _start_again(self, slot: Slot) -> None:
        """Replace a server that never became ready; none of its cases has begun."""
        slot.failed_starts += 1
        if slot.failed_starts >= MAX_STARTS:
            raise UnavailableError("worker_not_started", "a worker could not be started on this machine")
        self._retries.extendleft(reversed(slot.restart()))

    def _keep(self, task: Task, ending: Ending) -> None:
        self._done[task.number] = classify(ending), len(ending.reply)
        self._done_bytes += len(ending.reply)

    def _take(self, number: int) -> Reply:
        reply, size = self._done.pop(number)
        self._done_bytes -= size
        return reply
