"""The child's clock: marks in the page, timers in the kernel. Timers run in processes of their own."""

import mmap
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest

from evalgate_sql.worker.deadline import clear_marks, read_marks


@pytest.fixture
def page() -> Iterator[mmap.mmap]:
    """Return a page as the server shares it."""
    with closing(mmap.mmap(-1, mmap.PAGESIZE)) as page:
        yield page


def test_fresh_page_has_no_marks(page: mmap.mmap) -> None:
    """Zero means that a stage has not begun."""
    assert read_marks(page) == (0, 0, 0, 0)


def test_marks_are_cleared(page: mmap.mmap) -> None:
    """Whatever a child wrote there, the next one starts without."""
    page[:] = b"\xff" * len(page)
    clear_marks(page)
    assert read_marks(page) == (0, 0, 0, 0)


def run(body: str) -> subprocess.CompletedProcess[str]:
    """Run code with a clock in a process of its own."""
    head = (
        "import mmap; from evalgate_sql.model.outcome import Stage;"
        "from evalgate_sql.worker.deadline import StageClock, read_marks;"
        "page = mmap.mmap(-1, 4096); clock = StageClock(page)\n"
    )
    return subprocess.run([sys.executable, "-c", head + body], capture_output=True, text=True, check=False)


def test_timer_ends_the_process() -> None:
    """A stage that takes too long is ended by SIGALRM at its default action."""
    assert run("clock.begin(Stage.GENERATED, limit_ms=20)\nwhile True: pass").returncode == -14


def test_next_stage_has_a_timer_of_its_own() -> None:
    """Beginning a stage disarms the timer of the one before."""
    ended = run(
        "import time\nclock.begin(Stage.REFERENCE, limit_ms=50)\nclock.begin(Stage.GENERATED, limit_ms=60_000)\n"
        "time.sleep(0.2)\nprint('alive')"
    )
    assert ended.stdout == "alive\n"


def test_stages_that_began_have_times_and_the_others_none() -> None:
    """The times are of the stages that began, up to the next or the stop."""
    ended = run(
        "for stage in (Stage.SETUP, Stage.REFERENCE): clock.begin(stage, limit_ms=60_000)\n"
        "clock.stop()\n"
        "print([clock.elapsed_ms(stage) is not None for stage in Stage], [mark > 0 for mark in read_marks(page)])"
    )
    assert ended.stdout == "[True, True, False, False] [True, True, False, False]\n"
