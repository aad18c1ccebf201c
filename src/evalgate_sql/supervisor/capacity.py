"""How many cases this machine can run at once: cores and memory as this process may use them, cgroups included."""

import contextlib
import os
from pathlib import Path

from evalgate_sql.limits import MEMORY_PER_JOB_BYTES

_CGROUP = Path("/sys/fs/cgroup")


def default_jobs(*, cgroup: Path = _CGROUP, cores: int | None = None, memory_bytes: int | None = None) -> int:
    """Return the default of `--jobs` (contract section 1): at least 1, one per core and per 512 MiB.

    The keyword arguments stand in for the machine in tests.
    """
    cores = cores if cores is not None else len(os.sched_getaffinity(0))
    memory = memory_bytes if memory_bytes is not None else _physical_memory_bytes()
    quota, limit = _cpu_quota(cgroup), _memory_limit_bytes(cgroup)
    by_cpu = cores if quota is None else min(cores, int(quota))
    by_memory = (memory if limit is None else min(memory, limit)) // MEMORY_PER_JOB_BYTES
    return max(1, min(by_cpu, by_memory))


def _physical_memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _cpu_quota(cgroup: Path) -> float | None:
    """Return the cores that the cgroup may use, from version 2 (`cpu.max`) or 1; None without a quota."""
    quota, period = [*_words(cgroup / "cpu.max"), "", ""][:2]
    if not quota:
        quota = "".join(_words(cgroup / "cpu" / "cpu.cfs_quota_us"))
        period = "".join(_words(cgroup / "cpu" / "cpu.cfs_period_us"))
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() and int(period) else None


def _memory_limit_bytes(cgroup: Path) -> int | None:
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        for word in _words(cgroup / name):
            if word.isdigit():
                return int(word)
    return None


def _words(file: Path) -> list[str]:
    with contextlib.suppress(OSError):
        return file.read_text(encoding="ascii", errors="replace").split()
    return []
