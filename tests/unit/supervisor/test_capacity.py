"""The default of --jobs on machines and in containers of all sizes. Files in a folder stand in for the cgroup."""

import os
from pathlib import Path

import pytest

from evalgate_sql.supervisor.capacity import default_jobs

MIB = 1024 * 1024
PLENTY = 64 * 1024 * MIB


def cgroup(folder: Path, **files: str) -> Path:
    """Write the files of a cgroup; a double underscore stands for a folder."""
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="ascii")
    return folder


@pytest.mark.parametrize(
    ("files", "cores", "memory_bytes", "jobs"),
    [
        ({}, 8, PLENTY, 8),
        ({}, 1, PLENTY, 1),
        ({}, 8, 2048 * MIB, 4),
        ({}, 8, 2047 * MIB, 3),
        ({}, 8, 100 * MIB, 1),
        ({"cpu.max": "max 100000\n"}, 8, PLENTY, 8),
        ({"cpu.max": "250000 100000\n"}, 8, PLENTY, 2),
        ({"cpu.max": "50000 100000\n"}, 8, PLENTY, 1),
        ({"cpu.max": "1600000 100000\n"}, 8, PLENTY, 8),
        ({"memory.max": "max\n"}, 8, PLENTY, 8),
        ({"memory.max": f"{1536 * MIB}\n"}, 8, PLENTY, 3),
        ({"memory.max": f"{PLENTY}\n"}, 8, 1024 * MIB, 2),
        ({"cpu__cpu.cfs_quota_us": "300000\n", "cpu__cpu.cfs_period_us": "100000\n"}, 8, PLENTY, 3),
        ({"cpu__cpu.cfs_quota_us": "-1\n", "cpu__cpu.cfs_period_us": "100000\n"}, 8, PLENTY, 8),
        ({"memory__memory.limit_in_bytes": f"{1024 * MIB}\n"}, 8, PLENTY, 2),
        ({"memory__memory.limit_in_bytes": "9223372036854771712\n"}, 8, PLENTY, 8),
        ({"cpu.max": "nonsense\n", "memory.max": ""}, 8, PLENTY, 8),
        ({"cpu.max": "100000 0\n"}, 8, PLENTY, 8),
    ],
)
def test_jobs_fit_cores_and_memory(
    tmp_path: Path, files: dict[str, str], cores: int, memory_bytes: int, jobs: int
) -> None:
    """One job per core that may be used and per 512 MiB that may be used, cgroup versions 1 and 2, at least one."""
    assert default_jobs(cgroup=cgroup(tmp_path, **files), cores=cores, memory_bytes=memory_bytes) == jobs


def test_jobs_of_this_machine_are_within_its_affinity() -> None:
    """Without stand-ins the answer is about this machine."""
    assert 1 <= default_jobs() <= len(os.sched_getaffinity(0))
