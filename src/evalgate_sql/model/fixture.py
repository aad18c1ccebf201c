"""Which fixture file a run is about, and how to notice that it changed."""

import os
from dataclasses import dataclass
from typing import NamedTuple


class FileStamp(NamedTuple):
    """What `stat` says of one file: equal stamps mean the same, untouched file.

    The change time is the part that betrays a file that was swapped and swapped back, or rewritten with its
    modification time restored.
    """

    device: int
    inode: int
    size_bytes: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> "FileStamp":
        """Take the stamp from what `os.stat` or `os.fstat` returned."""
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@dataclass(frozen=True, slots=True)
class SqliteFixture:
    """A SQLite file that the parent has checked and the worker may open."""

    path: str
    """Absolute path, resolved."""
    stamp: FileStamp
    immutable: bool
    """True for a WAL file without pending frames, which can only be read so where nothing may be written."""
