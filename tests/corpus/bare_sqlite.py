"""SQLite by the bare driver: what a query gives without this project's policy, limits and processes."""

import re
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

Row = tuple[Any, ...]

PATIENCE_S = 5.0
MAX_ROWS = 10_000
MAX_VALUE_BYTES = 1024 * 1024
MAX_RESULT_BYTES = 8 * 1024 * 1024

_OPCODES_PER_LOOK = 50_000
_LONE_CLOCK_WORDS = re.compile(r"\bcurrent_(?:date|time|timestamp)\b|'now'|\"now\"", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BareResult:
    """What the driver returned: rows and columns, or its complaint."""

    rows: tuple[Row, ...] = ()
    column_count: int = 0
    error: str | None = None

    @property
    def is_within_limits(self) -> bool:
        """Tell whether rows and bytes are within the default limits of a query."""
        sizes = [_size(value) for row in self.rows for value in row]
        return (
            len(self.rows) <= MAX_ROWS and max(sizes, default=0) <= MAX_VALUE_BYTES and sum(sizes) <= MAX_RESULT_BYTES
        )


class BareDatabase:
    """One database file, read-only. Remembers nothing between queries but the file."""

    def __init__(self, path: Path) -> None:
        """Open the file without a look at what lies beside it."""
        uri = f"file:{quote(str(path))}?mode=ro&immutable=1"
        self._connection = sqlite3.connect(uri, uri=True, isolation_level=None)
        self._connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        self._deadline_s = 0.0
        self._connection.set_progress_handler(lambda: time.monotonic() > self._deadline_s, _OPCODES_PER_LOOK)

    def run(self, sql: str) -> BareResult:
        """Run one query to its end, or until it takes too long."""
        self._deadline_s = time.monotonic() + PATIENCE_S
        try:
            cursor = self._connection.execute(sql)
            rows = tuple(cursor.fetchall())
        except (sqlite3.Error, sqlite3.Warning) as error:
            return BareResult(error=str(error))
        return BareResult(rows, len(cursor.description or ()))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def reads_clock(sql: str) -> bool:
    """Tell whether a real query of these data sets names the clock; none of them hides it."""
    return _LONE_CLOCK_WORDS.search(sql) is not None


def _size(value: object) -> int:
    if isinstance(value, str):
        return max(8, len(value.encode("utf-8", "surrogateescape")))
    return max(8, len(value)) if isinstance(value, bytes) else 8
