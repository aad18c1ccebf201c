"""Counts over verdicts."""

from evalgate_sql.model.case import Case
from evalgate_sql.model.outcome import Outcome, Reason, Stage, WarningCode
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.report.tally import Score, Tally, TallyCounter

MATCH = Verdict(Outcome.MATCH)
MISMATCH = Verdict(Outcome.MISMATCH, Reason.VALUES)
BAD_REFERENCE = Verdict(Outcome.REFERENCE_ERROR, Reason.PARSE_ERROR, Stage.REFERENCE)
BAD_QUERY = Verdict(Outcome.GENERATED_ERROR, Reason.PARSE_ERROR, Stage.GENERATED)


def count(*verdicts: Verdict, tags: tuple[str, ...] = ()) -> Tally:
    """Count verdicts whose cases all carry the same tags."""
    counter = TallyCounter()
    for verdict in verdicts:
        counter.add(Case("a", "cases.jsonl", 1, "SELECT 1", "SELECT 1", tags=tags), verdict)
    return counter.tally()


def test_every_outcome_is_counted_zeros_too() -> None:
    """A consumer finds all nine outcomes in the order of the contract."""
    outcomes = count(MATCH, MISMATCH, MATCH).outcomes
    assert list(outcomes) == list(Outcome)
    assert (outcomes[Outcome.MATCH], outcomes[Outcome.MISMATCH], outcomes[Outcome.TIMEOUT]) == (2, 1, 0)


def test_reasons_are_those_that_occurred_by_name() -> None:
    """The same reason of a reference and a generated query is counted together."""
    assert list(count(MISMATCH, BAD_QUERY, BAD_REFERENCE, MATCH).reasons.items()) == [
        (Reason.PARSE_ERROR, 2),
        (Reason.VALUES, 1),
    ]


def test_causes_keep_outcome_and_reason_together() -> None:
    """A table of causes can tell the two apart again."""
    assert count(BAD_QUERY, BAD_REFERENCE).causes == {
        (Outcome.GENERATED_ERROR, Reason.PARSE_ERROR): 1,
        (Outcome.REFERENCE_ERROR, Reason.PARSE_ERROR): 1,
    }


def test_reference_errors_are_not_scored() -> None:
    """The denominator leaves reference errors out and nothing else."""
    assert count(MATCH, MISMATCH, BAD_REFERENCE).total == Score(case_count=3, scored_count=2, match_count=1)


def test_nothing_scored_has_no_accuracy() -> None:
    """There is no number for nothing over nothing."""
    assert count(BAD_REFERENCE).total.accuracy() is None


def test_tags_are_scored_by_name_and_once_a_case() -> None:
    """A tag repeated within a case counts it once."""
    tags = count(MATCH, BAD_REFERENCE, tags=("joins", "dates", "joins")).tags
    assert list(tags.items()) == [("dates", Score(2, 1, 1)), ("joins", Score(2, 1, 1))]


def test_warnings_count_cases_and_empty_matches_are_one_of_them() -> None:
    """The count of empty matches is that of their warning."""
    tally = count(Verdict(Outcome.MATCH, warnings=(WarningCode.ORDER_NOT_DETERMINED, WarningCode.EMPTY_MATCH)), MATCH)
    assert list(tally.warnings.items()) == [(WarningCode.EMPTY_MATCH, 1), (WarningCode.ORDER_NOT_DETERMINED, 1)]
    assert tally.empty_match_count == 1
