"""What a report is made from, beside the verdicts. The caller fills these in; nothing here is computed.

No field may hold a connection string, SQL, a question or database text: everything in here can be printed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from evalgate_sql import __version__
from evalgate_sql.errors import EvalGateError
from evalgate_sql.model.policy import Policy
from evalgate_sql.model.query_limits import QueryLimits

Scalar = bool | int | float | str | None


@dataclass(frozen=True, slots=True)
class CaseFileFacts:
    """One case file as it was validated."""

    path: str
    """As the user named it."""
    sha256: str
    case_count: int


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """Which fixture the verdicts are about."""

    name: str
    """The file or database name alone, never a path or a URL."""
    sha256: str | None = None
    """None for a fixture too large to be hashed, and for a server."""


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """Which engine ran the queries."""

    name: str
    version: str | None = None
    """None when the run ended before the engine told."""


@dataclass(frozen=True, slots=True)
class SetFacts:
    """One case set and how its run ended."""

    database: DatabaseFacts
    engine: EngineFacts
    policy: Policy | None
    limits: QueryLimits
    case_files: tuple[CaseFileFacts, ...]
    case_count: int
    """Cases selected to run."""
    min_accuracy: float = 1.0
    references_only: bool = False
    fixture_unchanged: bool | None = None
    """None where it cannot be told: on a server, or when the run ended before the second look."""
    stop: EvalGateError | None = None
    """Why the set could not finish, when something outside the SQL was at fault."""
    expired: bool = False
    """True when the duration of the whole job ran out."""
    cancelled: bool = False
    rerun_prefix: str | None = None
    """The command that runs this set again, ready for a shell and without secrets, for `--case ID` to be added."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What all case sets of one invocation share."""

    started_at: datetime
    """Aware; printed in UTC."""
    duration_ms: float
    jobs: int
    isolation: Mapping[str, Scalar]
    """The limits that were proved to hold, by the name they have in the report."""
    tool_version: str = __version__
