"""How the end of a process becomes an outcome."""

import signal

import pytest

from evalgate_sql.model.outcome import Outcome, Reason, Stage
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.supervisor.classify import Cause, Ending, classify
from evalgate_sql.wire.control import EXIT_FAULT, EXIT_MEMORY, NO_MARKS, NOT_FORKED, ChildStatus
from evalgate_sql.wire.reply_codec import encode_reply

SETUP, REFERENCE, GENERATED, COMPARE = ((1,), (1, 2), (1, 2, 3), (1, 2, 3, 4))


def judge(ending: Ending) -> tuple[Outcome, Reason | None, Stage | None]:
    """Return outcome, reason and stage of an ending."""
    verdict = classify(ending)
    assert isinstance(verdict, Verdict)
    return verdict.outcome, verdict.reason, verdict.stage


def ended(wait_status: int, *marks: int, cpu_ms: int = 0, reply: bytes = b"") -> Ending:
    """Return the ending of a child that was reaped, with the marks of the stages it began."""
    padded = (*marks, *(0,) * (4 - len(marks)), 9)
    return Ending(Cause.EXITED, reply, ChildStatus(0, wait_status, cpu_ms, padded), cpu_limit_ms=24_000)


def exited(code: int) -> int:
    """Return the wait status of an exit."""
    return code << 8


@pytest.mark.parametrize(
    ("ending", "judgement"),
    [
        (Ending(Cause.WALL_DEADLINE), (Outcome.RESOURCE_LIMIT, Reason.WALL_DEADLINE, None)),
        (Ending(Cause.SERVER_LOST), (Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, None)),
        (ended(NOT_FORKED), (Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, None)),
        (ended(exited(1), *GENERATED), (Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, Stage.GENERATED)),
        (ended(exited(EXIT_FAULT), *SETUP), (Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, Stage.SETUP)),
        (ended(exited(EXIT_MEMORY), *GENERATED), (Outcome.RESOURCE_LIMIT, Reason.MEMORY, Stage.GENERATED)),
        (ended(exited(EXIT_MEMORY), *REFERENCE), (Outcome.REFERENCE_ERROR, Reason.MEMORY, Stage.REFERENCE)),
        (ended(exited(0), *COMPARE), (Outcome.RESOURCE_LIMIT, Reason.WORKER_REPLY, Stage.COMPARE)),
        (ended(exited(0), *COMPARE, reply=b"\0\0\0\2{}"), (Outcome.RESOURCE_LIMIT, Reason.WORKER_REPLY, Stage.COMPARE)),
        (ended(signal.SIGALRM, *SETUP), (Outcome.RESOURCE_LIMIT, Reason.WALL_DEADLINE, Stage.SETUP)),
        (ended(signal.SIGALRM), (Outcome.RESOURCE_LIMIT, Reason.WALL_DEADLINE, None)),
        (ended(signal.SIGALRM, *REFERENCE), (Outcome.REFERENCE_ERROR, Reason.STATEMENT_DEADLINE, Stage.REFERENCE)),
        (ended(signal.SIGALRM, *GENERATED), (Outcome.TIMEOUT, Reason.STATEMENT_DEADLINE, Stage.GENERATED)),
        (ended(signal.SIGALRM, *COMPARE), (Outcome.TIMEOUT, Reason.COMPARE_DEADLINE, Stage.COMPARE)),
        (ended(signal.SIGXCPU, *GENERATED), (Outcome.RESOURCE_LIMIT, Reason.CPU, Stage.GENERATED)),
        (ended(signal.SIGXCPU, *REFERENCE), (Outcome.REFERENCE_ERROR, Reason.CPU, Stage.REFERENCE)),
        (ended(signal.SIGKILL, *GENERATED), (Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, Stage.GENERATED)),
        (ended(signal.SIGKILL, *SETUP, cpu_ms=23_999), (Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, Stage.SETUP)),
        (ended(signal.SIGKILL, *GENERATED, cpu_ms=24_000), (Outcome.RESOURCE_LIMIT, Reason.CPU, Stage.GENERATED)),
        (ended(signal.SIGSEGV | 0x80, *GENERATED), (Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, Stage.GENERATED)),
    ],
)  # fmt: skip
def test_ending_has_its_verdict(ending: Ending, judgement: tuple[Outcome, Reason | None, Stage | None]) -> None:
    """Each way for a process to end has one outcome and reason, with the stage that its marks tell."""
    assert judge(ending) == judgement


def test_sound_reply_of_a_clean_exit_is_believed() -> None:
    """What the child says is the verdict when it exits with 0."""
    verdict = Verdict(Outcome.MISMATCH, Reason.ROW_COUNT)
    assert classify(ended(exited(0), *COMPARE, reply=encode_reply(verdict))) == verdict


@pytest.mark.parametrize("wait_status", [exited(1), signal.SIGKILL])
def test_sound_reply_of_another_end_is_not_believed(wait_status: int) -> None:
    """A child that says match and dies has not matched."""
    ending = ended(wait_status, *COMPARE, reply=encode_reply(Verdict(Outcome.MATCH)))
    assert judge(ending) == (Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, Stage.COMPARE)


def test_death_tells_the_times_of_its_stages() -> None:
    """The stages that began have their times, the others none."""
    status = ChildStatus(0, signal.SIGALRM, 0, (1_000_000, 2_000_000, 4_000_000, 0, 9_000_000))
    verdict = classify(Ending(Cause.EXITED, b"", status))
    assert isinstance(verdict, Verdict)
    assert (verdict.reference_ms, verdict.generated_ms, verdict.compare_ms) == (2.0, 5.0, None)


def test_unknown_ending_has_no_times() -> None:
    """Of a case whose server was lost nothing is known."""
    verdict = classify(Ending(Cause.SERVER_LOST))
    assert isinstance(verdict, Verdict)
    assert (verdict.reference_ms, NO_MARKS) == (None, (0, 0, 0, 0, 0))
