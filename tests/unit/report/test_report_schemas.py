"""The published schemas: up to date, strict where it counts, open to additions."""

import json
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.model.outcome import Outcome, Reason

GENERATOR = Path(__file__).parents[3] / "tools" / "generate_schemas.py"
GOLDEN = Path(__file__).parents[2] / "golden" / "report" / "inconclusive.json"


@pytest.fixture(name="schema", scope="module")
def shipped_schema() -> dict[str, Any]:
    """Return the report schema as the package ships it."""
    text = resources.files("evalgate_sql.schemas").joinpath("report.v1.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def test_committed_schemas_are_what_the_types_say() -> None:
    """The generator has nothing to write."""
    done = subprocess.run([sys.executable, GENERATOR, "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_additions_are_allowed(schema: dict[str, Any]) -> None:
    """Version 1 may gain a field without breaking who validates against today's schema."""
    document = json.loads(GOLDEN.read_text())
    document["new"] = document["cases"][0]["new"] = 1
    Draft202012Validator(schema).validate(document)


@pytest.mark.parametrize("field", ["status", "outcomes", "accuracy", "fixtureUnchanged", "cases", "tool"])
def test_no_field_may_be_missing(schema: dict[str, Any], field: str) -> None:
    """A consumer may rely on every field that is not marked as optional."""
    document = json.loads(GOLDEN.read_text())
    del document[field]
    assert not Draft202012Validator(schema).is_valid(document)


def test_outcomes_have_all_nine(schema: dict[str, Any]) -> None:
    """A report that hides an outcome is no report."""
    document = json.loads(GOLDEN.read_text())
    del document["outcomes"]["timeout"]
    assert not Draft202012Validator(schema).is_valid(document)


def test_closed_lists_are_in_the_schema(schema: dict[str, Any]) -> None:
    """Outcomes, reasons and statuses are those of the enums."""
    case, report = schema["$defs"]["CaseV1"]["properties"], schema["$defs"]["CheckReportV1"]["properties"]
    assert case["outcome"]["enum"] == list(Outcome)
    assert case["reason"]["enum"] == list(Reason)
    assert report["status"]["enum"] == [code.name for code in ExitCode]
