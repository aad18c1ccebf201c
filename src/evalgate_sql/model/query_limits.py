"""The limits a user may choose for each query of a run."""

from dataclasses import dataclass

from evalgate_sql.limits import DEFAULT_MAX_ROWS, DEFAULT_TIMEOUT_MS


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """What one query may take: wall milliseconds and rows."""

    timeout_ms: int = DEFAULT_TIMEOUT_MS
    max_rows: int = DEFAULT_MAX_ROWS
