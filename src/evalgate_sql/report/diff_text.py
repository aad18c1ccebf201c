"""The rows of a diff as lines of text. Shows what the worker chose to preview; fetches nothing."""

from collections.abc import Iterator

from evalgate_sql.model.verdict import Diff, Preview, PreviewRow
from evalgate_sql.report.terminal import Colour, Paint, clip, display_width, inert

_SEPARATOR = " | "
_CONTINUED = _SEPARATOR.rstrip()


def diff_lines(diff: Diff, *, paint: Paint, width: int) -> Iterator[str]:
    """Yield the rows of the reference marked `-` and those of the generated query marked `+`."""
    for row in diff.reference_rows:
        yield from _row_lines(row, "-", colour="red", paint=paint, width=width)
    for row in diff.generated_rows:
        yield from _row_lines(row, "+", colour="green", paint=paint, width=width)
    if diff.columns_clipped:
        yield "      (there are more columns)"


def _row_lines(row: PreviewRow, mark: str, *, colour: Colour, paint: Paint, width: int) -> Iterator[str]:
    indent = f"    {mark} "
    for line in _wrap([cell_text(cell) for cell in row], width - len(indent)):
        yield paint(indent + line, colour)
        indent = " " * len(indent)


def _wrap(cells: list[str], width: int) -> Iterator[str]:
    """Break between cells, so that a cell stays whole unless it alone is wider than a line."""
    room = width - len(_CONTINUED)
    line = ""
    for cell in cells:
        longer = line + _SEPARATOR + cell if line else cell
        if line and display_width(longer) > room:
            yield line + _CONTINUED
            longer = cell
        line = clip(longer, room)
    yield line


def cell_text(cell: Preview) -> str:
    """Return one cell: SQL's words for NULL and booleans, text in quotes, other types by name."""
    match cell:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if cell else "FALSE"
        case int() | float():
            return repr(cell)
        case str():
            return f"'{inert(cell)}'"
        case _:
            return f"{inert(str(cell['type']))} '{inert(str(cell['value']))}'" + ("…" if cell.get("clipped") else "")
