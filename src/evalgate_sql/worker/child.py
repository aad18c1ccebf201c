"""The whole life of a child: bound itself, read its job, do it, send one reply, exit.

A child that cannot say what happened says it by its exit status (`wire.control`); the supervisor has a reading for
each. It leaves by `os._exit`: what the server set up is not this process's to tear down.
"""

import mmap
import os
from dataclasses import replace
from typing import NoReturn

from evalgate_sql.limits import MAX_JOB_BYTES, MAX_REPLY_BYTES, WORKER_SETUP_MS
from evalgate_sql.model.outcome import Stage
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.wire.control import EXIT_FAULT, EXIT_MEMORY
from evalgate_sql.wire.frames import HEADER_BYTES
from evalgate_sql.wire.job_codec import decode_job
from evalgate_sql.wire.messages import Job, Reply
from evalgate_sql.wire.reply_codec import encode_reply
from evalgate_sql.worker.deadline import StageClock
from evalgate_sql.worker.evaluate import evaluate
from evalgate_sql.worker.probe import probe
from evalgate_sql.worker.rlimits import bound_cpu, forbid_processes


def run(job_fd: int, reply_fd: int, page: mmap.mmap) -> NoReturn:
    """Do the job that `job_fd` holds and write the reply to `reply_fd`."""
    exit_status = EXIT_FAULT
    try:
        clock = StageClock(page)
        clock.begin(Stage.SETUP, limit_ms=WORKER_SETUP_MS)
        job = _read_job(job_fd)
        forbid_processes()
        bound_cpu(job.context.limits.timeout_ms)
        _send(_answer(job, clock), reply_fd)
        exit_status = 0
    except MemoryError:
        exit_status = EXIT_MEMORY
    finally:
        os._exit(exit_status)


def _read_job(job_fd: int) -> Job:
    return decode_job(os.pread(job_fd, 2 * (HEADER_BYTES + MAX_JOB_BYTES), 0))


def _answer(job: Job, clock: StageClock) -> Reply:
    if job.queries is None:
        return probe(job.context)
    return evaluate(job.context, job.queries, clock)


def _send(reply: Reply, reply_fd: int) -> None:
    frame = encode_reply(reply)
    if len(frame) > HEADER_BYTES + MAX_REPLY_BYTES and isinstance(reply, Verdict):
        frame = encode_reply(replace(reply, diff=None, diff_truncated=True))
    view = memoryview(frame)
    while view:
        view = view[os.write(reply_fd, view) :]
