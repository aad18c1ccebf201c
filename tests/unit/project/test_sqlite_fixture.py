"""Which files may be a SQLite fixture, and how a refusal helps."""

import errno
import hashlib
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from evalgate_sql.errors import DatabaseRefused
from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.limits import MAX_HASHED_FIXTURE_BYTES, MIB
from evalgate_sql.project import sqlite_fixture
from evalgate_sql.project.sqlite_fixture import inspect_sqlite_fixture

NOBODY = 65_534
MakeDatabase = Callable[[str, str], Path]


def refusal(path: Path) -> DatabaseRefused:
    """Return the error that `path` is refused with."""
    with pytest.raises(DatabaseRefused) as caught:
        inspect_sqlite_fixture(path)
    assert caught.value.exit_code is ExitCode.BAD_ARGS
    return caught.value


@contextmanager
def without_privileges() -> Iterator[None]:
    """Give up root's right to read everything, where the tests have it."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if user == 0:
            os.seteuid(user)


def test_a_database_at_rest_is_accepted(database: Path) -> None:
    """A rollback database is opened with locks, and its identity has all three parts."""
    identity = inspect_sqlite_fixture(database)

    assert identity.fixture.path == str(database.resolve())
    assert identity.fixture.stamp.size_bytes == database.stat().st_size
    assert not identity.fixture.immutable
    assert identity.change_counter == 2
    assert identity.sha256 is not None


def test_the_digest_is_that_of_the_whole_file(database: Path) -> None:
    """Reading in blocks leaves out no byte."""
    os.truncate(database, 3 * MIB - 1)

    assert inspect_sqlite_fixture(database).sha256 == hashlib.sha256(database.read_bytes()).hexdigest()


def test_a_wal_database_without_frames_is_immutable(make_database: MakeDatabase) -> None:
    """It can only be read so without leaving files beside it; its counter says nothing."""
    identity = inspect_sqlite_fixture(make_database("wal.db", "WAL"))

    assert identity.fixture.immutable
    assert identity.change_counter is None


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "fixture_not_sqlite"),
        (b"SQLite format 3\0", "fixture_not_sqlite"),
        (b"this is not a database\n" * 100, "fixture_not_sqlite"),
        (b"SQLite format 3\0" + b"\0" * 2 + b"\1\3" + b"\0" * 1004, "fixture_format_unsupported"),
        (b"SQLite format 3\0" + b"\0" * 2 + b"\3\1" + b"\0" * 1004, "fixture_format_unsupported"),
        (b"SQLite format 3\0" + b"\0" * 2 + b"\1\2" + b"\0" * 1004, "fixture_format_unsupported"),
    ],
)
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes, code: str) -> None:
    """The header decides: no content, another content, or a format from the future."""
    path = tmp_path / "odd.db"
    path.write_bytes(content)

    assert refusal(path).code == code


def test_a_missing_file_is_refused_and_not_created(tmp_path: Path) -> None:
    """A mistyped name must not turn into an empty database."""
    assert refusal(tmp_path / "missing.db").code == "fixture_missing"
    assert refusal(tmp_path / "no" / "folder.db").code == "fixture_missing"
    assert list(tmp_path.iterdir()) == []


def test_a_name_no_file_can_have_is_refused(tmp_path: Path) -> None:
    """A NUL cannot be in a path, nor can a file be in a file."""
    (tmp_path / "file").touch()

    assert refusal(tmp_path / "a\0b").code == "fixture_missing"
    assert refusal(tmp_path / "file" / "p.db").code == "fixture_missing"
    assert refusal(tmp_path / ("x" * 300)).code == "fixture_unreadable"


def test_links_are_resolved(database: Path, tmp_path: Path) -> None:
    """The worker gets the file itself, so a link that moves later changes nothing."""
    link = tmp_path / "link.db"
    link.symlink_to(database)

    assert inspect_sqlite_fixture(link) == inspect_sqlite_fixture(database)


def test_links_to_nowhere_are_refused(tmp_path: Path) -> None:
    """A dangling link, which a plain open would fill, and a circle of links."""
    dangling, loop = tmp_path / "dangling.db", tmp_path / "loop.db"
    dangling.symlink_to(tmp_path / "nowhere.db")
    loop.symlink_to(loop)

    assert refusal(dangling).code == "fixture_dangling_link"
    assert refusal(loop).code == "fixture_link_loop"


def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path) -> None:
    """Nobody writes to the pipe, so a reader that opened it plainly would wait for ever."""
    os.mkfifo(tmp_path / "pipe.db")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))

    kinds = {tmp_path: "a directory", tmp_path / "pipe.db": "a pipe", tmp_path / "s": "a socket"}
    kinds |= {Path("/dev/zero"): "a device", Path("/dev/null"): "a device"}

    for path, kind in kinds.items():
        error = refusal(path)
        assert error.code == "fixture_not_regular"
        assert kind in error.message


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs Linux's /proc")
def test_special_files_end_in_an_error(tmp_path: Path) -> None:
    """Process memory calls itself a regular file; a program's standard input may be anything."""
    assert refusal(Path("/proc/self/mem")).code == "fixture_not_sqlite"

    script = "import sys; from pathlib import Path; from evalgate_sql.project import sqlite_fixture as f\n"
    script += "try: f.inspect_sqlite_fixture(Path('/dev/stdin'))\nexcept f.DatabaseRefused: sys.exit(5)"
    process = subprocess.run([sys.executable, "-c", script], stdin=subprocess.PIPE, cwd=tmp_path, check=False)
    assert process.returncode == ExitCode.BAD_ARGS


