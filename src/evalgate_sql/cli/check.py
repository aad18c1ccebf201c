"""`evalgate-sql check`: one case file against one database."""

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from evalgate_sql.cli.group import Verb
from evalgate_sql.cli.logging import event_log
from evalgate_sql.cli.options import (
    FileName,
    limit_options,
    option,
    policy_options,
    progress_and_log_options,
    report_options,
    selection_options,
)
from evalgate_sql.cli.output import show_report
from evalgate_sql.cli.places import check_places, working_directory
from evalgate_sql.cli.progress import progress_of
from evalgate_sql.errors import NextAction, UnavailableError, UserError
from evalgate_sql.exit_codes import ExitCode, strongest
from evalgate_sql.logs import Event, Format, Level
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.project.database_url import parse_database_url
from evalgate_sql.report.terminal import shell_word
from evalgate_sql.runner import CheckRequest, run_check
from evalgate_sql.supervisor.stop import StopRequest

_EXAMPLE = NextAction(
    "evalgate-sql check --cases cases.jsonl --db sqlite:///fixture.db", "check a case file against a SQLite fixture"
)


_DECIDE_A_VERDICT = ("cases", "db", "timeout_ms", "max_rows", "policy", "enable_group")
"""The options that the command to run one case again has to repeat."""


@click.command("check", cls=Verb)
@option("--cases", type=FileName(), default=None, help="The case file, JSONL.")
@option("--db", metavar="URL", default=None, help="The fixture: sqlite:///relative.db or sqlite:////absolute.db.")
@limit_options
@policy_options
@selection_options
@report_options
@progress_and_log_options
@click.pass_context
def command(  # noqa: PLR0913 - click hands over one argument an option
    context: click.Context,
    /,
    *,
    report_format: str,
    output: tuple[tuple[str, str], ...],
    progress: str,
    log_format: Format,
    log_level: Level,
    log_file: str | None,
    **asked: Any,  # noqa: ANN401 - click's own types; `_request` names them
) -> ExitCode:
    """Check one case file against one database.

    Runs the reference and the generated query of each case on the same read-only snapshot, compares the results
    exactly and reports execution accuracy.
    """
    request = _request(context, **asked)
    check_places(inputs=_files_read(request), reports=[path for _, path in output], log=log_file)
    stop = context.ensure_object(StopRequest)
    with event_log(log_format=log_format, level=log_level, file=log_file) as log:
        with progress_of(progress) as tell:
            report = run_check(request, stop=stop, log=log, progress=tell)
        log.info(Event.RUN_FINISHED, status=report.status, exit_code=int(report.exit_code))
        try:
            show_report(report, report_format=report_format, targets=output)
        except UnavailableError as lost:
            # What ended the run goes before what became of its report (contract section 2).
            lost.exit_code = strongest({report.exit_code, lost.exit_code})
            raise
        for kind, path in output:
            log.info(Event.REPORT_WRITTEN, format=kind, file=path)
    return report.exit_code


def _request(  # noqa: PLR0913 - one argument an option
    context: click.Context,
    *,
    cases: str | None,
    db: str | None,
    timeout_ms: int,
    max_rows: int,
    min_accuracy: float,
    max_duration: float | None,
    jobs: int | None,
    policy: str | None,
    enable_group: tuple[str, ...],
    case_ids: tuple[str, ...],
    references_only: bool,
    show_diff: bool,
) -> CheckRequest:
    if cases is None or db is None:
        raise UserError("usage", "check needs --cases and --db", next_actions=(_EXAMPLE,))
    return CheckRequest(
        cases=cases,
        database=db,
        base=working_directory(),
        limits=QueryLimits(timeout_ms, max_rows),
        min_accuracy=min_accuracy,
        policy=policy,
        enable_groups=enable_group,
        case_ids=case_ids,
        references_only=references_only,
        show_diff=show_diff,
        jobs=jobs,
        max_duration_s=max_duration,
        rerun_prefix=_rerun_prefix(context),
    )


def _files_read(request: CheckRequest) -> list[Path]:
    policy = [] if request.policy is None else [request.base / request.policy]
    fixture = parse_database_url(request.database, base=request.base).path
    # SQLite would take a file of one of these names for unfinished work on the fixture.
    sidecars = [fixture.with_name(fixture.name + suffix) for suffix in ("-wal", "-shm", "-journal")]
    return [Path(request.cases), fixture, *sidecars, *policy]


def _rerun_prefix(context: click.Context) -> str:
    """Return the command of this run, as far as it bears on the verdict of a case."""
    words = [context.command_path]
    for parameter in context.command.params:
        name = str(parameter.name)
        if name in _DECIDE_A_VERDICT and context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            value = context.params[name]
            for one in value if parameter.multiple else [value]:
                words += [max(parameter.opts, key=len), shell_word(str(one))]
    return " ".join(words)
