"""Faults of the fixture and the machine as errors."""

import pytest

from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.supervisor.faults import error_of
from evalgate_sql.wire.messages import FaultCode


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [
        (FaultCode.FIXTURE_CHANGED, ExitCode.WEAK_EVIDENCE),
        (FaultCode.FIXTURE_DAMAGED, ExitCode.BAD_ARGS),
        (FaultCode.FIXTURE_LOCKED, ExitCode.IO_ERROR),
        (FaultCode.LIMIT_NOT_ENFORCED, ExitCode.BAD_ARGS),
        (FaultCode.ENGINE_UNSUPPORTED, ExitCode.BAD_ARGS),
    ],
)
def test_fault_has_its_exit_code(code: FaultCode, exit_code: ExitCode) -> None:
    """Each fault that ends a run has one exit code, and its name is the error's."""
    error = error_of(code, file="/a b.db")
    assert (error.exit_code, error.code) == (exit_code, code.value)


def test_every_fault_has_an_error() -> None:
    """No fault that a worker may report is left without an error."""
    assert [error_of(code, file="x").code for code in FaultCode] == [code.value for code in FaultCode]


def test_damage_comes_with_a_command_that_can_be_pasted() -> None:
    """The command that shows the damage quotes the name of the file."""
    (action,) = error_of(FaultCode.FIXTURE_DAMAGED, file="/a b.db").next_actions
    assert action.command == "sqlite3 '/a b.db' 'PRAGMA integrity_check'"
