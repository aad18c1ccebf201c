"""The closed lists of contract section 7: outcomes, reasons, stages, warnings.

`docs/reasons.md` explains every member; a test holds it against this module.
"""

from enum import StrEnum


class Outcome(StrEnum):
    """What became of one case. The seed's nine."""

    MATCH = "match"
    MISMATCH = "mismatch"
    GENERATED_ERROR = "generated_error"
    REFERENCE_ERROR = "reference_error"
    REFUSED = "refused"
    TIMEOUT = "timeout"
    TOO_MANY_ROWS = "too_many_rows"
    TOO_MANY_BYTES = "too_many_bytes"
    RESOURCE_LIMIT = "resource_limit"


CONCLUSIVE = frozenset({Outcome.MATCH, Outcome.MISMATCH, Outcome.GENERATED_ERROR})
"""Outcomes that say something about the generated SQL. Any other keeps the gate inconclusive."""


class Stage(StrEnum):
    """The part of a case that was under way, in the order in which they run."""

    SETUP = "setup"
    REFERENCE = "reference"
    GENERATED = "generated"
    COMPARE = "compare"


class Reason(StrEnum):
    """Why a case is not a match: the rule that decided, never database text."""

    # The text is no SQL statement.
    EMPTY = "empty"
    FENCE = "fence"
    PLACEHOLDER = "placeholder"
    INVALID_TEXT = "invalid_text"
    PARSE_ERROR = "parse_error"
    # The engine understood the statement and could not run it.
    UNDEFINED_TABLE = "undefined_table"
    UNDEFINED_COLUMN = "undefined_column"
    AMBIGUOUS_COLUMN = "ambiguous_column"
    EXECUTION_ERROR = "execution_error"
    # The contract forbids the statement.
    MULTIPLE_STATEMENTS = "multiple_statements"
    NOT_SELECT = "not_select"
    TOO_DEEP = "too_deep"
    FUNCTION_NOT_ALLOWED = "function_not_allowed"
    FUNCTION_UNKNOWN = "function_unknown"
    FUNCTION_NONDETERMINISTIC = "function_nondeterministic"
    ARGUMENT_NOT_ALLOWED = "argument_not_allowed"
    SYSTEM_TABLE = "system_table"
    VIRTUAL_TABLE = "virtual_table"
    TYPE_NOT_ALLOWED = "type_not_allowed"
    # The fixture could not be read, so the case is no evidence.
    FIXTURE_DAMAGED = "fixture_damaged"
    # The results differ.
    COLUMN_COUNT = "column_count"
    ROW_COUNT = "row_count"
    MULTIPLICITY = "multiplicity"
    VALUES = "values"
    ORDER = "order"
    # A limit was reached.
    STATEMENT_DEADLINE = "statement_deadline"
    COMPARE_DEADLINE = "compare_deadline"
    WALL_DEADLINE = "wall_deadline"
    ROW_CAP = "row_cap"
    VALUE_BYTES = "value_bytes"
    RESULT_BYTES = "result_bytes"
    MEMORY = "memory"
    CPU = "cpu"
    # The worker did not answer as agreed.
    WORKER_DIED = "worker_died"
    WORKER_REPLY = "worker_reply"


class WarningCode(StrEnum):
    """What a reader should know although it changes no outcome."""

    EMPTY_MATCH = "empty_match"
    ORDER_NOT_DETERMINED = "order_not_determined"
