"""The documentation's own example, end to end."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Evalgate = Callable[..., Any]


@pytest.fixture(name="as_json", scope="module")
def _as_json(check: Evalgate) -> Any:  # noqa: ANN401 - a finished process
    return check("sql-cases.jsonl", "--format", "json")


def test_both_cases_match(as_json: Any) -> None:  # noqa: ANN401 - a finished process
    """Different texts with the same results match."""
    cases = json.loads(as_json.stdout)["cases"]
    assert [(case["id"], case["outcome"]) for case in cases] == [("balances", "match"), ("account-order", "match")]


def test_accuracy_is_one(as_json: Any) -> None:  # noqa: ANN401 - a finished process
    """Two matches of two scored cases are an accuracy of 1."""
    assert json.loads(as_json.stdout)["accuracy"] == 1.0


def test_passing_run_exits_0(as_json: Any) -> None:  # noqa: ANN401 - a finished process
    """A gate that passes is exit 0, in the report and of the process."""
    assert (json.loads(as_json.stdout)["status"], as_json.returncode) == ("PASS", 0)


def test_passing_run_says_nothing_on_stderr(as_json: Any) -> None:  # noqa: ANN401 - a finished process
    """Standard error is quiet when there is nothing to say."""
    assert as_json.stderr == ""


def test_json_obeys_the_shipped_schema(as_json: Any, validate: Callable[[str, Any], None]) -> None:  # noqa: ANN401 - as above
    """What the process prints is what the published schema describes."""
    validate("report.v1.json", json.loads(as_json.stdout))


def test_json_is_as_before(as_json: Any, compare_golden: Callable[[str, str], None]) -> None:  # noqa: ANN401 - as above
    """The JSON of the whole program changes only where a reviewer sees it."""
    compare_golden("example.json", as_json.stdout)


def test_human_report_is_as_before(refused: Any, compare_golden: Callable[[str, str], None]) -> None:  # noqa: ANN401 - as above
    """The text of a run with all kinds of endings changes only where a reviewer sees it."""
    compare_golden("refused.txt", refused.stdout)


def test_parallel_run_keeps_the_order(evalgate: Evalgate) -> None:
    """Two jobs at once report the same cases in the order of the file."""
    done = evalgate(
        "check", "--cases", "refused.jsonl", "--db", "sqlite:///fixture.db", "--jobs", "2", "--format", "json"
    )
    report = json.loads(done.stdout)
    assert (report["jobs"], [case["id"] for case in report["cases"]]) == (2, ["right", "wrong", "refused"])


def test_run_leaves_nothing_beside_the_fixture(example: Path, as_json: Any) -> None:  # noqa: ANN401 - a finished process
    """No journal, log or index file appears in the fixture's folder."""
    assert as_json.returncode == 0
    assert [path.name for path in example.iterdir() if path.name.startswith("fixture.db")] == ["fixture.db"]
