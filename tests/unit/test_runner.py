"""A whole run, from files to a report: the order of things, and what the fixture's fate does to the evidence."""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from evalgate_sql.errors import EvalGateError
from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.logs import SilentLog
from evalgate_sql.model.outcome import Outcome, Reason
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.report.values import Report
from evalgate_sql.runner import CheckRequest, run_check
from evalgate_sql.supervisor.stop import StopRequest


def write_database(path: Path, *, journal_mode: str = "DELETE", rows: int = 3) -> Path:
    """Write a fixture with so many rows."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode={journal_mode}")
        connection.execute("CREATE TABLE item(id INTEGER PRIMARY KEY, label TEXT)")
        connection.executemany("INSERT INTO item VALUES (?, ?)", [(n, f"item {n}") for n in range(rows)])
        connection.commit()
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of its own for the fixture, so that what appears beside it is seen."""
    folder = tmp_path / "fixtures"
    folder.mkdir()
    return folder


@pytest.fixture
def database(folder: Path) -> Path:
    """Return a fixture in rollback mode."""
    return write_database(folder / "fixture.db")


@pytest.fixture
def stop() -> Iterator[StopRequest]:
    """Return a request to stop."""
    with closing(StopRequest()) as stop:
        yield stop


@pytest.fixture
def request_of(tmp_path: Path) -> Callable[..., CheckRequest]:
    """Return what makes a request for pairs of reference and generated query."""

    def make(database: Path, *pairs: tuple[str, str]) -> CheckRequest:
        cases = tmp_path / "cases.jsonl"
        lines = [
            json.dumps({"id": f"case {n}", "question": "?", "referenceSql": reference, "generatedSql": generated})
            for n, (reference, generated) in enumerate(pairs)
        ]
        cases.write_text("\n".join(lines), encoding="utf-8")
        return CheckRequest(
            str(cases), f"sqlite:///{database}", base=tmp_path, limits=QueryLimits(30_000), jobs=1, policy="sqlite@1"
        )

    return make


def run(request: CheckRequest, stop: StopRequest, *, after_first: Callable[[], object] = lambda: None) -> Report:
    """Run a request, and do something after its first case."""

    def progress(finished: int, _total: int) -> None:
        if finished == 1:
            after_first()

    return run_check(request, stop=stop, log=SilentLog(), progress=progress)


COUNT = "SELECT count(*) FROM item"
TWENTY = [(COUNT, COUNT)] * 20


def test_two_matches_pass(request_of: Callable[..., CheckRequest], database: Path, stop: StopRequest) -> None:
    """Two right queries give accuracy 1 and exit 0, with the fixture as it was."""
    pairs = [(COUNT, "SELECT count(id) FROM item"), ("SELECT label FROM item", "SELECT i.label FROM item AS i")]
    report = run(request_of(database, *pairs), stop)
    (case_set,) = report.sets
    assert (report.exit_code, case_set.ruling.accuracy) == (ExitCode.PASS, 1.0)
    assert case_set.facts.fixture_unchanged is True


def test_wrong_answer_is_score_below(
    request_of: Callable[..., CheckRequest], database: Path, stop: StopRequest
) -> None:
    """One wrong of two is half the accuracy."""
    report = run(request_of(database, (COUNT, COUNT), (COUNT, "SELECT 7")), stop)
    assert (report.exit_code, report.sets[0].ruling.accuracy) == (ExitCode.SCORE_BELOW, 0.5)


def test_only_the_named_cases_run(request_of: Callable[..., CheckRequest], database: Path, stop: StopRequest) -> None:
    """A selection runs its cases and reports no other."""
    request = replace(request_of(database, (COUNT, "SELECT 7"), (COUNT, COUNT)), case_ids=("case 1",))
    report = run(request, stop)
    assert [case.id for case in report.sets[0].cases] == ["case 1"]


