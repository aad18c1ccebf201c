"""What the process of a case did: the one place on this side that chooses an outcome.

A child that sent a sound reply and exited is believed. Every other ending costs its own case only, whichever of the
ways to fail it found.
"""

import os
import signal
from dataclasses import dataclass
from enum import Enum, auto

from evalgate_sql.model.outcome import Outcome, Reason, Stage
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.wire.control import EXIT_MEMORY, NO_MARKS, NOT_FORKED, ChildStatus
from evalgate_sql.wire.frames import FrameError
from evalgate_sql.wire.messages import Reply
from evalgate_sql.wire.reply_codec import ReplyError, decode_reply

UNKNOWN_STATUS = ChildStatus(0, NOT_FORKED, 0, NO_MARKS)


class Cause(Enum):
    """Why the supervisor stopped waiting for a case."""

    EXITED = auto()
    WALL_DEADLINE = auto()
    SERVER_LOST = auto()


@dataclass(frozen=True, slots=True)
class Ending:
    """All that is known of a case that is over."""

    cause: Cause
    reply: bytes = b""
    """What came through the pipe, up to one byte more than is allowed."""
    status: ChildStatus = UNKNOWN_STATUS
    cpu_limit_ms: int = 0


def classify(ending: Ending) -> Reply:
    """Return the child's own reply where it is sound, else the verdict that its end deserves."""
    match ending.cause:
        case Cause.WALL_DEADLINE:
            return _verdict(ending, Reason.WALL_DEADLINE)
        case Cause.SERVER_LOST:
            return _verdict(ending, Reason.WORKER_DIED)
        case Cause.EXITED:
            return _exited(ending)


def _exited(ending: Ending) -> Reply:
    wait_status = ending.status.wait_status
    if wait_status == NOT_FORKED:
        return _verdict(ending, Reason.WORKER_DIED)
    if os.WIFSIGNALED(wait_status):
        return _killed(ending, os.WTERMSIG(wait_status))
    exit_status = os.WEXITSTATUS(wait_status)
    if exit_status == EXIT_MEMORY:
        return _verdict(ending, Reason.MEMORY)
    if exit_status:
        return _verdict(ending, Reason.WORKER_DIED)
    try:
        return decode_reply(ending.reply)
    except (FrameError, ReplyError):
        return _verdict(ending, Reason.WORKER_REPLY)


def _killed(ending: Ending, signal_number: int) -> Verdict:
    if signal_number == signal.SIGALRM:
        return _timed_out(ending)
    out_of_cpu = signal_number == signal.SIGXCPU or 0 < ending.cpu_limit_ms <= ending.status.cpu_ms
    return _verdict(ending, Reason.CPU if out_of_cpu else Reason.WORKER_DIED)


def _timed_out(ending: Ending) -> Verdict:
    """Judge a child that its own timer ended: exact, and by its mark we know in which stage."""
    match ending.status.stage:
        case Stage.COMPARE:
            return _verdict(ending, Reason.COMPARE_DEADLINE, outcome=Outcome.TIMEOUT)
        case Stage.REFERENCE | Stage.GENERATED:
            return _verdict(ending, Reason.STATEMENT_DEADLINE, outcome=Outcome.TIMEOUT)
        case _:
            return _verdict(ending, Reason.WALL_DEADLINE)


def _verdict(ending: Ending, reason: Reason, *, outcome: Outcome = Outcome.RESOURCE_LIMIT) -> Verdict:
    status = ending.status
    if status.stage is Stage.REFERENCE:
        outcome = Outcome.REFERENCE_ERROR
    return Verdict(
        outcome=outcome,
        reason=reason,
        stage=status.stage,
        reference_ms=status.elapsed_ms(Stage.REFERENCE),
        generated_ms=status.elapsed_ms(Stage.GENERATED),
        compare_ms=status.elapsed_ms(Stage.COMPARE),
    )
