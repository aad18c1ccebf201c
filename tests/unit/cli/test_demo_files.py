"""The shipped example is what its generator writes, and each of its cases has a lesson."""

import json
import subprocess
import sys
from pathlib import Path

from evalgate_sql.demo import CASES_NAME, LESSONS, read_files

TOOL = Path(__file__).parents[3] / "tools" / "build_demo.py"


def test_generator_finds_nothing_to_write() -> None:
    """The committed fixture and case file are up to date."""
    done = subprocess.run([sys.executable, TOOL, "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_every_case_has_its_lesson_in_order() -> None:
    """Lessons and cases go together, one by one."""
    lines = read_files()[CASES_NAME].decode().splitlines()
    assert [json.loads(line)["id"] for line in lines] == [lesson.case_id for lesson in LESSONS]


def test_lessons_cover_what_a_gate_can_meet() -> None:
    """A match, a mismatch, an error, a refusal and a timeout are in the example."""
    assert {lesson.outcome.value for lesson in LESSONS} == {
        "match",
        "mismatch",
        "generated_error",
        "refused",
        "timeout",
    }
