"""Is the file that is open still the file the parent checked?"""

import os

from evalgate_sql.model.fixture import FileStamp, SqliteFixture


def is_unchanged(fixture: SqliteFixture) -> bool:
    """Compare the file at the fixture's path with the stamp the parent took. A vanished file has changed."""
    try:
        return FileStamp.of(os.stat(fixture.path)) == fixture.stamp
    except OSError:
        return False
