"""Refuses, before a run begins, output paths that could only fail or do harm once it is over."""

from collections.abc import Hashable, Sequence
from contextlib import suppress
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
    taken = {key: "a file that the run reads" for path in inputs for key in _keys(path)}
    for path in (*reports, *([] if log is None else [log])):
        place = Path(path)
        owner = next((taken[key] for key in _keys(place) if key in taken), None)
        if owner and _is_replaced(_resolved(place)):
            raise UserError("output_taken", f"an output would overwrite {owner}", file=path)
        taken.update(dict.fromkeys(_keys(place), "another output of this run"))
    for path in reports:
        place = _resolved(Path(path))
        if place.is_dir():
            raise UnavailableError("report_not_written", "the report cannot be written: it is a directory", file=path)
        if not place.parent.is_dir():
            raise UnavailableError("report_not_written", "the report's folder does not exist", file=path)


def _keys(path: Path) -> list[Hashable]:
    """Return what a file is known by: its name without links and, where it exists, its inode, which has other names."""
    keys: list[Hashable] = [_resolved(path)]
    with suppress(OSError, ValueError):
        status = path.stat()
        keys.append((status.st_dev, status.st_ino))
    return keys


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
