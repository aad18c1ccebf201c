"""The exit code and the accuracy of one case set."""

from dataclasses import replace

import pytest

from evalgate_sql.errors import CaseFileChanged, DatabaseRefused, EvalGateError, UnavailableError
from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.model.case import Case
from evalgate_sql.model.outcome import CONCLUSIVE, Outcome, Reason
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.report.facts import SetFacts
from evalgate_sql.report.gate import Ruling, rule
from evalgate_sql.report.tally import Tally, TallyCounter

CASE = Case("a", "cases.jsonl", 1, "SELECT 1", "SELECT 1")


def count(**outcomes: int) -> Tally:
    """Count so many cases of each outcome."""
    counter = TallyCounter()
    for name, count in outcomes.items():
        outcome = Outcome(name)
        for _ in range(count):
            counter.add(CASE, Verdict(outcome, None if outcome is Outcome.MATCH else Reason.VALUES))
    return counter.tally()


def judge(facts: SetFacts, **outcomes: int) -> Ruling:
    """Judge a set with so many cases of each outcome, all selected unless the facts say more."""
    selected = max(facts.case_count, sum(outcomes.values()))
    return rule(replace(facts, case_count=selected), count(**outcomes))


def test_full_accuracy_passes(facts: SetFacts) -> None:
    """All matches reach the default minimum of 1."""
    assert judge(facts, match=3) == Ruling(complete=True, accuracy=1.0, exit_code=ExitCode.PASS)


def test_low_accuracy_is_score_below(facts: SetFacts) -> None:
    """A conclusive set under the minimum is exit 1."""
    ruling = judge(facts, match=3, mismatch=1, generated_error=1)
    assert ruling == Ruling(complete=True, accuracy=0.6, exit_code=ExitCode.SCORE_BELOW)


@pytest.mark.parametrize(
    ("match", "mismatch", "minimum", "code"),
    [
        (19, 1, 0.95, ExitCode.PASS),
        (2, 1, 0.6666666666666666, ExitCode.PASS),
        (1, 2, 1 / 3, ExitCode.PASS),
        (2, 1, 0.67, ExitCode.SCORE_BELOW),
        (9_999, 1, 1.0, ExitCode.SCORE_BELOW),
        (0, 1, 0.0, ExitCode.PASS),
    ],
)
def test_threshold_is_met_exactly(facts: SetFacts, match: int, mismatch: int, minimum: float, code: ExitCode) -> None:
    """A minimum is reached by the fraction that its decimal names, float noise or not."""
    assert judge(replace(facts, min_accuracy=minimum), match=match, mismatch=mismatch).exit_code is code


@pytest.mark.parametrize("outcome", sorted(set(Outcome) - CONCLUSIVE))
def test_inconclusive_outcome_beats_any_score(facts: SetFacts, outcome: Outcome) -> None:
    """One inconclusive case is exit 7, whether the score would pass or not."""
    codes = {judge(replace(facts, min_accuracy=x), match=1, mismatch=1, **{outcome: 1}).exit_code for x in (0.0, 1.0)}
    assert codes == {ExitCode.WEAK_EVIDENCE}


def test_refused_timed_out_and_capped_cases_stay_in_the_denominator(facts: SetFacts) -> None:
    """Only reference errors leave the denominator."""
    outcomes = {outcome: 1 for outcome in Outcome if outcome is not Outcome.REFERENCE_ERROR}
    assert judge(facts, **outcomes, reference_error=5).accuracy == 1 / 8


def test_no_valid_reference_is_inconclusive_without_accuracy(facts: SetFacts) -> None:
    """Nothing over nothing is no score, even with a minimum of 0."""
    ruling = judge(replace(facts, min_accuracy=0.0), reference_error=2)
    assert ruling == Ruling(complete=True, accuracy=None, exit_code=ExitCode.WEAK_EVIDENCE)


def test_missing_case_makes_the_set_incomplete(facts: SetFacts) -> None:
    """A part of a cohort has no accuracy, even when nobody said why cases are missing."""
    ruling = judge(replace(facts, case_count=4), match=3)
    assert ruling == Ruling(complete=False, accuracy=None, exit_code=ExitCode.WEAK_EVIDENCE)


def test_changed_fixture_voids_a_complete_set(facts: SetFacts) -> None:
    """Verdicts over two states of a fixture give no accuracy."""
    ruling = judge(replace(facts, fixture_unchanged=False), match=3)
    assert ruling == Ruling(complete=True, accuracy=None, exit_code=ExitCode.WEAK_EVIDENCE)


def test_unknown_fixture_state_is_no_fault(facts: SetFacts) -> None:
    """A server has no file to watch."""
    assert judge(replace(facts, fixture_unchanged=None), match=3).exit_code is ExitCode.PASS


@pytest.mark.parametrize(
    ("stop", "code"),
    [
        (UnavailableError("fixture_locked", "Locked."), ExitCode.IO_ERROR),
        (DatabaseRefused("fixture_damaged", "Damaged."), ExitCode.BAD_ARGS),
        (CaseFileChanged("case_file_changed", "Changed."), ExitCode.WEAK_EVIDENCE),
        (EvalGateError("bug", "Ours."), ExitCode.INTERNAL_ERROR),
    ],
)
def test_error_that_stops_a_set_decides_the_code(facts: SetFacts, stop: EvalGateError, code: ExitCode) -> None:
    """The error's own code beats the inconclusive rest, even when the last case had finished."""
    ruling = judge(replace(facts, stop=stop), match=3)
    assert ruling == Ruling(complete=False, accuracy=None, exit_code=code)


def test_expiry_is_inconclusive(facts: SetFacts) -> None:
    """A job that ran out of time has no accuracy."""
    ruling = judge(replace(facts, expired=True), match=3)
    assert ruling == Ruling(complete=False, accuracy=None, exit_code=ExitCode.WEAK_EVIDENCE)


def test_cancelling_beats_everything(facts: SetFacts) -> None:
    """Who pressed Ctrl-C hears of that, not of what it caused."""
    stop = UnavailableError("fixture_locked", "Locked.")
    ruling = judge(replace(facts, cancelled=True, expired=True, stop=stop, fixture_unchanged=False), refused=1)
    assert ruling == Ruling(complete=False, accuracy=None, exit_code=ExitCode.CANCELLED)


def test_outcomes_over_the_budget_void_the_set(facts: SetFacts) -> None:
    """A report that cannot list its cases scores none."""
    ruling = rule(replace(facts, case_count=3), count(match=3), within_budget=False)
    assert ruling == Ruling(complete=False, accuracy=None, exit_code=ExitCode.WEAK_EVIDENCE)


def test_valid_references_pass_without_accuracy(facts: SetFacts) -> None:
    """Vetting references scores no generated SQL."""
    ruling = judge(replace(facts, references_only=True), match=3)
    assert ruling == Ruling(complete=True, accuracy=None, exit_code=ExitCode.PASS)


@pytest.mark.parametrize("outcome", [Outcome.REFERENCE_ERROR, Outcome.MISMATCH])
def test_any_other_outcome_fails_the_vetting(facts: SetFacts, outcome: Outcome) -> None:
    """References alone can only be valid or not."""
    assert judge(replace(facts, references_only=True), match=1, **{outcome: 1}).exit_code is ExitCode.WEAK_EVIDENCE
