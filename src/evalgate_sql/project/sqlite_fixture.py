"""Looks at a SQLite file before any engine opens it, and once more after the run.

Contract section 4, "SQLite"; research behind it: opening a fixture can hang (a pipe), create it (a dangling link),
repair it (a hot journal), write beside it (a write-ahead log) or read rows that are not in it (the same). Reads the
header and the bytes, never SQL, a schema or a row, and imports no database driver.

NOTE: closing a descriptor drops every POSIX lock this process holds on the file. That is harmless only because the
parent opens no database.
"""

import errno
import hashlib
import os
import shlex
import stat
from dataclasses import dataclass
from pathlib import Path

from evalgate_sql.errors import DatabaseRefused, NextAction
from evalgate_sql.limits import MAX_HASHED_FIXTURE_BYTES, MIB
from evalgate_sql.model.fixture import FileStamp, SqliteFixture

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_SMALLEST_DATABASE_BYTES = 512
"""One page of the smallest size SQLite has."""
_WRITE_VERSION, _READ_VERSION = 18, 19
_CHANGE_COUNTER = slice(24, 28)
_BLOCK_BYTES = MIB

_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISLNK, "a link"),
)


@dataclass(frozen=True, slots=True)
class FixtureIdentity:
    """What a SQLite fixture was when it was looked at."""

    fixture: SqliteFixture
    change_counter: int | None
    """From the header. None in WAL mode, where it does not move."""
    sha256: str | None
    """Digest of the file, in hexadecimal. None when it is too large to be read whole."""

    def unchanged(self) -> bool:
        """Look again and say whether everything is as it was; a vanished or refused file is not."""
        try:
            return inspect_sqlite_fixture(Path(self.fixture.path)) == self
        except DatabaseRefused:
            return False


def inspect_sqlite_fixture(path: Path) -> FixtureIdentity:
    """Return the identity of the SQLite file at `path`, links resolved.

    Raises DatabaseRefused, with a code that begins with `fixture_`, for everything that is no SQLite file at rest.
    Never waits, never creates or repairs anything.
    """
    try:
        return _inspect(os.path.realpath(path, strict=True))
    except OSError as fault:
        raise _not_accessible(path, fault) from None
    except ValueError:
        raise DatabaseRefused("fixture_missing", "no file can have such a name", file=str(path)) from None


def _inspect(resolved: str) -> FixtureIdentity:
    """Inspect a path without links. Raises OSError as well."""
    # Asked before anything is opened: opening is an action on some devices.
    stamp = _regular_stamp(Path(resolved).stat(), resolved)
    descriptor = _open_without_waiting(resolved)
    try:
        header = _read_header(descriptor, stamp, resolved)
        wal = _is_wal(header, resolved)
        _refuse_unfinished_work(resolved)
        digest = _digest(descriptor, stamp.size_bytes)
        _require_steady(descriptor, stamp, resolved)
    finally:
        os.close(descriptor)
    return FixtureIdentity(
        fixture=SqliteFixture(path=resolved, stamp=stamp, immutable=wal),
        change_counter=None if wal else int.from_bytes(header[_CHANGE_COUNTER], "big"),
        sha256=digest,
    )


def _open_without_waiting(path: str) -> int:
    """Open for reading; a pipe that took the file's place does not block, a link is not followed."""
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY | os.O_NOFOLLOW)


def _regular_stamp(status: os.stat_result, path: str) -> FileStamp:
    if not stat.S_ISREG(status.st_mode):
        raise DatabaseRefused("fixture_not_regular", f"the SQLite fixture is {_kind(status)}, not a file", file=path)
    return FileStamp.of(status)


def _kind(status: os.stat_result) -> str:
    return next((name for is_kind, name in _KINDS if is_kind(status.st_mode)), "a device")


def _read_header(descriptor: int, stamp: FileStamp, path: str) -> bytes:
    """Return the header of the open file, which has to be the file that `stamp` is about."""
    if _regular_stamp(os.fstat(descriptor), path) != stamp:
        raise _changing(path)
    if stamp.size_bytes < _SMALLEST_DATABASE_BYTES:
        # SQLite would take an empty file for an empty database.
        raise _not_sqlite(path, f"it has {stamp.size_bytes} bytes, and the smallest SQLite database has 512")
    header = os.pread(descriptor, _HEADER_BYTES, 0)
    if not header.startswith(_MAGIC):
        raise _not_sqlite(path, "it does not begin as one; encrypted files do not either")
    return header


