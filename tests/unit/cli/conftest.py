"""The shipped schemas."""

import json
from collections.abc import Callable
from importlib import resources
from typing import Any

import pytest
from jsonschema import Draft202012Validator


@pytest.fixture(scope="session")
def validate() -> Callable[[str, Any], None]:
    """Return a check of a document against a shipped schema."""

    def run(schema_name: str, document: Any) -> None:  # noqa: ANN401 - a JSON value
        text = resources.files("evalgate_sql.schemas").joinpath(schema_name).read_text(encoding="utf-8")
        Draft202012Validator(json.loads(text)).validate(document)

    return run
