"""Which files may be a SQLite fixture, and when one counts as changed."""

import errno
import hashlib
import os
import shlex
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from evalgate_sql.errors import DatabaseRefused
from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.limits import MAX_HASHED_FIXTURE_BYTES, MIB
from evalgate_sql.model.fixture import FileStamp
from evalgate_sql.project import sqlite_fixture
from evalgate_sql.project.sqlite_fixture import FixtureIdentity, inspect_sqlite_fixture

NOBODY = 65_534


def make_database(path: Path, *, journal_mode: str = "DELETE") -> Path:
    """Write a small database with one row and close it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode={journal_mode}")
        connection.execute("CREATE TABLE t(a)")
        connection.execute("INSERT INTO t VALUES (1)")
        connection.commit()
    return path


def copy_with_sidecar(source: Path, target: Path, suffix: str) -> Path:
    """Copy a database that is in use, as a crash would leave it."""
    shutil.copy(source, target)
    shutil.copy(f"{source}{suffix}", f"{target}{suffix}")
    return target


def refusal(path: Path) -> DatabaseRefused:
    """Return the error that `path` is refused with."""
    with pytest.raises(DatabaseRefused) as caught:
        inspect_sqlite_fixture(path)
    assert caught.value.exit_code is ExitCode.BAD_ARGS
    return caught.value


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Return a database in rollback mode."""
    return make_database(tmp_path / "fixture.db")


@pytest.fixture
def pending(tmp_path: Path) -> Path:
    """Return a WAL database whose last row is still in its log."""
    source = make_database(tmp_path / "source.db", journal_mode="WAL")
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("INSERT INTO t VALUES (2)")
        connection.commit()
        return copy_with_sidecar(source, tmp_path / "pending.db", "-wal")


