"""How long `evalgate-sql --help` takes, in times of `python -c pass`: medians of interleaved runs."""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

LIMIT = 8
ROUNDS = 15


def seconds(command: list[str]) -> float:
    """Return the wall seconds of one run."""
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def main() -> int:
    """Measure, print, judge."""
    command = [str(Path(sys.executable).parent / "evalgate-sql"), "--help"]
    floor = [sys.executable, "-c", "pass"]
    pairs = [(seconds(command), seconds(floor)) for _ in range(ROUNDS)]
    ratio = statistics.median(a for a, _ in pairs) / statistics.median(b for _, b in pairs)
    print(json.dumps({"name": "help_over_python_pass", "ratio": round(ratio, 2), "limit": LIMIT}))
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
