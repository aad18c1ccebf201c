"""How much the parent's memory grows with the number of cases: 10,000 (a 20 MiB file) against 10.

Prints one JSON object and exits 1 when the difference of the peaks is over its limit.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from seed_fixture import write_cases, write_fixture

LIMIT_MIB = 24
PADDING_BYTES = 1800

_RUN = """
import resource, sys
from evalgate_sql.cli.main import run
code = run(["check", "--cases", sys.argv[1], "--db", "sqlite:///fixture.db", "--format", "json", "-o", "report.json"])
print(code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def peak_mib(folder: Path, cases: str) -> float:
    """Return the peak resident memory of a whole `check`, in MiB."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN, cases], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    code, peak_kib = done.stderr.split()[-2:]
    assert code == b"0"
    return int(peak_kib) / 1024


def main() -> int:
    """Measure, print, judge."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_fixture(folder / "fixture.db")
        write_cases(folder / "few.jsonl", 10)
        write_cases(folder / "many.jsonl", 10_000, padding_bytes=PADDING_BYTES)
        file_mib = (folder / "many.jsonl").stat().st_size / 2**20
        few, many = peak_mib(folder, "few.jsonl"), peak_mib(folder, "many.jsonl")
    growth = {"name": "parent_growth_mib", "ratio": round(many - few, 1), "limit": LIMIT_MIB}
    print(json.dumps({**growth, "peakMib": [round(few, 1), round(many, 1)], "caseFileMib": round(file_mib, 1)}))
    return int(many - few > LIMIT_MIB)


if __name__ == "__main__":
    sys.exit(main())
