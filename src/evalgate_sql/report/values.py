"""The finished report, as every format reads it. It owns the exit code; it knows no format.

A reported case has no SQL: what is not in here cannot be printed.
"""

from dataclasses import dataclass
from enum import StrEnum

from evalgate_sql.exit_codes import ExitCode, strongest
from evalgate_sql.model.outcome import WarningCode
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.report.facts import RunFacts, SetFacts
from evalgate_sql.report.gate import Ruling
from evalgate_sql.report.tally import Tally


class ReportWarning(StrEnum):
    """What a reader should know of the report itself, beside the warnings of its cases."""

    REPORT_BUDGET = "report_budget"


@dataclass(frozen=True, slots=True)
class ReportedCase:
    """One finished case: where it stands and what became of it."""

    id: str
    file: str
    line: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class SetReport:
    """One case set: facts, counts, judgement and cases in the order of the case file."""

    facts: SetFacts
    tally: Tally
    ruling: Ruling
    cases: tuple[ReportedCase, ...]
    shows_files: bool = False
    """True when the set has several case files, so that a line number alone says too little."""
    diff_truncated_count: int = 0
    contains_fixture_rows: bool = False
    """True when at least one diff is in the report."""
    over_budget: bool = False
    """True when the outcomes alone outgrow the budget; then no case is listed."""

    @property
    def warnings(self) -> dict[WarningCode | ReportWarning, int]:
        """Return the count of every warning that occurred, by name."""
        counts: dict[WarningCode | ReportWarning, int] = {ReportWarning.REPORT_BUDGET: 1} if self.over_budget else {}
        counts.update(self.tally.warnings.items())
        return dict(sorted(counts.items()))

    @property
    def not_run_count(self) -> int:
        """Return how many selected cases did not finish."""
        return self.facts.case_count - self.tally.total.case_count


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one invocation. `check` has one case set; the formats loop, so that `run` may have more."""

    run: RunFacts
    sets: tuple[SetReport, ...]

    @property
    def exit_code(self) -> ExitCode:
        """Return the code the process ends with."""
        return strongest({case_set.ruling.exit_code for case_set in self.sets})

    @property
    def status(self) -> str:
        """Return the name of the exit code, as reports show it."""
        return self.exit_code.name

    @property
    def contains_fixture_rows(self) -> bool:
        """Return whether row values of the fixture are in the report."""
        return any(case_set.contains_fixture_rows for case_set in self.sets)
