"""The standard streams as callers really hand them over: closed, broken, full or a terminal. Knows no report.

What is said on standard error is a courtesy, and losing it never costs a report. What was meant for standard output is
the product: `report.write` raises when it is lost.
"""

import os
import sys
from contextlib import suppress
from typing import TextIO

_STANDARD_DESCRIPTORS = (0, 1, 2)


def hold_closed_descriptors() -> None:
    """Put /dev/null where the caller closed standard input, output or error.

    Otherwise the next file that is opened, such as the case file, takes that number, and whoever writes to "standard
    error" writes into it. `sys.stdout` stays None, so a report that has no place to go is still an error.
    """
    for descriptor in _STANDARD_DESCRIPTORS:
        try:
            os.fstat(descriptor)
        except OSError:
            # The lowest free number is given out first, and that is this one.
            os.open(os.devnull, os.O_RDWR)


def wants_color(stream: TextIO | None) -> bool:
    """Obey NO_COLOR, then FORCE_COLOR, then whether the stream is a terminal."""
    if stream is None or os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal(stream)


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether a person sees the stream."""
    return stream is not None and not stream.closed and stream.isatty()


def say(text: str) -> None:
    """Write to standard error, or drop the text where that cannot be done."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        silence(sys.stderr)


def silence(stream: TextIO | None) -> None:
    """Send what the stream still holds, and all that follows, to /dev/null.

    The interpreter flushes its streams once more at exit; a failure there would print a traceback and turn our exit
    code into its own 120.
    """
    if stream is None:
        return
    with suppress(OSError, ValueError):
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, stream.fileno())
        os.close(sink)
