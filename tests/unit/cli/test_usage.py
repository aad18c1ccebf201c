"""What a wrong command line is told. In one process: what goes where is `tests/cli`'s business."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalgate_sql.cli.main import run

CHECK = ("check", "--cases", "match.jsonl", "--db", "sqlite:///fixture.db")
SECRET = "postgresql://user:hunter2@host/db"  # noqa: S105 - it has to look like one


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder with a case file and what stands for a fixture, and ask for JSON."""
    tmp_path.joinpath("match.jsonl").write_text(
        '{"id":"a","question":"Which?","generatedSql":"SELECT 1","referenceSql":"SELECT 1"}\n'
    )
    tmp_path.joinpath("fixture.db").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALGATE_SQL_FORMAT", "json")


NO_FILE = ("check", "--cases", "absent.jsonl", "--db", "sqlite:///fixture.db")
NOT_SQLITE = ("check", "--cases", "match.jsonl", "--db", "sqlite:///match.jsonl")
MYSQL = ("check", "--cases", "match.jsonl", "--db", "mysql://host/db")

WRONG: dict[str, tuple[tuple[str, ...], str, str]] = {
    "no command": ((), "usage", "Missing command"),
    "unknown command": (("frobnicate",), "usage", "the commands are check, demo"),
    "no options": (("check",), "usage", "check needs --cases and --db"),
    "unknown option": ((*CHECK, "--frobnicate"), "usage", "--frobnicate"),
    "stray word": ((*CHECK, "stray"), "usage", "takes options only"),
    "option without its value": (("check", "--cases"), "usage", "--cases"),
    "timeout of zero": ((*CHECK, "--timeout-ms", "0"), "usage", "1<=x<=300000"),
    "timeout over the limit": ((*CHECK, "--timeout-ms", "300001"), "usage", "1<=x<=300000"),
    "rows over the limit": ((*CHECK, "--max-rows", "100001"), "usage", "1<=x<=100000"),
    "accuracy over one": ((*CHECK, "--min-accuracy", "1.5"), "usage", "a number from 0 to 1"),
    "accuracy that is no number": ((*CHECK, "--min-accuracy", "nan"), "usage", "a number from 0 to 1"),
    "endless duration": ((*CHECK, "--max-duration", "inf"), "usage", "seconds above 0"),
    "no jobs": ((*CHECK, "--jobs", "0"), "usage", "--jobs"),
    "unknown report kind": ((*CHECK, "-o", "pdf=report.pdf"), "usage", "knows the kinds json, human"),
    "report without a path": ((*CHECK, "-o", "json="), "usage", "needs a path"),
    "unknown log level": ((*CHECK, "--log-level", "loud"), "usage", "--log-level"),
    "unknown case": ((*CHECK, "--case", "absent"), "case_unknown", "no case 'absent'"),
    "unknown policy": ((*CHECK, "--policy", "sqlite@999"), "policy_unknown", "sqlite@999"),
    "unknown group": ((*CHECK, "--enable-group", "absent"), "policy_group_unknown", "clock, random"),
    "unknown engine": (MYSQL, "engine_unknown", "sqlite:///PATH"),
    "missing case file": (NO_FILE, "case_file_missing", "no such case file"),
    "fixture that is none": (NOT_SQLITE, "fixture_not_sqlite", "no SQLite database"),
    "report over the cases": ((*CHECK, "-o", "./match.jsonl"), "output_taken", "a file that the run reads"),
    "report over the fixture": ((*CHECK, "-o", "human=fixture.db"), "output_taken", "a file that the run reads"),
    "log into the fixture": ((*CHECK, "--log-file", "fixture.db"), "output_taken", "a file that the run reads"),
    "two reports of one name": ((*CHECK, "-o", "a.json", "-o", "human=./a.json"), "output_taken", "another output"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_command_line_exits_5_with_json(
    name: str, validate: Callable[[str, Any], None], capfd: pytest.CaptureFixture[str]
) -> None:
    """A refused command line says on stdout, as JSON, what is wrong, when JSON was asked for by the variable."""
    arguments, code, told = WRONG[name]
    exit_code = run([*arguments])
    document = json.loads(capfd.readouterr().out)
    validate("error.v1.json", document)
    assert (exit_code, document["exitCode"], document["error"]["code"]) == (5, 5, code)
    assert told in document["error"]["message"]


@pytest.mark.parametrize(
    "arguments",
    [
        (SECRET,),
        (*CHECK, SECRET),
        (*CHECK[:4], SECRET),
        (*CHECK, "--policy", SECRET),
        ("check", "--cases", SECRET, "--db", "cases.jsonl"),
        (*CHECK, "-o", SECRET),
    ],
    ids=["as command", "stray", "as database", "as policy", "as cases", "as report"],
)
def test_connection_string_is_never_repeated(arguments: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    """A connection string in the wrong place does not come back with its password."""
    assert run([*arguments]) == 5
    assert "hunter2" not in "".join(capfd.readouterr())
