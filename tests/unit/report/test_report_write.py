"""Reports on disk and on standard output: whole, or not at all."""

import errno
import io
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalgate_sql.errors import UnavailableError
from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.report.write import SystemCalls, _write_through, write_atomically, write_stdout

OLD, NEW = b"old report", b"new report"


def full(*_: object) -> int:
    """Fail as a full disk does."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def refuse(*_: object) -> None:
    """Fail as a full disk does, where nothing is returned."""
    full()


FULL_AT = {
    "write": SystemCalls(write=full),
    "fsync": SystemCalls(fsync=refuse),
    "rename": SystemCalls(replace=refuse),
}


def assert_not_written(path: Path | str, pieces: list[bytes] | None = None) -> None:
    """Assert exit 11 and that the error names the path."""
    with pytest.raises(UnavailableError) as caught:
        write_atomically(str(path), pieces or [NEW])
    assert (caught.value.code, caught.value.exit_code) == ("report_not_written", ExitCode.IO_ERROR)
    assert caught.value.file == str(path)


def test_report_is_written_whole(tmp_path: Path) -> None:
    """Pieces of any size end up in order, and nothing else is left in the folder."""
    pieces = [bytes([n % 256]) * n for n in range(0, 2_000, 7)]
    write_atomically(str(tmp_path / "report.json"), pieces)
    assert (tmp_path / "report.json").read_bytes() == b"".join(pieces)
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_relative_path_is_relative_to_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare name has no folder of its own."""
    monkeypatch.chdir(tmp_path)
    write_atomically("report.json", [NEW])
    assert (tmp_path / "report.json").read_bytes() == NEW


def test_partial_writes_are_continued(tmp_path: Path) -> None:
    """A kernel that takes three bytes at a time loses none."""
    calls = SystemCalls(write=lambda descriptor, data: os.write(descriptor, data[:3]))
    write_atomically(str(tmp_path / "report.json"), [NEW], calls=calls)
    assert (tmp_path / "report.json").read_bytes() == NEW


@pytest.mark.parametrize("stage", FULL_AT)
def test_failure_leaves_the_old_report_and_nothing_else(tmp_path: Path, stage: str) -> None:
    """A disk that fills up at any point costs the new report, not the old one."""
    path = tmp_path / "report.json"
    path.write_bytes(OLD)
    with pytest.raises(UnavailableError, match="No space left on device"):
        write_atomically(str(path), [NEW], calls=FULL_AT[stage])
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [OLD]


def test_failing_source_leaves_the_old_report_and_nothing_else(tmp_path: Path) -> None:
    """An encoder that breaks half-way is our bug and still no half report."""

    def breaks() -> Iterator[bytes]:
        yield NEW
        raise KeyError("bug")

    path = tmp_path / "report.json"
    path.write_bytes(OLD)
    with pytest.raises(KeyError):
        write_atomically(str(path), breaks())
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [OLD]


def test_file_is_synced_before_it_is_renamed_and_the_folder_after(tmp_path: Path) -> None:
    """After a power cut there is the old report or the new one."""
    order: list[str] = []

    def fsync(descriptor: int) -> None:
        order.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")

    def replace(source: Path, target: Path) -> None:
        order.append("rename")
        source.replace(target)

    write_atomically(str(tmp_path / "report.json"), [NEW], calls=SystemCalls(fsync=fsync, replace=replace))
    assert order == ["file", "rename", "folder"]


def test_folder_that_cannot_be_synced_is_no_fault(tmp_path: Path) -> None:
    """Some file systems sync no directories."""

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "")

    write_atomically(str(tmp_path / "report.json"), [NEW], calls=SystemCalls(fsync=fsync))
    assert (tmp_path / "report.json").read_bytes() == NEW


def test_folder_that_fails_to_sync_is_reported(tmp_path: Path) -> None:
    """A disk that fails is named, although the new report is in place."""

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EIO, "")

    with pytest.raises(UnavailableError):
        write_atomically(str(tmp_path / "report.json"), [NEW], calls=SystemCalls(fsync=fsync))


def test_new_report_obeys_the_umask(tmp_path: Path) -> None:
    """A careful user's umask is stronger than our 0644."""
    old_umask = os.umask(0o027)
    try:
        write_atomically(str(tmp_path / "report.json"), [NEW])
    finally:
        os.umask(old_umask)
    assert stat.S_IMODE((tmp_path / "report.json").stat().st_mode) == 0o640


def test_private_report_stays_private(tmp_path: Path) -> None:
    """Replacing a report that only its owner may read shows the new one to nobody else."""
    path = tmp_path / "report.json"
    path.touch(mode=0o600)
    write_atomically(str(path), [NEW])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_symbolic_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    """A link such as `latest.json` keeps pointing to where it pointed."""
    (tmp_path / "real").mkdir()
    (tmp_path / "latest.json").symlink_to(tmp_path / "real" / "report.json")
    write_atomically(str(tmp_path / "latest.json"), [NEW])
    assert (tmp_path / "latest.json").is_symlink()
    assert [file.read_bytes() for file in (tmp_path / "real").iterdir()] == [NEW]


