"""The composition root: from a request to a report. Decides the order of things and touches nothing itself.

Every step is a call into a room below; what can go wrong in one comes back as an exception, or, once cases are running,
as the `stop` of a report that holds the finished ones.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from evalgate_sql.cases.read import CaseFile, open_case_file
from evalgate_sql.cases.select import Selection, select_cases
from evalgate_sql.errors import CaseFileChanged, EvalGateError, FixtureChanged, UnavailableError, UnsupportedPlatform
from evalgate_sql.limits import WORKER_ADDRESS_SPACE_BYTES, WORKER_OPEN_FILES, case_deadline_ms
from evalgate_sql.logs import Event, EventLog
from evalgate_sql.model.case import Case
from evalgate_sql.model.outcome import Outcome, Reason
from evalgate_sql.model.policy import Policy
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.model.verdict import Verdict
from evalgate_sql.policy.engine_range import is_supported
from evalgate_sql.policy.load import load_policy
from evalgate_sql.project.database_url import parse_database_url
from evalgate_sql.project.sqlite_fixture import FixtureIdentity, inspect_sqlite_fixture
from evalgate_sql.report.build import Collector, build_check
from evalgate_sql.report.facts import CaseFileFacts, DatabaseFacts, EngineFacts, RunFacts, Scalar, SetFacts
from evalgate_sql.report.values import Report
from evalgate_sql.supervisor.capacity import default_jobs
from evalgate_sql.supervisor.faults import error_of
from evalgate_sql.supervisor.fork_server import ForkServer
from evalgate_sql.supervisor.launch import prepare_launch
from evalgate_sql.supervisor.pool import End, Pool
from evalgate_sql.supervisor.slot import Task
from evalgate_sql.supervisor.stop import StopRequest
from evalgate_sql.wire.job_codec import encode_context, encode_queries
from evalgate_sql.wire.messages import JobContext, JobFault, Probe, Queries

ENGINE = "sqlite"

Progress = Callable[[int, int], None]
"""Told after each case how many are finished, of how many."""


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What `check` is asked to do: one case file against one database."""

    cases: str
    """The case file, as the user named it."""
    database: str
    """The database URL."""
    base: Path
    """What relative paths in the URL and the policy are relative to."""
    limits: QueryLimits
    min_accuracy: float = 1.0
    policy: str | None = None
    enable_groups: tuple[str, ...] = ()
    case_ids: tuple[str, ...] = ()
    """The cases to run; all when empty."""
    references_only: bool = False
    """Run each reference against itself, to vet the references alone."""
    show_diff: bool = False
    jobs: int | None = None
    """Cases at once; None for as many as this machine can bear."""
    max_duration_s: float | None = None
    rerun_prefix: str | None = None


