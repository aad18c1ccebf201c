"""Text that is safe to print and to paste."""

import shutil
import subprocess
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgate_sql.report.terminal import Cell, Paint, clip, display_width, inert, lay_out, shell_word

PLAIN = Paint(color=False)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain id-1", "plain id-1"),
        ("Zoë 東京", "Zoë 東京"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("a\r\nb\tc", r"a\r\nb\tc"),
        ("\x9b31m", r"\x9b31m"),
        ("\u202eevil\u202c", r"\u202eevil\u202c"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("\u2028", r"\u2028"),
        ("\udcff", r"\udcff"),
        ("\U000e0041", r"\U000e0041"),
    ],
)
def test_only_printable_characters_stay(raw: str, shown: str) -> None:
    """Controls, direction overrides, invisible characters and half pairs become escapes."""
    assert inert(raw) == shown


@given(st.text())
def test_any_text_becomes_inert(text: str) -> None:
    """No control, format, separator or surrogate character survives."""
    assert not {unicodedata.category(c) for c in inert(text)} & {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}


@given(st.text(max_size=40), st.integers(min_value=1, max_value=50))
def test_clipped_text_fits(text: str, width: int) -> None:
    """Wide and combining characters are counted as a terminal draws them."""
    assert display_width(clip(inert(text), width)) <= width


def test_clipping_keeps_what_fits() -> None:
    """Nothing is cut that needs no cutting."""
    assert (clip("東京都", 6), clip("東京都", 5), clip("abcdef", 4)) == ("東京都", "東京…", "abc…")


def test_columns_align_under_wide_characters() -> None:
    """A wide character takes two columns."""
    rows: list[list[Cell]] = [[("東京", None), ("x", None)], [("abc", None), ("y", None)]]
    assert lay_out(rows, PLAIN) == ["東京  x", "abc   y"]


def test_colour_moves_no_column() -> None:
    """Widths are those of the text, not of its colour codes."""
    rows: list[list[Cell]] = [[("a", "red"), ("x", None)], [("abc", None), ("y", None)]]
    assert lay_out(rows, Paint(color=True)) == ["\x1b[31ma\x1b[0m    x", "abc  y"]


bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


@bash
@pytest.mark.parametrize(
    "word", ["plain", "two words", "it's", "$(id)", "\x1b[31m\n'\\", "\u202e0'é", "path\udcff", "-n", "!1", "\x7f0"]
)
def test_shell_gets_the_very_word(word: str) -> None:
    """What is printed for pasting reaches a command unchanged."""
    done = subprocess.run(["bash", "-c", f"printf %s {shell_word(word)}"], capture_output=True, check=True)
    assert done.stdout == word.encode("utf-8", errors="surrogateescape")


@given(st.text())
def test_shell_word_is_inert(text: str) -> None:
    """The command to paste is as harmless to print as everything else."""
    assert shell_word(text).isprintable()
