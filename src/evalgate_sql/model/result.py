"""The rows a query returned, inside the worker. A result never crosses the pipe to the parent."""

from collections.abc import Sequence
from dataclasses import dataclass

Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class ResultSet:
    """All rows of one query in the order the engine gave them.

    `column_count` comes from the cursor, so an empty result has one too.
    """

    column_count: int
    rows: Sequence[Row]
