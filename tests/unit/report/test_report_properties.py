"""Reports of random verdicts against a naive account of the rules."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalgate_sql.model.case import Case
from evalgate_sql.model.outcome import Outcome, Reason, Stage, WarningCode
from evalgate_sql.model.verdict import Diff, Verdict
from evalgate_sql.report import json_v1
from evalgate_sql.report.build import build_check, collect
from evalgate_sql.report.facts import RunFacts, SetFacts

CELLS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text())
ROWS = st.lists(st.lists(CELLS, max_size=3).map(tuple), max_size=3).map(tuple)
MILLISECONDS = st.sampled_from([None, 0.0, 12.34567, 300_000.0])
ROW_COUNTS = st.sampled_from([None, 0, 1, 100_001])
WARNINGS = st.lists(st.sampled_from(WarningCode), unique=True).map(tuple)
ACCURACIES = st.integers(min_value=0, max_value=100).map(lambda percent: percent / 100)


@st.composite
def verdicts(draw: st.DrawFn) -> Verdict:
    """Draw a verdict as a worker may send it."""
    outcome = draw(st.sampled_from(Outcome))
    diffs = st.builds(Diff, ROWS, ROWS, st.booleans())
    return Verdict(
        outcome=outcome,
        reason=None if outcome is Outcome.MATCH else draw(st.sampled_from(Reason)),
        stage=draw(st.none() | st.sampled_from(Stage)),
        reference_ms=draw(MILLISECONDS),
        generated_ms=draw(MILLISECONDS),
        compare_ms=draw(MILLISECONDS),
        reference_rows=draw(ROW_COUNTS),
        generated_rows=draw(ROW_COUNTS),
        warnings=draw(WARNINGS),
        diff=draw(st.none() | diffs) if outcome is Outcome.MISMATCH else None,
    )


CASES = st.builds(
    Case,
    id=st.text(min_size=1),
    file=st.just("cases.jsonl"),
    line=st.integers(min_value=1),
    reference_sql=st.just("SELECT 1"),
    generated_sql=st.just("SELECT 2"),
    tags=st.lists(st.text(max_size=3), max_size=3).map(tuple),
)
# Drawing is slow only where the machine is busy, which says nothing about the code.
FEW = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])

RESULTS = st.lists(st.tuples(CASES, verdicts()), max_size=8)


def document(run: RunFacts, facts: SetFacts, found: list[tuple[Case, Verdict]]) -> dict[str, Any]:
    """Return what a consumer reads."""
    read: dict[str, Any] = json.loads(b"".join(json_v1.encode(build_check(run, facts, collected=collect(found)))))
    return read


@FEW
@given(found=RESULTS, not_run=st.integers(min_value=0, max_value=2))
def test_report_obeys_the_schema_and_its_totals_add_up(
    run: RunFacts,
    facts: SetFacts,
    validate: Callable[[str, Any], None],
    found: list[tuple[Case, Verdict]],
    not_run: int,
) -> None:
    """Whatever the verdicts, the document is valid and every count agrees with the others."""
    read = document(run, replace(facts, case_count=len(found) + not_run), found)
    validate("report.v1.json", read)
    outcomes = read["outcomes"]
    assert read["caseCount"] == read["scoredCount"] + read["referenceErrorCount"] + read["notRunCount"]
    assert sum(outcomes.values()) == len(read["cases"]) == read["caseCount"] - read["notRunCount"]
    assert sum(read["reasons"].values()) == sum(outcomes.values()) - outcomes["match"]
    assert (read["matchCount"], read["referenceErrorCount"]) == (outcomes["match"], outcomes["reference_error"])


@FEW
@given(found=RESULTS, not_run=st.sampled_from([0, 0, 0, 1]), minimum=ACCURACIES)
def test_accuracy_and_code_follow_the_rules(
    run: RunFacts, facts: SetFacts, found: list[tuple[Case, Verdict]], not_run: int, minimum: float
) -> None:
    """A second, plainer account of contract section 7, in exact fractions, comes to the same."""
    outcomes = [verdict.outcome for _, verdict in found]
    valid = [outcome for outcome in outcomes if outcome != "reference_error"]
    accuracy = None if not_run or not valid else Fraction(valid.count(Outcome.MATCH), len(valid))
    if accuracy is None or set(outcomes) - {"match", "mismatch", "generated_error"}:
        code = 7
    else:
        code = 0 if accuracy >= Fraction(str(minimum)) else 1
    read = document(run, replace(facts, case_count=len(found) + not_run, min_accuracy=minimum), found)
    assert (read["accuracy"], read["exitCode"]) == (None if accuracy is None else float(accuracy), code)


@FEW
@given(found=RESULTS)
def test_cases_keep_their_order_ids_and_rows(run: RunFacts, facts: SetFacts, found: list[tuple[Case, Verdict]]) -> None:
    """Ids and previews come back from the document as they were given."""
    read = document(run, replace(facts, case_count=len(found)), found)
    assert [(case["id"], case["outcome"]) for case in read["cases"]] == [(case.id, v.outcome) for case, v in found]
    diffs = [case["diff"] for case in read["cases"] if "diff" in case]
    given_diffs = [verdict.diff for _, verdict in found if verdict.diff is not None]
    assert [diff["reference"] for diff in diffs] == [[list(row) for row in diff.reference_rows] for diff in given_diffs]


@FEW
@given(found=RESULTS)
def test_document_is_harmless_on_a_terminal(run: RunFacts, facts: SetFacts, found: list[tuple[Case, Verdict]]) -> None:
    """JSON on a terminal must not act on it either."""
    facts = replace(facts, case_count=len(found))
    raw = b"".join(json_v1.encode(build_check(run, facts, collected=collect(found))))
    assert all(line.isprintable() for line in raw.decode().split("\n"))
