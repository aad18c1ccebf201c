"""What we or the operator do wrong. What the SQL does wrong is a `Verdict`, never an exception.

Every error owns its exit code and can explain itself without showing SQL, row values, a question, database
text or a connection string. The command line has the one `except` that turns them into an exit.
"""

import re
from dataclasses import dataclass

from evalgate_sql.exit_codes import ExitCode

# Whatever the user typed where: a database URL may hold a password, and messages end up in the logs of a CI.
_CONNECTION_STRING = re.compile(r"postgres(?:ql)?://[^\s'\"]+|[a-z][a-z0-9+.-]*://[^\s'\"]*@[^\s'\"]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NextAction:
    """One thing the reader can do now: a command, and what it is for."""

    command: str
    description: str


class EvalGateError(Exception):
    """Base of all errors that end a run.

    `code` is stable and machine-readable; `message` is one sentence for a person.
    """

    exit_code: ExitCode = ExitCode.INTERNAL_ERROR
    """The class's own; an instance may be given the stronger code of the run that it ends."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        next_actions: tuple[NextAction, ...] = (),
    ) -> None:
        """Remember the parts; `file` and `line` (from 1) say where the fault is."""
        message = _CONNECTION_STRING.sub("[connection string]", message)
        super().__init__(message)
        self.code = code
        self.message = message
        self.file = file
        self.line = line
        self.next_actions = next_actions

    def diagnostics(self) -> str:
        """Return place and message on one line, as `FILE:LINE: message`."""
        place = "" if self.file is None else f"{self.file}:" if self.line is None else f"{self.file}:{self.line}:"
        return f"{place} {self.message}".strip()


class UserError(EvalGateError):
    """An option, a file, a policy or a database that we must refuse."""

    exit_code = ExitCode.BAD_ARGS


class CaseFileError(UserError):
    """A case file that breaks a rule of contract section 3."""


class CaseFileChanged(EvalGateError):
    """A case file that changed between its validation and the run: the evidence is void."""

    exit_code = ExitCode.WEAK_EVIDENCE


class FixtureChanged(EvalGateError):
    """A fixture that changed during the run: the evidence is void."""

    exit_code = ExitCode.WEAK_EVIDENCE


class PolicyError(UserError):
    """A policy that does not exist, is malformed, or widens what nobody may widen."""


class DatabaseRefused(UserError):
    """A fixture that is missing, malformed or in an unsafe state."""


class UnsupportedPlatform(UserError):
    """A machine on which the limits of a case cannot be enforced."""


class UnavailableError(EvalGateError):
    """Something outside that should work does not: a locked fixture, a full disk, a closed pipe."""

    exit_code = ExitCode.IO_ERROR


class InternalError(EvalGateError):
    """A bug of ours. Never 0, never 1."""

    exit_code = ExitCode.INTERNAL_ERROR


class Cancelled(EvalGateError):
    """The user asked twice to stop, so not even a report is written."""

    exit_code = ExitCode.CANCELLED
