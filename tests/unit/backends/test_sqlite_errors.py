"""Every complaint of SQLite that has a reason of its own, and those that have none."""

import sqlite3

import pytest

from evalgate_sql.backends.sqlite_errors import fault_of
from evalgate_sql.model.fault import CapExceeded, FixtureDamaged, FixtureLocked, QueryFault, Refused, Rejected
from evalgate_sql.model.outcome import Reason


def error(message: str, code: int = sqlite3.SQLITE_ERROR) -> sqlite3.OperationalError:
    """Return an error as the driver raises it."""
    fault = sqlite3.OperationalError(message)
    fault.sqlite_errorcode = code
    return fault


@pytest.mark.parametrize(
    ("message", "kind", "reason"),
    [
        ("no such table: t", Rejected, Reason.UNDEFINED_TABLE),
        ("no such database: d", Rejected, Reason.UNDEFINED_TABLE),
        ("unknown database d", Rejected, Reason.UNDEFINED_TABLE),
        ("no such column: c", Rejected, Reason.UNDEFINED_COLUMN),
        ("table t has no column named c", Rejected, Reason.UNDEFINED_COLUMN),
        (
            "cannot join using column c - column not present in both tables",
            Rejected,
            Reason.UNDEFINED_COLUMN,
        ),
        ("ambiguous column name: c", Rejected, Reason.AMBIGUOUS_COLUMN),
        ("ambiguous reference to c in USING()", Rejected, Reason.AMBIGUOUS_COLUMN),
        ("no such function: f", Refused, Reason.FUNCTION_UNKNOWN),
        ("no such module: m", Refused, Reason.VIRTUAL_TABLE),
        ("vtable constructor failed: notes", Refused, Reason.VIRTUAL_TABLE),
        ('unsafe use of virtual table "v"', Refused, Reason.VIRTUAL_TABLE),
        ("unsafe use of f()", Refused, Reason.FUNCTION_NOT_ALLOWED),
        ("too many SQL variables", Rejected, Reason.PLACEHOLDER),
        ("variable number must be between ?1 and ?0", Rejected, Reason.PLACEHOLDER),
        ("Incorrect number of bindings supplied.", Rejected, Reason.PLACEHOLDER),
        ('near "x": syntax error', Rejected, Reason.PARSE_ERROR),
        ('near "\n": syntax error', Rejected, Reason.PARSE_ERROR),
        ('unrecognized token: "@"', Rejected, Reason.PARSE_ERROR),
        ("incomplete input", Rejected, Reason.PARSE_ERROR),
        ("parser stack overflow", Refused, Reason.TOO_DEEP),
        ("Expression tree is too large (maximum depth 1000)", Refused, Reason.TOO_DEEP),
        ("You can only execute one statement at a time.", Refused, Reason.MULTIPLE_STATEMENTS),
        ("not authorized to use function: f", Refused, Reason.NOT_SELECT),
        ("integer overflow", Rejected, Reason.EXECUTION_ERROR),
        ("", Rejected, Reason.EXECUTION_ERROR),
        ("a text that only mentions: no such table: t", Rejected, Reason.EXECUTION_ERROR),
    ],
)
def test_message_has_its_reason(message: str, kind: type[QueryFault], reason: Reason) -> None:
    """SQLite gives one code for all of these; the beginning of its message tells them apart."""
    fault = fault_of(error(message), denial=None)
    assert isinstance(fault, QueryFault)
    assert (type(fault), fault.reason) == (kind, reason)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_TOOBIG, CapExceeded),
        (sqlite3.SQLITE_CORRUPT, FixtureDamaged),
        (sqlite3.SQLITE_NOTADB, FixtureDamaged),
        (sqlite3.SQLITE_IOERR, FixtureDamaged),
        (sqlite3.SQLITE_IOERR | 1 << 8, FixtureDamaged),
        (sqlite3.SQLITE_CANTOPEN, FixtureDamaged),
        (sqlite3.SQLITE_READONLY, FixtureDamaged),
        (sqlite3.SQLITE_BUSY, FixtureLocked),
        (sqlite3.SQLITE_BUSY | 2 << 8, FixtureLocked),
        (sqlite3.SQLITE_LOCKED, FixtureLocked),
        (sqlite3.SQLITE_AUTH, Refused),
    ],
)
def test_code_goes_before_the_message(code: int, kind: type[Exception]) -> None:
    """Where SQLite has a code, its words do not matter; extended codes are those of their kind."""
    assert type(fault_of(error("no such table: t", code), denial=None)) is kind


@pytest.mark.parametrize("denial", [Reason.SYSTEM_TABLE, Reason.FUNCTION_NOT_ALLOWED])
def test_denial_says_why_the_engine_was_told_no(denial: Reason) -> None:
    """The engine only says "not authorized"; the authorizer knows why."""
    fault = fault_of(error("not authorized", sqlite3.SQLITE_AUTH), denial=denial)
    assert isinstance(fault, Refused)
    assert fault.reason is denial


def test_virtual_table_may_complain_as_it_likes() -> None:
    """A module that was denied says something of its own; the denial is what counts."""
    fault = fault_of(error("fts5: something"), denial=Reason.VIRTUAL_TABLE)
    assert isinstance(fault, Refused)
    assert fault.reason is Reason.VIRTUAL_TABLE


def test_warning_of_several_statements_is_a_refusal() -> None:
    """Drivers before 3.12 raise a warning, which is no error of SQLite and has no code."""
    fault = fault_of(sqlite3.Warning("You can only execute one statement at a time."), denial=None)
    assert isinstance(fault, Refused)
    assert fault.reason is Reason.MULTIPLE_STATEMENTS


def test_undecodable_complaint_is_an_execution_error() -> None:
    """A message that the driver cannot decode tells nothing but that the query failed."""
    undecodable = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
    fault = fault_of(undecodable, denial=None)
    assert isinstance(fault, Rejected)
    assert fault.reason is Reason.EXECUTION_ERROR
