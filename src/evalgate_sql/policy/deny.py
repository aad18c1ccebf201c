"""The functions that no policy may allow, shipped or own, whatever it says.

Contract section 4: the built-in deny list can be widened by nobody. An allowlist already leaves these out; this is
what stops an own policy, or a slip in a shipped one, from letting them in. Knows names only: no file, no engine.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class DeniedGroup:
    """Functions denied for one reason. Names and prefixes are in lower case."""

    reason: str
    names: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()


_SQLITE = (
    DeniedGroup("loads code into the process", frozenset({"icu_load_collation", "load_extension"})),
    # Not of the library but of the sqlite3 shell and of extensions that some builds link in.
    DeniedGroup(
        "reads or writes files, starts programs or runs SQL",
        frozenset({"edit", "eval", "fsdir", "lsmode", "readfile", "writefile", "zipfile", "zipfile_cds"}),
        ("shell_", "sqlar_"),
    ),
    # Some take or give raw pointers (`fts5(NULL)`, `fts3_tokenizer`), the others decode blobs that the module alone
    # should have written, and all belong to virtual tables, which no statement may read.
    DeniedGroup(
        "belongs to the inside of a virtual table module",
        frozenset({"bm25", "fts5", "highlight", "match", "matchinfo", "offsets", "optimize", "snippet"}),
        ("fts3_", "fts5_", "geopoly_", "rbu_", "rtree"),
    ),
    # sqlite_log writes to the host's log; the rest shows the build or are the hidden steps of ALTER TABLE.
    DeniedGroup("shows or changes the engine itself", prefixes=("sqlite_",)),
    # Up to 1 GB by one call of no text-to-SQL use.
    DeniedGroup("only makes large values", frozenset({"zeroblob"})),
)

_GROUPS: Mapping[str, tuple[DeniedGroup, ...]] = MappingProxyType({"sqlite": _SQLITE})


def denied_groups(engine: str) -> tuple[DeniedGroup, ...]:
    """Return the deny list of `engine`. KeyError for an engine without one: no list must never mean no denial."""
    return _GROUPS[engine]


def denial(function: str, *, engine: str) -> str | None:
    """Return why nobody may allow `function`, or None when the deny list does not know it."""
    for group in denied_groups(engine):
        if function in group.names or function.startswith(group.prefixes):
            return group.reason
    return None
