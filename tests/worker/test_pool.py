"""Verdicts in case order, and every way for a run to end early."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evalgate_sql.errors import UnavailableError
from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.logs import SilentLog
from evalgate_sql.model.outcome import Outcome
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.supervisor.fork_server import ForkServer
from evalgate_sql.supervisor.launch import BOOTSTRAP, prepare_launch
from evalgate_sql.supervisor.pool import End, Pool
from evalgate_sql.supervisor.slot import Task
from evalgate_sql.supervisor.stop import StopRequest

MakeTask = Callable[..., Task]

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
COUNT_LONG = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 100000) SELECT count(*) FROM c"


@pytest.fixture
def stop() -> Iterator[StopRequest]:
    """Return a request to stop."""
    with closing(StopRequest()) as stop:
        yield stop


def start_pool(stop: StopRequest, *, jobs: int = 2, expires_s: float | None = None) -> Pool:
    """Start a pool of ordinary servers."""
    launch = prepare_launch()
    return Pool(lambda: ForkServer(launch), jobs=jobs, stop=stop, expires_s=expires_s, log=SilentLog())


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_verdicts_come_in_case_order(make_task: MakeTask, stop: StopRequest, jobs: int) -> None:
    """Cases that take long and cases that take no time come back in the order they were given, with their own rows."""
    rows = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT {}) SELECT x FROM c"
    tasks = [make_task(number, COUNT_LONG if number % 4 == 0 else rows.format(number)) for number in range(24)]
    with start_pool(stop, jobs=jobs) as pool:
        replies = [(number, reply) for number, reply in pool.replies(iter(tasks)) if isinstance(reply, Verdict)]
    assert [number for number, _ in replies] == list(range(24))
    assert [reply.generated_rows for _, reply in replies] == [n if n % 4 else 1 for n in range(24)]
    assert pool.end is End.COMPLETE


def test_each_case_has_its_own_verdict_whatever_ends_first(make_task: MakeTask, stop: StopRequest) -> None:
    """A slow first case does not take the verdict of a quick later one."""
    tasks = [
        make_task(0, ENDLESS, timeout_ms=500),
        make_task(1, "SELECT 1"),
        make_task(2, "SELECT absent"),
        make_task(3, "SELECT 2"),
        make_task(4, "VALUES (1)"),
    ]
    with start_pool(stop) as pool:
        outcomes = [reply.outcome for _, reply in pool.replies(iter(tasks)) if isinstance(reply, Verdict)]
    assert outcomes == [
        Outcome.TIMEOUT,
        Outcome.MATCH,
        Outcome.GENERATED_ERROR,
        Outcome.MISMATCH,
        Outcome.REFUSED,
    ]


def test_no_task_gives_no_reply(stop: StopRequest) -> None:
    """A pool without work ends at once, and completely."""
    with start_pool(stop) as pool:
        assert list(pool.replies(iter(()))) == []
    assert pool.end is End.COMPLETE


def test_stop_request_ends_the_run_with_what_is_finished(make_task: MakeTask, stop: StopRequest) -> None:
    """After a request to stop, the replies that came are those of the first cases, and the pool says why."""
    finished = []
    with start_pool(stop, jobs=1) as pool:
        for number, _ in pool.replies(make_task(number, "SELECT 1") for number in range(1000)):
            finished.append(number)
            if number == 2:
                stop.set()
    assert (finished[:3], pool.end) == ([0, 1, 2], End.CANCELLED)
    assert len(finished) < 10


def test_stop_request_wakes_a_waiting_pool(
    make_task: MakeTask, stop: StopRequest, busy_child: Callable[[int], int]
) -> None:
    """A request to stop that comes while nothing else happens, as from a signal handler, ends the run."""
    servers: list[ForkServer] = []
    launch = prepare_launch()

    def start() -> ForkServer:
        servers.append(ForkServer(launch))
        return servers[-1]

    def stop_it() -> None:
        busy_child(servers[0].pid)
        stop.set()

    with Pool(start, jobs=1, stop=stop, log=SilentLog()) as pool:
        stopper = threading.Thread(target=stop_it)
        stopper.start()
        replies = list(pool.replies(iter([make_task(0, ENDLESS, timeout_ms=300_000)])))
        stopper.join()
    assert (replies, pool.end) == ([], End.CANCELLED)


def test_expiry_ends_the_run(make_task: MakeTask, stop: StopRequest) -> None:
    """When the time of the whole run is up, it ends in the middle of a case."""
    with start_pool(stop, expires_s=time.monotonic() + 0.3) as pool:
        tasks = iter([make_task(0, ENDLESS, timeout_ms=300_000), make_task(1, ENDLESS, timeout_ms=300_000)])
        assert list(pool.replies(tasks)) == []
    assert pool.end is End.EXPIRED


def test_pool_that_has_expired_begins_nothing(make_task: MakeTask, stop: StopRequest) -> None:
    """An expiry in the past gives no reply, and no error."""
    with start_pool(stop, expires_s=time.monotonic() - 1) as pool:
        assert list(pool.replies(iter([make_task(0, "SELECT 1")]))) == []
    assert pool.end is End.EXPIRED


@pytest.mark.parametrize(
    "script",
    ["raise SystemExit(1)", "this is no Python", "import os, time; os.kill(os.getpid(), 9)"],
    ids=["exits", "does not compile", "kills itself"],
)
def test_server_that_cannot_start_ends_the_run(
    make_task: MakeTask, stop: StopRequest, tmp_path: Path, script: str
) -> None:
    """A server that dies before it is ready is a fault of the machine, exit 11, and never a hang."""
    bootstrap = tmp_path / "bootstrap.py"
    bootstrap.write_text(script, encoding="utf-8")
    launch = prepare_launch()
    with (
        pytest.raises(UnavailableError) as caught,
        Pool(lambda: ForkServer(launch, bootstrap=bootstrap), jobs=2, stop=stop, log=SilentLog()) as pool,
    ):
        list(pool.replies(iter([make_task(0, "SELECT 1")])))
    assert (caught.value.code, caught.value.exit_code) == ("worker_not_started", ExitCode.IO_ERROR)


def test_server_that_dies_once_before_it_is_ready_is_replaced(
    make_task: MakeTask, stop: StopRequest, tmp_path: Path
) -> None:
    """One death at the start costs nothing: the case runs on the next server, as if for the first time."""
    stillborn = tmp_path / "bootstrap.py"
    stillborn.write_text("raise SystemExit(1)", encoding="utf-8")
    bootstraps = iter([stillborn, BOOTSTRAP])
    launch = prepare_launch()
    with Pool(lambda: ForkServer(launch, bootstrap=next(bootstraps)), jobs=1, stop=stop, log=SilentLog()) as pool:
        ((number, reply),) = pool.replies(iter([make_task(0, "SELECT 1")]))
    assert isinstance(reply, Verdict)
    assert number == 0


def test_server_that_never_gets_ready_ends_the_run(make_task: MakeTask, stop: StopRequest, tmp_path: Path) -> None:
    """A server that hangs before it is ready is given up at the deadline of its first case."""
    bootstrap = tmp_path / "bootstrap.py"
    bootstrap.write_text("import time; time.sleep(3600)", encoding="utf-8")
    launch = prepare_launch()
    with (
        pytest.raises(UnavailableError) as caught,
        Pool(lambda: ForkServer(launch, bootstrap=bootstrap), jobs=1, stop=stop, log=SilentLog()) as pool,
    ):
        list(pool.replies(iter([make_task(0, "SELECT 1", deadline_ms=200)])))
    assert caught.value.code == "worker_not_started"