def test_name_of_greatest_length_can_be_written(tmp_path: Path) -> None:
    """The temporary name does not grow with the report's."""
    path = tmp_path / ("r" * 255)
    write_atomically(str(path), [NEW])
    assert path.read_bytes() == NEW


def test_directory_is_refused(tmp_path: Path) -> None:
    """A directory is no place for a report."""
    assert_not_written(tmp_path)


@pytest.mark.parametrize("path", ["missing/report.json", "missing/", "nul\0.json", "", "n" * 256])
def test_impossible_path_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """No folder is created for a report, and no name is bent until it works."""
    monkeypatch.chdir(tmp_path)
    assert_not_written(path)
    assert list(tmp_path.iterdir()) == []


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    """A link that leads to itself leads nowhere."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert_not_written(tmp_path / "loop")


def test_socket_is_refused(tmp_path: Path) -> None:
    """Neither a file nor a stream of bytes."""
    import socket

    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        assert_not_written(tmp_path / "s")


def test_block_device_is_refused(tmp_path: Path) -> None:
    """A report must not overwrite a disk."""
    disk = os.stat_result((stat.S_IFBLK | 0o660, *[0] * 9))
    with pytest.raises(OSError, match="block device"):
        _write_through(str(tmp_path / "disk"), [NEW], old=disk, calls=SystemCalls())


def test_null_device_swallows_the_report() -> None:
    """/dev/null stays a device."""
    write_atomically("/dev/null", [NEW])
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_device_is_reported() -> None:
    """A device that takes nothing is a report not written."""
    assert_not_written("/dev/full")


def test_fifo_without_a_reader_is_given_up(tmp_path: Path) -> None:
    """Nobody can wait for a report for ever: after ten seconds a pipe that nobody reads is an error."""
    path = tmp_path / "fifo"
    os.mkfifo(path)
    seconds = iter((0.0, 9.0, 11.0))
    with pytest.raises(UnavailableError) as caught:
        write_atomically(str(path), [NEW], calls=SystemCalls(monotonic=lambda: next(seconds)))
    assert (caught.value.code, "nobody reads this pipe" in caught.value.message) == ("report_not_written", True)


def test_fifo_gets_the_report(tmp_path: Path) -> None:
    """A reader at the other end of a named pipe sees the bytes, and the pipe stays."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(path.read_bytes()))
    reader.start()
    write_atomically(str(path), [NEW])
    reader.join()
    assert (received, stat.S_ISFIFO(path.stat().st_mode)) == ([NEW], True)


WRITE_BETWEEN_LINES = """
import sys
from evalgate_sql.report.write import write_atomically
print("before", flush=True)
write_atomically(sys.argv[1], [b"report\\n"])
print("after")
"""


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_own_output_redirected_to_a_file_keeps_its_place(tmp_path: Path, path: str) -> None:
    """A report to /dev/stdout neither replaces the file behind it nor overwrites what was printed."""
    out = tmp_path / "out.txt"
    with out.open("wb") as stdout:
        subprocess.run([sys.executable, "-c", WRITE_BETWEEN_LINES, path], stdout=stdout, check=True)
    assert out.read_text() == "before\nreport\nafter\n"


def test_own_output_in_a_pipe_gets_the_report() -> None:
    """A pipe behind /dev/stdout has no name to rename over."""
    done = subprocess.run(
        [sys.executable, "-c", WRITE_BETWEEN_LINES, "/dev/stdout"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "before\nreport\nafter\n"


def test_standard_output_gets_all_pieces() -> None:
    """The stream is flushed too."""
    stream = io.BytesIO()
    write_stdout([OLD, NEW], stream)
    assert stream.getvalue() == OLD + NEW


def test_closed_standard_output_is_reported() -> None:
    """A stream closed before or at the start is exit 11."""
    closed = io.BytesIO()
    closed.close()
    for stream in (closed, None):
        with pytest.raises(UnavailableError) as caught:
            write_stdout([NEW], stream)
        assert caught.value.code == "report_not_written"


WRITE_TO_NOBODY = """
import sys
from evalgate_sql.errors import UnavailableError
from evalgate_sql.report.write import write_stdout
try:
    write_stdout([b"x" * 100_000], sys.stdout.buffer)
except UnavailableError as error:
    sys.exit(error.exit_code)
"""


def test_reader_that_left_is_exit_11_without_a_traceback() -> None:
    """`evalgate-sql … | head` ends quietly, the interpreter's last flush included."""
    readable, writable = os.pipe()
    os.close(readable)
    done = subprocess.run([sys.executable, "-c", WRITE_TO_NOBODY], stdout=writable, stderr=subprocess.PIPE, check=False)
    os.close(writable)
    assert (done.returncode, done.stderr) == (11, b"")
