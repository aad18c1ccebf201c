"""Every case runs in a process that has run no other."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

from evalgate_sql.model.outcome import Outcome, Reason, Stage
from evalgate_sql.supervisor.fork_server import ForkServer
from evalgate_sql.supervisor.slot import Task
from evalgate_sql.wire.control import ChildStatus

Ending = tuple[Outcome, Reason | None, Stage | None]
RunQueries = Callable[..., list[Ending]]

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
MATCH: Ending = (Outcome.MATCH, None, None)


def refused(reason: Reason) -> Ending:
    """Return the ending of a generated query that the contract forbids."""
    return Outcome.REFUSED, reason, Stage.GENERATED


def test_nothing_of_a_case_reaches_the_next(run_queries: RunQueries) -> None:
    """After cases that try to leave something behind, the next one sees the engine's defaults."""
    endings = run_queries(
        "CREATE TEMP TABLE left_behind AS SELECT 1",
        "SELECT 1 FROM left_behind",
        "PRAGMA case_sensitive_like = ON",
        "SELECT 'A' LIKE 'a'",
        "SELECT date('20' || '24-01-01') = '2024-01-01'",
        "SELECT date('2024-01-01') = '2024-01-01'",
    )
    assert endings == [
        refused(Reason.NOT_SELECT),
        (Outcome.GENERATED_ERROR, Reason.UNDEFINED_TABLE, Stage.GENERATED),
        refused(Reason.NOT_SELECT),
        MATCH,
        MATCH,
        MATCH,
    ]


def test_each_case_has_a_process_of_its_own(
    start_server: Callable[..., ForkServer],
    make_task: Callable[..., Task],
    status_of: Callable[[ForkServer], ChildStatus],
    busy_child: Callable[[int], int],
) -> None:
    """Two cases of one server run under two process numbers."""
    server, pids = start_server(), set()
    task = make_task(0, ENDLESS, timeout_ms=300_000)
    server.load(task.context)
    for number in range(2):
        os.close(server.submit(number, task.payload))
        pids.add(pid := busy_child(server.pid))
        os.kill(pid, signal.SIGKILL)
        status_of(server)
    assert len(pids) == 2


def test_cases_share_no_memory_marks(run_queries: RunQueries, misbehaving: Path) -> None:
    """The page of stage marks is wiped: a child that dies at once is not blamed on the stage of the case before."""
    endings = run_queries("SELECT 1", "sigkill", bootstrap=misbehaving)
    assert endings == [MATCH, (Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, None)]
