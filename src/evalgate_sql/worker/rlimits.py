"""What the kernel enforces on one child, beside what it inherits from its fork server.

The server got its limits from `supervisor.launch` before any import: address space, core dumps, file size, open files.
A child adds what would add up in the server, or bind it: processor time, processes, its parent's fate.
"""

import ctypes
import os
import resource
import signal

from evalgate_sql.limits import case_deadline_ms

_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_PR_GET_NO_NEW_PRIVS = 39

_prctl = ctypes.CDLL(None, use_errno=True).prctl
_prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4


def forbid_new_privileges() -> None:
    """Give up set-user-id programs for this process and all it forks. Raises `OSError` where that fails."""
    if _prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or _prctl(_PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1:
        raise OSError(ctypes.get_errno(), "no_new_privs")


def die_with_parent(parent_pid: int) -> None:
    """Have the kernel kill this process when its parent dies; exit at once if that has happened already."""
    if _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "pdeathsig")
    if os.getppid() != parent_pid:
        os._exit(1)


def forbid_processes() -> None:
    """Allow this process no child of its own. The kernel exempts root."""
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def bound_cpu(timeout_ms: int) -> None:
    """Bound processor time above the deadline, so that it is seen (SIGXCPU) and never beats the deadline.

    Soft is a second below hard: with soft = hard the kernel would kill without saying why.
    """
    hard_s = -(-case_deadline_ms(timeout_ms) // 1000)
    _, inherited_s = resource.getrlimit(resource.RLIMIT_CPU)
    if inherited_s != resource.RLIM_INFINITY:
        hard_s = min(hard_s, inherited_s)
    resource.setrlimit(resource.RLIMIT_CPU, (hard_s - 1, hard_s))
