"""What starting the command costs: which modules it loads, not how long that takes."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import contextlib, io, sys
from evalgate_sql.cli.main import run
with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
    code = run(sys.argv[1].split())
print(code, *sorted(set(sys.argv[2:]) & set(sys.modules)))
"""
HEAVY = {"structlog", "pydantic", "sqlite3", "sqlglot", "subprocess", "rich", "evalgate_sql.runner"}
DATABASES = {"sqlite3", "_sqlite3", "sqlglot", "psycopg", "pgparse"}


def _code_and_loaded(arguments: str, watched: set[str], *, example: Path, environment: dict[str, str]) -> list[str]:
    """Return the exit code and those of the watched modules that the process has loaded at its end."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, arguments, *watched],
        cwd=example,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_help_loads_nothing_heavy(example: Path, environment: dict[str, str]) -> None:
    """`--help` answers without the logging library, a database or anything that starts processes."""
    assert _code_and_loaded("--help", HEAVY, example=example, environment=environment) == ["0"]


def test_version_loads_nothing_heavy(example: Path, environment: dict[str, str]) -> None:
    """So does `--version`."""
    assert _code_and_loaded("--version", HEAVY, example=example, environment=environment) == ["0"]


def test_parent_of_a_run_loads_no_database(example: Path, environment: dict[str, str]) -> None:
    """The process that reads the case file and writes the report never loads what parses or runs SQL."""
    arguments = "check --cases refused.jsonl --db sqlite:///fixture.db --jobs 1 --log-level debug --log-file /dev/null"
    assert _code_and_loaded(arguments, DATABASES, example=example, environment=environment) == ["7"]


def test_run_without_log_lines_loads_no_logging_library(example: Path, environment: dict[str, str]) -> None:
    """The logging library waits for the first line that is written."""
    arguments = "check --cases match.jsonl --db sqlite:///fixture.db --jobs 1"
    assert _code_and_loaded(arguments, {"structlog"}, example=example, environment=environment) == ["0"]
