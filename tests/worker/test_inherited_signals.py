"""Signals that whoever starts us left ignored or blocked change nothing about a run."""

import subprocess
import sys
from collections.abc import Callable

from evalgate_sql.supervisor.slot import Task

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"

SUPERVISOR = """
import signal, sys
for number in (signal.SIGALRM, signal.SIGCHLD, signal.SIGXCPU):
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGALRM, signal.SIGXCPU))

from evalgate_sql.supervisor.fork_server import ForkServer
from evalgate_sql.supervisor.launch import prepare_launch
from evalgate_sql.logs import SilentLog
from evalgate_sql.supervisor.pool import Pool
from evalgate_sql.supervisor.slot import Task
from evalgate_sql.supervisor.stop import StopRequest

context, payload = (bytes.fromhex(line) for line in sys.stdin.read().split())
with Pool(lambda: ForkServer(prepare_launch()), jobs=1, stop=StopRequest(), log=SilentLog()) as pool:
    for _, reply in pool.replies(iter([Task(0, payload, 60_000, context)])):
        print(reply.outcome, reply.reason)
"""


def test_ignored_and_blocked_signals_do_not_disarm_a_child(make_task: Callable[..., Task]) -> None:
    """A supervisor that was started with SIGALRM, SIGXCPU and SIGCHLD ignored still gets an exact timeout."""
    task = make_task(0, ENDLESS, timeout_ms=300)
    run = subprocess.run(
        [sys.executable, "-c", SUPERVISOR],
        input=f"{task.context.hex()}\n{task.payload.hex()}\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.split() == ["timeout", "statement_deadline"]
