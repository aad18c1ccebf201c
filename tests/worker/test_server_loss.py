"""Processes that die from outside: a child costs its case, a server costs nothing the first time."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from evalgate_sql.logs import SilentLog
from evalgate_sql.model.outcome import Outcome, Reason, Stage
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.supervisor.fork_server import ForkServer
from evalgate_sql.supervisor.launch import prepare_launch
from evalgate_sql.supervisor.pool import Pool
from evalgate_sql.supervisor.slot import Task
from evalgate_sql.supervisor.stop import StopRequest

Ending = tuple[Outcome, Reason | None, Stage | None]
RunQueries = Callable[..., list[Ending]]
MakeTask = Callable[..., Task]

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
MATCH: Ending = (Outcome.MATCH, None, None)
DIED: Ending = (Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, None)


@contextmanager
def pool_of_one() -> Iterator[tuple[Pool, list[ForkServer]]]:
    """Give a pool of one slot and the servers that it has started, the living one last."""
    launch = prepare_launch()
    servers: list[ForkServer] = []

    def start() -> ForkServer:
        servers.append(ForkServer(launch))
        return servers[-1]

    with closing(StopRequest()) as stop, Pool(start, jobs=1, stop=stop, log=SilentLog()) as pool:
        yield pool, servers


def endings_of(pool: Pool, tasks: list[Task]) -> list[Ending]:
    """Run tasks and say how each ended."""
    replies = [reply for _, reply in pool.replies(iter(tasks))]
    return [(reply.outcome, reply.reason, reply.stage) for reply in replies if isinstance(reply, Verdict)]


def test_child_killed_from_outside_costs_its_case(make_task: MakeTask, busy_child: Callable[[int], int]) -> None:
    """A child killed in the middle of its generated query ends that case; the others run on the same server."""
    tasks = [make_task(0, "SELECT 1"), make_task(1, ENDLESS, timeout_ms=300_000), make_task(2, "SELECT 2")]
    with pool_of_one() as (pool, servers):
        killer = threading.Thread(target=lambda: os.kill(busy_child(servers[0].pid), signal.SIGKILL))
        killer.start()
        endings = endings_of(pool, tasks)
        killer.join()
    killed = (Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, Stage.GENERATED)
    assert (endings, len(servers)) == ([MATCH, killed, (Outcome.MISMATCH, Reason.VALUES, None)], 1)


def test_server_killed_from_outside_under_a_case_is_replaced(
    make_task: MakeTask, busy_child: Callable[[int], int], eventually: Callable[[Callable[[], bool]], None]
) -> None:
    """A server killed twice under the same endless query costs that case, and the run goes on with a third server."""
    tasks = [make_task(0, "SELECT 1"), make_task(1, ENDLESS, timeout_ms=300_000), make_task(2, "SELECT 1")]
    with pool_of_one() as (pool, servers):

        def kill_twice() -> None:
            for count in (1, 2):
                eventually(lambda count=count: len(servers) == count)  # type: ignore[misc]
                busy_child(servers[-1].pid)
                os.kill(servers[-1].pid, signal.SIGKILL)

        killer = threading.Thread(target=kill_twice)
        killer.start()
        endings = endings_of(pool, tasks)
        killer.join()
    assert (endings, len(servers)) == ([MATCH, DIED, MATCH], 3)


def test_server_killed_once_costs_nothing(run_queries: RunQueries, misbehaving: Path, tmp_path: Path) -> None:
    """The case under which a server died runs once more, on a new one, and has its own verdict."""
    killed_once = f"once {tmp_path / 'seen'} kill_server"
    endings = run_queries("SELECT 1", killed_once, "SELECT 2", "SELECT 1", bootstrap=misbehaving)
    # The second time, the words are given to SQLite, which takes them for no statement.
    no_statement = (Outcome.GENERATED_ERROR, Reason.PARSE_ERROR, Stage.GENERATED)
    assert endings == [MATCH, no_statement, (Outcome.MISMATCH, Reason.VALUES, None), MATCH]


def test_server_killed_twice_under_a_case_costs_that_case(run_queries: RunQueries, misbehaving: Path) -> None:
    """A case whose server dies again is to blame; the one that waited behind it is not."""
    endings = run_queries("SELECT 1", "kill_server", "SELECT 2", "kill_server", "SELECT 1", bootstrap=misbehaving)
    assert endings == [MATCH, DIED, (Outcome.MISMATCH, Reason.VALUES, None), DIED, MATCH]


def test_many_servers_killed_at_once(run_queries: RunQueries, misbehaving: Path) -> None:
    """With several slots, too, each case keeps its own verdict whichever servers die."""
    queries = ["kill_server" if number % 3 == 0 else "SELECT 1" for number in range(9)]
    endings = run_queries(*queries, jobs=3, bootstrap=misbehaving)
    assert endings == [DIED, MATCH, MATCH] * 3


def test_server_killed_while_idle_costs_nothing(make_task: MakeTask) -> None:
    """A server that dies between two cases is replaced before the next."""
    with pool_of_one() as (pool, servers):
        first = endings_of(pool, [make_task(0, "SELECT 1")])
        os.kill(servers[0].pid, signal.SIGKILL)
        second = endings_of(pool, [make_task(0, "SELECT 1"), make_task(1, "SELECT 2")])
    assert (first, second) == ([MATCH], [MATCH, (Outcome.MISMATCH, Reason.VALUES, None)])
