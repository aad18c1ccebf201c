"""The byte budget of a result (contract section 5): what each value counts, and when it is too much."""

from evalgate_sql.limits import MAX_RESULT_BYTES, MAX_VALUE_BYTES, MIN_VALUE_BYTES
from evalgate_sql.model.fault import CapExceeded
from evalgate_sql.model.outcome import Reason
from evalgate_sql.model.result import Row


def row_bytes(row: Row) -> int:
    """Return what a row counts.

    Text counts its UTF-8 length, bytes their length, any other value 8, and none less than 8.
    Raises `CapExceeded` when one value is over its own cap.
    """
    total = 0
    for value in row:
        if isinstance(value, str):
            # A text of undecodable bytes counts those bytes.
            size = len(value) if value.isascii() else len(value.encode("utf-8", "surrogateescape"))
        elif isinstance(value, bytes):
            size = len(value)
        else:
            size = MIN_VALUE_BYTES
        if size > MAX_VALUE_BYTES:
            raise CapExceeded(Reason.VALUE_BYTES)
        total += max(size, MIN_VALUE_BYTES)
    return total


class ResultBudget:
    """Adds up the rows of one result and stops it where a limit is reached."""

    def __init__(self, max_rows: int) -> None:
        """Begin an empty result of at most `max_rows` rows."""
        self._rows_left = max_rows
        self._bytes_left = MAX_RESULT_BYTES

    def take(self, row: Row) -> None:
        """Count one more row. Raises `CapExceeded` when it is one too many."""
        self._rows_left -= 1
        if self._rows_left < 0:
            raise CapExceeded(Reason.ROW_CAP)
        self._bytes_left -= row_bytes(row)
        if self._bytes_left < 0:
            raise CapExceeded(Reason.RESULT_BYTES)
