"""Explains where a published verdict and ours part: by a rule of the contract that can be shown at the bare driver.

A difference that no rule explains is a fault, ours or the published verdict's, and has to be looked at.
"""

from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Final

from evalgate_sql.model.outcome import Outcome, Reason, Stage
from evalgate_sql.model.verdict import Verdict
from tests.corpus.bare_sqlite import MAX_ROWS, reads_clock
from tests.corpus.evaluators import CONTRACT, PUBLISHED, Habit, Habits, Run, are_equal


class Rule(StrEnum):
    """A rule of the contract that parts our verdict from a published one."""

    TEXT_AS_GIVEN = "the text that runs is the text that was given (4): evaluator deletes every DISTINCT"
    COLUMN_POSITION = "the position of columns counts (6): evaluator permutes them"
    ORDER_IS_OPTIONAL = "order counts only with orderMatters (6): evaluator asks for it where there is an ORDER BY"
    MULTIPLICITY = "equal rows count each time (6): evaluator compares sets"
    EMPTY_COLUMNS = "the number of columns counts in empty results too (6): evaluator does not look"
    TOLERANCE = "floats are equal within the tolerance (6): evaluator compares exactly"
    ROW_CAP = "at most 10,000 rows (5): evaluator has no cap"
    CLOCK = "what reads the clock is refused (4): evaluator runs it"
    UNKNOWN_FUNCTION = "a function that SQLite lacks is refused, which scores nothing (4): evaluator calls it wrong"
    SEVERAL_STATEMENTS = "text after a semicolon is refused, which scores nothing (4): evaluator calls it wrong"
    DEADLINE = "a deadline scores nothing (5): evaluator calls it wrong"


_BY_HABIT: Final[dict[Habit, Rule]] = {
    Habit.DISTINCT_REMOVED: Rule.TEXT_AS_GIVEN,
    Habit.COLUMNS_PERMUTED: Rule.COLUMN_POSITION,
    Habit.ORDER_BY_REFERENCE: Rule.ORDER_IS_OPTIONAL,
    Habit.ROWS_AS_SET: Rule.MULTIPLICITY,
    Habit.EMPTY_IS_EMPTY: Rule.EMPTY_COLUMNS,
    Habit.NO_TOLERANCE: Rule.TOLERANCE,
}

_AGREEING: Final[dict[object, frozenset[Outcome]]] = {
    True: frozenset({Outcome.MATCH}),
    False: frozenset({Outcome.MISMATCH, Outcome.GENERATED_ERROR}),
    "match": frozenset({Outcome.MATCH}),
    "mismatch": frozenset({Outcome.MISMATCH}),
    "generated_error_or_refused": frozenset({Outcome.GENERATED_ERROR, Outcome.REFUSED}),
    "timeout": frozenset({Outcome.TIMEOUT}),
}


@dataclass(frozen=True, slots=True)
class Difference:
    """A case on which a published verdict and ours part."""

    group: str
    database: str
    case_id: str
    reference_sql: str
    generated_sql: str
    evaluator: str
    """The field that holds the published verdict."""
    published: object
    verdict: Verdict


def differs(published: object, verdict: Verdict) -> bool:
    """Tell whether two verdicts on one case say different things."""
    return verdict.outcome not in _AGREEING[published]


def explain(difference: Difference, *, run: Run) -> tuple[Rule, ...] | None:
    """Return the rules that part the two verdicts, as few as do it; None when there are none."""
    if difference.verdict.outcome in {Outcome.MATCH, Outcome.MISMATCH}:
        return _explain_by_habits(difference, run)
    rule = _explain_by_end(difference, run)
    return None if rule is None else (rule,)


def _explain_by_habits(difference: Difference, run: Run) -> tuple[Rule, ...] | None:
    habits = PUBLISHED[difference.evaluator]
    ours = difference.verdict.outcome is Outcome.MATCH
    if _judge(difference, run, CONTRACT) is not ours or _judge(difference, run, habits) is ours:
        return None
    candidates = (few for count in range(1, len(habits) + 1) for few in combinations(sorted(habits), count))
    found = next(few for few in candidates if _judge(difference, run, frozenset(few)) is not ours)
    return tuple(_BY_HABIT[habit] for habit in found)


def _judge(difference: Difference, run: Run, habits: Habits) -> bool:
    return are_equal(difference.reference_sql, difference.generated_sql, run=run, habits=habits)


def _explain_by_end(difference: Difference, run: Run) -> Rule | None:
    """Explain an end that is neither match nor mismatch by what the query at fault does at the bare driver."""
    verdict = difference.verdict
    sql = difference.reference_sql if verdict.stage is Stage.REFERENCE else difference.generated_sql
    match verdict.reason:
        case Reason.ROW_CAP if len(run(sql).rows) > MAX_ROWS:
            return Rule.ROW_CAP
        case Reason.FUNCTION_NONDETERMINISTIC if reads_clock(sql):
            return Rule.CLOCK
        case Reason.FUNCTION_UNKNOWN if (run(sql).error or "").startswith("no such function: "):
            return Rule.UNKNOWN_FUNCTION
        case Reason.MULTIPLE_STATEMENTS if sql.partition(";")[2].strip():
            return Rule.SEVERAL_STATEMENTS
        case Reason.STATEMENT_DEADLINE if run(sql).error == "interrupted":
            return Rule.DEADLINE
        case _:
            return None