def test_references_only_runs_no_generated_query(
    request_of: Callable[..., CheckRequest], database: Path, stop: StopRequest
) -> None:
    """Vetting the references matches each with itself, whatever the model wrote."""
    request = replace(request_of(database, (COUNT, "DROP TABLE item")), references_only=True)
    report = run(request, stop)
    assert [case.verdict.outcome for case in report.sets[0].cases] == [Outcome.MATCH]


def test_stop_request_is_cancelled(request_of: Callable[..., CheckRequest], database: Path, stop: StopRequest) -> None:
    """A request to stop gives a report of the finished cases, exit 130 and no accuracy."""
    report = run(request_of(database, *TWENTY), stop, after_first=stop.set)
    (case_set,) = report.sets
    assert (report.exit_code, case_set.ruling.accuracy) == (ExitCode.CANCELLED, None)
    assert 1 <= len(case_set.cases) < 20
    assert case_set.not_run_count == 20 - len(case_set.cases)


def test_stop_request_before_the_probe_is_cancelled(
    request_of: Callable[..., CheckRequest], database: Path, stop: StopRequest
) -> None:
    """A run that is stopped before its first case reports none, and ends the same way."""
    stop.set()
    report = run(request_of(database, (COUNT, COUNT)), stop)
    assert (report.exit_code, report.sets[0].cases) == (ExitCode.CANCELLED, ())


def test_expiry_is_weak_evidence(request_of: Callable[..., CheckRequest], database: Path, stop: StopRequest) -> None:
    """A run whose time is up is incomplete: exit 7, and no accuracy."""
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    report = run(replace(request_of(database, (COUNT, endless)), max_duration_s=0.5), stop)
    assert (report.exit_code, report.sets[0].ruling.complete) == (ExitCode.WEAK_EVIDENCE, False)


def swap_and_swap_back(database: Path) -> None:
    """Put another file in the fixture's place for a moment."""
    other, aside = database.with_name("other"), database.with_name("aside")
    shutil.copy(database, other)
    database.rename(aside)
    other.rename(database)
    aside.rename(database)


def add_row(database: Path) -> None:
    """Write to the fixture as its owner would."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("INSERT INTO item VALUES (99, 'late')")
        connection.commit()


def rewrite_in_place(database: Path) -> None:
    """Write the same number of other bytes and set the modification time back."""
    status = database.stat()
    with database.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\1")
    os.utime(database, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize(
    "change",
    [add_row, rewrite_in_place, swap_and_swap_back, Path.unlink],
    ids=["row added", "rewritten in place", "swapped and swapped back", "removed"],
)
def test_fixture_that_changes_in_mid_run_is_no_evidence(
    request_of: Callable[..., CheckRequest], database: Path, stop: StopRequest, change: Callable[[Path], object]
) -> None:
    """What was done to the fixture during a run voids it: exit 7, no accuracy."""
    report = run(request_of(database, *TWENTY), stop, after_first=lambda: change(database))
    (case_set,) = report.sets
    assert (report.exit_code, case_set.facts.fixture_unchanged) == (ExitCode.WEAK_EVIDENCE, False)
    assert case_set.ruling.accuracy is None


def test_file_beside_the_fixture_does_not_matter(
    request_of: Callable[..., CheckRequest], database: Path, stop: StopRequest
) -> None:
    """Somebody else's work in the same folder leaves the evidence as it is."""
    report = run(request_of(database, *TWENTY), stop, after_first=database.with_name("new").touch)
    assert (report.exit_code, report.sets[0].facts.fixture_unchanged) == (ExitCode.PASS, True)


def test_run_stops_at_the_changed_fixture(
    request_of: Callable[..., CheckRequest], database: Path, stop: StopRequest
) -> None:
    """The cases after the change are not run, and the report says why it is short."""
    report = run(request_of(database, *TWENTY), stop, after_first=lambda: add_row(database))
    stopped = report.sets[0].facts.stop
    assert (getattr(stopped, "code", None), report.sets[0].not_run_count > 0) == ("fixture_changed", True)


