"""How far a run is, on stderr: a bar on a terminal, a line now and then where that was asked for.

Progress that cannot be shown is not shown; it never ends a run.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from evalgate_sql.cli.streams import is_terminal, say, silence

Progress = Callable[[int, int], None]

_LINE_EVERY_S = 10.0


@contextmanager
def progress_of(kind: str) -> Iterator[Progress]:
    """Give the callback that a run tells how many cases are finished, of how many."""
    if kind == "auto" and is_terminal(sys.stderr):
        bar = _Bar()
        try:
            yield bar
        finally:
            bar.close()
    elif kind == "plain":
        yield _Lines()
    else:
        yield lambda _finished, _total: None


class _Bar:
    """Click's bar, made when the number of cases is known."""

    def __init__(self) -> None:
        self._bar: click._termui_impl.ProgressBar[int] | None = None

    def __call__(self, finished: int, total: int) -> None:
        try:
            if self._bar is None:
                self._bar = click.progressbar(length=total, label="cases", file=sys.stderr, show_pos=True)
                self._bar.__enter__()
            self._bar.update(finished - self._bar.pos)
        except OSError:
            silence(sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            try:
                self._bar.__exit__(None, None, None)
            except OSError:
                silence(sys.stderr)


class _Lines:
    """One line every ten seconds, and one for the last case."""

    def __init__(self) -> None:
        self._last_s = time.monotonic()

    def __call__(self, finished: int, total: int) -> None:
        now = time.monotonic()
        if finished == total or now - self._last_s >= _LINE_EVERY_S:
            self._last_s = now
            say(f"evalgate-sql: {finished} of {total} cases\n")
