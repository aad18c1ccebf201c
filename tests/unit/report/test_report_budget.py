"""The budget of a report: outcomes first, then diffs in the order of the cases."""

import json
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.limits import MAX_REPORT_BYTES
from evalgate_sql.model.case import Case
from evalgate_sql.model.outcome import Outcome, Reason
from evalgate_sql.model.verdict import Diff, Verdict
from evalgate_sql.report import json_v1
from evalgate_sql.report.build import build_check, collect
from evalgate_sql.report.facts import RunFacts, SetFacts
from evalgate_sql.report.values import Report

MATCH = Verdict(Outcome.MATCH)
DIFF = Diff(reference_rows=(("reference row",),), generated_rows=(("generated row",),))
MISMATCH = Verdict(Outcome.MISMATCH, Reason.VALUES, diff=DIFF)


def check(run: RunFacts, facts: SetFacts, verdicts: list[Verdict], *, budget_bytes: int) -> Report:
    """Build the report of so many verdicts."""
    found = ((Case(f"case-{n}", "cases.jsonl", n, "SELECT 1", "SELECT 2"), v) for n, v in enumerate(verdicts, 1))
    return build_check(
        run, replace(facts, case_count=len(verdicts)), collected=collect(found, budget_bytes=budget_bytes)
    )


def size(report: Report) -> int:
    """Return the size of the document in bytes."""
    return sum(len(piece) for piece in json_v1.encode(report))


def document(report: Report) -> dict[str, Any]:
    """Return the document as a consumer reads it."""
    read: dict[str, Any] = json.loads(b"".join(json_v1.encode(report)))
    return read


def test_everything_is_kept_within_the_budget(run: RunFacts, facts: SetFacts) -> None:
    """No diff is dropped without need."""
    report = check(run, facts, [MISMATCH] * 20, budget_bytes=MAX_REPORT_BYTES)
    assert all("diff" in case for case in document(report)["cases"])


def test_first_diffs_are_kept(run: RunFacts, facts: SetFacts) -> None:
    """Diffs go from the end, and each that went is marked and counted."""
    whole = check(run, facts, [MISMATCH] * 20, budget_bytes=MAX_REPORT_BYTES)
    read = document(check(run, facts, [MISMATCH] * 20, budget_bytes=size(whole) - 1))
    marks = ["diff" if "diff" in case else case["diffTruncated"] for case in read["cases"]]
    assert marks == ["diff"] * marks.count("diff") + [True] * read["diffTruncatedCaseCount"]
    assert 0 < marks.count("diff") < 20


def test_small_diff_after_one_that_did_not_fit_goes_too(run: RunFacts, facts: SetFacts) -> None:
    """What is kept is a beginning, not a selection."""
    large = replace(MISMATCH, diff=Diff((("x" * 3_000,),), ()))
    report = check(run, facts, [MISMATCH, large, MISMATCH], budget_bytes=4_000)
    assert [case.verdict.diff is not None for case in report.sets[0].cases] == [True, False, False]


@pytest.mark.parametrize("budget_bytes", range(2_500, 8_000, 97))
def test_document_never_outgrows_its_budget(run: RunFacts, facts: SetFacts, budget_bytes: int) -> None:
    """The budget bounds the bytes that are written, wherever it falls."""
    report = check(run, facts, [MISMATCH] * 20, budget_bytes=budget_bytes)
    assert size(report) <= budget_bytes


def test_dropped_diffs_change_no_verdict(run: RunFacts, facts: SetFacts) -> None:
    """A diff is optional: dropping all of them leaves outcome, accuracy and code alone."""
    whole = check(run, facts, [MATCH, MISMATCH], budget_bytes=MAX_REPORT_BYTES)
    read = document(check(run, facts, [MATCH, MISMATCH], budget_bytes=size(whole) - 1))
    assert read["diffTruncatedCaseCount"] == 1
    assert [case["outcome"] for case in read["cases"]] == ["match", "mismatch"]
    assert (read["accuracy"], read["exitCode"], read["complete"]) == (0.5, ExitCode.SCORE_BELOW, True)


def test_fixture_rows_are_announced_only_while_there_are_any(run: RunFacts, facts: SetFacts) -> None:
    """A report that lost all its diffs holds no fixture rows."""
    whole = check(run, facts, [MISMATCH], budget_bytes=MAX_REPORT_BYTES)
    bare = check(run, facts, [MISMATCH], budget_bytes=size(whole) - 1)
    assert (whole.contains_fixture_rows, bare.contains_fixture_rows) == (True, False)


def test_diff_that_the_worker_left_out_is_counted(run: RunFacts, facts: SetFacts) -> None:
    """The count is of all diffs that are missing, whoever dropped them."""
    left_out = replace(MISMATCH, diff=None, diff_truncated=True)
    report = check(run, facts, [MISMATCH, left_out], budget_bytes=MAX_REPORT_BYTES)
    assert document(report)["diffTruncatedCaseCount"] == 1


def test_outcomes_over_the_budget_leave_no_case_and_no_accuracy(run: RunFacts, facts: SetFacts) -> None:
    """Rather no cohort than a part of one; the counts stay."""
    read = document(check(run, facts, [MATCH] * 100, budget_bytes=5_000))
    assert (read["cases"], read["complete"], read["accuracy"]) == ([], False, None)
    assert (read["exitCode"], read["matchCount"]) == (ExitCode.WEAK_EVIDENCE, 100)
    assert read["warnings"] == [{"code": "report_budget", "count": 1}]


def test_tags_cannot_outgrow_the_budget(run: RunFacts, facts: SetFacts) -> None:
    """A case may carry any number of tags, so they go when they do not fit."""
    case = Case("a", "cases.jsonl", 1, "SELECT 1", "SELECT 2", tags=tuple(f"tag-{n}" for n in range(1_000)))
    collected = collect([(case, MATCH)], budget_bytes=5_000)
    report = build_check(run, replace(facts, case_count=1), collected=collected)
    assert size(report) <= 5_000


def test_largest_case_file_fits_with_long_ids(run: RunFacts, facts: SetFacts) -> None:
    """10,000 cases with ids of 256 bytes keep their outcomes within the 16 MiB of the contract."""
    found = ((Case(f"{n:0256d}", "cases.jsonl", n, "SELECT 1", "SELECT 2"), MISMATCH) for n in range(1, 10_001))
    report = build_check(run, replace(facts, case_count=10_000), collected=collect(found))
    assert (len(report.sets[0].cases), report.sets[0].ruling.complete, report.status) == (10_000, True, "SCORE_BELOW")


def test_diffs_that_do_not_fit_are_not_held(run: RunFacts, facts: SetFacts) -> None:
    """Memory is bounded by the budget, not by what the workers sent."""

    def forty_megabytes() -> Iterator[tuple[Case, Verdict]]:
        for n in range(1, 401):
            rows = tuple((f"{n:02d}{row}" + "x" * 10_000,) for row in range(5))
            yield (
                Case(f"case-{n}", "cases.jsonl", n, "SELECT 1", "SELECT 2"),
                replace(MISMATCH, diff=Diff(rows, rows[::-1])),
            )

    tracemalloc.start()
    try:
        build_check(run, replace(facts, case_count=400), collected=collect(forty_megabytes(), budget_bytes=1_000_000))
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
