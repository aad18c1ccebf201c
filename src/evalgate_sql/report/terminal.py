"""Text for a terminal: harmless, aligned, coloured, ready to paste. Knows no report.

Case ids, paths and cells come from files that a model may have written. Raw, they could move the cursor, retitle the
window, hide a line or turn the reading direction of what follows.
"""

import shlex
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import click

Colour = Literal["red", "green", "yellow", "magenta", "cyan"]
Cell = tuple[str, Colour | None]

_GAP = "  "


@dataclass(frozen=True, slots=True, kw_only=True)
class Paint:
    """Colours text when colour is wanted."""

    color: bool

    def __call__(self, text: str, colour: Colour | None) -> str:
        """Return the text in a colour."""
        return click.style(text, fg=colour) if self.color and colour else text

    def bold(self, text: str) -> str:
        """Return the text as a heading."""
        return click.style(text, bold=True) if self.color else text


def inert(text: str) -> str:
    """Return the text with everything but printable characters and spaces written as an escape sequence.

    `isprintable` is false for controls, format characters (bidi overrides and zero-width ones among them), line and
    paragraph separators, surrogates, and what Unicode has not assigned.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shell_word(text: str) -> str:
    """Return the text as one word for a POSIX shell, or for Bash where only its `$'…'` can write it."""
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join(_ansi_c(c) for c in text) + "'"


def _ansi_c(character: str) -> str:
    if not character.isprintable():
        # Bytes that were no UTF-8 in a path come back as they were.
        return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", errors="surrogateescape"))
    return f"\\{character}" if character in "\\'" else character


def display_width(text: str) -> int:
    """Return how many columns inert text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(c) for c in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def clip(text: str, width: int) -> str:
    """Return the text, cut to `width` columns with an ellipsis."""
    if display_width(text) <= width:
        return text
    used, end = 1, 0
    while used + _columns(text[end]) <= width:
        used += _columns(text[end])
        end += 1
    return text[:end] + "…"


def table_width(rows: Sequence[Sequence[Cell]]) -> int:
    """Return how many columns the widest line of a table takes."""
    widths = _column_widths(rows)
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def lay_out(rows: Sequence[Sequence[Cell]], paint: Paint) -> list[str]:
    """Return the lines of a table with its columns aligned."""
    widths = _column_widths(rows)
    return [
        _GAP.join(
            paint(text, colour) + " " * (width - display_width(text))
            for (text, colour), width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def _column_widths(rows: Sequence[Sequence[Cell]]) -> list[int]:
    return [max(display_width(text) for text, _ in column) for column in zip(*rows, strict=True)]
