"""SQLite's complaints as reasons. Reads its messages and repeats none."""

import re
import sqlite3

from evalgate_sql.model.fault import CapExceeded, FixtureDamaged, FixtureLocked, QueryFault, Refused, Rejected
from evalgate_sql.model.outcome import Reason

_MESSAGES = (
    (re.compile(r"no such table: |no such database: |unknown database "), Rejected, Reason.UNDEFINED_TABLE),
    (re.compile(r"no such column: |.* has no column named "), Rejected, Reason.UNDEFINED_COLUMN),
    (re.compile(r"cannot join using column .* not present in both"), Rejected, Reason.UNDEFINED_COLUMN),
    (re.compile(r"ambiguous column name: |ambiguous reference to "), Rejected, Reason.AMBIGUOUS_COLUMN),
    (re.compile(r"no such function: "), Refused, Reason.FUNCTION_UNKNOWN),
    # A constructor fails where a module was denied what it asks for, whatever that was (FTS3 and FTS4: a PRAGMA).
    (re.compile(r"no such module: |vtable constructor failed: "), Refused, Reason.VIRTUAL_TABLE),
    (re.compile(r"unsafe use of virtual table "), Refused, Reason.VIRTUAL_TABLE),
    (re.compile(r"unsafe use of "), Refused, Reason.FUNCTION_NOT_ALLOWED),
    (re.compile(r"too many SQL variables|variable number must be "), Rejected, Reason.PLACEHOLDER),
    (re.compile(r'near ".*": syntax error', re.DOTALL), Rejected, Reason.PARSE_ERROR),
    (re.compile(r"unrecognized token: |incomplete input"), Rejected, Reason.PARSE_ERROR),
    (re.compile(r"LIKE or GLOB pattern too complex"), Refused, Reason.ARGUMENT_NOT_ALLOWED),
    (re.compile(r"parser stack overflow|Expression tree is too large"), Refused, Reason.TOO_DEEP),
)

_DAMAGE = frozenset(
    {
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FORMAT,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_PERM,
    }
)
_LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})


def fault_of(
    error: sqlite3.Error | sqlite3.Warning | UnicodeDecodeError, *, denial: Reason | None
) -> QueryFault | FixtureLocked:
    """Return the fault that `error` stands for.

    `denial` is what the authorizer objected to in this statement, if anything.
    """
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    # NOTE: a denied function is an ordinary error to SQLite, and a virtual table says what its module likes to.
    if code == sqlite3.SQLITE_AUTH or denial is Reason.VIRTUAL_TABLE or str(error).startswith("not authorized"):
        # FTS asks for a PRAGMA while it is set up, so its first denial is not what the statement is refused for.
        is_constructor = str(error).startswith("vtable constructor failed: ")
        return Refused(Reason.VIRTUAL_TABLE if is_constructor else denial or Reason.NOT_SELECT)
    if code == sqlite3.SQLITE_TOOBIG:
        return CapExceeded(Reason.VALUE_BYTES)
    if code in _LOCKED:
        return FixtureLocked()
    if code in _DAMAGE:
        return FixtureDamaged()
    return _by_message(str(error))


def _by_message(message: str) -> QueryFault:
    for pattern, fault, reason in _MESSAGES:
        if pattern.match(message):
            return fault(reason)
    if message.startswith("You can only execute one statement"):
        return Refused(Reason.MULTIPLE_STATEMENTS)
    if message.startswith("Incorrect number of bindings"):
        return Rejected(Reason.PLACEHOLDER)
    return Rejected(Reason.EXECUTION_ERROR)
