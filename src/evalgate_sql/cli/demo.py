"""`evalgate-sql demo`: the shipped example, run like any other, and its report explained.

The files are copied to a scratch folder that is gone afterwards. Decides nothing about a case: `demo.LESSONS` says how
each has to end, and anything else is a bug or a machine that cannot run us.
"""

import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

import click

from evalgate_sql.cli.group import Verb
from evalgate_sql.cli.output import print_bytes, terminal_width
from evalgate_sql.cli.places import working_directory
from evalgate_sql.cli.streams import wants_color
from evalgate_sql.demo import CASES_NAME, EXIT_CODE, FIXTURE_NAME, LESSONS, TIMEOUT_MS, read_files
from evalgate_sql.errors import InternalError
from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.logs import SilentLog
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.report import human
from evalgate_sql.report.terminal import Paint
from evalgate_sql.report.values import Report
from evalgate_sql.runner import CheckRequest, run_check
from evalgate_sql.supervisor.stop import StopRequest

_COMMAND = f"evalgate-sql check --cases {CASES_NAME} --db sqlite:///{FIXTURE_NAME} --timeout-ms {TIMEOUT_MS}"
_WIDEST = 100
_OUTSIDE_OUR_POWER = frozenset({ExitCode.CANCELLED, ExitCode.IO_ERROR, ExitCode.BAD_ARGS})
"""How a report may end without telling anything about the example."""

_READING = """\
PLACE is the line of the case file, OUTCOME what became of the case, REASON the rule that decided, STAGE the query \
that was running. Matches are not listed. In a diff, rows marked - are in the reference result only, rows marked + in \
the generated one only. The command for one case is meant for files of yours: the scratch folder of this demo is gone.
accuracy is matches / scored cases. A case whose own reference fails is not scored; refused and timed-out cases are."""
_EXIT = (
    "For these cases `check` ends with {code} ({name}): a refused and a timed-out case say nothing about the answer, "
    "and a gate that does not know says so, whatever the score. Without those two it would be 1 (SCORE_BELOW), and 0 "
    "(PASS) once accuracy reaches --min-accuracy. The demo itself ended as it should, so its own exit code is 0."
)
_NEXT = """\
Build a small SQLite file with made-up rows, and write a case a line: id, question, generatedSql, referenceSql. Then:
evalgate-sql check --cases cases.jsonl --db sqlite:///fixture.db
evalgate-sql check --help lists the options: reports as JSON, the limits, --references-only to vet your references."""


@click.command("demo", cls=Verb)
@click.pass_context
def command(context: click.Context, /) -> ExitCode:
    """Run the shipped example and explain its report.

    It runs in a scratch folder, which is removed afterwards. Exits with 0 when every case ended as it should, and
    prints the code that `check` would give.
    """
    with _scratch_folder() as folder:
        report = run_check(
            _request(folder), stop=context.ensure_object(StopRequest), log=SilentLog(), progress=lambda *_: None
        )
    color, width = wants_color(sys.stdout), min(_WIDEST, terminal_width())
    explained = "" if _surprises(report) else _explanation(Paint(color=color), width)
    print_bytes(iter([human.render(report, color=color, width=width).encode(), explained.encode()]))
    return _judge(report)


@contextmanager
def _scratch_folder() -> Iterator[Path]:
    """Stand in a folder that holds the example, so that the report names its files as a reader would."""
    working_directory()
    with tempfile.TemporaryDirectory(prefix="evalgate-sql-demo-") as name:
        folder = Path(name)
        for file_name, content in read_files().items():
            folder.joinpath(file_name).write_bytes(content)
        with chdir(folder):
            yield folder


def _request(folder: Path) -> CheckRequest:
    return CheckRequest(
        cases=CASES_NAME,
        database=f"sqlite:///{FIXTURE_NAME}",
        base=folder,
        limits=QueryLimits(timeout_ms=TIMEOUT_MS),
        show_diff=True,
        rerun_prefix=_COMMAND,
    )


def _surprises(report: Report) -> list[str]:
    """Return what did not end as shipped, a phrase each."""
    (case_set,) = report.sets
    ended = {case.id: (case.verdict.outcome, case.verdict.reason) for case in case_set.cases}
    phrases = []
    for lesson in LESSONS:
        outcome, reason = ended.get(lesson.case_id, ("not run", None))
        if (outcome, reason) != (lesson.outcome, lesson.reason):
            phrases.append(f"{lesson.case_id} ended as {outcome} ({reason or 'no reason'}), not as {lesson.outcome}")
    if not phrases and report.exit_code is not EXIT_CODE:
        phrases.append(f"the exit code is {report.exit_code}, not {EXIT_CODE}")
    return phrases


def _judge(report: Report) -> ExitCode:
    """Return how the demo ends. Raises `InternalError` when the example went wrong although nothing stopped it."""
    surprises = _surprises(report)
    if surprises and report.exit_code not in _OUTSIDE_OUR_POWER:
        raise InternalError("demo_differs", f"the example did not end as shipped: {'; '.join(surprises)}")
    return report.exit_code if surprises else ExitCode.PASS


def _explanation(paint: Paint, width: int) -> str:
    lessons = [
        line
        for lesson in LESSONS
        for line in (f"  {lesson.case_id}: {lesson.outcome}", *_wrapped(lesson.text, width, indent=4))
    ]
    exit_code = _EXIT.format(code=int(EXIT_CODE), name=EXIT_CODE.name)
    sections = (
        ("What happened to each case", lessons),
        ("How to read the report", [line for text in _READING.splitlines() for line in _wrapped(text, width)]),
        ("Which exit code", _wrapped(exit_code, width)),
        ("What to do next", [line for text in _NEXT.splitlines() for line in _wrapped(text, width)]),
    )
    return "".join("\n" + "\n".join([paint.bold(title), *lines]) + "\n" for title, lines in sections)


def _wrapped(text: str, width: int, *, indent: int = 2) -> list[str]:
    margin = " " * indent
    return textwrap.wrap(
        text, width, initial_indent=margin, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
    )
