"""TOML text as tables whose every key is asked for by name and type. Knows the TOML of policy files, not their meaning.

The first fault ends the reading, with the file, the line where the parser gives one, and the path of the key.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from evalgate_sql.errors import PolicyError
from evalgate_sql.policy.wording import quoted, suggestion

_T = TypeVar("_T")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]{1,60}(\[\d+\])?")
_PARSER_PLACE = re.compile(r" \(at (end of document|line (?P<line>\d+), column (?P<column>\d+))\)$")
_TYPE_NAMES: Mapping[type, str] = {
    bool: "a boolean",
    int: "an integer",
    float: "a float",
    str: "a string",
    list: "an array",
    dict: "a table",
}


def parse_toml(content: bytes, *, file: str) -> "Table":
    """Return the top-level table of `content`. `PolicyError` with file and line when it is not TOML in UTF-8."""
    try:
        return Table(tomllib.loads(content.decode("utf-8-sig")), file=file)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PolicyError("policy_file_invalid", "the file is not UTF-8", file=file, line=line) from None
    except RecursionError:
        raise PolicyError("policy_file_invalid", "the TOML is nested too deeply", file=file) from None
    except ValueError as error:
        # NOTE: not only TOMLDecodeError: an integer of thousands of digits is a plain ValueError.
        raise _syntax_fault(str(error), last_line=content.count(b"\n") + 1, file=file) from None


def _syntax_fault(words: str, *, last_line: int, file: str) -> PolicyError:
    place = _PARSER_PLACE.search(words)
    line, column = place.group("line", "column") if place else (None, None)
    at = f" at column {column}" if column else ""
    what = quoted(_PARSER_PLACE.sub("", words))
    known_line = int(line) if line else last_line if place else None
    return PolicyError("policy_file_invalid", f"the file is not valid TOML{at}: {what}", file=file, line=known_line)


class Table:
    """One table, the file it stands in and its path there, such as `groups.math`."""

    def __init__(self, content: Mapping[str, object], *, file: str, path: str = "") -> None:
        """Take the parsed content; nothing is checked until it is asked for."""
        self._content = content
        self.file = file
        self.path = path

    def fault(self, key: str, problem: str) -> PolicyError:
        """Return an error about `key` of this table, to be raised by the caller."""
        return PolicyError("policy_file_invalid", f"{self._place(key)}: {problem}", file=self.file)

    def _place(self, key: str) -> str:
        name = key if _BARE_KEY.fullmatch(key) else quoted(key)
        return f"{self.path}.{name}" if self.path else name

    def only(self, *known: str) -> None:
        """Refuse keys that are not `known`, which a later release or a typing slip would make."""
        for key in self._content:
            if key not in known:
                raise self.fault(key, f"unknown key{suggestion(key, known)}")

    def has(self, key: str) -> bool:
        """Tell whether `key` is written."""
        return key in self._content

    def _get(self, key: str, kind: type[_T]) -> _T:
        if key not in self._content:
            raise self.fault(key, "this key is required")
        return self._typed(key, self._content[key], kind)

    def _typed(self, key: str, value: object, kind: type[_T]) -> _T:
        # NOTE: type() and not isinstance(): a bool is an int, and `version = true` is a slip.
        if type(value) is not kind:
            found = _TYPE_NAMES.get(type(value), "a date or time")
            raise self.fault(key, f"must be {_TYPE_NAMES[kind]}, not {found}")
        return value

    def text(self, key: str, pattern: re.Pattern[str], *, wanted: str) -> str:
        """Return the string under `key`; `wanted` says in words what `pattern` accepts."""
        value = self._get(key, str)
        if not pattern.fullmatch(value):
            raise self.fault(key, f"must be {wanted}, not {quoted(value)}")
        return value

    def number(self, key: str, *, greatest: int) -> int:
        """Return the integer under `key`, from 1 to `greatest`."""
        value = self._get(key, int)
        if not 1 <= value <= greatest:
            raise self.fault(key, f"must be from 1 to {greatest}")
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """Return the boolean under `key`, or `default` when it is not written."""
        return self._get(key, bool) if self.has(key) else default

    def words(self, key: str, pattern: re.Pattern[str], *, wanted: str) -> tuple[str, ...]:
        """Return the strings under `key`, each once; empty when it is not written."""
        return self._items(key, str, lambda word: None if pattern.fullmatch(word) else f"must be {wanted}")

    def positions(self, key: str) -> tuple[int, ...]:
        """Return the argument positions under `key`, counted from 1."""
        return self._items(key, int, lambda position: None if 1 <= position <= 100 else "must be from 1 to 100")

    def _items(self, key: str, kind: type[_T], objection: Callable[[_T], str | None]) -> tuple[_T, ...]:
        items: dict[_T, None] = {}
        for index, value in enumerate(self._get(key, list) if self.has(key) else []):
            item = self._typed(f"{key}[{index}]", value, kind)
            problem = "is listed twice" if item in items else objection(item)
            if problem:
                raise self.fault(key, f"{quoted(str(item))} {problem}")
            items[item] = None
        return tuple(items)

    def table(self, key: str) -> "Table":
        """Return the table under `key`."""
        return Table(self._get(key, dict), file=self.file, path=self._place(key))

    def tables(self, key: str) -> Iterator["Table"]:
        """Yield the tables of the array under `key`; none when it is not written."""
        for index, value in enumerate(self._get(key, list) if self.has(key) else []):
            place = f"{self._place(key)}[{index}]"
            yield Table(self._typed(f"{key}[{index}]", value, dict), file=self.file, path=place)

    def keys(self) -> tuple[str, ...]:
        """Return the written keys, in their order."""
        return tuple(self._content)
