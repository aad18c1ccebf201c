"""`evalgate-sql check`: one case file against one database."""

import shlex
from pathlib import Path

import click

from evalgate_sql.cli.logging import event_log
from evalgate_sql.cli.options import (
    limit_options,
    option,
    policy_options,
    progress_and_log_options,
    report_options,
    selection_options,
)
from evalgate_sql.cli.output import show_report
from evalgate_sql.cli.progress import progress_of
from evalgate_sql.cli.signals import stop_on_signals
from evalgate_sql.errors import NextAction, UserError
from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.logs import Event, Format, Level
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.runner import CheckRequest, run_check

_EXAMPLE = NextAction(
    "evalgate-sql check --cases cases.jsonl --db sqlite:///fixture.db", "check a case file against a SQLite fixture"
)


@click.command("check")
@option("--cases", metavar="FILE", default=None, help="The case file, JSONL.")
@option("--db", metavar="URL", default=None, help="The fixture: sqlite:///relative.db or sqlite:////absolute.db.")
@limit_options
@policy_options
@selection_options
@report_options
@progress_and_log_options
def command(  # noqa: PLR0913 - click hands over one argument an option
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
    report_format: str,
    output: tuple[tuple[str, str], ...],
    show_diff: bool,
    progress: str,
    log_format: Format,
    log_level: Level,
    log_file: str | None,
) -> ExitCode:
    """Check one case file against one database.

    Runs the reference and the generated query of each case on the same read-only snapshot, compares the results
    exactly and reports execution accuracy.
    """
    if cases is None or db is None:
        raise UserError("usage", "check needs --cases and --db", next_actions=(_EXAMPLE,))
    request = CheckRequest(
        cases=cases,
        database=db,
        base=Path.cwd(),
        limits=QueryLimits(timeout_ms, max_rows),
        min_accuracy=min_accuracy,
        policy=policy,
        enable_groups=enable_group,
        case_ids=case_ids,
        references_only=references_only,
        show_diff=show_diff,
        jobs=jobs,
        max_duration_s=max_duration,
        rerun_prefix=f"evalgate-sql check --cases {shlex.quote(cases)} --db {shlex.quote(db)}",
    )
    with (
        stop_on_signals() as stop,
        event_log(log_format=log_format, level=log_level, file=log_file) as log,
        progress_of(progress) as tell,
    ):
        report = run_check(request, stop=stop, log=log, progress=tell)
        log.info(Event.RUN_FINISHED, status=report.status, exit_code=int(report.exit_code))
    show_report(report, report_format=report_format, targets=output)
    return report.exit_code
