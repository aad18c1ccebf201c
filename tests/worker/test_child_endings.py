"""What a child may do instead of its work. Each of it costs its own case and no other."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evalgate_sql.model.outcome import Outcome, Reason, Stage
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.supervisor.slot import Task
from evalgate_sql.wire.messages import Reply

Ending = tuple[Outcome, Reason | None, Stage | None]
RunQueries = Callable[..., list[Ending]]

MATCH: Ending = (Outcome.MATCH, None, None)
DIED: Ending = (Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, None)
NONSENSE: Ending = (Outcome.RESOURCE_LIMIT, Reason.WORKER_REPLY, None)
WALL: Ending = (Outcome.RESOURCE_LIMIT, Reason.WALL_DEADLINE, None)

ENDINGS: dict[str, Ending] = {
    "silent": NONSENSE,
    "two_bytes": NONSENSE,
    "half_a_frame": NONSENSE,
    "oversize": NONSENSE,
    "largest": NONSENSE,
    "lying_length": NONSENSE,
    "garbage": NONSENSE,
    "wrong_fields": NONSENSE,
    "no_object": NONSENSE,
    "deep": NONSENSE,
    "huge_number": NONSENSE,
    "trailing": NONSENSE,
    "two_replies": NONSENSE,
    "flood": NONSENSE,
    "grandchild": NONSENSE,
    "slow": MATCH,
    "exit_7": DIED,
    "reply_and_exit_7": DIED,
    "exit_memory": (Outcome.RESOURCE_LIMIT, Reason.MEMORY, None),
    "sigsegv": DIED,
    "sigabrt": DIED,
    "sigkill": DIED,
    "sigxcpu": (Outcome.RESOURCE_LIMIT, Reason.CPU, None),
    # Its own timer, before any stage was announced: opening the fixture took too long.
    "sigalrm": WALL,
    "scribble": (Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, Stage.COMPARE),
    "die_in_setup": (Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, Stage.SETUP),
    "die_in_reference": (Outcome.REFERENCE_ERROR, Reason.WORKER_DIED, Stage.REFERENCE),
    "die_in_generated": (Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, Stage.GENERATED),
    "die_in_compare": (Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, Stage.COMPARE),
}


@pytest.fixture(scope="module")
def triples(run_queries: RunQueries, misbehaving: Path) -> dict[str, list[Ending]]:
    """Return, for each way to misbehave, how it and the sound cases before and after it ended, all from one run."""
    queries = [sql for behaviour in ENDINGS for sql in ("SELECT 1", behaviour, "SELECT 1")]
    endings = run_queries(*queries, bootstrap=misbehaving)
    return {behaviour: endings[3 * index : 3 * index + 3] for index, behaviour in enumerate(ENDINGS)}


@pytest.mark.parametrize("behaviour", ENDINGS)
def test_misbehaviour_costs_its_case_only(triples: dict[str, list[Ending]], behaviour: str) -> None:
    """Between two sound cases, a child that misbehaves ends its own case with the reason that fits."""
    assert triples[behaviour] == [MATCH, ENDINGS[behaviour], MATCH]


@pytest.mark.parametrize("behaviour", ["sleep", "sleep_after_reply", "sleep_in_generated", "flood_for_ever"])
def test_child_without_timer_ends_at_the_wall_deadline(
    make_task: Callable[..., Task], run_tasks: Callable[..., list[Reply]], misbehaving: Path, behaviour: str
) -> None:
    """A child that outlives its own timer is ended by the parent's clock, and the next case runs on a new server."""
    tasks = [make_task(0, "SELECT 1"), make_task(1, behaviour, deadline_ms=300), make_task(2, "SELECT 1")]
    replies = run_tasks(tasks, bootstrap=misbehaving)
    assert [(reply.outcome, reply.reason, reply.stage) for reply in replies if isinstance(reply, Verdict)] == [
        MATCH,
        WALL,
        MATCH,
    ]
