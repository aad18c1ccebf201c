"""What the clock rule costs an ordinary query over dates: the time of `check` against that of bare sqlite3.

100,000 rows, three queries as they are written in benchmarks, medians of five interleaved rounds.
"""

import json
import sqlite3
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from evalgate_sql.logs import SilentLog
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.runner import CheckRequest, run_check
from evalgate_sql.supervisor.stop import StopRequest

LIMIT = 2.5
ROUNDS = 5
ROWS = 100_000
QUERIES = (
    "SELECT count(*) FROM orders WHERE julianday(day) - julianday('2020-01-01') > 5",
    "SELECT strftime('%Y-%m', day) AS month, sum(amount) FROM orders GROUP BY month",
    "WITH q AS (SELECT strftime('%Y', day) AS year FROM orders) SELECT count(DISTINCT year) FROM q",
)


def write_fixture(path: Path) -> None:
    """Make a table of orders, each at a time of its own."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE orders(day TEXT, amount REAL)")
        days = ((f"20{n % 30:02}-0{n % 9 + 1}-1{n % 9} {n % 24:02}:{n % 60:02}:{n % 59:02}", n) for n in range(ROWS))
        connection.executemany("INSERT INTO orders VALUES (?, ?)", days)
        connection.commit()


def write_cases(path: Path) -> None:
    """Make a case of each query against itself."""
    cases = [
        {"id": f"q{number}", "question": "?", "referenceSql": query, "generatedSql": query}
        for number, query in enumerate(QUERIES)
    ]
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")


def bare_ms(path: Path) -> float:
    """Return the milliseconds that all queries take by the bare driver."""
    with closing(sqlite3.connect(path)) as connection:
        started = time.perf_counter()
        for query in QUERIES:
            connection.execute(query).fetchall()
        return (time.perf_counter() - started) * 1000


def checked_ms(folder: Path) -> float:
    """Return the milliseconds that `check` reports for the generated queries."""
    request = CheckRequest(str(folder / "cases.jsonl"), "sqlite:///fixture.db", folder, QueryLimits(60_000), jobs=1)
    report = run_check(request, stop=StopRequest(), log=SilentLog(), progress=lambda _finished, _total: None)
    assert report.exit_code == 0
    return sum(case.verdict.generated_ms or 0 for case in report.sets[0].cases)


def main() -> int:
    """Measure, print, judge."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_fixture(folder / "fixture.db")
        write_cases(folder / "cases.jsonl")
        pairs = [(checked_ms(folder), bare_ms(folder / "fixture.db")) for _ in range(ROUNDS)]
    ratio = statistics.median(checked for checked, _ in pairs) / statistics.median(bare for _, bare in pairs)
    print(json.dumps({"name": "time_functions_over_bare_driver", "ratio": round(ratio, 2), "limit": LIMIT}))
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
