"""A fork server whose children do what their generated SQL tells them, so that tests see what that costs.

Started in place of `evalgate_sql/worker/bootstrap.py`. A child whose generated SQL is no word of `BEHAVIOURS` is an
ordinary child; `once FILE WORD` misbehaves as WORD says unless FILE exists, and makes FILE.
"""

import contextlib
import json
import mmap
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

Behaviour = Callable[[int, mmap.mmap], object]


def main() -> None:
    """Serve like a fork server, with children of our own."""
    launch = json.loads(sys.argv[1])
    sys.path.extend(launch["roots"])

    from evalgate_sql.wire.job_codec import decode_queries
    from evalgate_sql.worker import forkserver
    from evalgate_sql.worker.child import CaseWorker

    class MisbehavingWorker(CaseWorker):
        """Misbehaves if the job says so; does the job otherwise."""

        def run(self, job_fd: int, reply_fd: int, page: mmap.mmap) -> NoReturn:
            queries = decode_queries(os.pread(job_fd, os.fstat(job_fd).st_size, 0))
            behaviour = BEHAVIOURS.get(_word(queries.generated_sql if queries else ""))
            if behaviour is None:
                super().run(job_fd, reply_fd, page)
            behaviour(reply_fd, page)
            os._exit(0)

    forkserver.serve(launch["control"], MisbehavingWorker())


def _word(generated: str) -> str:
    """Return the word that says how to misbehave; nothing the second time that `once` is seen."""
    if not generated.startswith("once "):
        return generated
    _, marker, word = generated.split()
    if Path(marker).exists():
        return ""
    Path(marker).touch()
    return word


def _match() -> bytes:
    from evalgate_sql.model.outcome import Outcome
    from evalgate_sql.model.verdict import Verdict
    from evalgate_sql.wire.reply_codec import encode_reply

    return encode_reply(Verdict(Outcome.MATCH))


def _write(reply_fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(reply_fd, view) :]


def _send(body: bytes) -> Behaviour:
    return lambda reply_fd, _: _write(reply_fd, len(body).to_bytes(4, "big") + body)


def _die(number: signal.Signals) -> Behaviour:
    def die(_reply_fd: int, _page: mmap.mmap) -> None:
        os.kill(os.getpid(), number)

    return die


def _flood(reply_fd: int, _page: mmap.mmap) -> None:
    """Write until the reader is gone."""
    try:
        while True:
            os.write(reply_fd, b"\0\1\0\0" + bytes(1 << 16))
    except BrokenPipeError:
        return


def _flood_for_ever(reply_fd: int, _page: mmap.mmap) -> None:
    """Write, whether there is a reader or not."""
    while True:
        with contextlib.suppress(BrokenPipeError):
            os.write(reply_fd, bytes(1 << 16))


def _fill_frame_slowly(reply_fd: int, _page: mmap.mmap) -> None:
    """Send a sound reply byte by byte."""
    for byte in _match():
        os.write(reply_fd, bytes([byte]))


def _leave_grandchild(_reply_fd: int, _page: mmap.mmap) -> None:
    """Exit, and leave a process that holds the pipe open."""
    if os.fork() == 0:
        time.sleep(3600)


def _die_in(stage: str) -> Behaviour:
    def die(_reply_fd: int, page: mmap.mmap) -> None:
        from evalgate_sql.model.outcome import Stage
        from evalgate_sql.worker.deadline import StageClock

        clock = StageClock(page)
        for each in Stage:
            clock.begin(each, limit_ms=60_000)
            if each == stage:
                os.kill(os.getpid(), signal.SIGKILL)

    return die


def _be_late_in(stage: str) -> Behaviour:
    def be_late(_reply_fd: int, page: mmap.mmap) -> None:
        from evalgate_sql.model.outcome import Stage
        from evalgate_sql.worker.deadline import StageClock

        clock = StageClock(page)
        for each in Stage:
            clock.begin(each, limit_ms=50 if each == stage else 60_000)
            while each == stage:
                pass

    return be_late


def _scribble(_reply_fd: int, page: mmap.mmap) -> None:
    """Write nonsense into the page of marks, and die."""
    page[:] = b"\xff" * len(page)
    os.kill(os.getpid(), signal.SIGKILL)


def _kill_server(_reply_fd: int, _page: mmap.mmap) -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(3600)


def _sleep_after_reply(reply_fd: int, _page: mmap.mmap) -> None:
    _write(reply_fd, _match())
    time.sleep(3600)


def _fail_after_reply(reply_fd: int, _page: mmap.mmap) -> None:
    _write(reply_fd, _match())
    os._exit(7)


def _sleep_in_generated(_reply_fd: int, page: mmap.mmap) -> None:
    """Announce stages as a child does, and sleep without the timer."""
    from evalgate_sql.model.outcome import Stage
    from evalgate_sql.worker.deadline import StageClock

    clock = StageClock(page)
    for stage in (Stage.SETUP, Stage.REFERENCE, Stage.GENERATED):
        clock.begin(stage, limit_ms=60_000)
    signal.setitimer(signal.ITIMER_REAL, 0)
    time.sleep(3600)


BEHAVIOURS: dict[str, Behaviour] = {
    "silent": lambda *_: None,
    "two_bytes": lambda reply_fd, _: _write(reply_fd, b"\0\0"),
    "half_a_frame": lambda reply_fd, _: _write(reply_fd, _match()[:-1]),
    "oversize": _send(b" " * (128 * 1024 + 1)),
    "largest": _send(b" " * (128 * 1024)),
    "lying_length": lambda reply_fd, _: _write(reply_fd, b"\xff\xff\xff\xff"),
    "garbage": _send(b"\x80\x02}q\0."),
    "wrong_fields": _send(b'{"outcome": "match"}'),
    "no_object": _send(b'"match"'),
    "deep": _send(b"[" * 100_000),
    "huge_number": _send(
        b'{"outcome":"match","reason":null,"stage":null,"ms":[1%s,null,null],"rows":[1,1],"warnings":[],"diff":null,'
        b'"diffTruncated":false}' % (b"0" * 400)
    ),
    "trailing": lambda reply_fd, _: _write(reply_fd, _match() + b"x"),
    "two_replies": lambda reply_fd, _: _write(reply_fd, _match() * 2),
    "flood": _flood,
    "flood_for_ever": _flood_for_ever,
    "slow": _fill_frame_slowly,
    "exit_7": lambda *_: os._exit(7),
    "exit_memory": lambda *_: os._exit(4),
    "reply_and_exit_7": _fail_after_reply,
    "grandchild": _leave_grandchild,
    "scribble": _scribble,
    "sigsegv": _die(signal.SIGSEGV),
    "sigabrt": _die(signal.SIGABRT),
    "sigkill": _die(signal.SIGKILL),
    "sigxcpu": _die(signal.SIGXCPU),
    "sigalrm": _die(signal.SIGALRM),
    "die_in_setup": _die_in("setup"),
    "die_in_reference": _die_in("reference"),
    "die_in_generated": _die_in("generated"),
    "die_in_compare": _die_in("compare"),
    "late_in_setup": _be_late_in("setup"),
    "late_in_compare": _be_late_in("compare"),
    "sleep": lambda *_: time.sleep(3600),
    "sleep_after_reply": _sleep_after_reply,
    "sleep_in_generated": _sleep_in_generated,
    "kill_server": _kill_server,
}


if __name__ == "__main__":
    main()
