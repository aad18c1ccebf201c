"""What one trivial case costs: against a bare child of the same server, and against a fresh interpreter.

Three ways of doing the seed's first case, 500 times each with one job, interleaved in five rounds:

- product: `run_check`, from the case file to the report, less a run of a few cases, so that what a run costs once
  (starting the server, the probe) is not counted as a cost of each case;
- bare: a forked child of a server with the same limits and imports that only connects, runs both queries by sqlite3,
  sends one byte and is reaped (`bare_server.py`);
- fresh: the product's own child code in a fresh `python -I -S` for each case.

Prints one JSON object a ratio and exits 1 when one is over its limit.
"""

import json
import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from seed_fixture import QUERIES, write_cases, write_fixture

from evalgate_sql.logs import SilentLog
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.policy.load import load_policy
from evalgate_sql.project.sqlite_fixture import inspect_sqlite_fixture
from evalgate_sql.runner import CheckRequest, run_check
from evalgate_sql.supervisor.fork_server import ForkServer
from evalgate_sql.supervisor.launch import prepare_launch
from evalgate_sql.supervisor.stop import StopRequest
from evalgate_sql.wire.job_codec import encode_context, encode_queries
from evalgate_sql.wire.messages import JobContext, Queries

ROUNDS = 5
CASES = 500
FEW_CASES = 20
FRESH_CASES = 25
HERE = Path(__file__).resolve().parent


def product_s(folder: Path) -> float:
    """Return the seconds that one more case of a run takes."""
    return (run_s(folder, "cases.jsonl") - run_s(folder, "few.jsonl")) / (CASES - FEW_CASES)


def run_s(folder: Path, cases: str) -> float:
    """Return the seconds that a whole run takes."""
    request = CheckRequest(str(folder / cases), "sqlite:///fixture.db", folder, QueryLimits(), jobs=1)
    started = time.perf_counter()
    report = run_check(request, stop=StopRequest(), log=SilentLog(), progress=lambda _finished, _total: None)
    assert report.exit_code == 0
    return time.perf_counter() - started


def bare_s(folder: Path) -> float:
    """Return the seconds that one bare child takes, from the request to its status."""
    server = ForkServer(prepare_launch(), bootstrap=HERE / "bare_server.py")
    try:
        server.load(json.dumps([str(folder / "fixture.db"), QUERIES]).encode())
        answer(server, 0)  # the server is ready
        started = time.perf_counter()
        for number in range(CASES):
            assert answer(server, number) == b"1"
        return (time.perf_counter() - started) / CASES
    finally:
        server.kill()


def answer(server: ForkServer, number: int) -> bytes:
    """Have a server fork a child and return what it sent."""
    reply = server.submit(number, b"")
    while True:
        select.select([server], [], [])
        status = server.next_status()
        if status is not None and status.number == number:
            break
    data = os.read(reply, 1 << 16)
    os.close(reply)
    return data


def fresh_s(folder: Path) -> float:
    """Return the seconds that one case takes in an interpreter of its own, by the same code."""
    policy = load_policy(None, engine="sqlite", base=folder)
    context = JobContext(inspect_sqlite_fixture(folder / "fixture.db").fixture, policy, QueryLimits())
    files = [folder / "context", folder / "job"]
    files[0].write_bytes(encode_context(context))
    files[1].write_bytes(encode_queries(Queries(*QUERIES, order_matters=False, float_tolerance=1e-6)))
    command = [sys.executable, "-I", "-S", str(HERE / "fresh_child.py"), prepare_launch().roots[0], *map(str, files)]
    started = time.perf_counter()
    for _ in range(FRESH_CASES):
        done = subprocess.run(command, check=True, capture_output=True, env={"TZ": "UTC"})
        assert b'"match"' in done.stdout
    return (time.perf_counter() - started) / FRESH_CASES


def main() -> int:
    """Measure, print, judge."""
    times: dict[str, list[float]] = {"product": [], "bare": [], "fresh": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_fixture(folder / "fixture.db")
        write_cases(folder / "cases.jsonl", CASES)
        write_cases(folder / "few.jsonl", FEW_CASES)
        for _ in range(ROUNDS):
            times["product"].append(product_s(folder))
            times["bare"].append(bare_s(folder))
            times["fresh"].append(fresh_s(folder))
    median = {way: statistics.median(seconds) for way, seconds in times.items()}
    ratios = [
        {"name": "case_over_bare_child", "ratio": round(median["product"] / median["bare"], 3), "limit": 1.8},
        {"name": "case_over_fresh_interpreter", "ratio": round(median["product"] / median["fresh"], 4), "limit": 0.125},
    ]
    milliseconds = {way: round(seconds * 1000, 2) for way, seconds in median.items()}
    for ratio in ratios:
        print(json.dumps({**ratio, "medianMs": milliseconds}))
    return int(any(ratio["ratio"] > ratio["limit"] for ratio in ratios))  # type: ignore[operator]


if __name__ == "__main__":
    sys.exit(main())
