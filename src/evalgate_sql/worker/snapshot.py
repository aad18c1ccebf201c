"""Whether the file that is open is still the file that the parent checked."""

import os

from evalgate_sql.model.fixture import FileStamp, SqliteFixture


def is_unchanged(fixture: SqliteFixture) -> bool:
    """Compare the file at the fixture's path with the stamp the parent took. A vanished file has changed."""
    try:
        return FileStamp.of(os.stat(fixture.path)) == fixture.stamp  # noqa: PTH116 - a Path costs a case 10 us
    except OSError:
        return False
