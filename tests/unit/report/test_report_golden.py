"""Whole reports, as files to read. EVALGATE_SQL_UPDATE_GOLDEN=1 writes them anew; look at the diff."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from evalgate_sql.errors import DatabaseRefused, NextAction, UnavailableError
from evalgate_sql.model.case import Case
from evalgate_sql.model.outcome import Outcome, Reason, Stage, WarningCode
from evalgate_sql.model.verdict import Diff, Verdict
from evalgate_sql.report import error_v1, human, json_v1
from evalgate_sql.report.build import build_check, collect
from evalgate_sql.report.facts import CaseFileFacts, DatabaseFacts, EngineFacts, RunFacts, SetFacts
from evalgate_sql.report.values import Report

Results = Sequence[tuple[Case, Verdict]]
Scenario = Callable[[RunFacts, SetFacts], Report]

MATCH = Verdict(
    Outcome.MATCH, reference_ms=0.81251, generated_ms=0.7, compare_ms=0.0499, reference_rows=2, generated_rows=2
)
EMPTY = replace(MATCH, reference_rows=0, generated_rows=0, warnings=(WarningCode.EMPTY_MATCH,))
MISMATCH = replace(MATCH, outcome=Outcome.MISMATCH, reason=Reason.VALUES)
PARSE_ERROR = Verdict(Outcome.GENERATED_ERROR, Reason.PARSE_ERROR, Stage.GENERATED, reference_ms=0.8, reference_rows=2)
REFUSED = Verdict(Outcome.REFUSED, Reason.FUNCTION_NONDETERMINISTIC, Stage.GENERATED, 0.8, reference_rows=2)
TIMEOUT = Verdict(Outcome.TIMEOUT, Reason.STATEMENT_DEADLINE, Stage.GENERATED, 0.8, 5000.0, reference_rows=2)
REFERENCE_ERROR = Verdict(Outcome.REFERENCE_ERROR, Reason.UNDEFINED_TABLE, Stage.REFERENCE)
WORKER_DIED = Verdict(Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, Stage.SETUP)

DIFF = Diff(
    reference_rows=((1, 12.5, None, True), (2, {"type": "decimal", "value": "20.00"}, "Zoë", False)),
    generated_rows=(
        (1, 12.0, "", True),
        (2, {"type": "text", "value": "long " * 24, "clipped": True}, "two\nlines\x1b[31m", False),
    ),
    columns_clipped=True,
)


def results(*verdicts: Verdict) -> Results:
    """Give each verdict a case of its own, by line."""
    return [(Case(f"case-{n}", "cases.jsonl", n, "SELECT 1", "SELECT 2"), v) for n, v in enumerate(verdicts, 1)]


def report(run: RunFacts, facts: SetFacts, found: Results, *, budget_bytes: int = 1_000_000) -> Report:
    """Build a report in which every case was selected, unless the facts name more than finished."""
    selected = max(len(found), facts.case_count)
    files = tuple(replace(file, case_count=selected) for file in facts.case_files)
    facts = replace(facts, case_count=selected, case_files=files)
    return build_check(run, facts, collected=collect(found, budget_bytes=budget_bytes))


def passes(run: RunFacts, facts: SetFacts) -> Report:
    """Match everywhere, one match empty, with tags."""
    (first, verdict), *rest = results(MATCH, EMPTY, MATCH)
    tagged = replace(first, tags=("joins", "easy"))
    prefix = "evalgate-sql check --cases cases.jsonl --db sqlite:///fixture.db"
    return report(run, replace(facts, rerun_prefix=prefix), [(tagged, verdict), *rest])


def score_below(run: RunFacts, facts: SetFacts) -> Report:
    """Miss the minimum, conclusively."""
    prefix = "evalgate-sql check --cases cases.jsonl --db sqlite:///fixture.db"
    found = results(MATCH, MISMATCH, MATCH, PARSE_ERROR)
    return report(run, replace(facts, rerun_prefix=prefix, min_accuracy=0.95), found)


def inconclusive(run: RunFacts, facts: SetFacts) -> Report:
    """Show every kind of outcome, so that the order of the table is seen."""
    found = results(
        MATCH,
        MISMATCH,
        PARSE_ERROR,
        REFUSED,
        REFERENCE_ERROR,
        TIMEOUT,
        Verdict(Outcome.TOO_MANY_ROWS, Reason.ROW_CAP, Stage.GENERATED, 0.8, 91.5, reference_rows=2),
        Verdict(Outcome.TOO_MANY_BYTES, Reason.VALUE_BYTES, Stage.GENERATED, 0.8, 12.0, reference_rows=2),
        WORKER_DIED,
        REFERENCE_ERROR,
    )
    return report(run, replace(facts, min_accuracy=0.1), found)


def with_diffs(run: RunFacts, facts: SetFacts) -> Report:
    """Show rows, and a diff that the worker had to leave out."""
    return report(run, facts, results(MATCH, replace(MISMATCH, diff=DIFF), replace(MISMATCH, diff_truncated=True)))


def over_budget(run: RunFacts, facts: SetFacts) -> Report:
    """Have more outcomes than fit."""
    return report(run, facts, results(*[MATCH] * 30, MISMATCH), budget_bytes=2_500)


def references_only(run: RunFacts, facts: SetFacts) -> Report:
    """Vet references, one of them bad."""
    vetted = Verdict(Outcome.MATCH, reference_ms=0.8, reference_rows=2)
    return report(run, replace(facts, references_only=True), results(vetted, REFERENCE_ERROR, vetted))


def cancelled(run: RunFacts, facts: SetFacts) -> Report:
    """Stop at a signal after two of five cases."""
    return report(run, replace(facts, case_count=5, cancelled=True, fixture_unchanged=None), results(MATCH, MISMATCH))


def expired(run: RunFacts, facts: SetFacts) -> Report:
    """Run out of time after two of five cases."""
    return report(run, replace(facts, case_count=5, expired=True), results(MATCH, MATCH))


def stopped(run: RunFacts, facts: SetFacts) -> Report:
    """Lose the fixture to another process."""
    stop = UnavailableError("fixture_locked", "Another process holds the fixture.", file="fixture.db")
    return report(run, replace(facts, case_count=3, stop=stop), results(MATCH))


def fixture_changed(run: RunFacts, facts: SetFacts) -> Report:
    """Find another fixture at the end than at the start."""
    return report(run, replace(facts, fixture_unchanged=False), results(MATCH, MATCH))


def nothing_scored(run: RunFacts, facts: SetFacts) -> Report:
    """Have no valid reference at all."""
    return report(run, facts, results(REFERENCE_ERROR, REFERENCE_ERROR))


def many_failures(run: RunFacts, facts: SetFacts) -> Report:
    """Have more failures than the table lists."""
    return report(run, facts, results(*[MISMATCH] * 24, REFUSED))


def long_names(run: RunFacts, facts: SetFacts) -> Report:
    """Have names that do not fit into a table of 80 columns."""
    path = "evaluation/text-to-sql/2025-03/finance/cases.jsonl"
    case = Case("what-was-the-total-amount-of-all-transactions-in-march", path, 12, "SELECT 1", "SELECT 2")
    return report(run, facts, [(case, REFUSED), (replace(case, id="b", line=13), MISMATCH)])


def hostile_names(run: RunFacts, facts: SetFacts) -> Report:
    """Have an id and a path that would act on a terminal, and a path that is no UTF-8."""
    case = Case("\x1b[2J\u202etxt'; rm -rf ~ #", "c\udcffases\n.jsonl", 1, "SELECT 1", "SELECT 2")
    files = (CaseFileFacts("c\udcffases\n.jsonl", sha256="3" * 64, case_count=1),)
    return report(run, replace(facts, case_count=1, case_files=files), [(case, MISMATCH)])


def two_files(run: RunFacts, facts: SetFacts) -> Report:
    """Have two case files on a server with a policy of the project's own."""
    assert facts.policy
    own = replace(facts.policy, name="ours", version=3, extends="postgresql@1", enabled_groups=("random", "clock"))
    server = replace(
        facts,
        case_count=2,
        database=DatabaseFacts("shop"),
        engine=EngineFacts("postgresql", "16.4"),
        policy=own,
        fixture_unchanged=None,
        case_files=(CaseFileFacts("a.jsonl", "3" * 64, 1), CaseFileFacts("b.jsonl", "4" * 64, 1)),
    )
    cases = (Case("a", "a.jsonl", 1, "SELECT 1", "SELECT 2"), Case("b", "b.jsonl", 1, "SELECT 1", "SELECT 2"))
    return build_check(run, server, collected=collect(zip(cases, (MATCH, MISMATCH), strict=True), shows_files=True))


