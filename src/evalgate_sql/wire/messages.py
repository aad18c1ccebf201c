"""What a child is given and the reply it gives. The parent reads a reply as hostile bytes.

What all cases of a set share goes to a fork server once; a child gets its queries, or none, which makes it a probe of
fixture, engine and limits. A reply that is not exactly of this shape is no reply.
"""

from dataclasses import dataclass
from enum import StrEnum

from evalgate_sql.model.case import Case
from evalgate_sql.model.fixture import SqliteFixture
from evalgate_sql.model.policy import Policy
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.model.verdict import Verdict


class FaultCode(StrEnum):
    """Why no case of the set can be judged: the fixture or the machine is at fault, not the SQL."""

    FIXTURE_CHANGED = "fixture_changed"
    FIXTURE_DAMAGED = "fixture_damaged"
    FIXTURE_LOCKED = "fixture_locked"
    LIMIT_NOT_ENFORCED = "limit_not_enforced"
    ENGINE_UNSUPPORTED = "engine_unsupported"


@dataclass(frozen=True, slots=True)
class JobContext:
    """What every job of a case set shares. A fork server holds one at a time, read before it forks."""

    fixture: SqliteFixture
    policy: Policy
    limits: QueryLimits
    show_diff: bool = False


@dataclass(frozen=True, slots=True)
class Queries:
    """The part of a case that the worker needs: no id, no question, no tags."""

    reference_sql: str
    generated_sql: str
    order_matters: bool
    float_tolerance: float

    @classmethod
    def of(cls, case: Case) -> "Queries":
        """Take them from a case."""
        return cls(case.reference_sql, case.generated_sql, case.order_matters, case.float_tolerance)


@dataclass(frozen=True, slots=True)
class Probe:
    """What a probe found: the fixture opens, the limits hold."""

    engine_version: str


@dataclass(frozen=True, slots=True)
class JobFault:
    """Why a job could not be done at all."""

    code: FaultCode


Reply = Verdict | Probe | JobFault
