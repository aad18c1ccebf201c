"""Every hostile file ends in a clear error or an honest verdict, and stays as it was.

`tests/cases/corpora/hostile-files.toml` says which; beyond what it names, some tables and views of each file's own
schema are read.
"""

import re
import tomllib
from pathlib import Path

import pytest

from evalgate_sql.errors import DatabaseRefused
from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.model.outcome import Outcome, Reason
from evalgate_sql.model.verdict import Verdict
from tests.corpus.hostile_files import Builder, readable_names
from tests.corpus.replay import CORPORA, Pair, check, verdicts, write_cases

# The builder needs a minute for a schema of 20,000 tables.
pytestmark = [pytest.mark.corpus, pytest.mark.timeout(600)]

ENDS = tomllib.loads((CORPORA / "hostile-files.toml").read_text(encoding="utf-8"))
REFUSED: dict[str, str | list[str]] = ENDS["refused"]
READ: dict[str, dict[str, str | list[str]]] = ENDS["read"]

TIMEOUT_MS = 1_000
HONEST = {
    Outcome.MATCH,
    Outcome.MISMATCH,
    Outcome.GENERATED_ERROR,
    Outcome.REFERENCE_ERROR,
    Outcome.REFUSED,
    Outcome.TIMEOUT,
    Outcome.TOO_MANY_ROWS,
    Outcome.TOO_MANY_BYTES,
}
DEAD_WORKER = {Reason.WORKER_DIED, Reason.WORKER_REPLY, Reason.WALL_DEADLINE}


def test_every_file_of_the_builder_has_its_end(shared: Path) -> None:
    """A hostile file that is new to us has to be looked at."""
    program = (shared / "corpora" / "build_hostile_files.py").read_text(encoding="utf-8")

    assert sorted([*REFUSED, *READ]) == sorted(re.findall(r"^@b\ndef (\w+)", program, re.MULTILINE))


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_no_sound_fixture_is_refused(name: str, hostile_files: Builder, tmp_path: Path) -> None:
    """The run ends before the first case, with exit 5 and a code that names the fault; nothing is repaired."""
    file = hostile_files.build(name)
    cases = write_cases(tmp_path / "cases.jsonl", [Pair("one", "SELECT 1", "SELECT 1")])
    before = file.snapshot()

    with pytest.raises(DatabaseRefused) as caught:
        check(cases, file.path, timeout_ms=TIMEOUT_MS)

    assert file.snapshot() == before
    assert caught.value.exit_code is ExitCode.BAD_ARGS
    assert caught.value.code in expected(REFUSED[name])


@pytest.mark.parametrize("name", READ)
def test_a_hostile_file_is_read_or_said_to_be_unreadable(name: str, hostile_files: Builder, tmp_path: Path) -> None:
    """Each table and view ends as the pack says, read as both queries and as the generated one; nothing changes."""
    file = hostile_files.build(name)
    objects = sorted({*READ[name], *readable_names(file.path)})
    pairs = [Pair(f"{table} on itself", whole(table), whole(table)) for table in objects]
    pairs += [Pair(f"{table} on a trivial reference", "SELECT 1", whole(table)) for table in objects]
    before = file.snapshot()

    ended = verdicts(check(write_cases(tmp_path / "cases.jsonl", pairs), file.path, timeout_ms=TIMEOUT_MS))

    assert file.snapshot() == before
    assert {case: verdict for case, verdict in ended.items() if not is_honest(verdict)} == {}
    ends = {table: end_of(ended[f"{table} on itself"]) for table in READ[name]}
    assert {table: end for table, end in ends.items() if end not in expected(READ[name][table])} == {}


def whole(table: str) -> str:
    """Return the query that reads a table or view whole."""
    quoted = table.replace('"', '""')
    return f'SELECT * FROM "{quoted}"'


def expected(entry: str | list[str]) -> list[str]:
    """Return the ends that an entry of the pack allows."""
    return [entry] if isinstance(entry, str) else entry


def end_of(verdict: Verdict) -> str:
    """Return how a query that was its own reference ended, in the words of the pack."""
    if verdict.outcome is Outcome.REFERENCE_ERROR and verdict.reason is not None:
        return verdict.reason
    return verdict.outcome


def is_honest(verdict: Verdict) -> bool:
    """Tell whether the worker itself said what became of the case."""
    return verdict.outcome in HONEST and verdict.reason not in DEAD_WORKER
