"""The report for a person at a terminal: worst first, with the place of each case and the command that shows more.

Everything that came from a file is made harmless before it is laid out. Decides nothing: the report holds the verdicts.
"""

import textwrap
from collections.abc import Iterable, Iterator

from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.model.outcome import Outcome
from evalgate_sql.report.diff_text import diff_lines
from evalgate_sql.report.facts import RunFacts
from evalgate_sql.report.notes import WARNING_TEXTS, notes
from evalgate_sql.report.summary import summary_line
from evalgate_sql.report.terminal import Cell, Colour, Paint, clip, inert, lay_out, shell_word, table_width
from evalgate_sql.report.values import Report, ReportedCase, SetReport

MAX_LISTED_CASES = 20

WORST_FIRST = (
    Outcome.REFERENCE_ERROR,
    Outcome.REFUSED,
    Outcome.TIMEOUT,
    Outcome.TOO_MANY_ROWS,
    Outcome.TOO_MANY_BYTES,
    Outcome.RESOURCE_LIMIT,
    Outcome.MISMATCH,
    Outcome.GENERATED_ERROR,
    Outcome.MATCH,
)
"""Cases to be repaired, then cases that decide nothing, then wrong answers."""


_HEADINGS: list[Cell] = [(name, None) for name in ("PLACE", "CASE", "OUTCOME", "REASON", "STAGE")]


def render(report: Report, *, color: bool, width: int) -> str:
    """Return the report as text that ends with its summary line; `width` is that of the terminal, in columns."""
    paint = Paint(color=color)
    blocks = [
        "\n".join(lines)
        for case_set in report.sets
        for lines in _blocks(report.run, case_set, paint=paint, width=width)
        if lines
    ]
    return "\n\n".join(blocks) + "\n"


def _blocks(run: RunFacts, case_set: SetReport, *, paint: Paint, width: int) -> Iterator[list[str]]:
    listed = _worst_cases(case_set)
    yield _title(run, case_set, paint=paint, width=width)
    yield _case_table(case_set, listed, paint=paint, width=width)
    yield list(_diffs(listed, paint=paint, width=width))
    yield _cause_table(case_set, paint)
    yield _rerun_command(case_set, listed, paint)
    yield list(_warnings_and_notes(case_set, width))
    yield [paint(summary_line(case_set), _status_colour(case_set.ruling.exit_code))]


def _title(run: RunFacts, case_set: SetReport, *, paint: Paint, width: int) -> list[str]:
    facts = case_set.facts
    engine = " ".join(part for part in (facts.engine.name, facts.engine.version) if part)
    policy = "" if facts.policy is None else f", policy {facts.policy.name}@{facts.policy.version}"
    files = (f"{file.path} ({file.case_count} case{'s' * (file.case_count != 1)})" for file in facts.case_files)
    lines = (f"evalgate-sql {run.tool_version}: {facts.database.name} ({engine}{policy})", *files)
    first, *rest = (clip(inert(line), width) for line in lines)
    return [paint.bold(first), *rest]


def _worst_cases(case_set: SetReport) -> list[ReportedCase]:
    failures = (case for case in case_set.cases if case.verdict.outcome is not Outcome.MATCH)
    return sorted(failures, key=lambda case: WORST_FIRST.index(case.verdict.outcome))[:MAX_LISTED_CASES]


def _case_table(case_set: SetReport, listed: list[ReportedCase], *, paint: Paint, width: int) -> list[str]:
    if not listed:
        return []
    rows = [_case_cells(case) for case in listed]
    table = [_HEADINGS, *rows]
    fits = table_width(table) <= width
    lines = lay_out(table, paint) if fits else [line for row in rows for line in _stacked(row, paint, width)]
    not_listed = sum(case.verdict.outcome is not Outcome.MATCH for case in case_set.cases) - len(listed)
    return [*lines, f"and {not_listed} more"] if not_listed else lines


def _case_cells(case: ReportedCase) -> list[Cell]:
    verdict = case.verdict
    return [
        (_place(case), None),
        (inert(case.id), None),
        (verdict.outcome, _outcome_colour(verdict.outcome)),
        (verdict.reason or "-", None),
        (verdict.stage or "-", None),
    ]


def _stacked(row: list[Cell], paint: Paint, width: int) -> list[str]:
    """Return the lines of a case that does not fit into one. The place is never cut, so that it can be opened."""
    (place, _), (name, _), (outcome, colour), (reason, _), (stage, _) = row
    return [place, f"  {clip(name, width - 2)}", f"  {paint(outcome, colour)}  {reason}  {stage}"]


def _place(case: ReportedCase) -> str:
    return f"{inert(case.file)}:{case.line}"


def _diffs(listed: Iterable[ReportedCase], *, paint: Paint, width: int) -> Iterator[str]:
    for case in listed:
        verdict = case.verdict
        if verdict.diff is None:
            continue
        yield clip(f"{_place(case)} {inert(case.id)}", width)
        yield f"  - reference, rows: {verdict.reference_rows}   + generated, rows: {verdict.generated_rows}"
        yield from diff_lines(verdict.diff, paint=paint, width=width)


def _cause_table(case_set: SetReport, paint: Paint) -> list[str]:
    causes = [
        (outcome, reason, count) for (outcome, reason), count in case_set.tally.causes.items() if reason is not None
    ]
    causes.sort(key=lambda cause: (WORST_FIRST.index(cause[0]), -cause[2], cause[1]))
    rows: list[list[Cell]] = [
        [(str(count), None), (outcome, _outcome_colour(outcome)), (reason, None)] for outcome, reason, count in causes
    ]
    return ["Causes (docs/reasons.md says what to do):", *lay_out(rows, paint)] if rows else []


def _rerun_command(case_set: SetReport, listed: list[ReportedCase], paint: Paint) -> list[str]:
    if not listed:
        return []
    # Only a mismatch has rows to show, so one whose rows are not here yet is the best example.
    unseen = [case for case in listed if case.verdict.outcome is Outcome.MISMATCH and case.verdict.diff is None]
    case = (unseen or listed)[0]
    prefix = case_set.facts.rerun_prefix or f"evalgate-sql check --cases {shell_word(case.file)} --db URL"
    command = f"{inert(prefix)} --case {shell_word(case.id)}{' --show-diff' if unseen else ''}"
    return [f"To run one case again{' and see its rows' if unseen else ''}:", f"  {paint(command, 'cyan')}"]


def _warnings_and_notes(case_set: SetReport, width: int) -> Iterator[str]:
    warnings = [f"Warning: {code} {count}: {WARNING_TEXTS[code]}." for code, count in case_set.warnings.items()]
    for sentence in (*warnings, *notes(case_set)):
        yield from textwrap.wrap(
            inert(sentence), width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )


def _outcome_colour(outcome: Outcome) -> Colour:
    match outcome:
        case Outcome.MISMATCH | Outcome.GENERATED_ERROR:
            return "red"
        case Outcome.REFERENCE_ERROR:
            return "magenta"
        case _:
            return "yellow"


def _status_colour(code: ExitCode) -> Colour:
    match code:
        case ExitCode.PASS:
            return "green"
        case ExitCode.WEAK_EVIDENCE:
            return "yellow"
        case _:
            return "red"
