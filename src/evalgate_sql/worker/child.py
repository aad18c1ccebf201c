"""The whole life of a child: bound itself, read its job, do it, send one reply, exit.

A child that cannot say what happened says it by its exit status (`wire.control`); the supervisor has a reading for
each. It leaves by `os._exit`: what the server set up is not this process's to tear down.
"""

import mmap
import os
from dataclasses import replace
from typing import NoReturn

from evalgate_sql.limits import MAX_REPLY_BYTES, WORKER_SETUP_MS
from evalgate_sql.model.outcome import Stage
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.wire.control import EXIT_FAULT, EXIT_MEMORY
from evalgate_sql.wire.frames import HEADER_BYTES
from evalgate_sql.wire.job_codec import decode_context, decode_queries
from evalgate_sql.wire.messages import JobContext, Reply
from evalgate_sql.wire.reply_codec import encode_reply
from evalgate_sql.worker.deadline import StageClock
from evalgate_sql.worker.evaluate import evaluate
from evalgate_sql.worker.probe import probe
from evalgate_sql.worker.rehearsal import rehearse
from evalgate_sql.worker.rlimits import bound_cpu, forbid_processes
from evalgate_sql.worker.sqlite_queries import SqliteQueries


class CaseWorker:
    """The product's worker (`forkserver.Worker`): judges one case, or probes when it is given no queries."""

    def __init__(self) -> None:
        """Know nothing before `load`."""
        self._context: JobContext | None = None

    def load(self, context: bytes) -> None:
        """Take what the cases from now on share."""
        self._context = decode_context(context)
        rehearse(self._context)

    def run(self, job_fd: int, reply_fd: int, page: mmap.mmap) -> NoReturn:
        """Do the job that `job_fd` holds and write the reply to `reply_fd`."""
        exit_status = EXIT_FAULT
        try:
            clock = StageClock(page)
            clock.begin(Stage.SETUP, limit_ms=WORKER_SETUP_MS)
            _send(self._answer(job_fd, clock), reply_fd)
            exit_status = 0
        except MemoryError:
            exit_status = EXIT_MEMORY
        finally:
            os._exit(exit_status)

    def _answer(self, job_fd: int, clock: StageClock) -> Reply:
        if self._context is None:
            raise AssertionError("a job came before its context")
        forbid_processes()
        bound_cpu(self._context.limits.timeout_ms)
        queries = decode_queries(os.pread(job_fd, os.fstat(job_fd).st_size, 0))
        if queries is None:
            return probe(self._context)
        return evaluate(self._context, queries, clock, open_fixture=SqliteQueries)


def _send(reply: Reply, reply_fd: int) -> None:
    frame = encode_reply(reply)
    if len(frame) > HEADER_BYTES + MAX_REPLY_BYTES and isinstance(reply, Verdict):
        frame = encode_reply(replace(reply, diff=None, diff_truncated=True))
    view = memoryview(frame)
    while view:
        view = view[os.write(reply_fd, view) :]
