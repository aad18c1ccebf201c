"""How a fork server is started: with which limits, import roots and environment.

The roots are the parent's own resolved locations, so that a child never imports what lies in a working directory or on
a PYTHONPATH. A location that anyone may write to would be a way into every child; it is refused.
"""

import json
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

import evalgate_sql
from evalgate_sql.errors import UnsupportedPlatform, UserError
from evalgate_sql.limits import WORKER_ADDRESS_SPACE_BYTES, WORKER_OPEN_FILES

BOOTSTRAP = Path(evalgate_sql.__file__).resolve().parent / "worker" / "bootstrap.py"

SERVER_RLIMITS = {
    "RLIMIT_AS": WORKER_ADDRESS_SPACE_BYTES,
    "RLIMIT_CORE": 0,
    "RLIMIT_FSIZE": 0,
    "RLIMIT_NOFILE": WORKER_OPEN_FILES,
}
"""Set, soft = hard, before the server imports anything of ours. A child adds `worker.rlimits`."""

_DOCKER_LINES = (
    'bash:        docker run --rm -v "$PWD:/project:ro" evalgate-sql check …',
    'PowerShell:  docker run --rm -v "${PWD}:/project:ro" evalgate-sql check …',
    'Git Bash:    MSYS_NO_PATHCONV=1 docker run --rm -v "$(pwd -W):/project:ro" evalgate-sql check …',
)


@dataclass(frozen=True, slots=True)
class Launch:
    """What every fork server of a run is started with."""

    roots: tuple[str, ...]

    def argv(self, control_fd: int, *, bootstrap: Path = BOOTSTRAP) -> list[str]:
        """Return the command line of a server that is controlled through `control_fd`."""
        launch = {"rlimits": SERVER_RLIMITS, "roots": self.roots, "control": control_fd}
        return [sys.executable, "-I", "-S", str(bootstrap), json.dumps(launch)]

    @staticmethod
    def environment() -> dict[str, str]:
        """Return the whole environment of a server: UTC, no locale, nothing of the user's but where libraries are."""
        kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
        return {"TZ": "UTC", "LC_ALL": "C.UTF-8", **kept}


def prepare_launch(*, platform: str = sys.platform, root: Path | None = None) -> Launch:
    """Check that children can be bounded here and return how to start them.

    Raises `UnsupportedPlatform` outside Linux and `UserError` for an import root that is not safe.
    """
    if platform != "linux":
        raise UnsupportedPlatform(
            "platform_unsupported",
            "SQL runs on Linux and WSL 2 only, where the memory of a worker can be bounded. Use the container:\n  "
            + "\n  ".join(_DOCKER_LINES),
        )
    return Launch((_safe_root(root or BOOTSTRAP.parents[2]),))


def _safe_root(root: Path) -> str:
    searched = {Path(entry).resolve() for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry}
    problem = None
    if not root.is_absolute() or not root.is_dir():
        problem = "is no directory"
    elif root.stat().st_mode & stat.S_IWOTH:
        problem = "may be written by anyone"
    elif root == Path.cwd() or root in searched:
        problem = "is the working directory or on PYTHONPATH"
    if problem:
        raise UserError(
            "import_root_unsafe",
            f"the folder that evalgate-sql is imported from {problem}, so its workers cannot trust it; "
            "install the package into an environment of its own",
            file=str(root),
        )
    return str(root)