def early_refusal(run: RunFacts, facts: SetFacts) -> Report:
    """Stop before the engine told its version and before a policy was chosen."""
    stop = DatabaseRefused("fixture_changed", "The fixture was replaced before the first case.", file="fixture.db")
    none_yet = replace(
        facts, case_count=2, engine=EngineFacts("sqlite"), policy=None, stop=stop, fixture_unchanged=None
    )
    return report(run, none_yet, [])


SCENARIOS: dict[str, Scenario] = {
    scenario.__name__: scenario
    for scenario in (
        passes,
        score_below,
        inconclusive,
        with_diffs,
        over_budget,
        references_only,
        cancelled,
        expired,
        stopped,
        fixture_changed,
        nothing_scored,
        many_failures,
        long_names,
        hostile_names,
        two_files,
        early_refusal,
    )
}

named_scenario = pytest.mark.parametrize("name", sorted(SCENARIOS))

ERROR = DatabaseRefused(
    "case_file_invalid",
    "Line is no JSON object.",
    file="cases\x1b.jsonl",
    line=3,
    next_actions=(NextAction("evalgate-sql init", "write example cases"),),
)


@named_scenario
def test_json_report_is_as_before(
    name: str, run: RunFacts, facts: SetFacts, compare_golden: Callable[[str, bytes], None]
) -> None:
    """A JSON report changes only where a reviewer sees it."""
    compare_golden(f"{name}.json", b"".join(json_v1.encode(SCENARIOS[name](run, facts))))


