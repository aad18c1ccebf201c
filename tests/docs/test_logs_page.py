"""Holds docs/logs.md against the events and fields that the program knows."""

import re
from pathlib import Path

from evalgate_sql.logs import FIELDS, Event

PAGE = Path(__file__).parents[2] / "docs" / "logs.md"
SOURCES = Path(__file__).parents[2] / "src" / "evalgate_sql"

ROWS = re.findall(r"^\| `(\w+)` \| (\w+) \| ([^|]*)\| [^|]+ \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_page_lists_every_event_once() -> None:
    """No event is missing, none is made up."""
    assert sorted(event for event, _, _ in ROWS) == sorted(Event)


def test_fields_of_the_page_are_allowed() -> None:
    """Every field that a row names may be logged."""
    named = {field for _, _, fields in ROWS for field in re.findall(r"`(\w+)`", fields)}
    assert named <= FIELDS.keys()


def test_rows_say_what_the_code_does() -> None:
    """Level and fields of a row are those of the calls in the sources."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in sorted(SOURCES.rglob("*.py")))
    calls: dict[str, tuple[str, set[str]]] = {}
    for level, event, arguments in re.findall(r"log\.(\w+)\(\s*Event\.(\w+)((?:[^()]|\([^()]*\))*)\)", code):
        fields = set(re.findall(r"(\w+)=", arguments))
        calls[event.lower()] = (level, fields | calls.get(event.lower(), ("", set()))[1])
    page = {event: (level, set(re.findall(r"`(\w+)`", fields))) for event, level, fields in ROWS}
    assert page == calls
