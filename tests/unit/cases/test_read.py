"""Which files are read, within which bounds, and when one counts as changed."""

import errno
import hashlib
import io
import json
import os
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evalgate_sql.cases import read
from evalgate_sql.cases.read import CaseFile, numbered_lines, open_case_file
from evalgate_sql.errors import CaseFileChanged, CaseFileError, UnavailableError
from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.limits import KIB, MAX_CASE_FILE_BYTES, MAX_CASE_LINE_BYTES, MAX_CASES, MIB


def record(case_id: str, *, generated_sql: str = "SELECT 1") -> bytes:
    """Return one valid line without its LF."""
    fields = {"id": case_id, "question": "q", "generatedSql": generated_sql, "referenceSql": "SELECT 1"}
    return json.dumps(fields).encode()


def records(count: int, *, padding: int = 0) -> Iterator[bytes]:
    """Yield so many lines with their LF, each with so much more SQL."""
    return (record(f"case-{number}", generated_sql="SELECT 1 " + "x" * padding) + b"\n" for number in range(count))


def refusal(path: Path | str) -> CaseFileError:
    """Return the error that the file is refused with."""
    with pytest.raises(CaseFileError) as caught:
        open_case_file(str(path))
    assert caught.value.exit_code is ExitCode.BAD_ARGS
    return caught.value


def places(path: Path) -> list[tuple[str, int]]:
    """Return id and line of every case in the file."""
    with open_case_file(str(path)) as file:
        return [(case.id, case.line) for case in file.cases()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a test writes its case file."""
    return tmp_path / "cases.jsonl"


@pytest.fixture
def ten(path: Path) -> Iterator[CaseFile]:
    """Return an open file of ten cases."""
    path.write_bytes(b"".join(records(10)))
    with open_case_file(str(path)) as file:
        yield file


def test_a_valid_file_is_described(ten: CaseFile, path: Path) -> None:
    """Path as given, digest of the bytes, number of cases."""
    assert (ten.path, ten.case_count, ten.size_bytes) == (str(path), 10, path.stat().st_size)
    assert ten.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_path_is_kept_as_given(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports name a file as the user does."""
    path.write_bytes(record("a"))
    monkeypatch.chdir(path.parent)

    with open_case_file("./cases.jsonl") as file:
        assert [case.file for case in file.cases()] == ["./cases.jsonl"]


def test_cases_can_be_read_twice_at_once(ten: CaseFile) -> None:
    """Two iterators over one descriptor do not disturb each other."""
    first, second = ten.cases(), ten.cases()

    assert [(a.id, b.id) for a, b in zip(first, second, strict=True)] == [(f"case-{n}", f"case-{n}") for n in range(10)]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (record("a"), [1]),
        (record("a") + b"\n", [1]),
        (record("a") + b"\r\n" + record("b") + b"\r\n", [1, 2]),
        (b"\xef\xbb\xbf" + record("a") + b"\n" + record("b"), [1, 2]),
        (b"\xef\xbb\xbf\n" + record("a"), [2]),
        (b"\n\n" + record("a") + b"\n \t\r\n\n" + record("b") + b"\n\n", [3, 6]),
        (b" \t" + record("a") + b" \r\n   ", [1]),
        (b"\n" * 300_000 + record("a") + b"\n" * 300_000 + record("b"), [300_001, 600_001]),
        (b" \r\n" * 300_000 + record("a"), [300_001]),
        (b" " * MAX_CASE_LINE_BYTES + b"\n" + record("a"), [2]),
    ],
)
def test_blank_lines_are_skipped_and_counted(path: Path, content: bytes, lines: list[int]) -> None:
    """Line numbers are those an editor shows, whatever stands between the cases."""
    path.write_bytes(content)

    assert [line for _, line in places(path)] == lines


@pytest.mark.parametrize("filler", [b"x", b" "])
@pytest.mark.parametrize("ending", [b"", b"\n"])
@pytest.mark.parametrize("before", [0, 5, 256 * KIB - 1])
def test_a_line_over_the_bound_is_refused(path: Path, filler: bytes, ending: bytes, before: int) -> None:
    """One byte too many is too many, blank or not, ended or not, wherever blocks happen to end."""
    path.write_bytes(b"\n" * before + filler * (MAX_CASE_LINE_BYTES + 1) + ending)

    error = refusal(path)

    assert (error.line, error.message) == (before + 1, "the line is longer than 1,048,576 bytes")


def test_an_endless_line_is_given_up_early(path: Path) -> None:
    """The rest of a huge line is not even read."""
    path.write_bytes(b"x" * MAX_CASE_FILE_BYTES)
    blocks = (b"x" * 256 * KIB for _ in range(6))

    assert [len(line) for _, line in numbered_lines(blocks)] == [5 * 256 * KIB]
    assert refusal(path).line == 1


def test_a_file_over_the_bound_is_refused_unread(path: Path) -> None:
    """A sparse file beyond any disk costs nothing."""
    path.touch()
    os.truncate(path, MAX_CASE_FILE_BYTES + 1)

    assert refusal(path).code == "case_file_too_large"


def test_a_file_at_the_bound_is_read(path: Path) -> None:
    """Blank padding up to the last allowed byte is fine."""
    path.write_bytes(record("a") + b"\n" * (MAX_CASE_FILE_BYTES - len(record("a"))))

    assert places(path) == [("a", 1)]


