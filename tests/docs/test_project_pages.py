"""Holds lists that are written by hand against what they list: decisions, dependencies, benchmarks."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
DECISIONS = ROOT / "docs" / "adr"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def names_of(requirements: list[str]) -> set[str]:
    """Return the package names of requirements."""
    return {re.split(r"[^\w-]", requirement)[0] for requirement in requirements}


def linked_from(page: Path) -> set[str]:
    """Return the file names that a page links in its own folder."""
    return set(re.findall(r"\]\(([\w.-]+)\)", page.read_text(encoding="utf-8")))


def test_every_decision_is_in_the_index() -> None:
    """The index of decisions names each page, and no page that is gone."""
    assert linked_from(DECISIONS / "README.md") == {page.name for page in DECISIONS.glob("[0-9]*.md")}


def test_every_dependency_has_its_reason() -> None:
    """What is installed at run time stands in the decision about dependencies."""
    text = (DECISIONS / "0006-dependencies.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\*\*(\w+)\*\*", text)) == names_of(PROJECT["dependencies"])


def test_every_development_tool_has_its_use() -> None:
    """The table of development tools is the extra `dev`."""
    text = (DECISIONS / "0006-dependencies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w, -]+) \|", text.partition("| package | for |")[2], re.MULTILINE)
    tools = {name for row in rows if row.strip("- ") for name in row.split(", ")}
    assert tools == names_of(PROJECT["optional-dependencies"]["dev"])


def test_every_benchmark_is_on_its_page() -> None:
    """The page names each file of the folder, and none that is gone."""
    folder = ROOT / "benchmarks"
    assert linked_from(folder / "README.md") == {script.name for script in folder.glob("*.py")}


def test_no_part_of_a_benchmark_is_run_as_one() -> None:
    """What the Makefile leaves out exists, so that a renamed benchmark is not left out by its old name."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    parts = re.findall(r"^BENCHMARK_PARTS := (.+)$", makefile, re.MULTILINE)[0].split()
    assert [part for part in parts if not (ROOT / "benchmarks" / part).is_file()] == []
