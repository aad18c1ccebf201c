"""The one line that sums up a case set: numerator, denominator, what was left out, and the exit. Knows no layout."""

from evalgate_sql.model.outcome import CONCLUSIVE
from evalgate_sql.report.values import SetReport

_SHOWN_DIGITS = 4


def summary_line(case_set: SetReport) -> str:
    """Return accuracy and how it was counted, the minimum, and the status with its exit code."""
    exit_code = case_set.ruling.exit_code
    return f"{_score(case_set)} -> {exit_code.name} (exit {exit_code:d})"


def _score(case_set: SetReport) -> str:
    total = case_set.tally.total
    not_evidence = _not_evidence(case_set)
    beside = f"; {', '.join(not_evidence)}" if not_evidence else ""
    if case_set.facts.references_only:
        return f"references: {total.match_count} of {case_set.facts.case_count} valid{beside}"
    counts = f"({total.match_count} of {total.scored_count} scored{beside})"
    if case_set.ruling.accuracy is None:
        return f"accuracy unavailable {counts}"
    shown = _show_score(total.match_count, total.scored_count)
    return f"accuracy {shown} {counts} minimum {_show_minimum(case_set.facts.min_accuracy)}"


def _not_evidence(case_set: SetReport) -> list[str]:
    """Return the counts that keep the gate inconclusive. Reference errors alone are outside the denominator."""
    parts = [
        f"{count} {outcome}"
        for outcome, count in case_set.tally.outcomes.items()
        if count and outcome not in CONCLUSIVE
    ]
    return [*parts, f"{case_set.not_run_count} not run"] if case_set.not_run_count else parts


def _show_score(match_count: int, scored_count: int) -> str:
    # Cut, not rounded: 19,999 of 20,000 must not show as the 1.0000 it fails to reach.
    scale = 10**_SHOWN_DIGITS
    whole, rest = divmod(match_count * scale // scored_count, scale)
    return f"{whole}.{rest:0{_SHOWN_DIGITS}d}"


def _show_minimum(min_accuracy: float) -> str:
    shown = f"{min_accuracy:.{_SHOWN_DIGITS}f}"
    return shown if float(shown) == min_accuracy else repr(min_accuracy)
