"""What the kernel holds a child to, what its server is made of, and who dies with whom."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from evalgate_sql.supervisor.fork_server import ForkServer
from evalgate_sql.supervisor.slot import Task
from evalgate_sql.wire.control import ChildStatus

MakeTask = Callable[..., Task]
StartServer = Callable[..., ForkServer]
StatusOf = Callable[[ForkServer], ChildStatus]
Eventually = Callable[[Callable[[], bool]], None]

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
MARKER = "spoonbill-in-the-shallows"
TIMEOUT_MS = 30_000


@pytest.fixture(scope="module")
def idle_server(start_server: StartServer, make_task: MakeTask, status_of: StatusOf) -> ForkServer:
    """Return a server that has run a case and waits for the next."""
    server = start_server()
    task = make_task(0, f"SELECT '{MARKER}'", reference=f"SELECT '{MARKER}'")
    server.load(task.context)
    os.close(server.submit(0, task.payload))
    status_of(server)
    return server


@pytest.fixture
def busy_server(start_server: StartServer, make_task: MakeTask) -> ForkServer:
    """Return a server whose child is in the middle of an endless query."""
    return _make_busy(start_server(), make_task)


@pytest.fixture(scope="module")
def child(start_server: StartServer, make_task: MakeTask, busy_child: Callable[[int], int]) -> int:
    """Return the number of a child in the middle of an endless query."""
    return busy_child(_make_busy(start_server(), make_task).pid)


def _make_busy(server: ForkServer, make_task: MakeTask) -> ForkServer:
    task = make_task(0, f"{ENDLESS} WHERE x <> '{MARKER}'", timeout_ms=TIMEOUT_MS)
    server.load(task.context)
    os.close(server.submit(0, task.payload))
    return server


def limits_of(pid: int) -> dict[str, tuple[str, str]]:
    """Return the limits of a process, soft and hard, by the kernel's names for them."""
    lines = Path(f"/proc/{pid}/limits").read_text(encoding="ascii").splitlines()[1:]
    return {line[:26].strip(): (line[26:47].strip(), line[47:68].strip()) for line in lines}


def memory_holds(pid: int, text: str) -> bool:
    """Tell whether the writable memory of a process holds a text."""
    ranges = [line.split()[0] for line in Path(f"/proc/{pid}/maps").read_text().splitlines() if " rw" in line]
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for start, end in (tuple(int(edge, 16) for edge in each.split("-")) for each in ranges):
            memory.seek(start)
            if text.encode() in (memory.read(end - start) or b""):
                return True
    return False


@pytest.mark.parametrize(
    ("limit", "bounds"),
    [
        ("Max address space", (str(512 * 1024 * 1024),) * 2),
        ("Max core file size", ("0", "0")),
        ("Max file size", ("0", "0")),
        ("Max open files", ("32", "32")),
        ("Max processes", ("0", "0")),
        ("Max cpu time", ("99", "100")),
    ],
)
def test_child_has_the_limit(child: int, limit: str, bounds: tuple[str, str]) -> None:
    """A running child is under the limits of the contract: 3 x 30 s + 10 s of processor time, the rest as it says."""
    assert limits_of(child)[limit] == bounds


def test_child_can_gain_no_privileges(child: int) -> None:
    """A set-user-id program would give a child nothing."""
    assert "NoNewPrivs:\t1" in Path(f"/proc/{child}/status").read_text(encoding="ascii")


def test_server_has_one_thread(idle_server: ForkServer) -> None:
    """A fork copies one thread only, so a server with more could leave a lock held for ever in its children."""
    assert len(list(Path(f"/proc/{idle_server.pid}/task").iterdir())) == 1


def test_server_has_nothing_open_but_its_socket(idle_server: ForkServer) -> None:
    """Between two cases a server holds no database, no job and no reply: the null device and one socket."""
    opened = [str(entry.readlink()) for entry in Path(f"/proc/{idle_server.pid}/fd").iterdir()]
    assert sorted(name.partition(":")[0] for name in opened) == ["/dev/null", "/dev/null", "/dev/null", "socket"]


