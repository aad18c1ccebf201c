"""What one case came to, and the few row previews that `--show-diff` asks for."""

from dataclasses import dataclass

from evalgate_sql.model.outcome import Outcome, Reason, Stage, WarningCode

Preview = bool | int | float | str | dict[str, str | bool] | None
"""One cell of a diff: a plain JSON scalar, or `{"type", "value", "clipped"?}` where JSON would lose the type."""

PreviewRow = tuple[Preview, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    """Rows that show where two results part: at most five a side, twenty columns, clipped cells."""

    reference_rows: tuple[PreviewRow, ...]
    generated_rows: tuple[PreviewRow, ...]
    columns_clipped: bool = False
    """True when the rows had more columns than are shown."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one case with its counts and times. Times are wall milliseconds."""

    outcome: Outcome
    reason: Reason | None = None
    """None for a match, and for nothing else."""
    stage: Stage | None = None
    """Where a case that is neither match nor mismatch ended."""
    reference_ms: float | None = None
    generated_ms: float | None = None
    compare_ms: float | None = None
    reference_rows: int | None = None
    generated_rows: int | None = None
    warnings: tuple[WarningCode, ...] = ()
    diff: Diff | None = None
    diff_truncated: bool = False
    """True when a diff was asked for and had to be left out."""
