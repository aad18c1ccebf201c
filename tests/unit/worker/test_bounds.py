"""What a process is held to by our own calls, each tried in a process of its own."""

import subprocess
import sys

import pytest

from evalgate_sql.worker.probe import core_dumps_are_off


def run(body: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own."""
    return subprocess.run([sys.executable, "-c", body], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("timeout_ms", "limits"), [(1, "(10, 11)"), (1_000, "(12, 13)"), (5_000, "(24, 25)"), (300_000, "(909, 910)")]
)
def test_cpu_is_bounded_above_the_deadline(timeout_ms: int, limits: str) -> None:
    """Hard is three timeouts, rounded up to a second, plus ten seconds; soft is a second less."""
    body = (
        "import resource; from evalgate_sql.worker.rlimits import bound_cpu;"
        f"bound_cpu({timeout_ms}); print(resource.getrlimit(resource.RLIMIT_CPU))"
    )
    assert run(body).stdout.strip() == limits


def test_processes_are_forbidden() -> None:
    """A child may have no child of its own."""
    body = (
        "import resource; from evalgate_sql.worker.rlimits import forbid_processes;"
        "forbid_processes(); print(resource.getrlimit(resource.RLIMIT_NPROC))"
    )
    assert run(body).stdout.strip() == "(0, 0)"


def test_process_whose_parent_is_gone_exits() -> None:
    """A process that was orphaned before it asked to die with its parent does so at once."""
    assert run("from evalgate_sql.worker.rlimits import die_with_parent; die_with_parent(1 << 22)").returncode == 1


@pytest.mark.parametrize(("own", "asked", "bound"), [(100, 64, 64), (64, 100, 64), (64, 64, 64)])
def test_machine_s_own_lower_limit_stays(own: int, asked: int, bound: int) -> None:
    """A limit is set soft = hard; where this machine's is lower already, that one binds."""
    body = (
        "import resource; from evalgate_sql.worker.bootstrap import set_limit;"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({own}, {own}));"
        f"set_limit(resource.RLIMIT_NOFILE, {asked}); print(resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    assert run(body).stdout.strip() == f"({bound}, {bound})"


def test_bounded_address_space_is_noticed() -> None:
    """Under the limit of the contract, the probe cannot map as much as the limit."""
    body = (
        "import resource; from evalgate_sql.worker.probe import address_space_is_bounded;"
        "before = address_space_is_bounded();"
        "resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20)); print(before, address_space_is_bounded())"
    )
    assert run(body).stdout.strip() == "False True"


def test_core_dumps_are_noticed() -> None:
    """Cores are off only when both limits are zero."""
    body = (
        "import resource; from evalgate_sql.worker.probe import core_dumps_are_off;"
        "resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); print(core_dumps_are_off())"
    )
    assert run(body).stdout.strip() == "True"
    assert isinstance(core_dumps_are_off(), bool)


def test_server_side_imports_nothing_heavy() -> None:
    """Neither click, pydantic nor structlog, and no other driver than SQLite's, is in a fork server."""
    body = (
        "import sys; import evalgate_sql.worker.child, evalgate_sql.worker.forkserver;"
        "print(sorted({'click', 'pydantic', 'structlog', 'sqlglot', 'psycopg', 'pgparse'} & set(sys.modules)))"
    )
    assert run(body).stdout.strip() == "[]"
