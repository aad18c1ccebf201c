"""The package as a user installs it: from a wheel, from a wheel made of the source distribution, and editable."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(300)]

Run = Callable[..., str]


@pytest.fixture(name="example", scope="module")
def _example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the documentation's fixture and case file."""
    folder = tmp_path_factory.mktemp("example")
    with closing(sqlite3.connect(folder / "fixture.db")) as connection:
        connection.executescript("""
            CREATE TABLE accounts(id INTEGER PRIMARY KEY, balance REAL);
            CREATE TABLE transactions(id INTEGER PRIMARY KEY, account_id INTEGER, amount REAL);
            INSERT INTO accounts VALUES (1, 12.50), (2, 20.00);
            INSERT INTO transactions VALUES (1, 1, 10.00), (2, 1, 2.50), (3, 2, 20.00);
        """)
    cases = [
        {
            "id": "balances",
            "question": "What is each account's total transaction amount?",
            "generatedSql": "SELECT account_id, SUM(amount) FROM transactions GROUP BY account_id",
            "referenceSql": "SELECT id, balance FROM accounts",
            "floatTolerance": 0.000001,
        },
        {
            "id": "account-order",
            "question": "List account ids in ascending order.",
            "generatedSql": "SELECT id FROM accounts ORDER BY id",
            "referenceSql": "SELECT id FROM accounts ORDER BY id",
            "orderMatters": True,
        },
    ]
    folder.joinpath("sql-cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    return folder


def test_package_comes_from_its_own_environment(run_installed: Run, installed: Path, tree: Path) -> None:
    """What is tested here is what was installed, and not the package of the running environment."""
    place = Path(run_installed("python", "-c", "import evalgate_sql; print(evalgate_sql.__file__)").strip())
    assert place.is_relative_to(installed) or place.is_relative_to(tree)


def test_example_passes(run_installed: Run, example: Path) -> None:
    """The documentation's example matches, in the folder of its files."""
    out = run_installed(
        *("evalgate-sql", "check", "--cases", "sql-cases.jsonl", "--db", "sqlite:///fixture.db", "--format", "json"),
        cwd=example,
    )
    assert (json.loads(out)["matchCount"], json.loads(out)["accuracy"]) == (2, 1.0)


def test_example_passes_from_another_folder(run_installed: Run, example: Path) -> None:
    """So it does by absolute names, from a folder that has nothing to do with it."""
    out = run_installed(
        *("evalgate-sql", "check", "--cases", str(example / "sql-cases.jsonl")),
        *("--db", f"sqlite:///{example}/fixture.db", "--format", "json"),
    )
    assert json.loads(out)["status"] == "PASS"


def test_demo_ends_as_shipped(run_installed: Run) -> None:
    """The shipped example is found and runs."""
    assert "WEAK_EVIDENCE (exit 7)" in run_installed("evalgate-sql", "demo")
