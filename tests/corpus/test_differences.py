"""The explanations of differences are themselves held to account: each needs its cause, and none fits everything."""

from collections.abc import Callable

import pytest

from evalgate_sql.model.outcome import Outcome, Reason, Stage
from evalgate_sql.model.verdict import Verdict
from tests.corpus.bare_sqlite import BareResult
from tests.corpus.differences import Difference, Rule, explain

MATCH, MISMATCH = Verdict(Outcome.MATCH), Verdict(Outcome.MISMATCH, Reason.VALUES)
UNKNOWN = Verdict(Outcome.REFUSED, Reason.FUNCTION_UNKNOWN, Stage.GENERATED)
OVER_CAP = Verdict(Outcome.REFERENCE_ERROR, Reason.ROW_CAP, Stage.REFERENCE)


def one_column(*values: object) -> BareResult:
    """Return a result of one column."""
    return BareResult(tuple((value,) for value in values), 1)


RESULTS = {
    "one, two": one_column(1, 2),
    "two, one": one_column(2, 1),
    "two, one ORDER BY x": one_column(2, 1),
    "one, one, two": one_column(1, 1, 2),
    "three": one_column(3),
    "three, nearly": one_column(3.0000000001),
    "nothing": BareResult((), 1),
    "nothing of two columns": BareResult((), 2),
    "a, b": BareResult(((1, "a"), (2, "b")), 2),
    "b, a": BareResult((("a", 1), ("b", 2)), 2),
    "SELECT DISTINCT x": one_column(1, 2),
    "SELECT  x": one_column(1, 1, 2),
    "far too many": one_column(*range(10_001)),
    "calls DIVIDE": BareResult(error="no such function: DIVIDE"),
}


def differ(evaluator: str, published: object, verdict: Verdict, *, reference: str, generated: str) -> Difference:
    """Return a difference on two of the results above."""
    return Difference("group", "database", "case", reference, generated, evaluator, published, verdict)


run: Callable[[str], BareResult] = RESULTS.__getitem__


@pytest.mark.parametrize(
    ("difference", "rules"),
    [
        (
            differ("bird_ex", True, MISMATCH, reference="one, two", generated="one, one, two"),
            (Rule.MULTIPLICITY,),
        ),
        (
            differ("bird_ex", True, MISMATCH, reference="nothing", generated="nothing of two columns"),
            (Rule.EMPTY_COLUMNS,),
        ),
        (
            differ("spider_official_ex", True, MISMATCH, reference="a, b", generated="b, a"),
            (Rule.COLUMN_POSITION,),
        ),
        (
            differ("spider_official_ex", False, MATCH, reference="two, one ORDER BY x", generated="one, two"),
            (Rule.ORDER_IS_OPTIONAL,),
        ),
        (
            differ("spider_official_ex", True, MISMATCH, reference="SELECT DISTINCT x", generated="one, one, two"),
            (Rule.TEXT_AS_GIVEN,),
        ),
        (
            differ("expected_exact_multiset", "mismatch", MATCH, reference="three", generated="three, nearly"),
            (Rule.TOLERANCE,),
        ),
        (differ("bird_ex", False, UNKNOWN, reference="three", generated="calls DIVIDE"), (Rule.UNKNOWN_FUNCTION,)),
        (differ("bird_set", True, OVER_CAP, reference="far too many", generated="three"), (Rule.ROW_CAP,)),
    ],
    ids=lambda value: value[0].name if isinstance(value, tuple) else None,
)
def test_a_difference_is_explained_by_its_cause(difference: Difference, rules: tuple[Rule, ...]) -> None:
    """The fewest habits that turn one verdict into the other, or what the query at fault does."""
    assert explain(difference, run=run) == rules


@pytest.mark.parametrize(
    "difference",
    [
        differ("bird_ex", True, MISMATCH, reference="three", generated="one, two"),
        differ("bird_ex", True, MISMATCH, reference="one, two", generated="two, one"),
        differ("spider_official_ex", False, MATCH, reference="one, two", generated="two, one"),
        differ("bird_ex", False, UNKNOWN, reference="three", generated="one, two"),
        differ("bird_set", True, OVER_CAP, reference="three", generated="three"),
        differ(
            "bird_set",
            True,
            Verdict(Outcome.RESOURCE_LIMIT, Reason.WORKER_DIED, Stage.GENERATED),
            reference="three",
            generated="three",
        ),
    ],
    ids=["plainly wrong", "we are wrong", "they are wrong", "known function", "below the cap", "dead worker"],
)
def test_a_difference_without_its_cause_stays_unexplained(difference: Difference) -> None:
    """A rule that fits without its evidence would hide a fault."""
    assert explain(difference, run=run) is None
