"""Nothing that runs, asks or is stored comes out of the program, whatever goes wrong with it."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

Evalgate = Callable[..., Any]
WriteCases = Callable[[Path, list[dict[str, Any]]], None]

SQL, QUESTION, ROW = "marker_in_sql", "marker_in_question", "marker_in_row"
DATABASE_WORDS = (
    "no such",
    "syntax error",
    "unrecognized",
    "misuse",
    "malformed",
    "near ",
    "ambiguous",
    "not authorized",
)

GENERATED = {
    "mismatch": f"SELECT name || '{SQL}' FROM people",
    "rows": f"SELECT name, '{SQL}' FROM people",
    "syntax": f"SELEC {SQL}",
    "token": f"SELECT '{SQL}",
    "table": f"SELECT * FROM {SQL}",
    "column": f"SELECT {SQL} FROM people",
    "function": f"SELECT {SQL}(name) FROM people",
    "denied": f"SELECT load_extension('{SQL}')",
    "delete": f"DELETE FROM people WHERE name = '{SQL}'",
    "several": f"SELECT 1; SELECT '{SQL}'",
    "overflow": f"SELECT abs(-9223372036854775808), '{SQL}'",
    "json": f"SELECT json('{SQL}') FROM people",
    "escape": f"SELECT '{SQL}' LIKE name ESCAPE 'too long' FROM people",
    "attach": f"ATTACH '{SQL}' AS {SQL}",
    "placeholder": f"SELECT :{SQL}",
    "schema": f"SELECT sql FROM sqlite_schema WHERE name = '{SQL}'",
    "big": f"SELECT hex(zeroblob(900000)) || '{SQL}' FROM people",
    "wide": f"SELECT printf('%.*c', 900000, '{SQL}')",
    "collation": f"SELECT name FROM people ORDER BY name COLLATE {SQL}",
    "regexp": f"SELECT name REGEXP '{SQL}' FROM people",
}


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory, write_cases: WriteCases) -> Path:
    folder = tmp_path_factory.mktemp("silence")
    with closing(sqlite3.connect(folder / "fixture.db")) as connection:
        connection.execute("CREATE TABLE people(name TEXT)")
        connection.execute("INSERT INTO people VALUES (?)", (ROW,))
        connection.commit()
    reference = f"SELECT name FROM people WHERE '{SQL}' <> ''"
    cases = [
        {"id": name, "question": f"{QUESTION}?", "generatedSql": sql, "referenceSql": reference}
        for name, sql in GENERATED.items()
    ]
    # The same texts as references, which fail in another stage.
    cases += [{**case, "id": f"ref-{case['id']}", "referenceSql": case["generatedSql"]} for case in cases]
    write_cases(folder / "hostile.jsonl", cases)
    return folder


@pytest.fixture(name="outputs", scope="module")
def _outputs(check: Evalgate, folder: Path) -> dict[str, str]:
    """Run the hostile cases with everything that can be written, and return it by name."""
    files = ("report.json", "report.txt", "run.log")
    done = check(
        "hostile.jsonl",
        *("--format", "human", "-o", "report.json", "-o", "human=report.txt", "--progress", "plain"),
        *("--log-level", "debug", "--log-format", "json", "--log-file", "run.log", "--timeout-ms", "2000"),
        cwd=folder,
    )
    written = {name: folder.joinpath(name).read_text(encoding="utf-8") for name in files}
    return {"stdout": done.stdout, "stderr": done.stderr, **written}


OUTPUTS = pytest.mark.parametrize("name", ["stdout", "stderr", "report.json", "report.txt", "run.log"])


def test_every_hostile_case_has_run(outputs: dict[str, str]) -> None:
    """The outputs are about what they have to be about."""
    assert json.loads(outputs["report.json"])["notRunCount"] == 0


@OUTPUTS
def test_no_output_holds_sql_question_or_rows(name: str, outputs: dict[str, str]) -> None:
    """Reports, log and progress name cases and reasons, and no content."""
    assert not [marker for marker in (SQL, QUESTION, ROW) if marker in outputs[name]]


@OUTPUTS
def test_no_output_holds_the_words_of_the_database(name: str, outputs: dict[str, str]) -> None:
    """What the engine complains about is told by our reasons only."""
    assert not [words for words in DATABASE_WORDS if words in outputs[name]]


def test_broken_case_line_is_not_repeated(check: Evalgate, folder: Path) -> None:
    """An error about a case file names file, line and rule, and shows nothing of the line."""
    folder.joinpath("broken.jsonl").write_text(
        json.dumps({"id": "a", "question": QUESTION, "generatedSql": SQL, "referenceSql": ""}) + "\n", encoding="utf-8"
    )
    done = check("broken.jsonl", "--format", "json", cwd=folder)
    assert json.loads(done.stdout)["error"]["line"] == 1
    assert not [marker for marker in (SQL, QUESTION) if marker in done.stdout + done.stderr]
