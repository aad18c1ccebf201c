"""Sentences about a report that its numbers do not say by themselves. Knows no format: every format shows them."""

from collections.abc import Mapping

from evalgate_sql.limits import MAX_REPORT_BYTES, MIB
from evalgate_sql.model.outcome import CONCLUSIVE, Outcome, WarningCode
from evalgate_sql.report.values import ReportWarning, SetReport

FIXTURE_ROWS_NOTE = "This report contains rows of the fixture. Review it before you save or share it."

WARNING_TEXTS: Mapping[WarningCode | ReportWarning, str] = {
    WarningCode.EMPTY_MATCH: "both results were empty, which proves little; add rows to the fixture",
    WarningCode.ORDER_NOT_DETERMINED: "orderMatters is set, but the reference has no outer ORDER BY",
    ReportWarning.REPORT_BUDGET: f"the outcomes alone outgrow the {MAX_REPORT_BYTES // MIB} MiB of a report, so no "
    "case is listed; split the case file",
}


def notes(case_set: SetReport) -> list[str]:
    """Return what a reader has to know of one case set, the gravest first."""
    return [
        *_why_incomplete(case_set),
        *_why_unavailable(case_set),
        *_why_inconclusive(case_set),
        *_about_diffs(case_set),
    ]


def _why_incomplete(case_set: SetReport) -> list[str]:
    facts = case_set.facts
    finished = f"{case_set.tally.total.case_count} of {facts.case_count} cases finished"
    sentences = []
    if facts.cancelled:
        sentences.append(f"Cancelled: {finished}.")
    if facts.expired:
        sentences.append(f"The time for the whole job ran out: {finished}.")
    if facts.stop is not None:
        sentences.append(f"Stopped ({facts.stop.code}): {facts.stop.diagnostics()}")
    if not sentences and case_set.not_run_count:
        sentences.append(f"Incomplete: {finished}.")
    return sentences


def _why_unavailable(case_set: SetReport) -> list[str]:
    sentences = []
    if case_set.facts.fixture_unchanged is False:
        sentences.append("The fixture changed during the run, so the verdicts are not about one state of it.")
    if case_set.ruling.complete and case_set.tally.total.scored_count == 0:
        sentences.append("No case has a valid reference, so there is no accuracy.")
    return sentences


def _why_inconclusive(case_set: SetReport) -> list[str]:
    wanted = {Outcome.MATCH} if case_set.facts.references_only else CONCLUSIVE
    inconclusive = {
        outcome: count for outcome, count in case_set.tally.outcomes.items() if count and outcome not in wanted
    }
    if not inconclusive:
        return []
    counts = ", ".join(f"{outcome} {count}" for outcome, count in inconclusive.items())
    return [f"Inconclusive, whatever the score: {counts}."]


def _about_diffs(case_set: SetReport) -> list[str]:
    sentences = []
    if case_set.diff_truncated_count:
        sentences.append(f"Diffs left out because they did not fit: {case_set.diff_truncated_count}.")
    if case_set.contains_fixture_rows:
        sentences.append(FIXTURE_ROWS_NOTE)
    return sentences