def test_one_case_too_many_is_refused(path: Path) -> None:
    """Ten thousand are read, and the line of the next one is named."""
    path.write_bytes(b"".join(records(MAX_CASES)))
    with open_case_file(str(path)) as file:
        assert file.case_count == MAX_CASES

    path.write_bytes(b"".join(records(MAX_CASES + 1)))

    error = refusal(path)
    assert (error.code, error.line) == ("case_file_too_many_cases", MAX_CASES + 1)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """Also where a link or a name leads nowhere."""
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "file").touch()

    for missing in ("none", "dangling", "file/none", "a\0b"):
        assert refusal(tmp_path / missing).code == "case_file_missing"
    assert refusal("").code == "case_file_missing"
    assert refusal("\ud800").code == "case_file_missing"


def test_a_link_to_a_file_is_fine(path: Path, tmp_path: Path) -> None:
    """What it leads to is what counts."""
    path.write_bytes(record("a"))
    (tmp_path / "link").symlink_to(path)

    assert places(tmp_path / "link") == [("a", 1)]


def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path) -> None:
    """Nobody writes to the pipe, so a reader that opened it plainly would wait for ever."""
    os.mkfifo(tmp_path / "pipe")

    for odd in (tmp_path, tmp_path / "pipe", "/dev/null", "/dev/zero"):
        assert refusal(odd).code == "case_file_not_regular"


def test_a_file_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    """The system's reason is given, without its words about the path."""
    (tmp_path / "loop").symlink_to("loop")

    error = refusal(tmp_path / "loop")

    assert (error.code, error.message) == (
        "case_file_unreadable",
        f"the case file cannot be opened: {os.strerror(errno.ELOOP)}",
    )


def test_a_disk_that_fails_is_no_fault_of_the_user(path: Path) -> None:
    """An error of the system while reading is exit 11; a descriptor that cannot be read provokes one."""
    with io.FileIO(path, "wb") as unreadable, pytest.raises(UnavailableError) as caught:
        next(read._Reading(unreadable, path="cases.jsonl", size_bytes=10).blocks())

    assert caught.value.exit_code is ExitCode.IO_ERROR
    assert caught.value.diagnostics() == f"cases.jsonl: the case file cannot be read: {os.strerror(errno.EBADF)}"


def test_descriptors_are_closed(path: Path) -> None:
    """After a refusal as after a run; an unclosed one would be a warning, and warnings are errors here."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    path.write_bytes(b"nonsense")
    refusal(path)
    refusal(path.parent)
    path.write_bytes(record("a"))
    with open_case_file(str(path)) as file:
        file.close()

    assert len(list(Path("/proc/self/fd").iterdir())) == before
    with pytest.raises(ValueError, match="closed"):
        next(file.cases())


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_bytes(path.read_bytes() + b"\n"),
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes().replace(b"case-9", b"case-8")),
        lambda path: path.write_bytes(path.read_bytes().replace(b"SELECT 1", b"SELECT 2")),
        lambda path: path.write_bytes(path.read_bytes().replace(b'"id"', b'"ix"')),
        lambda path: path.write_bytes(b"\n" * path.stat().st_size),
    ],
    ids=["longer", "shorter", "empty", "id", "sql", "invalid", "blank"],
)
def test_a_change_between_the_passes_is_noticed(ten: CaseFile, path: Path, change: Callable[[Path], object]) -> None:
    """Whatever was rewritten in place, the iterator does not end normally."""
    change(path)

    with pytest.raises(CaseFileChanged) as caught:
        list(ten.cases())
    assert caught.value.exit_code is ExitCode.WEAK_EVIDENCE
    assert caught.value.code == "case_file_changed"


def test_a_change_during_the_second_pass_is_noticed(ten: CaseFile, path: Path) -> None:
    """Cases read before the change have been yielded, the end has not."""
    cases = ten.cases()
    assert next(cases).id == "case-0"
    path.write_bytes(path.read_bytes() + record("late"))

    with pytest.raises(CaseFileChanged):
        list(cases)


class GrowingFile(io.FileIO):
    """A file that gets another case whenever somebody asks for its descriptor."""

    def fileno(self) -> int:
        """Return the descriptor of a file that has just grown."""
        with Path(str(self.name)).open("ab") as more:
            more.write(record(f"case-{more.tell()}") + b"\n")
        return super().fileno()


def test_a_file_that_grows_during_the_first_pass_is_refused(path: Path) -> None:
    """What was validated would not be what is there."""
    path.write_bytes(b"".join(records(3)))

    with GrowingFile(str(path)) as file, pytest.raises(CaseFileChanged):
        read._validate(file, str(path))


def test_a_touched_or_replaced_file_is_unchanged(ten: CaseFile, path: Path) -> None:
    """The bytes behind the descriptor are what was checked, and the digest proves it."""
    os.utime(path, ns=(0, 0))
    path.with_suffix(".new").write_bytes(b"another file")
    path.with_suffix(".new").replace(path)

    assert len(list(ten.cases())) == 10


@pytest.mark.parametrize("padding", [0, 20 * KIB])
def test_memory_does_not_grow_with_the_file(path: Path, padding: int) -> None:
    """Ids stay, lines do not: 400 cases of 20 KiB peak little above 400 of none."""
    path.write_bytes(b"".join(records(400, padding=padding)) + b"\n" * (4 * MIB))
    tracemalloc.start()
    try:
        with open_case_file(str(path)) as file:
            assert sum(1 for _ in file.cases()) == 400
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 2 * MIB
