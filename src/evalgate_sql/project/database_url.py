"""Turns the text of `--db` into the place of a fixture.

Contract section 4, "SQLite". Knows how a URL is written and nothing of the file behind it: `sqlite_fixture` looks at
that. A URL may hold a password, so no message repeats any part of one.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_to_bytes

from evalgate_sql.errors import UserError

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(.*)", re.DOTALL)
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ENCODED = {"?": "%3F", "#": "%23"}
_SQLITE_FORM = "write sqlite:///PATH for a path relative to here, sqlite:////PATH for an absolute one"


@dataclass(frozen=True, slots=True)
class SqliteUrl:
    """Names a SQLite file, which need not exist."""

    path: Path


def parse_database_url(url: str, *, base: Path) -> SqliteUrl:
    """Return what `url` names; a relative path counts from `base`.

    Raises UserError: `engine_unavailable` for PostgreSQL, `engine_unknown` for any other engine,
    `database_url_invalid` for a URL that cannot be read in one way only.
    """
    parts = _SCHEME.fullmatch(url)
    if parts is None:
        raise _invalid(f"the database is not given as a URL; {_SQLITE_FORM}")
    match parts[1].lower():
        case "sqlite":
            return SqliteUrl(base / _sqlite_path(parts[2]))
        case "postgresql" | "postgres":
            raise UserError("engine_unavailable", "PostgreSQL fixtures are not in this version; use a SQLite file")
        case _:
            raise UserError("engine_unknown", f"the database URL names an unknown engine; {_SQLITE_FORM}")


def _sqlite_path(rest: str) -> str:
    """Return the decoded path of a SQLite URL, from what follows its first colon."""
    for raw, encoded in _ENCODED.items():
        if raw in rest:
            raise _invalid(f"a SQLite URL takes no parameters; a {raw} that belongs to the path is written {encoded}")
    if not rest.startswith("//"):
        raise _invalid(f"two slashes have to follow `sqlite:`, and a third before the path; {_SQLITE_FORM}")
    host, slash, path = rest.removeprefix("//").partition("/")
    if host:
        raise _invalid(f"a SQLite URL names no host: the path begins after the third slash; {_SQLITE_FORM}")
    if not (slash and path):
        raise _invalid(f"the SQLite URL holds no path; {_SQLITE_FORM}")
    return _require_file_name(_decode(path))


def _decode(path: str) -> str:
    """Undo the percent-encoding, exactly once."""
    if _BAD_ESCAPE.search(path):
        raise _invalid("a % in a SQLite URL begins an escape of two hexadecimal digits; a % of the path is written %25")
    try:
        return unquote_to_bytes(path).decode("utf-8")
    except UnicodeError:
        raise _invalid("the path of the SQLite URL is not UTF-8 once it is decoded") from None


def _require_file_name(path: str) -> str:
    """Refuse what no file can be called, and the name that means a database without a file."""
    if "\0" in path:
        raise _invalid("the path of the SQLite URL holds a NUL character")
    if path == ":memory:":
        raise _invalid("an in-memory database holds no fixture; name a file (./:memory: if it is called so)")
    return path


def _invalid(message: str) -> UserError:
    return UserError("database_url_invalid", message)