def test_child_has_nothing_open_but_job_reply_and_fixture(child: int, database: Path) -> None:
    """A child can reach its job, its reply and the fixture, and not the socket that controls the server."""
    opened = [str(entry.readlink()).partition(":")[0] for entry in Path(f"/proc/{child}/fd").iterdir()]
    assert sorted(opened) == sorted(["/dev/null", "/dev/null", "/dev/null", "/memfd", "pipe", str(database)])


def test_child_sees_its_own_sql(child: int) -> None:
    """The search that finds no SQL in a server does find it where it is."""
    assert memory_holds(child, MARKER)


def test_server_never_sees_sql(idle_server: ForkServer) -> None:
    """No byte of a case is in the memory of the server that forked its child, so none is in later children."""
    assert not memory_holds(idle_server.pid, MARKER)


def test_server_limits_hold_before_any_child(idle_server: ForkServer) -> None:
    """The server itself is bounded but for processor time and processes, which its children add."""
    own = {
        name: limits_of(idle_server.pid)[name]
        for name in ("Max address space", "Max core file size", "Max file size", "Max open files")
    }
    assert own == {
        "Max address space": ("536870912", "536870912"),
        "Max core file size": ("0", "0"),
        "Max file size": ("0", "0"),
        "Max open files": ("32", "32"),
    }


def test_child_dies_with_its_server(
    busy_server: ForkServer,
    busy_child: Callable[[int], int],
    is_alive: Callable[[int], bool],
    eventually: Eventually,
) -> None:
    """Killing the server alone ends the child too, by the kernel's hand."""
    child = busy_child(busy_server.pid)
    os.kill(busy_server.pid, signal.SIGKILL)
    eventually(lambda: not is_alive(child))


def test_killing_a_server_ends_its_child(
    busy_server: ForkServer,
    busy_child: Callable[[int], int],
    is_alive: Callable[[int], bool],
    eventually: Eventually,
) -> None:
    """What the supervisor does at a wall deadline reaches the child as well."""
    child = busy_child(busy_server.pid)
    busy_server.kill()
    eventually(lambda: not is_alive(child))


def test_server_ends_when_the_supervisor_closes_its_socket(
    start_server: StartServer, is_alive: Callable[[int], bool], eventually: Eventually
) -> None:
    """An idle server exits by itself when nobody can hand it work any more."""
    server = start_server()
    server._control.close()
    eventually(lambda: not is_alive(server.pid))


SUPERVISOR = """
import sys
from evalgate_sql.supervisor.fork_server import ForkServer
from evalgate_sql.supervisor.launch import prepare_launch
from evalgate_sql.logs import SilentLog
from evalgate_sql.supervisor.pool import Pool
from evalgate_sql.supervisor.slot import Task
from evalgate_sql.supervisor.stop import StopRequest

servers = []
def start():
    servers.append(ForkServer(prepare_launch()))
    return servers[-1]

context, payload = (bytes.fromhex(line) for line in sys.stdin.read().split())
with Pool(start, jobs=2, stop=StopRequest(), log=SilentLog()) as pool:
    print(*(server.pid for server in servers), flush=True)
    for _ in pool.replies(Task(number, payload, 900_000, context) for number in range(8)):
        pass
"""


def test_everything_dies_with_the_supervisor(
    make_task: MakeTask,
    busy_child: Callable[[int], int],
    is_alive: Callable[[int], bool],
    eventually: Eventually,
) -> None:
    """A supervisor killed in the middle of a run leaves no server and no child behind."""
    task = make_task(0, ENDLESS, timeout_ms=300_000)
    with subprocess.Popen([sys.executable, "-c", SUPERVISOR], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        run.stdin.write(f"{task.context.hex()}\n{task.payload.hex()}\n".encode())
        run.stdin.close()
        servers = [int(word) for word in run.stdout.readline().split()]
        left = [*servers, *(busy_child(server) for server in servers)]
        run.kill()
    eventually(lambda: not any(is_alive(pid) for pid in left))
    assert len(left) == 4