@pytest.fixture
def hot(tmp_path: Path) -> Path:
    """Return a database that a crash left in the middle of a transaction."""
    source = make_database(tmp_path / "source.db")
    with closing(sqlite3.connect(source, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size=1")
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO t VALUES (?)", [("x" * 1000,)] * 100)
        copy = copy_with_sidecar(source, tmp_path / "hot.db", "-journal")
        connection.execute("ROLLBACK")
    return copy


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


def test_a_wal_database_without_frames_is_immutable(tmp_path: Path) -> None:
    """It can only be read so without leaving files beside it; its counter says nothing."""
    identity = inspect_sqlite_fixture(make_database(tmp_path / "wal.db", journal_mode="WAL"))

    assert identity.fixture.immutable
    assert identity.change_counter is None


def test_an_empty_log_is_no_obstacle(database: Path) -> None:
    """A truncating checkpoint of a program that is still open leaves an empty log."""
    Path(f"{database}-wal").touch()

    assert not inspect_sqlite_fixture(database).fixture.immutable


def test_pending_frames_are_refused_with_a_command_that_repairs(pending: Path) -> None:
    """The command named in the refusal moves the frames into the file, which is then accepted."""
    error = refusal(pending)
    assert error.code == "fixture_wal_pending"

    run_repair(error)

    assert inspect_sqlite_fixture(pending).fixture.immutable


def test_frames_beside_a_rollback_database_are_refused(database: Path, pending: Path) -> None:
    """SQLite would read them, although the header says that there are none."""
    shutil.copy(f"{pending}-wal", f"{database}-wal")

    assert refusal(database).code == "fixture_wal_pending"


def test_a_hot_journal_is_refused_with_a_command_that_repairs(hot: Path) -> None:
    """The command named in the refusal rolls the transaction back, and the file is then accepted."""
    error = refusal(hot)
    assert error.code == "fixture_hot_journal"

    run_repair(error)

    assert inspect_sqlite_fixture(hot).sha256 is not None


def run_repair(error: DatabaseRefused) -> None:
    """Do what the one next action says, with Python's SQLite in place of the command-line program."""
    (action,) = error.next_actions
    program, path, pragma = shlex.split(action.command)
    assert program == "sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(pragma).fetchall()


@pytest.mark.parametrize("journal_mode", ["PERSIST", "TRUNCATE"])
def test_a_kept_journal_is_not_hot(tmp_path: Path, journal_mode: str) -> None:
    """A journal that was zeroed or emptied belongs to a finished transaction."""
    database = make_database(tmp_path / "kept.db", journal_mode=journal_mode)
    assert Path(f"{database}-journal").exists()

    assert inspect_sqlite_fixture(database).change_counter is not None


@pytest.mark.parametrize("suffix", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("kind", ["pipe", "directory", "link"])
def test_a_sidecar_that_is_no_file_is_refused(database: Path, suffix: str, kind: str) -> None:
    """An engine would wait on a pipe and follow a link; nothing here does."""
    sidecar = Path(f"{database}{suffix}")
    match kind:
        case "pipe":
            os.mkfifo(sidecar)
        case "directory":
            sidecar.mkdir()
        case _:
            sidecar.symlink_to("elsewhere")

    error = refusal(database)

    assert error.code == "fixture_sidecar_not_regular"
    assert kind in error.message


def test_a_journal_that_vanishes_is_not_hot(tmp_path: Path) -> None:
    """Its transaction ended between two looks at the folder."""
    assert not sqlite_fixture._is_hot(str(tmp_path / "gone-journal"))


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


def test_odd_names_are_quoted_in_commands(tmp_path: Path) -> None:
    """A shell has to read the path as one word."""
    odd = make_database(tmp_path / "it's odd?mode=rwc&x=#%41 é\n.db")
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


@pytest.fixture
def identity(database: Path) -> FixtureIdentity:
    """Return what the database was before a test touches it."""
    return inspect_sqlite_fixture(database)


def test_looking_and_reading_change_nothing(database: Path, identity: FixtureIdentity) -> None:
    """Neither our look nor an engine that only reads counts as a change."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        connection.execute("SELECT a FROM t").fetchall()

    assert identity.unchanged()
    assert list(database.parent.iterdir()) == [database]


def test_a_write_is_a_change(database: Path, identity: FixtureIdentity) -> None:
    """A committed row shows in the identity."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("INSERT INTO t VALUES (2)")
        connection.commit()

    assert not identity.unchanged()


def test_a_write_with_its_time_restored_is_a_change(database: Path, identity: FixtureIdentity) -> None:
    """Other bytes of the same length under the old modification time do not go unseen."""
    status = database.stat()
    content = database.read_bytes()
    database.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    os.utime(database, ns=(status.st_atime_ns, status.st_mtime_ns))

    assert not identity.unchanged()


def test_a_replaced_file_is_a_change(database: Path, identity: FixtureIdentity) -> None:
    """The same bytes in another file are not the file that was run."""
    shutil.copy(database, database.with_suffix(".new"))
    database.with_suffix(".new").replace(database)

    assert not identity.unchanged()


def test_a_vanished_file_is_a_change(database: Path, identity: FixtureIdentity) -> None:
    """There is nothing left to compare with."""
    database.unlink()

    assert not identity.unchanged()


def test_a_file_under_another_link_is_a_change(database: Path, identity: FixtureIdentity) -> None:
    """A link in the place of the file may point to the same bytes and is another file."""
    database.rename(database.with_suffix(".moved"))
    database.symlink_to(database.with_suffix(".moved"))

    assert not identity.unchanged()


def test_frames_written_meanwhile_are_a_change(tmp_path: Path) -> None:
    """In WAL mode the file itself may stay as it is while rows are added."""
    database = make_database(tmp_path / "wal.db", journal_mode="WAL")
    identity = inspect_sqlite_fixture(database)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("INSERT INTO t VALUES (2)")
        connection.commit()
        assert not identity.unchanged()


@pytest.fixture
def stale(database: Path) -> Iterator[tuple[int, FileStamp]]:
    """Return a descriptor and the stamp that its file had before it was touched."""
    stamp = inspect_sqlite_fixture(database).fixture.stamp
    os.utime(database, ns=(0, 0))
    descriptor = os.open(database, os.O_RDONLY)
    yield descriptor, stamp
    os.close(descriptor)


def test_a_file_that_changes_before_it_is_open_is_refused(stale: tuple[int, FileStamp]) -> None:
    """The stamp taken by name has to hold for what was opened."""
    with pytest.raises(DatabaseRefused) as caught:
        sqlite_fixture._read_header(*stale, "fixture.db")

    assert caught.value.code == "fixture_changing"


def test_a_file_that_changes_while_it_is_read_is_refused(stale: tuple[int, FileStamp], database: Path) -> None:
    """The stamp still has to hold when all has been read."""
    with pytest.raises(DatabaseRefused) as caught:
        sqlite_fixture._require_steady(*stale, str(database))

    assert caught.value.code == "fixture_changing"


def test_no_database_driver_is_loaded() -> None:
    """The parent looks at bytes only: a hostile file never meets an engine in this process."""
    script = "import sys, evalgate_sql.project.sqlite_fixture; sys.exit('sqlite3' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
