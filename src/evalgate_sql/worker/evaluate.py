"""What the SQL of one case did: the one place on this side that chooses an outcome.

Reference first, then the generated query, then the comparison, each under its own timer. Whatever goes wrong with the
reference is `reference_error`; the same fault of the generated query has the outcome that names it.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from evalgate_sql.compare.preview import preview
from evalgate_sql.compare.rows import Comparison, compare
from evalgate_sql.model.fault import CapExceeded, FixtureDamaged, FixtureLocked, QueryFault, Refused
from evalgate_sql.model.outcome import Outcome, Reason, Stage, WarningCode
from evalgate_sql.model.result import ResultSet
from evalgate_sql.model.verdict import Diff, Verdict
from evalgate_sql.wire.messages import FaultCode, JobContext, JobFault, Queries
from evalgate_sql.worker.deadline import StageClock
from evalgate_sql.worker.snapshot import is_unchanged


class Statement(Protocol):
    """What can be said of a query by its text."""

    @property
    def is_ordered(self) -> bool:
        """Tell whether ORDER BY stands outside all parentheses."""


class Answer(NamedTuple):
    """The rows of a query, and the statement that gave them."""

    result: ResultSet
    statement: Statement


class OpenFixture(Protocol):
    """A fixture opened for one case: both queries run on one snapshot."""

    def run(self, sql: str) -> Answer:
        """Run one query. Raises `QueryFault`, `FixtureLocked` or `MemoryError`."""


def evaluate(
    context: JobContext, queries: Queries, clock: StageClock, *, open_fixture: Callable[[JobContext], OpenFixture]
) -> Verdict | JobFault:
    """Run both queries of a case on one snapshot and compare their results."""
    if not is_unchanged(context.fixture):
        return JobFault(FaultCode.FIXTURE_CHANGED)
    try:
        verdict = _Evaluation(context, queries, clock).verdict(open_fixture)
    except FixtureLocked:
        return JobFault(FaultCode.FIXTURE_LOCKED)
    # Seen from a file that was swapped or written in the meantime, the verdict would be evidence of nothing.
    return verdict if is_unchanged(context.fixture) else JobFault(FaultCode.FIXTURE_CHANGED)


class _Evaluation:
    """One case under way: what it has come to so far is what its verdict will say."""

    def __init__(self, context: JobContext, queries: Queries, clock: StageClock) -> None:
        self._context = context
        self._queries = queries
        self._clock = clock
        self._stage = Stage.SETUP
        self._row_counts: dict[Stage, int] = {}
        self._warnings: list[WarningCode] = []

    def verdict(self, open_fixture: Callable[[JobContext], OpenFixture]) -> Verdict:
        """Run the stages until one of them decides."""
        try:
            fixture = open_fixture(self._context)
            reference = self._run(fixture, Stage.REFERENCE, self._queries.reference_sql)
            if self._queries.order_matters and not reference.statement.is_ordered:
                self._warnings.append(WarningCode.ORDER_NOT_DETERMINED)
            generated = self._run(fixture, Stage.GENERATED, self._queries.generated_sql)
            return self._compare(reference.result, generated.result)
        except QueryFault as fault:
            return self._ended(_outcome(fault), fault.reason)
        except MemoryError:
            return self._ended(Outcome.RESOURCE_LIMIT, Reason.MEMORY)

    def _run(self, fixture: OpenFixture, stage: Stage, sql: str) -> Answer:
        self._begin(stage)
        answer = fixture.run(sql)
        self._row_counts[stage] = len(answer.result.rows)
        return answer

    def _compare(self, reference: ResultSet, generated: ResultSet) -> Verdict:
        self._begin(Stage.COMPARE)
        comparison = compare(
            reference,
            generated,
            order_matters=self._queries.order_matters,
            float_tolerance=self._queries.float_tolerance,
        )
        if comparison.reason is not None:
            return self._mismatch(reference, generated, comparison)
        if not reference.rows:
            self._warnings.append(WarningCode.EMPTY_MATCH)
        return self._verdict(Outcome.MATCH)

    def _mismatch(self, reference: ResultSet, generated: ResultSet, comparison: Comparison) -> Verdict:
        diff = preview(reference, generated, comparison) if self._context.show_diff else None
        return self._verdict(Outcome.MISMATCH, comparison.reason, diff=diff)

    def _begin(self, stage: Stage) -> None:
        self._stage = stage
        self._clock.begin(stage, limit_ms=self._context.limits.timeout_ms)

    def _ended(self, outcome: Outcome, reason: Reason) -> Verdict:
        """Return the verdict of a case that ended in the current stage, before there was anything to compare."""
        if self._stage is Stage.REFERENCE:
            outcome = Outcome.REFERENCE_ERROR
        return self._verdict(outcome, reason, stage=self._stage)

    def _verdict(
        self, outcome: Outcome, reason: Reason | None = None, *, stage: Stage | None = None, diff: Diff | None = None
    ) -> Verdict:
        self._clock.stop()
        return Verdict(
            outcome=outcome,
            reason=reason,
            stage=stage,
            reference_ms=self._clock.elapsed_ms(Stage.REFERENCE),
            generated_ms=self._clock.elapsed_ms(Stage.GENERATED),
            compare_ms=self._clock.elapsed_ms(Stage.COMPARE),
            reference_rows=self._row_counts.get(Stage.REFERENCE),
            generated_rows=self._row_counts.get(Stage.GENERATED),
            warnings=tuple(self._warnings),
            diff=diff,
        )


def _outcome(fault: QueryFault) -> Outcome:
    """Return what a fault of the generated query is called."""
    match fault:
        case FixtureDamaged():
            return Outcome.REFERENCE_ERROR
        case Refused():
            return Outcome.REFUSED
        case CapExceeded() if fault.reason is Reason.ROW_CAP:
            return Outcome.TOO_MANY_ROWS
        case CapExceeded():
            return Outcome.TOO_MANY_BYTES
        case _:
            return Outcome.GENERATED_ERROR
