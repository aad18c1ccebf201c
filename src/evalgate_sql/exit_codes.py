"""The exit codes of every command, and which of several wins.

Contract section 2. Knows nothing of why a run ended: `report.gate` decides that.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the process tells its caller. The name is the report's `status`."""

    PASS = 0
    SCORE_BELOW = 1
    REGRESSION = 2
    BAD_ARGS = 5
    WEAK_EVIDENCE = 7
    IO_ERROR = 11
    INTERNAL_ERROR = 99
    CANCELLED = 130


PRECEDENCE = (
    ExitCode.CANCELLED,
    ExitCode.INTERNAL_ERROR,
    ExitCode.BAD_ARGS,
    ExitCode.IO_ERROR,
    ExitCode.WEAK_EVIDENCE,
    ExitCode.REGRESSION,
    ExitCode.SCORE_BELOW,
    ExitCode.PASS,
)
"""Strongest first: an inconclusive outcome beats a low score, whatever the threshold."""


def strongest(codes: "set[ExitCode]") -> ExitCode:
    """Return the code that wins when all of `codes` apply; PASS when none does."""
    return next((code for code in PRECEDENCE if code in codes), ExitCode.PASS)
