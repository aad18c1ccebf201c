"""The table of values a cell may hold, and what makes two of them exactly equal.

Knows no row, no tolerance and no engine. A type is supported when it has an entry in `_TYPES`, and in no other way.
"""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evalgate_sql.compare.printed import (
    Printed,
    is_json,
    is_json_float,
    is_json_integer,
    is_json_text,
    print_bytes,
    print_decimal,
    print_float,
    print_integer,
    print_plain,
    print_text,
)
from evalgate_sql.model.outcome import Stage

if TYPE_CHECKING:
    from decimal import Decimal

_NAN: Final[Hashable] = object()
_TRUE: Final[Hashable] = object()
_FALSE: Final[Hashable] = object()


class UnsupportedType(Exception):
    """A result holds a value that contract section 6 does not list: `refused/type_not_allowed`."""

    def __init__(self, type_name: str, stage: Stage) -> None:
        super().__init__(f"cells of type {type_name} are not supported")
        self.type_name = type_name
        self.stage = stage
        """The query whose result holds it: `Stage.REFERENCE` or `Stage.GENERATED`."""


@dataclass(frozen=True, slots=True)
class CellType:
    """How the cells of one type are compared and printed.

    A type that is compared part by part, such as an array, gets a `key` made of its parts' keys.
    """

    tag: str
    """The type's name in a diff."""
    print: Callable[[Any, int], Printed]
    """Prints a value in at most so many characters."""
    is_json: Callable[[Any, int], bool] | None = None
    """Tells values that a diff shows as they are, within so many characters; None when it shows none so."""
    key: Callable[[Any], Hashable] | None = None
    """Makes a value that is equal exactly where two cells are; None when the cell itself is that value."""
    is_finite: Callable[[Any], bool] | None = None
    """Tells the finite numbers of the type; None when it is not a type of number."""
    tolerant: bool = False
    """True when finite numbers of this type equal any number within the tolerance."""


def cell_type(python_type: type, *, stage: Stage = Stage.COMPARE) -> CellType:
    """Return the entry of a Python type; a subclass is a type of its own.

    Raises UnsupportedType, naming `stage`, where there is none.
    """
    found = _TYPES.get(f"{python_type.__module__}.{python_type.__qualname__}")
    if found is None:
        raise UnsupportedType(python_type.__qualname__, stage)
    return found


def _boolean_key(value: bool) -> Hashable:  # noqa: FBT001 - the cell itself
    # Python takes True for 1, also as the key of a dictionary; contract section 6 does not.
    return _TRUE if value else _FALSE


def _float_key(value: float) -> Hashable:
    # NOTE: -0.0 and 0.0 are equal and hash alike; infinities equal the decimals of the same name.
    return _NAN if math.isnan(value) else value


def _decimal_key(value: "Decimal") -> Hashable:
    # NOTE: Python compares and hashes decimals, integers and floats by exact value, so 1 and 1.00 are one key.
    return _NAN if value.is_nan() else value


def _always(_value: object) -> bool:
    return True


def _is_finite_decimal(value: "Decimal") -> bool:
    return value.is_finite()


# Types stand here by name, so that only who makes such values has to load their module.
_TYPES: Final[dict[str, CellType]] = {
    "builtins.NoneType": CellType("null", print_plain, is_json),
    "builtins.bool": CellType("boolean", print_plain, is_json, key=_boolean_key),
    "builtins.int": CellType("integer", print_integer, is_json_integer, is_finite=_always),
    "builtins.float": CellType(
        "float", print_float, is_json_float, key=_float_key, is_finite=math.isfinite, tolerant=True
    ),
    "builtins.str": CellType("text", print_text, is_json_text),
    "builtins.bytes": CellType("bytes", print_bytes),
    "decimal.Decimal": CellType("decimal", print_decimal, key=_decimal_key, is_finite=_is_finite_decimal),
}
