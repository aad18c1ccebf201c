"""Holds docs/limits.md against the numbers that the program uses, both ways: no row too few, none too many."""

import re
from pathlib import Path

from evalgate_sql import limits
from evalgate_sql.limits import KIB, MIB, case_deadline_ms
from evalgate_sql.supervisor.launch import SERVER_RLIMITS
from evalgate_sql.supervisor.pool import MAX_TRIES

PAGE = Path(__file__).parents[2] / "docs" / "limits.md"

_MS = 1000

CASE_FILES = {
    "size of a case file": f"{limits.MAX_CASE_FILE_BYTES // MIB} MiB",
    "cases in a file": f"at most {limits.MAX_CASES:,}, at least 1",
    "length of a line": f"{limits.MAX_CASE_LINE_BYTES // MIB} MiB",
    "length of an `id`": f"{limits.MAX_CASE_ID_BYTES} bytes of UTF-8",
    "length of each query": f"{limits.MAX_SQL_BYTES:,} bytes of UTF-8",
    "`floatTolerance`": f"finite, at least 0; {limits.DEFAULT_FLOAT_TOLERANCE:.0e} by default".replace("e-09", "e-9"),
    "tags of a case": f"{limits.MAX_TAGS}",
    "length of a tag": f"{limits.MAX_TAG_BYTES} bytes of UTF-8",
}

ONE_QUERY = {
    "wall time": (
        f"{limits.MIN_TIMEOUT_MS} to {limits.MAX_TIMEOUT_MS:,} ms; {limits.DEFAULT_TIMEOUT_MS:,} by default "
        "(`--timeout-ms`)"
    ),
    "rows": f"{limits.MIN_ROWS} to {limits.MAX_ROWS:,}; {limits.DEFAULT_MAX_ROWS:,} by default (`--max-rows`)",
    "one value": f"{limits.MAX_VALUE_BYTES // MIB} MiB",
    "one value inside SQLite": f"{limits.SQLITE_MAX_LENGTH_BYTES:,} bytes",
    "all values of a result": f"{limits.MAX_RESULT_BYTES // MIB} MiB",
    "least that a value counts": f"{limits.MIN_VALUE_BYTES} bytes",
    "nesting of parentheses": f"{limits.MAX_NESTING_DEPTH}",
    "pattern of `LIKE` and `GLOB`": f"{limits.SQLITE_MAX_LIKE_PATTERN_BYTES:,} bytes",
    "time of a comparison": "the same as for a query",
}

ONE_CASE = {
    "address space": f"{SERVER_RLIMITS['RLIMIT_AS'] // MIB} MiB",
    "processor time": f"3 timeouts + {case_deadline_ms(0) // _MS - 1} s, rounded up; the hard limit 1 s later",
    "wall time": f"3 timeouts + {case_deadline_ms(0) // _MS} s",
    "wall time of opening the fixture": f"{limits.WORKER_SETUP_MS // _MS} s",
    "open files": f"{SERVER_RLIMITS['RLIMIT_NOFILE']}",
    "bytes written to any file": f"{SERVER_RLIMITS['RLIMIT_FSIZE']}",
    "core dump": f"{SERVER_RLIMITS['RLIMIT_CORE']} bytes",
    "processes of its own": "0",
    "reply to the parent": f"{limits.MAX_REPLY_BYTES // KIB} KiB",
    "times a case is run": f"{MAX_TRIES}",
}

THE_FIXTURE = {
    "wait for a lock": f"{limits.SQLITE_BUSY_TIMEOUT_MS:,} ms",
    "size up to which it is hashed": f"{limits.MAX_HASHED_FIXTURE_BYTES // MIB} MiB",
    "attached databases": "0",
    "bind parameters": "0",
}

THE_WHOLE_JOB = {
    "cases at once": "1 to 256 (`--jobs`)",
    "memory reckoned for each of them": f"{limits.MEMORY_PER_JOB_BYTES // MIB} MiB",
    "wall time of the job": "none by default (`--max-duration`)",
    "size of a report": f"{limits.MAX_REPORT_BYTES // MIB} MiB",
    "rows of a diff": f"{limits.MAX_DIFF_ROWS} a side",
    "columns of a diff": f"{limits.MAX_DIFF_COLUMNS}",
    "text of a cell in a diff": f"{limits.MAX_PREVIEW_CHARACTERS} characters",
}


def documented() -> dict[str, dict[str, str]]:
    """Return the number of each limit, by section and name, as the page has it."""
    sections: dict[str, dict[str, str]] = {}
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        rows = re.findall(r"^\| (?!limit|---)(.+?) \| (.+?) \|", text, re.MULTILINE)
        sections[title] = dict(rows)
    return sections


def test_every_number_is_the_one_in_use() -> None:
    """The tables of the page are exactly the limits of the code."""
    assert documented() == {
        "Case files": CASE_FILES,
        "One query": ONE_QUERY,
        "One case": ONE_CASE,
        "The fixture": THE_FIXTURE,
        "The whole job": THE_WHOLE_JOB,
    }


def test_every_limit_of_the_code_is_on_the_page() -> None:
    """A constant that this module does not use has no row; what is no bound on anybody's input is named here."""
    internal = {"KIB", "MIB", "MAX_JOB_BYTES", "WORKER_ADDRESS_SPACE_BYTES", "WORKER_OPEN_FILES"}
    source = Path(__file__).read_text(encoding="utf-8")
    constants = {name for name in vars(limits) if name.isupper()}
    assert {name for name in constants - internal if f"limits.{name}" not in source} == set()
