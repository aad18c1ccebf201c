"""The documented example as fixture and cases, for all benchmarks of whole runs."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

QUERIES = (
    "SELECT id, balance FROM accounts",
    "SELECT account_id, SUM(amount) FROM transactions GROUP BY account_id",
)
"""Reference and generated query of the first case."""

_SCHEMA = """
CREATE TABLE accounts(id INTEGER PRIMARY KEY, balance REAL);
CREATE TABLE transactions(id INTEGER PRIMARY KEY, account_id INTEGER, amount REAL);
INSERT INTO accounts VALUES (1, 12.50), (2, 20.00);
INSERT INTO transactions VALUES (1, 1, 10.00), (2, 1, 2.50), (3, 2, 20.00);
"""


def write_fixture(path: Path) -> None:
    """Make the fixture database."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_SCHEMA)


def write_cases(path: Path, count: int, *, padding_bytes: int = 0) -> None:
    """Write `count` copies of the first case; each generated query ends in a comment of `padding_bytes`."""
    padding = f" /*{'x' * padding_bytes}*/" if padding_bytes else ""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            case = {
                "id": f"case-{number}",
                "question": "What is each account's total transaction amount?",
                "referenceSql": QUERIES[0],
                "generatedSql": QUERIES[1] + padding,
                "floatTolerance": 0.000001,
            }
            file.write(json.dumps(case) + "\n")
