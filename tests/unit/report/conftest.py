"""Facts that the report tests vary with `dataclasses.replace`, the shipped schemas, and golden files."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from evalgate_sql.model.policy import Policy
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.report.facts import CaseFileFacts, DatabaseFacts, EngineFacts, RunFacts, SetFacts

GOLDEN_FOLDER = Path(__file__).parents[2] / "golden" / "report"
UPDATE_GOLDEN = os.environ.get("EVALGATE_SQL_UPDATE_GOLDEN") == "1"

Validate = Callable[[str, Any], None]
CompareGolden = Callable[[str, bytes], None]


@pytest.fixture(scope="session")
def run() -> RunFacts:
    """Return an invocation that took a second and a half."""
    return RunFacts(
        started_at=datetime(2025, 3, 1, 9, 30, tzinfo=UTC),
        duration_ms=1500.25,
        jobs=2,
        isolation={"freshProcessPerCase": True, "addressSpaceBytes": 536870912, "noNewPrivileges": True},
        tool_version="0.0.0",
    )


@pytest.fixture(scope="session")
def policy() -> Policy:
    """Return a policy without surprises."""
    return Policy(
        name="sqlite",
        version=1,
        sha256="1" * 64,
        engine="sqlite",
        engine_versions=">=3.37",
        functions=frozenset({"sum"}),
        table_functions=frozenset(),
        nondeterministic=frozenset({"random"}),
    )


@pytest.fixture(scope="session")
def facts(policy: Policy) -> SetFacts:
    """Return a set whose run ended well, before any case was selected."""
    return SetFacts(
        database=DatabaseFacts("fixture.db", sha256="2" * 64),
        engine=EngineFacts("sqlite", "3.45.1"),
        policy=policy,
        limits=QueryLimits(),
        case_files=(CaseFileFacts("cases.jsonl", sha256="3" * 64, case_count=0),),
        case_count=0,
        fixture_unchanged=True,
    )


def _strict(schema: Any) -> Any:  # noqa: ANN401 - a JSON value
    """Return a copy that forbids what the schema does not describe; the shipped one lets version 1 grow."""
    if isinstance(schema, list):
        return [_strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {key: _strict(value) for key, value in schema.items()}
    return {**copy, "additionalProperties": False} if "properties" in schema else copy


@pytest.fixture(scope="session")
def validate() -> Validate:
    """Return a check of a document against the strict copy of a shipped schema."""
    validators = {name: _strict_validator(name) for name in ("report.v1.json", "error.v1.json")}

    def check(schema_name: str, document: Any) -> None:  # noqa: ANN401 - a JSON value
        validators[schema_name].validate(document)

    return check


def _strict_validator(schema_name: str) -> Draft202012Validator:
    schema = json.loads(resources.files("evalgate_sql.schemas").joinpath(schema_name).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(_strict(schema))


@pytest.fixture(scope="session")
def compare_golden() -> CompareGolden:
    """Return a comparison with a golden file, which EVALGATE_SQL_UPDATE_GOLDEN=1 writes anew."""

    def compare(name: str, actual: bytes) -> None:
        path = GOLDEN_FOLDER / name
        if UPDATE_GOLDEN:
            path.write_bytes(actual)
        assert actual.decode() == path.read_text(encoding="utf-8")

    return compare
