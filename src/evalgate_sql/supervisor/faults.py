"""What to tell the operator when a job could not be done at all."""

import shlex

from evalgate_sql.errors import (
    DatabaseRefused,
    EvalGateError,
    FixtureChanged,
    NextAction,
    UnavailableError,
    UnsupportedPlatform,
)
from evalgate_sql.wire.messages import FaultCode


def error_of(code: FaultCode, *, file: str) -> EvalGateError:
    """Return the error for a fault of the fixture at `file` or of this machine."""
    match code:
        case FaultCode.FIXTURE_CHANGED:
            return FixtureChanged(code, "the fixture changed while it was being checked", file=file)
        case FaultCode.FIXTURE_DAMAGED:
            return DatabaseRefused(
                code,
                "SQLite cannot read this database",
                file=file,
                next_actions=(
                    NextAction(f"sqlite3 {shlex.quote(file)} 'PRAGMA integrity_check'", "show what is damaged"),
                ),
            )
        case FaultCode.FIXTURE_LOCKED:
            return UnavailableError(code, "another process holds a lock on the fixture", file=file)
        case FaultCode.LIMIT_NOT_ENFORCED:
            return UnsupportedPlatform(
                code, "this machine accepts the memory limit of a worker and does not enforce it: use another host"
            )
        case FaultCode.ENGINE_UNSUPPORTED:
            return UnsupportedPlatform(
                code, "this build of SQLite does not list its modules (PRAGMA module_list), so it cannot be bounded"
            )
