"""Help, version, and what a wrong command line is told."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from evalgate_sql import __version__

Evalgate = Callable[..., Any]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--help",), "130 CANCELLED"),
        (("-h",), "Run the shipped example and explain its report."),
        (("check", "--help"), "--references-only"),
        (("demo", "--help"), "prints the code that"),
    ],
    ids=["--help", "-h", "check --help", "demo --help"],
)
def test_every_level_has_help(arguments: tuple[str, ...], told: str, evalgate: Evalgate) -> None:
    """Help is on stdout and exits with 0."""
    done = evalgate(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert told in done.stdout


def test_version_is_told(evalgate: Evalgate) -> None:
    """`--version` names the program and its version."""
    assert evalgate("--version").stdout == f"evalgate-sql, version {__version__}\n"


@pytest.mark.parametrize("asked", [("--format", "json"), ("--format=json",)], ids=" ".join)
def test_error_is_json_when_the_option_says_so(asked: tuple[str, ...], evalgate: Evalgate) -> None:
    """Both ways of writing `--format json` count, although the command line is wrong elsewhere."""
    assert json.loads(evalgate("check", *asked, "--nope").stdout)["status"] == "BAD_ARGS"


def test_error_for_a_person_leaves_stdout_empty(evalgate: Evalgate) -> None:
    """Without JSON, an error is on stderr alone."""
    done = evalgate("check")
    assert (done.stdout, done.stderr.splitlines()[0]) == (
        "",
        "evalgate-sql: BAD_ARGS: check needs --cases and --db",
    )
