"""Refuses, before a run begins, output paths that could only fail or do harm once it is over."""

from collections.abc import Sequence
from pathlib import Path

from evalgate_sql.errors import UnavailableError, UserError


def working_directory() -> Path:
    """Return the working directory. Raises `UnavailableError` where it was deleted under us."""
    try:
        return Path.cwd()
    except OSError:
        raise UnavailableError("working_directory_missing", "the working directory does not exist any more") from None


def check_places(*, inputs: Sequence[Path], reports: Sequence[str], log: str | None) -> None:
    """Refuse a report or a log that would land on an input or on another output, or in a folder that is missing.

    Raises `UserError` for the first two and `UnavailableError` for the last.
    """
    taken = {_resolved(path): "a file that the run reads" for path in inputs}
    for path in (*reports, *([] if log is None else [log])):
        place = _resolved(Path(path))
        if place in taken and _is_replaced(place):
            raise UserError("output_taken", f"an output would overwrite {taken[place]}", file=path)
        taken[place] = "another output of this run"
    for path in reports:
        place = _resolved(Path(path))
        if place.is_dir():
            raise UnavailableError("report_not_written", "the report cannot be written: it is a directory", file=path)
        if not place.parent.is_dir():
            raise UnavailableError("report_not_written", "the report's folder does not exist", file=path)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        # Whoever opens it will say better what is wrong with it.
        return path


def _is_replaced(place: Path) -> bool:
    """Tell whether writing there would lose what is there; several outputs may share a terminal or /dev/null."""
    try:
        return place.is_file() or not place.exists()
    except (OSError, ValueError):
        return False