def _is_wal(header: bytes, path: str) -> bool:
    """Tell from the header whether the file is in WAL mode."""
    match header[_WRITE_VERSION : _READ_VERSION + 1]:
        case b"\x01\x01":
            return False
        case b"\x02\x02":
            return True
        case _:
            raise DatabaseRefused(
                "fixture_format_unsupported", "the header names a file format that is not supported", file=path
            )


def _not_sqlite(path: str, reason: str) -> DatabaseRefused:
    return DatabaseRefused("fixture_not_sqlite", f"the file is no SQLite database: {reason}", file=path)


def _refuse_unfinished_work(path: str) -> None:
    """Refuse a database whose last writer has not finished, whatever its header says.

    NOTE: SQLite reads the frames of a log beside a file in rollback mode too, and then leaves a `-shm` there.
    """
    journal, log, _ = (_sidecar(f"{path}{suffix}", path) for suffix in ("-journal", "-wal", "-shm"))
    if log is not None and log.st_size > 0:
        raise DatabaseRefused(
            "fixture_wal_pending",
            "the write-ahead log beside the SQLite file is not empty, so the file lacks rows or is being written to",
            file=path,
            next_actions=(_repair(path, "PRAGMA wal_checkpoint(TRUNCATE)", "move the log into the file"),),
        )
    if journal is not None and journal.st_size > 0 and _is_hot(f"{path}-journal"):
        raise DatabaseRefused(
            "fixture_hot_journal",
            "the SQLite file was left in the middle of a transaction, or is in one now: its rollback journal is there",
            file=path,
            next_actions=(_repair(path, "PRAGMA quick_check", "roll the transaction back and check the file"),),
        )


def _sidecar(name: str, path: str) -> os.stat_result | None:
    """Return the status of a file that belongs to the database at `path`; None when there is none."""
    try:
        status = os.lstat(name)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise _odd_sidecar(status, path)
    return status


def _odd_sidecar(status: os.stat_result, path: str) -> DatabaseRefused:
    return DatabaseRefused(
        "fixture_sidecar_not_regular",
        f"a journal, log or index beside the SQLite file is {_kind(status)}, not a file",
        file=path,
    )


def _is_hot(journal: str) -> bool:
    """Tell whether SQLite would roll this journal back; a kept one begins with a zero."""
    try:
        descriptor = _open_without_waiting(journal)
    except FileNotFoundError:
        return False
    try:
        return os.pread(descriptor, 1, 0) not in {b"", b"\0"}
    finally:
        os.close(descriptor)


def _repair(path: str, pragma: str, purpose: str) -> NextAction:
    return NextAction(
        command=f"sqlite3 {shlex.quote(path)} {shlex.quote(pragma)}",
        description=f"{purpose}; close every program that uses it first",
    )


def _digest(descriptor: int, size_bytes: int) -> str | None:
    """Return the SHA-256 of the file's first `size_bytes`; None when that is too much to read."""
    if size_bytes > MAX_HASHED_FIXTURE_BYTES:
        return None
    digest = hashlib.sha256()
    offset = 0
    while block := os.pread(descriptor, min(_BLOCK_BYTES, size_bytes - offset), offset):
        digest.update(block)
        offset += len(block)
    return digest.hexdigest()


def _require_steady(descriptor: int, stamp: FileStamp, path: str) -> None:
    """Refuse a file that was written to, or replaced, while it was looked at."""
    if {FileStamp.of(os.fstat(descriptor)), FileStamp.of(Path(path).stat())} != {stamp}:
        raise _changing(path)


def _changing(path: str) -> DatabaseRefused:
    return DatabaseRefused("fixture_changing", "the SQLite file changed while it was looked at", file=path)


def _not_accessible(path: Path, fault: OSError) -> DatabaseRefused:
    """Say why the system does not let us at the file."""
    match fault.errno:
        case errno.ENOENT if path.is_symlink():
            code, message = "fixture_dangling_link", "the SQLite fixture is a link to a file that does not exist"
        case errno.ENOENT | errno.ENOTDIR:
            code, message = "fixture_missing", "there is no such SQLite file, and none is ever created"
        case errno.ELOOP:
            code, message = "fixture_link_loop", "the links to the SQLite fixture lead in a circle"
        case errno.EACCES | errno.EPERM:
            code, message = "fixture_permission_denied", "the SQLite fixture, or a folder above it, may not be read"
        case _:
            code, message = "fixture_unreadable", f"the SQLite file cannot be read: {os.strerror(fault.errno or 0)}"
    return DatabaseRefused(code, message, file=str(path))
