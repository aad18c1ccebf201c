"""The pages on reasons and verdicts, held against the code."""

import json
import re
from enum import StrEnum
from pathlib import Path

import pytest

from evalgate_sql.exit_codes import PRECEDENCE, ExitCode
from evalgate_sql.model.outcome import Outcome, Reason, Stage, WarningCode
from evalgate_sql.report.values import ReportWarning

DOCS = Path(__file__).parents[3] / "docs"
GOLDEN = Path(__file__).parents[2] / "golden" / "report"


def section(page: str, heading: str) -> str:
    """Return the text under a heading of the second level."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def listed(page: str, heading: str) -> list[str]:
    """Return the names in the first column of the tables of a section."""
    cells = re.findall(r"^\| (`[^|]+) \|", section(page, heading), flags=re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


@pytest.mark.parametrize(
    ("heading", "enums"),
    [
        ("Outcomes", (Outcome,)),
        ("Reasons", (Reason,)),
        ("Stages", (Stage,)),
        ("Warnings", (WarningCode, ReportWarning)),
    ],
)
def test_every_member_is_explained_once(heading: str, enums: tuple[type[StrEnum], ...]) -> None:
    """The page lists what the code can say, and nothing else."""
    assert sorted(listed("reasons.md", heading)) == sorted(member for enum in enums for member in enum)


@pytest.mark.parametrize("heading", ["Outcomes", "Reasons", "Stages", "Warnings"])
def test_every_row_is_complete(heading: str) -> None:
    """Each member has its meaning, and where there is something to do, that too."""
    rows = [line for line in section("reasons.md", heading).splitlines() if line.startswith("| `")]
    assert all(cell.strip().endswith(".") for row in rows for cell in row.strip("|").split(" | ")[1:])


def test_every_field_of_a_report_is_explained() -> None:
    """The page on verdicts names each top-level field once."""
    document = json.loads((GOLDEN / "stopped.json").read_text(encoding="utf-8"))
    assert sorted(listed("verdicts.md", "The report")) == sorted(document)


def test_exit_codes_and_their_precedence_are_those_of_the_code() -> None:
    """The page and `exit_codes` agree. REGRESSION belongs to a comparison with a baseline."""
    text = section("verdicts.md", "Exit codes")
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", text, flags=re.MULTILINE)
    assert [(int(code), name) for code, name in rows] == [
        (code.value, code.name) for code in ExitCode if code is not ExitCode.REGRESSION
    ]
    order = ", ".join(str(code.value) for code in PRECEDENCE if code is not ExitCode.REGRESSION)
    assert f"the strongest wins: {order}." in text