@named_scenario
def test_json_report_obeys_the_shipped_schema(
    name: str, run: RunFacts, facts: SetFacts, validate: Callable[[str, Any], None]
) -> None:
    """Every field of every report is described by the published schema, and none is missing."""
    validate("report.v1.json", json.loads(b"".join(json_v1.encode(SCENARIOS[name](run, facts)))))


@named_scenario
def test_human_report_is_as_before(
    name: str, run: RunFacts, facts: SetFacts, compare_golden: Callable[[str, bytes], None]
) -> None:
    """The text for a person changes only where a reviewer sees it."""
    compare_golden(f"{name}.txt", human.render(SCENARIOS[name](run, facts), color=False, width=80).encode())


def test_coloured_report_is_as_before(
    run: RunFacts, facts: SetFacts, compare_golden: Callable[[str, bytes], None]
) -> None:
    """Colour marks outcomes, status, rows and the command, and moves no column."""
    compare_golden("with_diffs.ansi.txt", human.render(with_diffs(run, facts), color=True, width=80).encode())


def test_error_envelope_is_as_before(compare_golden: Callable[[str, bytes], None]) -> None:
    """The JSON of an error changes only where a reviewer sees it."""
    compare_golden("error.json", error_v1.encode(ERROR))


def test_error_envelope_obeys_the_shipped_schema(validate: Callable[[str, Any], None]) -> None:
    """The error document is described by the published schema."""
    validate("error.v1.json", json.loads(error_v1.encode(ERROR)))


def test_error_text_is_as_before(compare_golden: Callable[[str, bytes], None]) -> None:
    """The error text for a person changes only where a reviewer sees it."""
    compare_golden("error.txt", error_v1.render(ERROR).encode())
