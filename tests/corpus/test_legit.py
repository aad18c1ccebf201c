"""What a policy must let through matches itself; what reads the clock does so only when that is asked for."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from evalgate_sql.model.outcome import Outcome, Reason, Stage
from evalgate_sql.model.verdict import Verdict
from tests.corpus.replay import CORPORA, Line, Pair, check, read_lines, verdicts, write_cases

pytestmark = pytest.mark.corpus

LEGIT = read_lines(CORPORA / "legit-sqlite.jsonl")
CLOCK = read_lines(CORPORA / "clock-sqlite.jsonl")
ON_ITSELF, ON_TRIVIAL = "on itself", "on a trivial reference"


@pytest.fixture(scope="module")
def by_default(corpus_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Verdict]:
    """Run every line against itself, and those that read the clock against a trivial reference too."""
    pairs = [Pair(f"{line['id']} {ON_ITSELF}", line["sql"], line["sql"]) for line in (*LEGIT, *CLOCK)]
    pairs += [Pair(f"{line['id']} {ON_TRIVIAL}", "SELECT 1", line["sql"]) for line in CLOCK]
    cases = write_cases(tmp_path_factory.mktemp("legit") / "cases.jsonl", pairs)
    return verdicts(check(cases, corpus_database))


@pytest.fixture(scope="module")
def with_clock(corpus_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Verdict]:
    """Run the lines that read the clock against themselves, with the group that allows it."""
    pairs = [Pair(line["id"], line["sql"], line["sql"]) for line in CLOCK]
    cases = write_cases(tmp_path_factory.mktemp("clock") / "cases.jsonl", pairs)
    return verdicts(check(cases, corpus_database, enable_groups=("clock",)))


def test_the_corpora_are_whole() -> None:
    """A corpus that lost lines would still pass everything else."""
    assert (len(LEGIT), len(CLOCK)) == (69, 6)


@pytest.mark.parametrize("line", LEGIT, ids=lambda line: line["id"])
def test_a_legitimate_statement_matches_itself(line: Line, by_default: Mapping[str, Verdict]) -> None:
    """The shipped policy refuses none of what people ask a database."""
    verdict = by_default[f"{line['id']} {ON_ITSELF}"]

    assert (verdict.outcome, verdict.reason) == (Outcome.MATCH, None)


@pytest.mark.parametrize("line", CLOCK, ids=lambda line: line["id"])
def test_a_reading_of_the_clock_is_refused(line: Line, by_default: Mapping[str, Verdict]) -> None:
    """The reason names the rule."""
    verdict = by_default[f"{line['id']} {ON_TRIVIAL}"]

    assert (verdict.outcome, verdict.reason) == (Outcome.REFUSED, Reason.FUNCTION_NONDETERMINISTIC)


@pytest.mark.parametrize("line", CLOCK, ids=lambda line: line["id"])
def test_a_reference_that_reads_the_clock_is_an_error(line: Line, by_default: Mapping[str, Verdict]) -> None:
    """The reference runs first, so the fault is found there."""
    verdict = by_default[f"{line['id']} {ON_ITSELF}"]

    assert (verdict.outcome, verdict.reason) == (Outcome.REFERENCE_ERROR, Reason.FUNCTION_NONDETERMINISTIC)
    assert verdict.stage is Stage.REFERENCE


@pytest.mark.parametrize("line", CLOCK, ids=lambda line: line["id"])
def test_a_reading_of_the_clock_runs_with_its_group(line: Line, with_clock: Mapping[str, Verdict]) -> None:
    """Enabling the group is all it takes."""
    verdict = with_clock[line["id"]]

    assert (verdict.outcome, verdict.reason) == (Outcome.MATCH, None)
