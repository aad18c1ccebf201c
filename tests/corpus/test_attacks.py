"""Every hostile statement of the corpus ends in its `must` or one of its `safe_alt`, and leaves nothing behind.

How a line is read, and where, is told by the README of the corpora.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from evalgate_sql.errors import CaseFileError, EvalGateError
from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.limits import MAX_SQL_BYTES
from evalgate_sql.model.outcome import Outcome
from evalgate_sql.model.verdict import Verdict
from tests.corpus.hostile_files import Builder
from tests.corpus.replay import CORPORA, Line, Pair, check, read_lines, verdicts, write_cases

pytestmark = pytest.mark.corpus

TIMEOUT_MS = 1_000
TRIVIAL_SQL = "SELECT 1"

# What the corpus forgot to allow. SQLite counts to the width of 300,000,000 inside one call of printf, for longer than
# the timeout on most machines, before it drops the text as too long.
ALSO_HONEST = {"sq-file-020": Outcome.TIMEOUT}


def stands_in_a_case_file(line: Line) -> bool:
    """Tell whether the reader may accept the line's SQL."""
    try:
        return len(line["sql"].encode()) <= MAX_SQL_BYTES
    except UnicodeEncodeError:
        return False


LINES = read_lines(CORPORA / "attacks-sqlite.jsonl")
ON_HOSTILE_FILES = [line for line in LINES if "setup" in line]
UNREADABLE = [line for line in LINES if "setup" not in line and not stands_in_a_case_file(line)]
STATEMENTS = [line for line in LINES if "setup" not in line and stands_in_a_case_file(line)]


@dataclass(frozen=True, slots=True)
class AttackRun:
    """What became of all statements, and the files of the fixture's folder before and after."""

    verdicts: Mapping[str, Verdict]
    files_before: Mapping[str, bytes]
    files_after: Mapping[str, bytes]
    fixture_unchanged: bool | None


@pytest.fixture(scope="module")
def attack_run(corpus_database: Path, tmp_path_factory: pytest.TempPathFactory) -> AttackRun:
    """Run all statements once, each as the generated query of a case with a trivial reference."""
    pairs = [Pair(line["id"], TRIVIAL_SQL, line["sql"]) for line in STATEMENTS]
    cases = write_cases(tmp_path_factory.mktemp("attacks") / "cases.jsonl", pairs)
    before = read_folder(corpus_database.parent)
    report = check(cases, corpus_database, timeout_ms=TIMEOUT_MS)
    after = read_folder(corpus_database.parent)
    return AttackRun(verdicts(report), before, after, report.sets[0].facts.fixture_unchanged)


def read_folder(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file in a folder."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_the_corpus_is_whole() -> None:
    """A corpus that lost lines would still pass everything else."""
    assert (len(STATEMENTS), len(ON_HOSTILE_FILES), len(UNREADABLE)) == (140, 36, 3)


@pytest.mark.parametrize("line", STATEMENTS, ids=lambda line: line["id"])
def test_a_hostile_statement_ends_as_it_must(line: Line, attack_run: AttackRun) -> None:
    """The outcome is one that the corpus allows."""
    verdict = attack_run.verdicts[line["id"]]

    assert verdict.outcome in {line["must"], *line.get("safe_alt", ())}, (verdict.reason, line["why"])


def test_no_statement_changes_the_fixture(attack_run: AttackRun) -> None:
    """Every byte of the fixture is as before and nothing lies beside it; the report says the same."""
    assert attack_run.files_after == attack_run.files_before
    assert attack_run.fixture_unchanged is True


@pytest.mark.parametrize("line", UNREADABLE, ids=lambda line: line["id"])
def test_a_text_that_no_case_file_may_hold_is_refused_by_the_reader(
    line: Line, corpus_database: Path, tmp_path: Path
) -> None:
    """A lone surrogate and a text of more than 100,000 bytes end the run before a case begins."""
    cases = write_cases(tmp_path / "cases.jsonl", [Pair(line["id"], TRIVIAL_SQL, line["sql"])])

    with pytest.raises(CaseFileError) as caught:
        check(cases, corpus_database)

    assert caught.value.exit_code is ExitCode.BAD_ARGS
    assert caught.value.line == 1


@pytest.mark.parametrize("line", ON_HOSTILE_FILES, ids=lambda line: line["id"])
def test_a_statement_on_a_hostile_file_ends_as_it_must(line: Line, hostile_files: Builder, tmp_path: Path) -> None:
    """Its outcome is one that the corpus allows, or the file itself is refused by the name of its fault.

    A statement that has to run is its own reference, since no other is sure to give its result.
    """
    reference_sql = line["sql"] if line["must"] == "match" else TRIVIAL_SQL
    cases = write_cases(tmp_path / "cases.jsonl", [Pair(line["id"], reference_sql, line["sql"])])
    file = hostile_files.build(line["setup"])
    before = file.snapshot()

    try:
        ended: object = verdicts(check(cases, file.path, timeout_ms=TIMEOUT_MS))[line["id"]]
    except EvalGateError as error:
        ended = error

    assert file.snapshot() == before
    allowed = {line["must"], *line.get("safe_alt", ()), Outcome.REFERENCE_ERROR, ALSO_HONEST.get(line["id"])}
    match ended:
        case Verdict():
            assert ended.outcome in allowed, ended.reason
        case EvalGateError():
            assert (ended.exit_code, ended.code[:8]) == (ExitCode.BAD_ARGS, "fixture_")
