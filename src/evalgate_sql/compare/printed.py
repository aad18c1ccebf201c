"""How a cell reads in a diff: short text, and whether something was cut off.

Knows no row and no report. No function here does work for the part of a huge value that nobody will see.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from decimal import Decimal

_EXACT_JSON_INTEGER: Final = 2**53
"""Greatest magnitude up to which every JSON reader keeps an integer exact."""
_LONG_INTEGER_BITS: Final = 1024
_SPECIAL_FLOATS: Final = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_EXPONENT_CHARACTERS: Final = 24
"""Room for the sign, the point and the exponent of a decimal."""


@dataclass(frozen=True, slots=True)
class Printed:
    """The printed form of one cell."""

    text: str
    clipped: bool


def print_text(value: str, length: int) -> Printed:
    """Print text, with a byte that is no UTF-8 as a backslash, an x and its two digits."""
    return _cut(_visible(value[: length + 1]), length)


def print_bytes(value: bytes, length: int) -> Printed:
    """Print bytes in hexadecimal."""
    return _cut(value[: length + 1].hex(), length)


def print_integer(value: int, length: int) -> Printed:
    """Print an integer in decimal; one of hundreds of digits by its first hexadecimal ones."""
    if value.bit_length() <= _LONG_INTEGER_BITS:
        return _cut(str(value), length)
    # Python takes quadratic time for the digits of an integer, and refuses to print the longest.
    sign = "-" if value < 0 else ""
    hidden_digits = (value.bit_length() - 4 * length) // 4
    return _cut(f"{sign}{abs(value) >> 4 * hidden_digits:#x}", length)


def print_float(value: float, length: int) -> Printed:
    """Print a float; NaN and the infinities by the names that contract section 7 gives them."""
    text = repr(value)
    return _cut(_SPECIAL_FLOATS.get(text, text), length)


def print_decimal(value: "Decimal", length: int) -> Printed:
    """Print a decimal with the scale it has; one that is too long by its first digits and its exponent."""
    if not value.is_finite():
        return Printed(str(value), clipped=False)
    if abs(value.adjusted()) < length and (whole := _first_digits(value, length)) == value:
        return _cut(format(whole, "f"), length)
    # The exponent of a long number says more than its last digits, so the digits make room for it.
    short = _first_digits(value, length - _EXPONENT_CHARACTERS)
    return Printed(str(short), clipped=short != value)


def print_plain(value: object, length: int) -> Printed:
    """Print a value of a type whose values are all short."""
    return _cut(str(value), length)


def is_json_text(value: str, length: int) -> bool:
    """Tell whether text fits and is text in JSON too."""
    return len(value) <= length and not _has_surrogates(value)


def is_json_integer(value: int, _length: int) -> bool:
    """Tell whether every JSON reader keeps the integer."""
    return -_EXACT_JSON_INTEGER <= value <= _EXACT_JSON_INTEGER


def is_json_float(value: float, _length: int) -> bool:
    """Tell whether JSON can write the number."""
    return math.isfinite(value)


def is_json(_value: object, _length: int) -> bool:
    """Tell that JSON has every value of the type."""
    return True


def _cut(text: str, length: int) -> Printed:
    return Printed(text[:length], clipped=len(text) > length)


def _visible(text: str) -> str:
    return "".join(map(_visible_character, text)) if _has_surrogates(text) else text


def _visible_character(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"  # surrogateescape keeps a byte here
    return f"\\u{code:04x}" if 0xD800 <= code <= 0xDFFF else character


def _has_surrogates(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _first_digits(value: "Decimal", digits: int) -> "Decimal":
    from decimal import MAX_EMAX, MIN_EMIN, ROUND_DOWN, Context  # noqa: PLC0415 - loaded only where decimals occur

    return Context(prec=digits, rounding=ROUND_DOWN, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[]).plus(value)
