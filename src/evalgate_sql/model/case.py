"""One text-to-SQL case, as the case file gave it and as the worker runs it."""

from dataclasses import dataclass

from evalgate_sql.limits import DEFAULT_FLOAT_TOLERANCE


@dataclass(frozen=True, slots=True)
class Case:
    """A reference and a generated query that should answer the same question.

    The question itself is checked by the reader and dropped: nothing after it may show one.
    """

    id: str
    file: str
    """The case file, as the user named it."""
    line: int
    """The line in that file, from 1."""
    reference_sql: str
    generated_sql: str
    order_matters: bool = False
    float_tolerance: float = DEFAULT_FLOAT_TOLERANCE
    """Greatest absolute difference at which two finite numbers, one of them a float, are equal."""
    tags: tuple[str, ...] = ()
