"""Reads the corpora and runs cases through the checker, in this process. Knows no expectation."""

import json
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from evalgate_sql.logs import SilentLog
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.report.values import Report
from evalgate_sql.runner import CheckRequest, run_check
from evalgate_sql.supervisor.stop import StopRequest

CORPORA = Path(__file__).parents[1] / "cases" / "corpora"

Line = dict[str, Any]
"""One line of a corpus; the README beside the corpora says what each field means."""


class Pair(NamedTuple):
    """One case to run: an id, a reference and a generated query."""

    id: str
    reference_sql: str
    generated_sql: str


def read_lines(path: Path) -> list[Line]:
    """Return the lines of a JSONL file, which end at LF only."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def write_cases(path: Path, pairs: Iterable[Pair]) -> Path:
    """Write a case file and return its path."""
    keys = ("id", "referenceSql", "generatedSql")
    rows = ({"question": "?", **dict(zip(keys, pair, strict=True))} for pair in pairs)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def check(cases: Path, database: Path, *, timeout_ms: int = 5_000, enable_groups: tuple[str, ...] = ()) -> Report:
    """Run a case file against a database as `check` does, with the limits that are not given at their defaults.

    Raises `EvalGateError` where nothing could be run.
    """
    url = f"sqlite:///{quote(str(database))}"
    request = CheckRequest(str(cases), url, cases.parent, QueryLimits(timeout_ms), enable_groups=enable_groups)
    with closing(StopRequest()) as stop:
        return run_check(request, stop=stop, log=SilentLog(), progress=lambda _finished, _of: None)


def verdicts(report: Report) -> dict[str, Verdict]:
    """Return what became of each case of a whole run, by id."""
    (only,) = report.sets
    assert only.facts.stop is None, only.facts.stop
    assert only.not_run_count == 0
    return {case.id: case.verdict for case in only.cases}
