"""Shows the rows that part two results, short enough for a report. Knows no rule of the comparison."""

from collections.abc import Iterable
from typing import cast

from evalgate_sql.compare.cells import cell_type
from evalgate_sql.compare.rows import Comparison
from evalgate_sql.limits import MAX_DIFF_COLUMNS, MAX_DIFF_ROWS, MAX_PREVIEW_CHARACTERS
from evalgate_sql.model.result import ResultSet, Row
from evalgate_sql.model.verdict import Diff, Preview, PreviewRow


def preview(reference: ResultSet, generated: ResultSet, comparison: Comparison) -> Diff:
    """Return the rows that a comparison names, within the bounds of contract section 7."""
    return Diff(
        _preview_rows(reference, comparison.reference_rows),
        _preview_rows(generated, comparison.generated_rows),
        columns_clipped=max(reference.column_count, generated.column_count) > MAX_DIFF_COLUMNS,
    )


def _preview_rows(result: ResultSet, rows: Iterable[int]) -> tuple[PreviewRow, ...]:
    return tuple(_preview_row(result.rows[row]) for row in tuple(rows)[:MAX_DIFF_ROWS])


def _preview_row(row: Row) -> PreviewRow:
    return tuple(_preview_cell(cell) for cell in row[:MAX_DIFF_COLUMNS])


def _preview_cell(cell: object) -> Preview:
    entry = cell_type(type(cell))
    if entry.is_json is not None and entry.is_json(cell, MAX_PREVIEW_CHARACTERS):
        return cast("Preview", cell)
    printed = entry.print(cell, MAX_PREVIEW_CHARACTERS)
    tagged: dict[str, str | bool] = {"type": entry.tag, "value": printed.text}
    return tagged | {"clipped": True} if printed.clipped else tagged
