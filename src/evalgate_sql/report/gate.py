"""Whether a set is complete, its accuracy, and the exit code that follows (docs/verdicts.md).

Works on counts and facts alone: knows no case, no format and no process.
"""

from dataclasses import dataclass

from evalgate_sql.exit_codes import ExitCode, strongest
from evalgate_sql.model.outcome import CONCLUSIVE, Outcome
from evalgate_sql.report.facts import SetFacts
from evalgate_sql.report.tally import Tally


@dataclass(frozen=True, slots=True)
class Ruling:
    """The judgement over one case set."""

    complete: bool
    """True when every selected case finished and is in the report."""
    accuracy: float | None
    """None when unavailable: a part of a cohort has no accuracy."""
    exit_code: ExitCode


def rule(facts: SetFacts, tally: Tally, *, within_budget: bool = True) -> Ruling:
    """Judge one case set. `within_budget` is False when its outcomes do not fit into a report."""
    complete = within_budget and _ran_to_the_end(facts, tally)
    accuracy = tally.total.accuracy() if complete and _has_accuracy(facts) else None
    return Ruling(complete, accuracy, strongest(_applicable(facts, tally, complete=complete, accuracy=accuracy)))


def _ran_to_the_end(facts: SetFacts, tally: Tally) -> bool:
    stopped = facts.cancelled or facts.expired or facts.stop is not None
    return not stopped and tally.total.case_count == facts.case_count


def _has_accuracy(facts: SetFacts) -> bool:
    return not facts.references_only and facts.fixture_unchanged is not False


def _applicable(facts: SetFacts, tally: Tally, *, complete: bool, accuracy: float | None) -> set[ExitCode]:
    codes = set()
    if facts.cancelled:
        codes.add(ExitCode.CANCELLED)
    if facts.stop is not None:
        codes.add(facts.stop.exit_code)
    if not complete or facts.fixture_unchanged is False or not _is_conclusive(facts, tally):
        codes.add(ExitCode.WEAK_EVIDENCE)
    # NOTE: both sides are floats on purpose. Division rounds correctly and rounding keeps order, so a score that
    # reaches the decimal the user wrote always passes: 19 of 20 reaches 0.95 although the float 0.95 is not 95/100,
    # and a printed accuracy can be pasted as the next minimum. Cohorts are far too small for two scores to collide.
    if accuracy is not None and accuracy < facts.min_accuracy:
        codes.add(ExitCode.SCORE_BELOW)
    return codes


def _is_conclusive(facts: SetFacts, tally: Tally) -> bool:
    wanted = frozenset({Outcome.MATCH}) if facts.references_only else CONCLUSIVE
    return tally.total.scored_count > 0 and all(
        outcome in wanted for outcome, count in tally.outcomes.items() if count > 0
    )
