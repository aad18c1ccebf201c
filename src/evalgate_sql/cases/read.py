"""Reads a case file twice from one descriptor: once to check and hash all of it, once to run it.

Contract section 3. Bytes are bounded before anything looks at them, and what stays in memory is one block, one line
and the ids. Knows what a line and a file may be, and nothing of what a case holds: that is `record`.
"""

import errno
import hashlib
import io
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from evalgate_sql.cases.record import RecordError, parse_case
from evalgate_sql.errors import CaseFileChanged, CaseFileError, UnavailableError
from evalgate_sql.limits import KIB, MAX_CASE_FILE_BYTES, MAX_CASE_LINE_BYTES, MAX_CASES
from evalgate_sql.model.case import Case

_BLOCK_BYTES = 256 * KIB
"""How much is read at once. NOTE: `numbered_lines` needs a block to be shorter than the longest allowed line."""

_BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t\r"
_BLANK_RUN = re.compile(rb"[ \t\r\n]*")
_SHOWN_ID_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A case file that broke no rule when it was opened. Owns the descriptor: use it in a `with`."""

    path: str
    """As the user named it."""
    sha256: str
    """Digest of the whole file, in hexadecimal."""
    case_count: int
    size_bytes: int
    _file: io.FileIO = field(repr=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the descriptor; a second time does nothing."""
        self._file.close()

    def cases(self) -> Iterator[Case]:
        """Yield the cases in file order, read again from the same descriptor.

        Raises CaseFileChanged when the bytes are no longer those that were checked. A change of content shows at the
        end at the latest, so cases from the changed part may have been yielded before: only an iterator that ended
        normally vouches for what it gave. May be called more than once. A file that was replaced under its name is
        no change, since the descriptor still reads the old one.
        """
        _require_size(self._file, self.size_bytes, path=self.path)
        reading = _Reading(self._file, path=self.path, size_bytes=self.size_bytes)
        for line, raw in numbered_lines(reading.blocks()):
            try:
                case = parse_case(raw, file=self.path, line=line)
            except RecordError:
                raise _changed(self.path) from None
            yield case
        _require_size(self._file, self.size_bytes, path=self.path)
        if reading.sha256() != self.sha256:
            raise _changed(self.path)


def open_case_file(path: str) -> CaseFile:
    """Open, check and hash the whole case file at `path`; the caller closes what is returned.

    Raises CaseFileError with the line at fault, CaseFileChanged when somebody writes to the file meanwhile, and
    UnavailableError when the disk fails.
    """
    file = _open_regular(path)
    try:
        return _validate(file, path)
    except BaseException:
        file.close()
        raise


def _open_regular(path: str) -> io.FileIO:
    """Open `path` without waiting for anybody; refuse all but a regular file."""
    try:
        file = io.FileIO(path, opener=_open_without_waiting)
    except OSError as fault:
        raise _cannot_open(path, fault) from None
    except ValueError:
        raise CaseFileError("case_file_missing", "no file can have such a name", file=path) from None
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise _not_regular(path)
    return file