def test_fixture_that_changes_after_the_last_case_is_noticed(
    request_of: Callable[..., CheckRequest], database: Path, stop: StopRequest
) -> None:
    """Every case has run, and still the evidence is void: the fixture is looked at once more at the end."""
    report = run(request_of(database, (COUNT, COUNT)), stop, after_first=lambda: add_row(database))
    (case_set,) = report.sets
    assert (report.exit_code, case_set.facts.fixture_unchanged) == (ExitCode.WEAK_EVIDENCE, False)


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Have another process hold the fixture for itself."""
    script = (
        "import sqlite3, sys; connection = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "connection.execute('BEGIN EXCLUSIVE'); print('held', flush=True); sys.stdin.read()"
    )
    words = [sys.executable, "-c", script, str(database)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        try:
            yield
        finally:
            holder.kill()


def test_locked_fixture_is_unavailable(
    request_of: Callable[..., CheckRequest], database: Path, stop: StopRequest
) -> None:
    """A fixture that another process holds for itself is exit 11, and no case runs."""
    with locked(database), pytest.raises(EvalGateError) as caught:
        run(request_of(database, (COUNT, COUNT)), stop)
    assert (caught.value.code, caught.value.exit_code) == ("fixture_locked", ExitCode.IO_ERROR)


def test_fixture_that_gets_locked_stops_the_run(
    request_of: Callable[..., CheckRequest], database: Path, stop: StopRequest
) -> None:
    """A lock that is taken in mid-run is nobody's wrong query: the finished cases are reported, with exit 11."""
    with ExitStack() as stack:
        report = run(request_of(database, *TWENTY), stop, after_first=lambda: stack.enter_context(locked(database)))
    (case_set,) = report.sets
    assert (report.exit_code, case_set.ruling.accuracy) == (ExitCode.IO_ERROR, None)
    assert {case.verdict.outcome for case in case_set.cases} == {Outcome.MATCH}


@pytest.mark.parametrize("damage", [b"\xff" * 4096, b"\0" * 4096], ids=["garbage", "zeros"])
def test_damaged_schema_is_refused(
    request_of: Callable[..., CheckRequest], database: Path, stop: StopRequest, damage: bytes
) -> None:
    """A file with a sound header and a broken schema is exit 5 before any case runs."""
    content = database.read_bytes()
    database.write_bytes(content[:100] + damage[100:4096] + content[4096:])
    with pytest.raises(EvalGateError) as caught:
        run(request_of(database, (COUNT, COUNT)), stop)
    assert (caught.value.code, caught.value.exit_code) == ("fixture_damaged", ExitCode.BAD_ARGS)


def test_damaged_table_is_no_fault_of_the_generated_query(
    request_of: Callable[..., CheckRequest], folder: Path, stop: StopRequest
) -> None:
    """A table that cannot be read makes the case no evidence, whichever query reads it."""
    database = write_database(folder / "large.db", rows=2000)
    content = database.read_bytes()
    database.write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))
    report = run(request_of(database, ("SELECT 1", "SELECT sum(length(label)) FROM item")), stop)
    verdict = report.sets[0].cases[0].verdict
    assert (verdict.outcome, verdict.reason) == (Outcome.REFERENCE_ERROR, Reason.FIXTURE_DAMAGED)


@pytest.mark.parametrize("writable", [True, False], ids=["writable folder", "read-only folder"])
def test_wal_fixture_is_read_and_left_alone(
    request_of: Callable[..., CheckRequest], folder: Path, stop: StopRequest, *, writable: bool
) -> None:
    """A fixture in WAL mode works where nothing may be written, and no `-wal` or `-shm` appears beside it."""
    database = write_database(folder / "wal.db", journal_mode="WAL")
    digest = hashlib.sha256(database.read_bytes()).hexdigest()
    folder.chmod(0o700 if writable else 0o500)
    report = run(request_of(database, ("SELECT label FROM item", "SELECT label FROM item")), stop)
    folder.chmod(0o700)
    assert report.exit_code is ExitCode.PASS
    assert [path.name for path in folder.iterdir()] == ["wal.db"]
    assert hashlib.sha256(database.read_bytes()).hexdigest() == digest
