"""The shipped example, as a newcomer runs it."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalgate_sql.demo import LESSONS

Evalgate = Callable[..., Any]


@pytest.fixture(name="demo", scope="module")
def _demo(evalgate: Evalgate, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """Run the demo in an empty folder, with the scratch folders of the system in another."""
    folder = tmp_path_factory.mktemp("demo")
    folder.joinpath("work").mkdir()
    folder.joinpath("tmp").mkdir()
    return evalgate("demo", cwd=folder / "work", variables={"TMPDIR": str(folder / "tmp")}), folder


def test_demo_exits_0(demo: tuple[Any, Path]) -> None:
    """The demo ended as shipped, although `check` would end with 7."""
    assert (demo[0].returncode, demo[0].stderr) == (0, "")


def test_demo_prints_report_and_explanation(demo: tuple[Any, Path], compare_golden: Callable[[str, str], None]) -> None:
    """What a newcomer reads first changes only where a reviewer sees it."""
    compare_golden("demo.txt", demo[0].stdout)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.case_id)
def test_every_case_is_explained(lesson: Any, demo: tuple[Any, Path]) -> None:  # noqa: ANN401 - a lesson
    """Each case has its outcome and a sentence."""
    assert f"  {lesson.case_id}: {lesson.outcome}\n" in demo[0].stdout


def test_demo_leaves_nothing_behind(demo: tuple[Any, Path]) -> None:
    """The scratch folder is gone, and the working directory as it was."""
    assert sorted(path.name for path in demo[1].rglob("*")) == ["tmp", "work"]


def test_demo_that_ends_otherwise_exits_99(environment: dict[str, str], example: Path) -> None:
    """A case that does not end as shipped is a bug of ours, and is named."""
    program = """
import dataclasses
from evalgate_sql.cli import demo, main
from evalgate_sql.model.outcome import Outcome

first, *others = demo.LESSONS
demo.LESSONS = (dataclasses.replace(first, outcome=Outcome.MISMATCH), *others)
main.main(["demo"])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=example, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 99
    assert "did not end as shipped: revenue-by-book ended as match (no reason), not as mismatch\n" in done.stderr


def test_demo_takes_no_options(evalgate: Evalgate) -> None:
    """An option that `check` has is refused by name."""
    done = evalgate("demo", "--cases", "x")
    assert (done.returncode, "--cases" in done.stderr) == (5, True)