def _open_without_waiting(path: str, flags: int) -> int:
    """Add what keeps a pipe from blocking us and a terminal from becoming ours. Not every platform has the flags."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))


def _cannot_open(path: str, fault: OSError) -> CaseFileError:
    match fault.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return CaseFileError("case_file_missing", "there is no such case file", file=path)
        case errno.EISDIR | errno.ENXIO:
            return _not_regular(path)
        case _:
            return CaseFileError(
                "case_file_unreadable", f"the case file cannot be opened: {_system_text(fault)}", file=path
            )


def _not_regular(path: str) -> CaseFileError:
    return CaseFileError(
        "case_file_not_regular",
        "a case file has to be a regular file, not a directory, pipe, socket or device: it is read twice",
        file=path,
    )


def _system_text(fault: OSError) -> str:
    return os.strerror(fault.errno or 0)


def _validate(file: io.FileIO, path: str) -> CaseFile:
    """Read everything once; every refusal of a line comes from here."""
    size_bytes = _bounded_size(file, path)
    reading = _Reading(file, path=path, size_bytes=size_bytes)
    first_lines: dict[str, int] = {}
    for line, raw in numbered_lines(reading.blocks()):
        try:
            case = parse_case(raw, file=path, line=line)
        except RecordError as fault:
            raise CaseFileError("case_file_invalid", str(fault), file=path, line=line) from None
        _admit(case, first_lines)
    if not first_lines:
        raise CaseFileError("case_file_empty", "the case file holds no case", file=path)
    _require_size(file, size_bytes, path=path)
    return CaseFile(path, reading.sha256(), len(first_lines), size_bytes, file)


def _bounded_size(file: io.FileIO, path: str) -> int:
    """Return the size that both passes are held to."""
    size_bytes = os.fstat(file.fileno()).st_size
    if size_bytes > MAX_CASE_FILE_BYTES:
        raise CaseFileError(
            "case_file_too_large",
            f"the case file has {size_bytes:,} bytes; at most {MAX_CASE_FILE_BYTES:,} are allowed",
            file=path,
        )
    return size_bytes


def _admit(case: Case, first_lines: dict[str, int]) -> None:
    """Note where `case` stands; refuse a second case of its id and one case too many."""
    first = first_lines.setdefault(case.id, case.line)
    if first != case.line:
        raise CaseFileError(
            "case_file_invalid",
            f"the id {_shown_id(case.id)} was used before, on line {first:,}",
            file=case.file,
            line=case.line,
        )
    if len(first_lines) > MAX_CASES:
        raise CaseFileError(
            "case_file_too_many_cases",
            f"the case file holds more than {MAX_CASES:,} cases",
            file=case.file,
            line=case.line,
        )


def _shown_id(case_id: str) -> str:
    """Return an id in quotes, cut short, with everything but printable ASCII escaped."""
    return ascii(case_id[:_SHOWN_ID_CHARACTERS]) + ("..." if len(case_id) > _SHOWN_ID_CHARACTERS else "")


def _require_size(file: io.FileIO, size_bytes: int, *, path: str) -> None:
    """Notice a file that grew or shrank.

    NOTE: not the times. The digest proves which bytes were run, and a `touch`, or a network file system that settles
    a time late, changes none of them.
    """
    if os.fstat(file.fileno()).st_size != size_bytes:
        raise _changed(path)


def _changed(path: str) -> CaseFileChanged:
    return CaseFileChanged("case_file_changed", "the case file changed while it was in use", file=path)


class _Reading:
    """One pass over a file: its blocks, and the digest of all that was handed out."""

    def __init__(self, file: io.FileIO, *, path: str, size_bytes: int) -> None:
        self._file = file
        self._path = path
        self._size_bytes = size_bytes
        self._digest = hashlib.sha256()

    def blocks(self) -> Iterator[bytes]:
        """Yield the file, never more than it was said to hold, without a byte order mark at its start.

        Reads by offset, so that two passes over one descriptor do not disturb each other.
        """
        offset = 0
        while block := self._read(offset):
            self._digest.update(block)
            yield block.removeprefix(_BOM) if offset == 0 else block
            offset += len(block)

    def _read(self, offset: int) -> bytes:
        wanted = min(_BLOCK_BYTES, self._size_bytes - offset)
        descriptor = self._file.fileno()
        try:
            return os.pread(descriptor, wanted, offset)
        except OSError as fault:
            raise UnavailableError(
                "case_file_unreadable", f"the case file cannot be read: {_system_text(fault)}", file=self._path
            ) from None

    def sha256(self) -> str:
        """Return the digest of the blocks so far, in hexadecimal."""
        return self._digest.hexdigest()


def numbered_lines(blocks: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield number, from 1, and bytes of every line that is not blank; only LF ends a line, and it is cut off.

    A line over the limit comes out just too long and is the last one, blank or not: its reader refuses it. Blank
    means spaces, tabs and carriage returns, as JSON has it. Runs of blank lines are skipped as a whole, so that a
    file of nothing else costs no time a line.
    """
    number, pending = 1, b""
    for block in blocks:
        text = pending + block
        start = 0
        while (end := text.find(b"\n", start)) >= 0:
            line = text[start:end]
            start = end + 1
            if line.strip(_BLANKS) or len(line) > MAX_CASE_LINE_BYTES:
                yield number, line
            else:
                start = _after_blank_lines(text, start)
                number += text.count(b"\n", end + 1, start)
            number += 1
        pending = text[start:]
        if len(pending) > MAX_CASE_LINE_BYTES:
            break
    if pending.strip(_BLANKS) or len(pending) > MAX_CASE_LINE_BYTES:
        yield number, pending


def _after_blank_lines(text: bytes, start: int) -> int:
    """Return where the first line begins, from `start` on, that is not known to be blank.

    The line that a block completes is looked at on its own, so every line skipped here is shorter than a block and
    cannot be over the limit.
    """
    run = _BLANK_RUN.match(text, start)
    last = text.rfind(b"\n", start, run.end()) if run else -1
    return start if last < 0 else last + 1
