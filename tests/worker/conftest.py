"""Real fork servers and children for the tests of this folder, and a look at them through /proc."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from evalgate_sql.limits import case_deadline_ms
from evalgate_sql.logs import SilentLog
from evalgate_sql.model.outcome import Outcome, Reason, Stage
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.policy.load import load_policy
from evalgate_sql.project.sqlite_fixture import inspect_sqlite_fixture
from evalgate_sql.supervisor.fork_server import ForkServer
from evalgate_sql.supervisor.launch import BOOTSTRAP, prepare_launch
from evalgate_sql.supervisor.pool import Pool
from evalgate_sql.supervisor.slot import Task
from evalgate_sql.supervisor.stop import StopRequest
from evalgate_sql.wire.control import ChildStatus
from evalgate_sql.wire.job_codec import encode_context, encode_queries
from evalgate_sql.wire.messages import JobContext, Queries, Reply

# A test's own `bootstrap` starts servers whose children misbehave on demand.
MISBEHAVING = Path(__file__).parent / "misbehaving_bootstrap.py"
PATIENCE_S = 60

Ending = tuple[Outcome, Reason | None, Stage | None]
MakeTask = Callable[..., Task]
RunTasks = Callable[..., list[Reply]]
RunQueries = Callable[..., list[Ending]]
StartServer = Callable[..., ForkServer]


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a fixture with a table of three rows, which no test changes."""
    path = tmp_path_factory.mktemp("shared") / "fixture.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);"
            "INSERT INTO person VALUES (1, 'Ada'), (2, 'Grace'), (3, NULL);"
        )
    return path


@pytest.fixture(scope="session")
def context(database: Path) -> JobContext:
    """Return what the jobs of a set on `database` share, with the newest policy and default limits."""
    policy = load_policy(None, engine="sqlite", base=database.parent)
    return JobContext(inspect_sqlite_fixture(database).fixture, policy, QueryLimits())


@pytest.fixture(scope="session")
def make_task(context: JobContext) -> MakeTask:
    """Return what makes a task of a generated query and a reference."""

    def make(
        number: int,
        generated: str,
        *,
        reference: str = "SELECT 1",
        timeout_ms: int = 30_000,
        deadline_ms: int | None = None,
        max_rows: int = 10_000,
    ) -> Task:
        shared = JobContext(context.fixture, context.policy, QueryLimits(timeout_ms, max_rows))
        queries = Queries(reference, generated, order_matters=False, float_tolerance=1e-9)
        return Task(
            number, encode_queries(queries), deadline_ms or case_deadline_ms(timeout_ms), encode_context(shared)
        )

    return make


@pytest.fixture(scope="session")
def run_tasks() -> RunTasks:
    """Return what runs tasks through a pool of its own and gives their replies in order."""

    def run(tasks: Sequence[Task], *, jobs: int = 1, bootstrap: Path = BOOTSTRAP) -> list[Reply]:
        launch = prepare_launch()
        with (
            closing(StopRequest()) as stop,
            Pool(lambda: ForkServer(launch, bootstrap=bootstrap), jobs=jobs, stop=stop, log=SilentLog()) as pool,
        ):
            numbered = list(pool.replies(iter(tasks)))
        assert [number for number, _ in numbered] == list(range(len(tasks)))
        return [reply for _, reply in numbered]

    return run


@pytest.fixture(scope="session")
def run_queries(make_task: MakeTask, run_tasks: RunTasks) -> RunQueries:
    """Return what runs generated queries against one reference and says how each case ended."""

    def run(
        *generated: str, reference: str = "SELECT 1", jobs: int = 1, bootstrap: Path = BOOTSTRAP, **limits: int
    ) -> list[Ending]:
        tasks = [make_task(number, sql, reference=reference, **limits) for number, sql in enumerate(generated)]
        return [ending_of(reply) for reply in run_tasks(tasks, jobs=jobs, bootstrap=bootstrap)]

    return run


def ending_of(reply: Reply) -> Ending:
    """Return how a case ended. Fails the test when the reply is about no case."""
    assert isinstance(reply, Verdict)
    return reply.outcome, reply.reason, reply.stage


@pytest.fixture(scope="module")
def start_server() -> Iterator[StartServer]:
    """Return what starts a fork server, waits until it can fork and kills it after the tests of a module."""
    servers: list[ForkServer] = []

    def start(*, bootstrap: Path = BOOTSTRAP) -> ForkServer:
        server = ForkServer(prepare_launch(), bootstrap=bootstrap)
        servers.append(server)
        next_status(server)
        return server

    yield start
    for server in servers:
        server.kill()


def next_status(server: ForkServer) -> ChildStatus:
    """Wait for the next status of a server."""
    heard: list[ChildStatus] = []

    def hears() -> bool:
        status = server.next_status()
        heard.extend([] if status is None else [status])
        return status is not None

    wait_until(hears)
    return heard[0]


@pytest.fixture(scope="session")
def status_of() -> Callable[[ForkServer], ChildStatus]:
    """Return what waits for the next status of a server."""
    return next_status


def wait_until(is_so: Callable[[], bool]) -> None:
    """Look again and again until something is so. Fails the test after a minute."""
    give_up_s = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < give_up_s, "it never came to that"
        time.sleep(0.01)


@pytest.fixture(scope="session")
def eventually() -> Callable[[Callable[[], bool]], None]:
    """Return what waits until something is so."""
    return wait_until


def stat_fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name; empty when there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return []
    return text.rpartition(")")[2].split()


def living_children(pid: int) -> list[int]:
    """Return the children of a process that are not yet zombies."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    stats = {child: stat_fields(child) for child in pids}
    return [child for child, fields in stats.items() if fields and fields[1] == str(pid) and fields[0] != "Z"]


@pytest.fixture(scope="session")
def children_of() -> Callable[[int], list[int]]:
    """Return what lists the living children of a process."""
    return living_children


@pytest.fixture(scope="session")
def is_alive() -> Callable[[int], bool]:
    """Return what tells whether a process runs. A zombie does not: reaping an orphan is not our work."""

    def alive(pid: int) -> bool:
        fields = stat_fields(pid)
        return bool(fields) and fields[0] not in {"Z", "X"}

    return alive


@pytest.fixture(scope="session")
def busy_child() -> Callable[[int], int]:
    """Return what waits for a child of a server that has computed for a while, and gives its number.

    A tenth of a second of processor time is far more than setup and a trivial reference take, so that the child of an
    endless generated query is in that query.
    """

    def busy(server_pid: int) -> int:
        found: list[int] = []

        def computes() -> bool:
            found[:] = [pid for pid in living_children(server_pid) if int((stat_fields(pid) or ["0"] * 12)[11]) >= 10]
            return bool(found)

        wait_until(computes)
        return found[0]

    return busy


@pytest.fixture(scope="session")
def misbehaving() -> Path:
    """Return the bootstrap whose children do what their generated SQL says."""
    return MISBEHAVING
