"""What the options of `check` do, and their variables."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Evalgate = Callable[..., Any]
WriteCases = Callable[[Path, list[dict[str, Any]]], None]

CLOCK = {"id": "now", "question": "Now?", "generatedSql": "SELECT date('now') > 1", "referenceSql": "SELECT 1"}


@pytest.fixture(name="by_variables", scope="module")
def _by_variables(
    evalgate: Evalgate, example: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Any, dict[str, Any], Path]:
    """Run `check` without a single option: every one of them is given by its variable."""
    out = tmp_path_factory.mktemp("out")
    variables = {
        "CASES": str(example / "refused.jsonl"),
        "DB": f"sqlite:///{example}/fixture.db",
        "TIMEOUT_MS": "2000",
        "MAX_ROWS": "77",
        "MIN_ACCURACY": "0.25",
        "MAX_DURATION": "50",
        "JOBS": "2",
        "POLICY": "sqlite@1",
        "ENABLE_GROUP": "clock random",
        "CASE": "wrong right",
        "REFERENCES_ONLY": "0",
        "FORMAT": "json",
        "OUTPUT": f"{out}/report.json:human={out}/report.txt",
        "SHOW_DIFF": "1",
        "PROGRESS": "plain",
        "LOG_FORMAT": "json",
        "LOG_LEVEL": "info",
        "LOG_FILE": f"{out}/run.log",
    }
    done = evalgate("check", variables={f"EVALGATE_SQL_{name}": value for name, value in variables.items()})
    return done, json.loads(done.stdout), out


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("caseFiles/0/caseCount", 3),
        ("database/name", "fixture.db"),
        ("limits/timeoutMs", 2000),
        ("limits/maxRows", 77),
        ("minAccuracy", 0.25),
        ("complete", True),
        ("jobs", 2),
        ("policy/name", "sqlite"),
        ("policy/enabledGroups", ["clock", "random"]),
        ("caseCount", 2),
        ("referencesOnly", False),
        ("containsFixtureRows", True),
        ("exitCode", 0),
    ],
)
def test_variable_stands_for_its_option(
    path: str, expected: object, by_variables: tuple[Any, dict[str, Any], Path]
) -> None:
    """What the variables say arrives in the report."""
    value: Any = by_variables[1]
    for key in path.split("/"):
        value = value[int(key) if key.isdecimal() else key]
    assert value == expected


def test_outputs_come_from_their_variable(by_variables: tuple[Any, dict[str, Any], Path]) -> None:
    """EVALGATE_SQL_OUTPUT names several reports, apart like the entries of PATH."""
    done, _, out = by_variables
    assert out.joinpath("report.json").read_text(encoding="utf-8") == done.stdout
    assert "accuracy 0.5000" in out.joinpath("report.txt").read_text(encoding="utf-8")


def test_log_comes_from_its_variables(by_variables: tuple[Any, dict[str, Any], Path]) -> None:
    """The log is JSON, from level info on, in its file."""
    lines = [json.loads(line) for line in by_variables[2].joinpath("run.log").read_text(encoding="utf-8").splitlines()]
    assert [line["event"] for line in lines] == [
        "cases_validated",
        "fixture_checked",
        "run_started",
        "run_finished",
        "report_written",
        "report_written",
    ]


def test_progress_and_diff_note_are_all_that_stderr_holds(by_variables: tuple[Any, dict[str, Any], Path]) -> None:
    """Plain progress tells of the last case, and --show-diff of the rows in the report."""
    assert by_variables[0].stderr == (
        "evalgate-sql: 2 of 2 cases\nevalgate-sql: the report contains rows of the fixture (--show-diff)\n"
    )


def test_option_beats_its_variable(check: Evalgate) -> None:
    """A flag wins over the variable."""
    done = check("match.jsonl", "--format", "human", variables={"EVALGATE_SQL_FORMAT": "json"})
    assert done.stdout.startswith("evalgate-sql ")


def test_references_only_runs_no_generated_query(check: Evalgate) -> None:
    """Vetting references passes whatever the generated queries are, and gives no accuracy."""
    report = json.loads(check("refused.jsonl", "--references-only", "--format", "json").stdout)
    assert (report["exitCode"], report["matchCount"], report["accuracy"]) == (0, 3, None)


@pytest.fixture(name="expired", scope="module")
def _expired(check: Evalgate, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, dict[str, Any]]:
    path = tmp_path_factory.mktemp("expired") / "report.json"
    done = check("endless.jsonl", "--timeout-ms", "60000", "--max-duration", "0.7", "-o", str(path))
    return done, json.loads(path.read_text(encoding="utf-8"))


def test_expiry_of_the_whole_job_exits_7(expired: tuple[Any, dict[str, Any]]) -> None:
    """Time that runs out is WEAK_EVIDENCE."""
    assert (expired[0].returncode, expired[1]["status"]) == (7, "WEAK_EVIDENCE")


def test_expired_job_reports_what_finished(expired: tuple[Any, dict[str, Any]]) -> None:
    """The report of an expired job is written, incomplete and without an accuracy."""
    report = expired[1]
    assert (report["complete"], report["accuracy"]) == (False, None)
    assert len(report["cases"]) == report["caseCount"] - report["notRunCount"] < 2


def test_clock_is_refused_until_its_group_is_enabled(check: Evalgate, scratch: Path, write_cases: WriteCases) -> None:
    """The same case is refused by default and runs with `--enable-group clock`."""
    write_cases(scratch / "clock.jsonl", [CLOCK])
    reports = [
        json.loads(check("clock.jsonl", "--format", "json", *arguments, cwd=scratch).stdout)
        for arguments in ((), ("--enable-group", "clock"))
    ]
    assert [report["cases"][0]["outcome"] for report in reports] == ["refused", "match"]


def test_own_policy_file_is_used_and_named(check: Evalgate, scratch: Path, write_cases: WriteCases) -> None:
    """A policy of the project's own decides, and the report says which it was."""
    scratch.joinpath("ours.toml").write_text('name = "ours"\nversion = 3\nextends = "sqlite@1"\nremove = ["upper"]\n')
    write_cases(
        scratch / "upper.jsonl",
        [{"id": "u", "question": "Up?", "generatedSql": "SELECT upper('a')", "referenceSql": "SELECT 'A'"}],
    )
    report = json.loads(check("upper.jsonl", "--policy", "ours.toml", "--format", "json", cwd=scratch).stdout)
    assert (report["policy"]["name"], report["policy"]["version"], report["policy"]["extends"]) == (
        "ours",
        3,
        "sqlite@1",
    )
    assert report["cases"][0]["reason"] == "function_not_allowed"


