"""Runs the statements of tests/cases/sqlite_statements.toml through real workers: what runs, what does not and why."""

import hashlib
import sqlite3
import tomllib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from evalgate_sql.limits import case_deadline_ms
from evalgate_sql.model.outcome import Outcome, Reason, Stage
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.policy.load import load_policy
from evalgate_sql.project.sqlite_fixture import inspect_sqlite_fixture
from evalgate_sql.supervisor.slot import Task
from evalgate_sql.wire.job_codec import encode_context, encode_queries
from evalgate_sql.wire.messages import JobContext, Queries, Reply

PACK: dict[str, list[dict[str, Any]]] = tomllib.loads(
    (Path(__file__).parents[1] / "cases" / "sqlite_statements.toml").read_text(encoding="utf-8")
)
STATEMENTS = [(kind, entry) for kind in ("run", "refuse", "reject") for entry in PACK[kind]]
SCHEMA = """
    CREATE TABLE person(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);
    CREATE TABLE visit(id INTEGER PRIMARY KEY, person_id INTEGER, day TEXT);
    CREATE VIEW adult AS SELECT id, upper(name) AS name FROM person;
    CREATE VIEW engine AS SELECT sqlite_version() AS version;
    CREATE VIRTUAL TABLE notes USING fts5(body);
    INSERT INTO person VALUES (1, 'Ada'), (2, 'Grace'), (3, NULL);
    INSERT INTO visit VALUES (1, 1, '2024-01-31'), (2, 2, '2024-02-29');
"""
LIMITS = QueryLimits(30_000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the fixture and nothing else."""
    folder = tmp_path_factory.mktemp("statements")
    with closing(sqlite3.connect(folder / "fixture.db")) as connection:
        connection.executescript(SCHEMA)
    return folder


@pytest.fixture(scope="module")
def before(folder: Path) -> str:
    """Return the digest of the fixture before any statement ran."""
    return hashlib.sha256((folder / "fixture.db").read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def verdicts(folder: Path, before: str, run_tasks: Callable[..., list[Reply]]) -> list[Verdict]:
    """Return the verdict of each statement, all from one run."""
    assert before
    fixture = inspect_sqlite_fixture(folder / "fixture.db").fixture
    tasks = []
    for number, (kind, entry) in enumerate(STATEMENTS):
        policy = load_policy(None, engine="sqlite", enable_groups=tuple(entry.get("enable", ())), base=folder)
        reference = entry["sql"] if kind == "run" else "SELECT 1"
        queries = Queries(reference, entry["sql"], order_matters=False, float_tolerance=1e-9)
        context = encode_context(JobContext(fixture, policy, LIMITS))
        tasks.append(Task(number, encode_queries(queries), case_deadline_ms(LIMITS.timeout_ms), context))
    return [reply for reply in run_tasks(tasks, jobs=2) if isinstance(reply, Verdict)]


def ending(kind: str, entry: dict[str, Any]) -> tuple[Outcome, Reason | None, Stage | None]:
    """Return how the case of a statement has to end."""
    match kind:
        case "run":
            return Outcome.MATCH, None, None
        case "refuse":
            return Outcome.REFUSED, Reason(entry["reason"]), Stage.GENERATED
        case _:
            return Outcome.GENERATED_ERROR, Reason(entry["reason"]), Stage.GENERATED


@pytest.mark.parametrize(
    "number", range(len(STATEMENTS)), ids=[f"{kind} {' '.join(entry['sql'].split())}" for kind, entry in STATEMENTS]
)
def test_statement_ends_as_the_pack_says(verdicts: list[Verdict], number: int) -> None:
    """The statement runs, is refused or is rejected, with the reason that stands beside it."""
    verdict = verdicts[number]
    assert (verdict.outcome, verdict.reason, verdict.stage) == ending(*STATEMENTS[number])


def test_no_statement_changed_the_fixture(folder: Path, before: str, verdicts: list[Verdict]) -> None:
    """After all of them the fixture has the same bytes."""
    assert len(verdicts) == len(STATEMENTS)
    assert hashlib.sha256((folder / "fixture.db").read_bytes()).hexdigest() == before


def test_no_statement_left_a_file(folder: Path, verdicts: list[Verdict]) -> None:
    """After all of them nothing was created beside the fixture."""
    assert len(verdicts) == len(STATEMENTS)
    assert [path.name for path in folder.iterdir()] == ["fixture.db"]
