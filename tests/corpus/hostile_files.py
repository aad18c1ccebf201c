"""Hostile SQLite files: where they are, what can be read in them, and whether anything touched them."""

import hashlib
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import pytest

_MAX_NAMES = 8
_MAX_HASHED_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class HostileFile:
    """One hostile file, or what has its place, alone in a folder with the files that belong to it."""

    path: Path
    folder: Path

    def snapshot(self) -> object:
        """Return what has to be equal before and after a run: the folder's files, and the time of its last change."""
        # The folder's own time betrays a file that was made and removed again.
        return self.folder.stat().st_mtime_ns, [(file.name, _state(file)) for file in sorted(self.folder.iterdir())]


@dataclass(frozen=True, slots=True)
class Builder:
    """Builds hostile files on demand, each once, by the program of the handed corpora."""

    program: Path
    folder: Path
    _built: dict[str, HostileFile] = field(default_factory=dict)

    def build(self, name: str) -> HostileFile:
        """Return the hostile file of that name; skip the test where this machine cannot make it."""
        if name not in self._built:
            folder = self.folder / name
            made = subprocess.run(
                [sys.executable, str(self.program), str(folder), name], check=True, capture_output=True, text=True
            )
            if not made.stdout:
                pytest.skip(made.stderr)
            # A path may end in a line feed, or hold one: only the last is the listing's own.
            path = Path(made.stdout.removeprefix(f"{name}\t").removesuffix("\n"))
            self._built[name] = HostileFile(path, folder)
        return self._built[name]


def readable_names(path: Path) -> list[str]:
    """Return some of the tables and views that a file's schema names; a guess where it cannot be read.

    Opens the file without a look at what lies beside it, so that nothing is repaired or created.
    """
    if not path.is_file() or path.stat().st_size == 0:
        return ["t"]
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)) as connection:
            connection.execute("PRAGMA writable_schema=ON")  # a schema with faults is still read
            found = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
    except sqlite3.Error:
        return ["t"]
    names = [name for (name,) in found]
    return names[:: -(-len(names) // _MAX_NAMES)]


def _state(file: Path) -> object:
    status = file.lstat()
    is_hashed = stat.S_ISREG(status.st_mode) and status.st_size <= _MAX_HASHED_BYTES
    digest = hashlib.sha256(file.read_bytes()).hexdigest() if is_hashed else None
    return status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, digest
