"""Runs the installed command as a user would: a real process, and nothing of our environment but what a test gives."""

import json
import os
import re
import sqlite3
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

GOLDEN_FOLDER = Path(__file__).parents[1] / "golden" / "cli"
UPDATE_GOLDEN = os.environ.get("EVALGATE_SQL_UPDATE_GOLDEN") == "1"
PATIENCE_S = 60

Finished = subprocess.CompletedProcess[str]
Evalgate = Callable[..., Finished]
Start = Callable[..., Any]

# The documentation's own example.
FIXTURE = """
CREATE TABLE accounts(id INTEGER PRIMARY KEY, balance REAL);
CREATE TABLE transactions(id INTEGER PRIMARY KEY, account_id INTEGER, amount REAL);
INSERT INTO accounts VALUES (1, 12.50), (2, 20.00);
INSERT INTO transactions VALUES (1, 1, 10.00), (2, 1, 2.50), (3, 2, 20.00);
"""
CASES = (
    '{"id":"balances","question":"What is each account\'s total transaction amount?","generatedSql":"SELECT account_id,'
    ' SUM(amount) FROM transactions GROUP BY account_id","referenceSql":"SELECT id, balance FROM accounts",'
    '"floatTolerance":0.000001}\n'
    '{"id":"account-order","question":"List account ids in ascending order.","generatedSql":"SELECT id FROM accounts'
    ' ORDER BY id","referenceSql":"SELECT id FROM accounts ORDER BY id","orderMatters":true}\n'
)

MATCH = {"id": "right", "question": "Which ids?", "generatedSql": "SELECT 1", "referenceSql": "SELECT 1"}
MISMATCH = {"id": "wrong", "question": "Which ids?", "generatedSql": "SELECT 2", "referenceSql": "SELECT 1"}
REFUSED = {"id": "refused", "question": "Drop it.", "generatedSql": "DROP TABLE accounts", "referenceSql": "SELECT 1"}
ENDLESS = {
    "id": "endless",
    "question": "How far?",
    "generatedSql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT COUNT(*) FROM n",
    "referenceSql": "SELECT 1",
}


@pytest.fixture(scope="session")
def command() -> str:
    """Return the path of the installed command."""
    path = Path(sysconfig.get_path("scripts")) / "evalgate-sql"
    assert path.exists(), "the tests need the package installed, so that its command exists"
    return str(path)


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the whole environment of a command: no locale, no variable of ours, no home of ours."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path_factory.mktemp("home"))}


def _write_fixture(folder: Path, script: str = FIXTURE) -> None:
    with closing(sqlite3.connect(folder / "fixture.db")) as connection:
        connection.executescript(script)


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the documentation's fixture and case file, and files of one case each. Only for reading."""
    folder = tmp_path_factory.mktemp("example")
    _write_fixture(folder)
    folder.joinpath("sql-cases.jsonl").write_text(CASES, encoding="utf-8")
    for name, cases in {
        "match": [MATCH],
        "mismatch": [MATCH, MISMATCH],
        "refused": [MATCH, MISMATCH, REFUSED],
        "endless": [MATCH, ENDLESS],
    }.items():
        folder.joinpath(f"{name}.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    return folder


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """Return a folder of the test's own with the documentation's fixture."""
    _write_fixture(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def write_cases() -> Callable[[Path, list[dict[str, Any]]], None]:
    """Return what writes a case file."""

    def write(path: Path, cases: list[dict[str, Any]]) -> None:
        path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")

    return write


@pytest.fixture(scope="session")
def start(command: str, environment: dict[str, str], example: Path) -> Start:
    """Return what starts the command, in the example's folder unless told otherwise, for tests that talk to it."""

    @contextmanager
    def begin(
        *arguments: str | bytes,
        variables: dict[str, str] | None = None,
        cwd: Path | None = None,
        **streams: Any,  # noqa: ANN401 - Popen's own
    ) -> Iterator[subprocess.Popen[bytes]]:
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(
            [command, *arguments], cwd=cwd or example, env={**environment, **(variables or {})}, **{**pipes, **streams}
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    return begin


@pytest.fixture(scope="session")
def evalgate(start: Start) -> Evalgate:
    """Return what runs the command to its end; what it writes has to be UTF-8."""

    def run(*arguments: str | bytes, **settings: Any) -> Finished:  # noqa: ANN401 - those of `start`
        with start(*arguments, **settings) as process:
            out, err = process.communicate(timeout=PATIENCE_S)
        return subprocess.CompletedProcess(arguments, process.returncode, (out or b"").decode(), (err or b"").decode())

    return run


@pytest.fixture(scope="session")
def check(evalgate: Evalgate) -> Evalgate:
    """Return what runs `check` on a case file of the example's folder, in one job."""

    def run(cases: str, *arguments: str, **settings: Any) -> Finished:  # noqa: ANN401 - those of `start`
        return evalgate(
            "check", "--cases", cases, "--db", "sqlite:///fixture.db", "--jobs", "1", *arguments, **settings
        )

    return run


@pytest.fixture(scope="session")
def mismatched(check: Evalgate) -> Finished:
    """Return a run with a match and a mismatch, for people, without any option."""
    return check("mismatch.jsonl")


@pytest.fixture(scope="session")
def refused(check: Evalgate) -> Finished:
    """Return a run with a match, a mismatch and a refused case, which no score can fail."""
    return check("refused.jsonl", "--min-accuracy", "0")


@pytest.fixture(scope="session")
def validate() -> Callable[[str, Any], None]:
    """Return a check of a document against a shipped schema."""

    def run(schema_name: str, document: Any) -> None:  # noqa: ANN401 - a JSON value
        text = resources.files("evalgate_sql.schemas").joinpath(schema_name).read_text(encoding="utf-8")
        Draft202012Validator(json.loads(text)).validate(document)

    return run


_VOLATILE = (
    (re.compile(r'"startedAt": "[^"]+"'), '"startedAt": "<time>"'),
    (re.compile(r'("\w+Ms"): ?\d+\.\d+'), r"\1:<ms>"),
    (re.compile(r'"sha256":"[0-9a-f]{64}"'), '"sha256":"<digest>"'),
    (re.compile(r'("(?:sqlite|evalgate-sql)","version":)"[0-9.]+"'), r'\1"<version>"'),
    (re.compile(r"sqlite \d+\.\d+\.\d+"), "sqlite <version>"),
    (re.compile(r"^evalgate-sql(?:, version)? \d+\.\d+\.\d+", re.MULTILINE), "evalgate-sql <version>"),
)


@pytest.fixture(scope="session")
def compare_golden() -> Callable[[str, str], None]:
    """Return a comparison with a golden file, which EVALGATE_SQL_UPDATE_GOLDEN=1 writes anew."""

    def compare(name: str, actual: str) -> None:
        for pattern, placeholder in _VOLATILE:
            actual = pattern.sub(placeholder, actual)
        path = GOLDEN_FOLDER / name
        if UPDATE_GOLDEN:
            path.write_text(actual, encoding="utf-8")
        assert actual == path.read_text(encoding="utf-8")

    return compare