def test_a_file_we_may_not_read_is_refused(database: Path) -> None:
    """Permissions are named as the reason, not taken for absence."""
    database.chmod(0)

    with without_privileges():
        assert refusal(database).code == "fixture_permission_denied"


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.EACCES, "fixture_permission_denied"),
        (errno.EPERM, "fixture_permission_denied"),
        (errno.EIO, "fixture_unreadable"),
    ],
)
def test_the_systems_reason_becomes_a_code(tmp_path: Path, number: int, code: str) -> None:
    """What cannot be provoked everywhere is mapped all the same, without the system's own words about the path."""
    error = sqlite_fixture._not_accessible(tmp_path / "p.db", OSError(number, "SECRET"))

    assert error.code == code
    assert "SECRET" not in error.diagnostics()


def test_odd_names_are_quoted_in_commands(make_database: MakeDatabase) -> None:
    """A shell has to read the path as one word."""
    odd = make_database("it's odd?mode=rwc&x=#%41 é\n.db", "DELETE")
    assert inspect_sqlite_fixture(odd).fixture.path == str(odd)
    Path(f"{odd}-wal").write_bytes(b"frames")

    (action,) = refusal(odd).next_actions

    assert shlex.split(action.command) == ["sqlite3", str(odd), "PRAGMA wal_checkpoint(TRUNCATE)"]


def test_a_huge_file_is_not_hashed(database: Path) -> None:
    """A sparse file of a tebibyte is known by its stamp and counter alone."""
    os.truncate(database, 1 << 40)
    identity = inspect_sqlite_fixture(database)

    assert identity.sha256 is None
    assert identity.change_counter == 2
    assert identity.unchanged()


def test_the_largest_hashed_file_is_hashed(database: Path) -> None:
    """The bound itself is still within."""
    os.truncate(database, MAX_HASHED_FIXTURE_BYTES)

    assert inspect_sqlite_fixture(database).sha256 is not None


def test_no_database_driver_is_loaded() -> None:
    """The parent looks at bytes only: a hostile file never meets an engine in this process."""
    script = "import sys, evalgate_sql.project.sqlite_fixture; sys.exit('sqlite3' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
