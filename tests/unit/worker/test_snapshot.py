"""Whether the file at the fixture's path is still the one that was checked."""

import os
from pathlib import Path

import pytest

from evalgate_sql.model.fixture import FileStamp, SqliteFixture
from evalgate_sql.worker.snapshot import is_unchanged


@pytest.fixture
def fixture(tmp_path: Path) -> SqliteFixture:
    """Return a fixture whose stamp was just taken."""
    path = tmp_path / "fixture.db"
    path.write_bytes(b"content")
    return SqliteFixture(str(path), FileStamp.of(path.stat()), immutable=False)


def test_untouched_file_is_unchanged(fixture: SqliteFixture) -> None:
    """Reading a file changes nothing about it."""
    Path(fixture.path).read_bytes()
    assert is_unchanged(fixture)


def test_rewritten_file_has_changed(fixture: SqliteFixture) -> None:
    """The same bytes written again, with the old modification time, are a change."""
    before = Path(fixture.path).stat()
    Path(fixture.path).write_bytes(b"content")
    os.utime(fixture.path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not is_unchanged(fixture)


def test_vanished_file_has_changed(fixture: SqliteFixture) -> None:
    """No file is another file."""
    Path(fixture.path).unlink()
    assert not is_unchanged(fixture)


def test_other_file_in_its_place_has_changed(fixture: SqliteFixture) -> None:
    """A copy has another inode."""
    path = Path(fixture.path)
    path.rename(path.with_name("aside"))
    path.write_bytes(b"content")
    assert not is_unchanged(fixture)
