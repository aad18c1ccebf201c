"""The bytes of a project's own policy file: a regular file of bounded size. Knows nothing of what is in it."""

import os
import stat
from pathlib import Path

from evalgate_sql.errors import PolicyError

MAX_POLICY_FILE_BYTES = 1024 * 1024

# Without O_NONBLOCK a FIFO would hold us in open() before anything can look at it. Windows lacks it, POSIX the other.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_own_file(path: Path, *, shown: str) -> bytes:
    """Return the content of `path`; errors name it as `shown`.

    `PolicyError` when it is missing, unreadable, not a regular file (a link to one is fine) or larger than 1 MiB.
    """
    try:
        content = _read(path, shown=shown)
    except FileNotFoundError:
        raise PolicyError("policy_file_missing", "there is no such policy file", file=shown) from None
    except (OSError, ValueError) as error:
        # ValueError: a NUL in the path.
        problem = (error.strerror if isinstance(error, OSError) else None) or "the path is not usable"
        raise PolicyError("policy_file_unreadable", f"cannot read the policy file: {problem}", file=shown) from None
    if len(content) > MAX_POLICY_FILE_BYTES:
        raise PolicyError("policy_file_too_large", "a policy file is at most 1 MiB", file=shown)
    return content


def _read(path: Path, *, shown: str) -> bytes:
    descriptor = os.open(path, _OPEN_FLAGS)
    # NOTE: open() itself refuses the descriptor of a directory, and leaves it open.
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise PolicyError("policy_file_not_regular", "a policy has to be a regular file", file=shown)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(MAX_POLICY_FILE_BYTES + 1)