def run_check(request: CheckRequest, *, stop: StopRequest, log: EventLog, progress: Progress) -> Report:
    """Check one case file against one database and return the report.

    Raises `EvalGateError` for what keeps the first case from running; afterwards the report says why it is short.
    """
    started_at, started_s = datetime.now(UTC), time.monotonic()
    launch = prepare_launch()
    jobs = request.jobs or default_jobs()
    expires_s = None if request.max_duration_s is None else started_s + request.max_duration_s
    with ExitStack() as stack:
        # Servers warm up while the files are read.
        pool = stack.enter_context(Pool(lambda: ForkServer(launch), jobs=jobs, stop=stop, expires_s=expires_s, log=log))
        prepared = _prepare(request, stack, log=log)
        engine_version = _probe(pool, prepared)
        log.info(
            Event.RUN_STARTED,
            case_count=prepared.selection.case_count,
            jobs=jobs,
            engine=ENGINE,
            engine_version=engine_version,
            policy=f"{prepared.policy.name}@{prepared.policy.version}",
        )
        collected, stopped = _run_cases(pool, prepared, log=log, progress=progress)
    facts = _facts(request, prepared, engine_version=engine_version, end=pool.end, stopped=stopped)
    _log_end(facts, log)
    run = RunFacts(started_at, (time.monotonic() - started_s) * 1000, jobs, isolation(request.limits))
    return build_check(run, facts, collected=collected)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What was read and checked before the first case."""

    request: CheckRequest
    case_file: CaseFile
    selection: Selection
    identity: FixtureIdentity
    policy: Policy

    @property
    def context(self) -> JobContext:
        return JobContext(self.identity.fixture, self.policy, self.request.limits, self.request.show_diff)


def _prepare(request: CheckRequest, stack: ExitStack, *, log: EventLog) -> _Prepared:
    url = parse_database_url(request.database, base=request.base)
    policy = load_policy(request.policy, engine=ENGINE, enable_groups=request.enable_groups, base=request.base)
    case_file = stack.enter_context(open_case_file(request.cases))
    log.info(Event.CASES_VALIDATED, file=case_file.path, case_count=case_file.case_count, sha256=case_file.sha256)
    selection = select_cases(request.case_ids, case_count=case_file.case_count, cases=case_file.cases)
    identity = inspect_sqlite_fixture(url.path)
    log.info(Event.FIXTURE_CHECKED, file=identity.fixture.path, sha256=identity.sha256)
    return _Prepared(request, case_file, selection, identity, policy)


def _probe(pool: Pool, prepared: _Prepared) -> str | None:
    """Have a child open the fixture and try the limits, before any case runs; return the engine's version.

    None when the run was stopped meanwhile. Raises what is wrong with the fixture or the machine.
    """
    deadline_ms = case_deadline_ms(prepared.request.limits.timeout_ms)
    task = Task(0, encode_queries(None), deadline_ms, encode_context(prepared.context))
    for _, reply in pool.replies(iter([task])):
        match reply:
            case Probe():
                _check_engine(reply.engine_version, prepared.policy)
                return reply.engine_version
            case JobFault():
                raise error_of(reply.code, file=prepared.identity.fixture.path)
            case _:
                raise UnavailableError(
                    "probe_failed",
                    "the worker that opens the fixture did not finish within its limits; "
                    "a schema of very many tables or views can be the reason",
                    file=prepared.identity.fixture.path,
                )
    return None


def _check_engine(version: str, policy: Policy) -> None:
    if not is_supported(version, policy.engine_versions):
        raise UnsupportedPlatform(
            "engine_unsupported",
            f"the policy {policy.name}@{policy.version} is for {policy.engine} {policy.engine_versions}, "
            f"and this Python brings {version}",
        )


def _run_cases(
    pool: Pool, prepared: _Prepared, *, log: EventLog, progress: Progress
) -> tuple[Collector, EvalGateError | None]:
    """Run the selected cases and return what they came to, with the fault that stopped them, if any."""
    collected = Collector()
    stream = _CaseStream(prepared)
    finished = 0
    try:
        for number, reply in pool.replies(stream.tasks()):
            case = stream.take(number)
            if isinstance(reply, JobFault):
                return collected, error_of(reply.code, file=prepared.identity.fixture.path)
            # A child that answers a case with a probe is not to be believed.
            verdict = reply if isinstance(reply, Verdict) else Verdict(Outcome.RESOURCE_LIMIT, Reason.WORKER_REPLY)
            collected.add(case, verdict)
            finished += 1
            log.debug(Event.CASE_FINISHED, case_id=case.id, outcome=verdict.outcome, reason=verdict.reason)
            progress(finished, prepared.selection.case_count)
    except (CaseFileChanged, UnavailableError) as error:
        return collected, error
    return collected, None


class _CaseStream:
    """The selected cases as tasks, and what has to be remembered of each until its verdict is in."""

    def __init__(self, prepared: _Prepared) -> None:
        self._prepared = prepared
        self._context = encode_context(prepared.context)
        self._pending: dict[int, Case] = {}

    def tasks(self) -> Iterator[Task]:
        request = self._prepared.request
        deadline_ms = case_deadline_ms(request.limits.timeout_ms)
        for number, case in enumerate(self._prepared.selection.of(self._prepared.case_file.cases())):
            self._pending[number] = replace(case, reference_sql="", generated_sql="")
            queries = Queries.of(case)
            if request.references_only:
                queries = replace(queries, generated_sql=case.reference_sql)
            yield Task(number, encode_queries(queries), deadline_ms, self._context)

    def take(self, number: int) -> Case:
        """Return the case without its SQL, which nothing after the worker needs."""
        return self._pending.pop(number)


def _facts(
    request: CheckRequest,
    prepared: _Prepared,
    *,
    engine_version: str | None,
    end: End,
    stopped: EvalGateError | None,
) -> SetFacts:
    case_file, identity = prepared.case_file, prepared.identity
    return SetFacts(
        database=DatabaseFacts(Path(identity.fixture.path).name, identity.sha256),
        engine=EngineFacts(ENGINE, engine_version),
        policy=prepared.policy,
        limits=request.limits,
        case_files=(CaseFileFacts(case_file.path, case_file.sha256, case_file.case_count),),
        case_count=prepared.selection.case_count,
        min_accuracy=request.min_accuracy,
        references_only=request.references_only,
        fixture_unchanged=not isinstance(stopped, FixtureChanged) and identity.unchanged(),
        stop=stopped,
        expired=end is End.EXPIRED,
        cancelled=end is End.CANCELLED,
        rerun_prefix=request.rerun_prefix,
    )


def _log_end(facts: SetFacts, log: EventLog) -> None:
    if facts.cancelled:
        log.warning(Event.RUN_CANCELLED)
    if facts.expired:
        log.warning(Event.RUN_EXPIRED)
    if facts.fixture_unchanged is False:
        log.error(Event.FIXTURE_CHANGED)


def isolation(limits: QueryLimits) -> dict[str, Scalar]:
    """Return the bounds of each case as the report names them. The probe has shown that they hold."""
    return {
        "freshProcessPerCase": True,
        "addressSpaceBytes": WORKER_ADDRESS_SPACE_BYTES,
        "cpuMs": case_deadline_ms(limits.timeout_ms),
        "wallMs": case_deadline_ms(limits.timeout_ms),
        "fileSizeBytes": 0,
        "coreDumps": False,
        "openFiles": WORKER_OPEN_FILES,
        "noNewPrivileges": True,
        "diesWithParent": True,
    }
