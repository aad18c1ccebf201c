"""The shipped SQLite policy against the engines: every function there is, is decided, and every name is real.

A new engine that brings a new function fails here until a person writes the function into a group, the deny list or
`excluded` of a new policy version.
"""

import re
import sqlite3
import tomllib
from pathlib import Path
from typing import Any

import pytest

from evalgate_sql.policy.deny import denial
from evalgate_sql.policy.document import ShippedDocument, parse_shipped
from evalgate_sql.policy.load import shipped_policies
from evalgate_sql.policy.shipped import read_shipped

NEWEST = max(policy_id for policy_id in shipped_policies() if policy_id.name == "sqlite")
CONTENT = read_shipped(NEWEST)
RAW: dict[str, Any] = tomllib.loads(CONTENT.decode())
RECORD: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parents[2] / "cases" / "sqlite_functions.toml").read_text(encoding="utf-8")
)["engines"]
RECORDED = {name: engine["version"] for engine in RECORD for name in engine["adds"]}


def _document() -> ShippedDocument:
    return parse_shipped(CONTENT, file=str(NEWEST))


def _listed() -> list[str]:
    groups = [name for group in _document().groups for name in group.functions]
    return groups + [name for exclusion in _document().excluded for name in exclusion.functions]


def _undecided(functions: set[str]) -> set[str]:
    return {name for name in functions - set(_listed()) if not denial(name, engine="sqlite")}


def test_every_function_of_the_running_engine_is_decided() -> None:
    """Each function this engine reports is allowed, of a group that is off, excluded with a reason, or denied."""
    connection = sqlite3.connect(":memory:")
    reported = {name for (name,) in connection.execute("SELECT DISTINCT name FROM pragma_function_list")}
    connection.close()
    assert not _undecided(reported)


def test_every_recorded_function_is_decided() -> None:
    """The same holds for the engines recorded from 3.39 on, which this machine may not have."""
    assert not _undecided(set(RECORDED))


def test_every_listed_function_exists() -> None:
    """No name is a slip: each function that the policy lists was reported by some engine."""
    assert set(_listed()) <= set(RECORDED)


def test_no_function_is_listed_twice() -> None:
    """A function belongs to one group, so that turning a group off turns it off."""
    assert len(_listed()) == len(set(_listed()))


def test_nothing_denied_is_listed() -> None:
    """Groups and exclusions hold nothing that nobody may allow."""
    assert not [name for name in _listed() if denial(name, engine="sqlite")]


def test_first_versions_are_those_recorded() -> None:
    """The version beside a name is the first one that was seen to have it; the record knows nothing before 3.39."""
    written = dict(re.findall(r'"([a-z_]+)",\s*# (3\.\d+)', CONTENT.decode()))
    late = {name: RECORDED[name].rpartition(".")[0] for name in written if RECORDED[name] != RECORD[0]["version"]}
    assert {"concat", "median", "unhex"} <= set(late)
    assert {name: written[name] for name in late} == late


@pytest.mark.parametrize("group", sorted(RAW["groups"]))
def test_lists_are_sorted(group: str) -> None:
    """Lists are sorted, so that two people who add a name meet in one place."""
    functions = RAW["groups"][group]["functions"]
    assert functions == sorted(functions)


def test_only_clock_and_random_are_off() -> None:
    """What is off by default is what makes the same query give another answer."""
    assert {group.name for group in _document().groups if not group.enabled} == {"clock", "random"}


def test_rules_on_arguments_are_about_allowed_functions() -> None:
    """A rule for a function that no group lists would be a slip: it could never apply."""
    allowed = {name for group in _document().groups if group.enabled for name in group.functions}
    ruled = {name for bound in _document().bounds for name in bound.functions}
    for group in _document().groups:
        ruled |= {name for call in (group.clock.calls if group.clock else ()) for name in call.functions}
    assert ruled <= allowed
    assert {"date", "strftime", "timediff", "printf"} <= ruled


def test_table_functions_exist_in_the_running_engine() -> None:
    """The table functions are those of the JSON module."""
    connection = sqlite3.connect(":memory:")
    for name in sorted(name for group in _document().groups for name in group.table_functions):
        assert connection.execute(f"SELECT value FROM {name}('[7]') WHERE atom = 7").fetchall() == [(7,)]
    connection.close()


def test_guide_names_every_function() -> None:
    """The table in docs/policies.md lists the functions of each group, no more and no less."""
    guide = (Path(__file__).parents[3] / "docs" / "policies.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([a-z]+)(?:, off)? \| (.+) \|$", guide, flags=re.MULTILINE))
    for group in _document().groups:
        assert set(re.findall(r"`([^`]+)`", rows[group.name])) == group.functions | group.table_functions
