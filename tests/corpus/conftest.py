"""Finds the handed corpora and data, and makes the fixtures that several tests replay on.

Our own corpora are in `tests/cases/corpora`, so most tests run everywhere. The hostile files are built by a program,
and the real data has licences of its own, so both stay in the handed folder: `EVALGATE_SQL_SHARED`, or `../shared`
beside the checkout.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.corpus.hostile_files import Builder
from tests.corpus.replay import CORPORA

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of the handed corpora and data. Without it a test is skipped, or fails in CI."""
    folder = CHECKOUT / os.environ.get("EVALGATE_SQL_SHARED", "../shared")
    if not folder.is_dir():
        message = f"nothing was replayed: no folder {folder}; EVALGATE_SQL_SHARED says where the corpora and data are"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return folder


@pytest.fixture(scope="session")
def corpus_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the database that the statements of the corpora are about, alone in its folder."""
    path = tmp_path_factory.mktemp("corpus") / "fixture.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((CORPORA / "schema-sqlite.sql").read_text(encoding="utf-8"))
    return path


@pytest.fixture(scope="session")
def hostile_files(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """Return what builds the hostile files."""
    return Builder(shared / "corpora" / "build_hostile_files.py", tmp_path_factory.mktemp("hostile"))
