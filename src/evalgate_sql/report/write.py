"""Puts finished bytes where they were asked for: whole, or not at all. Knows no document.

A regular file is written under a temporary name in its own directory, synced and renamed, so that an old report is
never half overwritten. Whatever cannot be renamed over (a pipe, a terminal, /dev/null, one of our own descriptors) is
written straight through.
"""

import os
import secrets
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from errno import EACCES, EINVAL, EISDIR, ENXIO, EOPNOTSUPP
from pathlib import Path
from typing import BinaryIO

from evalgate_sql.errors import UnavailableError

_NEW_FILE_MODE = 0o644
_BINARY = getattr(os, "O_BINARY", 0)
"""Windows translates line ends without it; other systems have no such flag."""
_BATCH_BYTES = 64 * 1024
_MAX_LINKS = 40
_READER_PATIENCE_S = 10.0
_READER_POLL_S = 0.02
_UNSYNCABLE = frozenset({EACCES, EINVAL, EOPNOTSUPP})
"""What a directory answers on systems, and under permissions, that do not let it be synced."""


@dataclass(frozen=True, slots=True)
class SystemCalls:
    """The calls that fail when a disk is full or gone, and the clock; tests replace them."""

    monotonic: Callable[[], float] = time.monotonic
    write: Callable[[int, memoryview], int] = os.write
    fsync: Callable[[int], None] = os.fsync
    replace: Callable[[Path, Path], None] = os.replace


_SYSTEM = SystemCalls()


def write_atomically(path: str, pieces: Iterable[bytes], *, calls: SystemCalls = _SYSTEM) -> None:
    """Write a report to `path`, replacing what is there only once the new one is safe on disk.

    A symbolic link stays and its target is replaced. An old report's permissions are kept; a new one gets 0644 less the
    umask. Raises `UnavailableError` (exit 11), with the old report as it was and no temporary file left; only when the
    directory cannot be synced after the renaming is the new report in place already.
    """
    try:
        descriptor = _own_descriptor(path)
        old = _status_of(path)
        if descriptor is not None:
            _write_all(descriptor, pieces, calls)
        elif old is None or stat.S_ISREG(old.st_mode):
            _replace_file(Path(os.path.realpath(path)), pieces, old=old, calls=calls)
        else:
            _write_through(path, pieces, old=old, calls=calls)
    except OSError as error:
        raise _not_written(error.strerror, file=path) from error
    except ValueError as error:
        raise _not_written("no file can have this name", file=path) from error


def write_stdout(pieces: Iterable[bytes], stream: BinaryIO | None) -> None:
    """Write to standard output, whose reader may be gone; `stream` is None when it was closed from the start.

    Raises `UnavailableError` (exit 11).
    """
    if stream is None:
        raise _not_written("it is closed", file="standard output")
    try:
        for piece in pieces:
            stream.write(piece)
        stream.flush()
    except OSError as error:
        _silence(stream)
        raise _not_written(error.strerror, file="standard output") from error
    except ValueError as error:
        raise _not_written("it is closed", file="standard output") from error


def _not_written(why: str | None, *, file: str) -> UnavailableError:
    return UnavailableError("report_not_written", f"The report could not be written: {why or 'unknown'}.", file=file)


def _silence(stream: BinaryIO) -> None:
    """Give what is still buffered a place to go, or the interpreter's own flush at exit complains on stderr."""
    with suppress(OSError, ValueError):
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, stream.fileno())
        os.close(sink)


def _own_descriptor(path: str) -> int | None:
    """Return N for a path that leads to /proc/self/fd/N, such as /dev/stdout.

    NOTE: when standard output goes to a file, /dev/stdout is a regular file to `stat`. Renaming over it would cut the
    caller off from everything we print afterwards, and opening it anew would start at its first byte.
    """
    link = Path(path)
    for _ in range(_MAX_LINKS):
        link = Path(os.path.realpath(link.parent), link.name)
        if link.parent == Path(f"/proc/{os.getpid()}/fd"):
            return int(link.name) if link.name.isdecimal() else None
        if not link.is_symlink():
            return None
        link = link.parent / link.readlink()
    return None


def _status_of(path: str) -> os.stat_result | None:
    if path.endswith(("/", os.sep)):
        # pathlib drops the slash and would write a file where the user meant a directory.
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
    try:
        return Path(path).stat()
    except FileNotFoundError:
        return None


def _write_through(path: str, pieces: Iterable[bytes], *, old: os.stat_result, calls: SystemCalls) -> None:
    if stat.S_ISBLK(old.st_mode):
        raise OSError(EINVAL, "it is a block device")
    # A directory or socket cannot be opened.
    descriptor = _open_fifo(path, calls) if stat.S_ISFIFO(old.st_mode) else os.open(path, os.O_WRONLY)
    try:
        _write_all(descriptor, pieces, calls)
    finally:
        os.close(descriptor)


def _open_fifo(path: str, calls: SystemCalls) -> int:
    """Open a named pipe once it has a reader. A shell would wait for ever; a job in CI must not."""
    deadline_s = calls.monotonic() + _READER_PATIENCE_S
    while True:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != ENXIO:
                raise
            if calls.monotonic() >= deadline_s:
                raise OSError(ENXIO, "nobody reads this pipe") from None
            time.sleep(_READER_POLL_S)
        else:
            os.set_blocking(descriptor, True)
            return descriptor


def _replace_file(target: Path, pieces: Iterable[bytes], *, old: os.stat_result | None, calls: SystemCalls) -> None:
    temporary = target.parent / f".evalgate-sql-{secrets.token_hex(8)}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, _NEW_FILE_MODE)
    try:
        try:
            if old is not None:
                temporary.chmod(stat.S_IMODE(old.st_mode))
            _write_all(descriptor, pieces, calls)
            calls.fsync(descriptor)
        finally:
            os.close(descriptor)
        calls.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(target.parent, calls)


def _sync_folder(folder: Path, calls: SystemCalls) -> None:
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            calls.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in _UNSYNCABLE:
            raise


def _write_all(descriptor: int, pieces: Iterable[bytes], calls: SystemCalls) -> None:
    for batch in _batches(pieces):
        rest = memoryview(batch)
        while rest:
            rest = rest[calls.write(descriptor, rest) :]


def _batches(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Join small pieces, so that a report of 10,000 cases is not 10,000 system calls."""
    batch = bytearray()
    for piece in pieces:
        batch += piece
        if len(batch) >= _BATCH_BYTES:
            yield bytes(batch)
            batch.clear()
    yield bytes(batch)