COLOURED = "\x1b["


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
    ids=["FORCE_COLOR", "NO_COLOR wins"],
)
def test_colour_obeys_its_variables(variables: dict[str, str], *, coloured: bool, check: Evalgate) -> None:
    """A pipe gets colour only when FORCE_COLOR asks for it and NO_COLOR does not forbid it."""
    assert (COLOURED in check("mismatch.jsonl", variables=variables).stdout) is coloured


def test_pipe_gets_no_colour(mismatched: Any) -> None:  # noqa: ANN401 - a finished process
    """Without being asked, the program colours terminals only."""
    assert COLOURED not in mismatched.stdout


def test_command_to_run_a_case_again_repeats_what_decides(
    check: Evalgate, scratch: Path, write_cases: WriteCases
) -> None:
    """The command in the report can be pasted: limits and policy are repeated, and a newline in a name survives."""
    name = "odd\nname.jsonl"
    write_cases(scratch / name, [{"id": "a", "question": "A?", "generatedSql": "SELECT 2", "referenceSql": "SELECT 1"}])
    done = check(name, "--max-rows", "5", "--enable-group", "clock", "--min-accuracy", "0", cwd=scratch)
    assert (
        "  evalgate-sql check --cases $'odd\\x0aname.jsonl' --db sqlite:///fixture.db --max-rows 5 --enable-group clock"
        " --case a --show-diff\n"
    ) in done.stdout
