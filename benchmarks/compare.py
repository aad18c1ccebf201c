"""Two ratios of the comparison: its growth from ten to a hundred thousand rows, and its cost over fetching the rows.

Prints one JSON object a line and exits 1 when a ratio is over its limit. Ratios, unlike times, hold on any machine:
the things compared run by turns, and each ratio is of medians.
"""

import gc
import json
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import median

from evalgate_sql.compare.rows import compare
from evalgate_sql.limits import DEFAULT_FLOAT_TOLERANCE, MAX_ROWS, MIN_VALUE_BYTES
from evalgate_sql.model.result import ResultSet, Row

REPEATS = 5
BATCH_ROWS = 100
SMALL_ROWS, LARGE_ROWS = MAX_ROWS // 10, MAX_ROWS
GROWTH_LIMIT = 30
OVER_FETCH_LIMIT = 3
NOISE = 1e-10
TABLES = ("reference", "generated")


def _rows(count: int, random_source: random.Random) -> list[Row]:
    return [(i, f"name {i}", i % 97, f"city {i % 1000}", random_source.uniform(0, 1000)) for i in range(count)]


def _shuffled_with_noise(rows: list[Row], random_source: random.Random) -> list[Row]:
    noisy = [(*row[:-1], row[-1] + random_source.uniform(-NOISE, NOISE)) for row in rows]  # type: ignore[operator]
    random_source.shuffle(noisy)
    return noisy


def _build(path: Path, count: int) -> None:
    """Write both sides: five columns, the same rows in another order, noise in the float column."""
    random_source = random.Random(count)  # noqa: S311 - fixed on purpose
    reference = _rows(count, random_source)
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, rows in zip(TABLES, (reference, _shuffled_with_noise(reference, random_source)), strict=True):
            connection.execute(f"CREATE TABLE {table} (id INTEGER, name TEXT, bucket INTEGER, city TEXT, amount REAL)")
            connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?)", rows)


def _value_bytes(cell: object) -> int:
    if isinstance(cell, str):
        return max(MIN_VALUE_BYTES, len(cell.encode()))
    return max(MIN_VALUE_BYTES, len(cell)) if isinstance(cell, bytes) else MIN_VALUE_BYTES


def _fetch(connection: sqlite3.Connection, table: str) -> ResultSet:
    """Fetch a table as a checker does: in batches, with every value counted."""
    cursor = connection.execute(f"SELECT * FROM {table}")
    rows: list[Row] = []
    result_bytes = 0
    while batch := cursor.fetchmany(BATCH_ROWS):
        for row in batch:
            result_bytes += sum(map(_value_bytes, row))
        rows.extend(batch)
    return ResultSet(len(cursor.description), rows)


def _measure(path: Path) -> tuple[float, float]:
    """Return the seconds that fetching both sides and comparing them took."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        start = time.perf_counter()
        reference, generated = (_fetch(connection, table) for table in TABLES)
        fetched = time.perf_counter()
        comparison = compare(reference, generated, order_matters=False, float_tolerance=DEFAULT_FLOAT_TOLERANCE)
        compared = time.perf_counter()
    assert comparison.reason is None
    return fetched - start, compared - fetched


def _ratios() -> Iterator[tuple[str, float, float]]:
    fetches: dict[int, list[float]] = {SMALL_ROWS: [], LARGE_ROWS: []}
    compares: dict[int, list[float]] = {SMALL_ROWS: [], LARGE_ROWS: []}
    with tempfile.TemporaryDirectory() as folder:
        for count in fetches:
            _build(Path(folder) / f"{count}.db", count)
        for _ in range(REPEATS):
            for count in (SMALL_ROWS, LARGE_ROWS):
                fetch_seconds, compare_seconds = _measure(Path(folder) / f"{count}.db")
                fetches[count].append(fetch_seconds)
                compares[count].append(compare_seconds)
    yield "compare_growth_100k_over_10k", median(compares[LARGE_ROWS]) / median(compares[SMALL_ROWS]), GROWTH_LIMIT
    yield "compare_over_fetch_100k", median(compares[LARGE_ROWS]) / median(fetches[LARGE_ROWS]), OVER_FETCH_LIMIT


def main() -> int:
    """Print the ratios and return the exit code."""
    gc.disable()  # as a worker does
    within = True
    for name, ratio, limit in _ratios():
        print(json.dumps({"name": name, "ratio": round(ratio, 2), "limit": limit}), flush=True)
        within = within and ratio <= limit
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
