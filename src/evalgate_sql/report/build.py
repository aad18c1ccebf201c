"""From verdicts to a report within its budget. Chooses what is kept; writes nothing.

Contract section 7: the budget bounds the document as `json_v1` writes it. What every finished case came to is reserved
first; diffs are kept in the order of the cases while they fit, and from the first that does not fit all are left out.
Cutting a tail, not picking, is what lets a collector drop a diff at once: dropped early or late, the same ones go.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from evalgate_sql.limits import MAX_REPORT_BYTES
from evalgate_sql.model.case import Case
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.report import json_v1
from evalgate_sql.report.facts import RunFacts, SetFacts
from evalgate_sql.report.gate import rule
from evalgate_sql.report.tally import Tally, TallyCounter
from evalgate_sql.report.values import Report, ReportedCase, SetReport


@dataclass(frozen=True, slots=True)
class _KeptDiff:
    index: int
    extra_bytes: int
    """What the case takes with its diff, beyond what it takes without."""


class Collector:
    """Takes the verdicts of one case set as they come, in the order of the case file.

    Holds neither SQL nor a diff that could not fit, so its memory is bounded by the budget.
    """

    def __init__(self, *, shows_files: bool = False, budget_bytes: int = MAX_REPORT_BYTES) -> None:
        """Start empty. `shows_files` is for a set of several case files."""
        self.shows_files = shows_files
        self.budget_bytes = budget_bytes
        self._counter = TallyCounter()
        self._cases: list[ReportedCase] = []
        self._base_bytes = 0
        self._kept: list[_KeptDiff] = []
        self._kept_bytes = 0
        self._full = False

    def add(self, case: Case, verdict: Verdict) -> None:
        """Take one finished case."""
        self._counter.add(case, verdict)
        reported = ReportedCase(case.id, case.file, case.line, verdict)
        bare = _without_diff(reported)
        bare_bytes = self._size(bare)
        self._base_bytes += bare_bytes
        keeps_diff = verdict.diff is not None and not self._full and self._keep_diff(reported, bare_bytes)
        self._cases.append(reported if keeps_diff else bare)

    def _keep_diff(self, reported: ReportedCase, bare_bytes: int) -> bool:
        extra_bytes = self._size(reported) - bare_bytes
        self._full = self._base_bytes + self._kept_bytes + extra_bytes > self.budget_bytes
        if not self._full:
            self._kept.append(_KeptDiff(len(self._cases), extra_bytes))
            self._kept_bytes += extra_bytes
        return not self._full

    def _size(self, case: ReportedCase) -> int:
        return json_v1.case_size(case, with_file=self.shows_files)

    def tally(self) -> Tally:
        """Return the counts so far."""
        return self._counter.tally()

    def cases_within(self, available_bytes: int) -> tuple[ReportedCase, ...] | None:
        """Return the cases with the diffs that fit, or None when not even the outcomes do."""
        room = available_bytes - self._base_bytes
        if room < 0:
            return None
        cases = list(self._cases)
        kept_bytes = self._kept_bytes
        for diff in reversed(self._kept):
            if kept_bytes <= room:
                break
            cases[diff.index] = _without_diff(cases[diff.index])
            kept_bytes -= diff.extra_bytes
        return tuple(cases)


def _without_diff(case: ReportedCase) -> ReportedCase:
    if case.verdict.diff is None:
        return case
    return replace(case, verdict=replace(case.verdict, diff=None, diff_truncated=True))


def build_check(run: RunFacts, facts: SetFacts, *, collected: Collector) -> Report:
    """Return the report of one case set, after its last verdict."""
    tally = collected.tally()
    # The frame is measured at its longest: with the largest count of dropped diffs, and "false" for fixture rows.
    frame = Report(run, (SetReport(facts, tally, rule(facts, tally), (), diff_truncated_count=facts.case_count),))
    cases = collected.cases_within(collected.budget_bytes - json_v1.frame_size(frame))
    case_set = _over_budget(facts, tally) if cases is None else _within_budget(facts, tally, cases)
    return Report(run, (replace(case_set, shows_files=collected.shows_files),))


def _within_budget(facts: SetFacts, tally: Tally, cases: tuple[ReportedCase, ...]) -> SetReport:
    return SetReport(
        facts,
        tally,
        rule(facts, tally),
        cases,
        diff_truncated_count=sum(case.verdict.diff_truncated for case in cases),
        contains_fixture_rows=any(case.verdict.diff is not None for case in cases),
    )


def _over_budget(facts: SetFacts, tally: Tally) -> SetReport:
    # Tags go too: their number has no bound of its own.
    return SetReport(facts, replace(tally, tags={}), rule(facts, tally, within_budget=False), (), over_budget=True)


def collect(
    results: Iterable[tuple[Case, Verdict]], *, shows_files: bool = False, budget_bytes: int = MAX_REPORT_BYTES
) -> Collector:
    """Take all verdicts of an iterable."""
    collector = Collector(shows_files=shows_files, budget_bytes=budget_bytes)
    for case, verdict in results:
        collector.add(case, verdict)
    return collector
