"""The report for a person."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalgate_sql.model.case import Case
from evalgate_sql.model.outcome import Outcome, Reason, WarningCode
from evalgate_sql.model.verdict import Diff, Preview, Verdict
from evalgate_sql.report.build import build_check, collect
from evalgate_sql.report.diff_text import cell_text
from evalgate_sql.report.facts import RunFacts, SetFacts
from evalgate_sql.report.human import WORST_FIRST, render
from evalgate_sql.report.notes import WARNING_TEXTS
from evalgate_sql.report.terminal import display_width
from evalgate_sql.report.values import ReportWarning

CASE = Case("a", "cases.jsonl", 1, "SELECT 1", "SELECT 2")
MATCH = Verdict(Outcome.MATCH)
MISMATCH = Verdict(Outcome.MISMATCH, Reason.VALUES)


def text(run: RunFacts, facts: SetFacts, *found: tuple[Case, Verdict], width: int = 80) -> str:
    """Render a complete set without colour."""
    return render(
        build_check(run, replace(facts, case_count=len(found)), collected=collect(found)), color=False, width=width
    )


@given(name=st.text(min_size=1), cell=st.text())
def test_any_id_path_and_cell_render_inert(run: RunFacts, facts: SetFacts, name: str, cell: str) -> None:
    """Nothing a model wrote can act on the terminal."""
    diff = Diff(((cell, {"type": cell, "value": cell, "clipped": True}),), ((None,),))
    shown = text(run, facts, (replace(CASE, id=name, file=name), replace(MISMATCH, diff=diff)))
    assert all(line.isprintable() for line in shown.split("\n"))


@settings(max_examples=40)
@given(
    name=st.text(min_size=1, max_size=60),
    cells=st.lists(st.text(max_size=120), min_size=1, max_size=20),
    width=st.integers(min_value=60, max_value=120),
)
def test_lines_fit_the_terminal(run: RunFacts, facts: SetFacts, name: str, cells: list[str], width: int) -> None:
    """Only the command to paste and the summary may be longer than a line."""
    diff = Diff((tuple(cells),), ())
    shown = text(run, facts, (replace(CASE, id=name), replace(MISMATCH, diff=diff)), width=width)
    *lines, _ = (line for line in shown.splitlines() if "evalgate-sql check" not in line)
    assert all(display_width(line) <= width for line in lines)


def test_every_outcome_has_its_place_in_the_order() -> None:
    """A new outcome has to be given a rank."""
    assert sorted(WORST_FIRST) == sorted(Outcome)


def test_every_warning_has_its_words() -> None:
    """A new warning has to be explained."""
    assert set(WARNING_TEXTS) == {*WarningCode, *ReportWarning}


def test_text_ends_with_the_summary(run: RunFacts, facts: SetFacts) -> None:
    """The last line alone tells the result."""
    last = text(run, facts, (CASE, MATCH)).splitlines()[-1]
    assert last == "accuracy 1.0000 (1 of 1 scored) minimum 1.0000 -> PASS (exit 0)"


@pytest.mark.parametrize(
    ("matches", "mismatches", "minimum", "shown"),
    [
        (19_999, 1, 1.0, "accuracy 0.9999 (19999 of 20000 scored) minimum 1.0000"),
        (2, 1, 0.66665, "accuracy 0.6666 (2 of 3 scored) minimum 0.66665"),
    ],
)
def test_accuracy_is_never_shown_higher_than_it_is(
    run: RunFacts, facts: SetFacts, matches: int, mismatches: int, minimum: float, shown: str
) -> None:
    """A score is cut to four digits and a minimum shown in full, so that the line explains the status."""
    found = [(CASE, MATCH)] * matches + [(CASE, MISMATCH)] * mismatches
    assert text(run, replace(facts, min_accuracy=minimum), *found).splitlines()[-1].startswith(shown)


def test_unexplained_gap_is_named(run: RunFacts, facts: SetFacts) -> None:
    """Cases that are missing for no stated reason are still said to be missing."""
    report = build_check(run, replace(facts, case_count=3), collected=collect([(CASE, MATCH)]))
    assert "Incomplete: 1 of 3 cases finished." in render(report, color=False, width=80)


def test_combining_characters_take_no_column(run: RunFacts, facts: SetFacts) -> None:
    """An accent of its own stands over its letter and moves no column."""
    accented = replace(CASE, id="e\N{COMBINING ACUTE ACCENT}")
    lines = text(run, facts, (accented, MISMATCH), (CASE, MISMATCH)).splitlines()
    first, second = (line for line in lines if line.startswith("cases.jsonl:1"))
    assert first.index("mismatch") == second.index("mismatch") + 1


def test_rerun_command_is_the_callers_with_the_case(run: RunFacts, facts: SetFacts) -> None:
    """The caller knows the options; the report adds the case."""
    prefix = "evalgate-sql check --cases cases.jsonl --db sqlite:///x.db"
    shown = text(run, replace(facts, rerun_prefix=prefix), (replace(CASE, id="it's"), MISMATCH))
    assert f"  {prefix} --case 'it'\"'\"'s' --show-diff\n" in shown


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (None, "NULL"),
        (True, "TRUE"),
        (7, "7"),
        (0.1, "0.1"),
        ("7", "'7'"),
        ({"type": "decimal", "value": "7.00"}, "decimal '7.00'"),
        ({"type": "text", "value": "long", "clipped": True}, "text 'long'…"),
    ],
)
def test_cells_of_different_types_look_different(cell: Preview, shown: str) -> None:
    """A reader can tell 7 from '7' and NULL from 'NULL'."""
    assert cell_text(cell) == shown
