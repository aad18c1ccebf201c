"""What a run leaves in the parent: no descriptor, no process, no SQL."""

import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from evalgate_sql.logs import SilentLog
from evalgate_sql.supervisor.fork_server import ForkServer
from evalgate_sql.supervisor.launch import prepare_launch
from evalgate_sql.supervisor.pool import Pool
from evalgate_sql.supervisor.slot import Task
from evalgate_sql.supervisor.stop import StopRequest

MakeTask = Callable[..., Task]
CASES = 300


class WatchedTask(Task):
    """A task of which one can tell whether anybody still holds it."""

    __slots__ = ("__weakref__",)


def open_descriptors() -> int:
    """Return how many descriptors this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def test_descriptors_and_sql_do_not_add_up(make_task: MakeTask) -> None:
    """Over 300 cases, open descriptors stay as few as at the start, and the SQL of finished cases is let go."""
    launch = prepare_launch()
    like = make_task(0, "SELECT 1")
    watched: list[weakref.ref[WatchedTask]] = []

    def tasks() -> Iterator[Task]:
        for number in range(CASES):
            task = WatchedTask(number, like.payload, like.deadline_ms, like.context)
            watched.append(weakref.ref(task))
            yield task

    with closing(StopRequest()) as stop, Pool(lambda: ForkServer(launch), jobs=2, stop=stop, log=SilentLog()) as pool:
        before, most_open, most_held = open_descriptors(), 0, 0
        for _ in pool.replies(tasks()):
            most_open = max(most_open, open_descriptors())
            most_held = max(most_held, sum(task() is not None for task in watched))
        assert len(watched) == CASES
        # Two slots with two cases each, one pipe a case, and the case that waits for a place.
        assert most_open <= before + 4
        assert most_held <= 5


def test_descriptors_are_as_many_after_a_run_as_before(run_queries: Callable[..., object], misbehaving: Path) -> None:
    """A pool that lost a server and heard nonsense closes what it opened."""
    before = open_descriptors()
    run_queries("SELECT 1", "kill_server", "flood", "silent", "SELECT 1", jobs=2, bootstrap=misbehaving)
    assert open_descriptors() == before


def test_pool_leaves_no_process(
    make_task: MakeTask,
    busy_child: Callable[[int], int],
    is_alive: Callable[[int], bool],
    eventually: Callable[[Callable[[], bool]], None],
) -> None:
    """Leaving a pool in the middle of its cases ends servers and children, and reaps what is the parent's to reap."""
    launch = prepare_launch()
    servers: list[ForkServer] = []

    def start() -> ForkServer:
        servers.append(ForkServer(launch))
        return servers[-1]

    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    tasks = [make_task(0, "SELECT 1"), *(make_task(number, endless, timeout_ms=300_000) for number in (1, 2, 3))]
    with closing(StopRequest()) as stop, Pool(start, jobs=2, stop=stop, log=SilentLog()) as pool:
        next(pool.replies(iter(tasks)))
        children = [busy_child(server.pid) for server in servers]
    assert not any(Path(f"/proc/{server.pid}").exists() for server in servers)
    eventually(lambda: not any(is_alive(child) for child in children))


def test_grandchild_goes_with_its_server(
    make_task: MakeTask, misbehaving: Path, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    """A process that a child left behind is in the server's group and ends with the pool."""
    launch = prepare_launch()
    servers: list[ForkServer] = []

    def start() -> ForkServer:
        servers.append(ForkServer(launch, bootstrap=misbehaving))
        return servers[-1]

    tasks = [make_task(0, "grandchild"), make_task(1, "SELECT 1")]
    with closing(StopRequest()) as stop, Pool(start, jobs=1, stop=stop, log=SilentLog()) as pool:
        assert len(list(pool.replies(iter(tasks)))) == 2
        assert group_has_members(servers[0].pid)
    eventually(lambda: not group_has_members(servers[0].pid))


def group_has_members(group: int) -> bool:
    """Tell whether a process group has a member that is not a zombie."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):
            state, _, member_of = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[:3]
            if member_of == str(group) and state != "Z":
                return True
    return False
