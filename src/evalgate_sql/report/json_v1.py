"""The JSON report, schema version 1: a field a line, then a case a line, so that text tools can read it too.

Encodes case by case and never holds the whole document. Decides nothing: every number comes from the report.
"""

from collections.abc import Iterator
from datetime import UTC
from typing import cast

from evalgate_sql.limits import MAX_RESULT_BYTES, MAX_VALUE_BYTES, case_deadline_ms
from evalgate_sql.model.outcome import Outcome
from evalgate_sql.model.policy import Policy
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.model.verdict import Diff, PreviewRow, Verdict
from evalgate_sql.report.document_v1 import (
    CaseFileV1,
    CaseV1,
    CheckFieldsV1,
    DatabaseV1,
    DiffV1,
    EngineV1,
    LimitsV1,
    PolicyV1,
    PreviewV1,
    RunFieldsV1,
    SetFieldsV1,
    TagV1,
    ToolV1,
    WarningV1,
)
from evalgate_sql.report.error_v1 import error_fields
from evalgate_sql.report.facts import CaseFileFacts
from evalgate_sql.report.json_text import compact, members
from evalgate_sql.report.tally import Score
from evalgate_sql.report.values import Report, ReportedCase, SetReport

_BEFORE_CASE = b",\n    "
_AFTER_CASES = b"\n  ]\n}\n"


def encode(report: Report) -> Iterator[bytes]:
    """Yield the report of `check` in pieces that together are the document."""
    yield _head(report)
    before = _BEFORE_CASE.lstrip(b",")
    (case_set,) = report.sets
    for case in case_set.cases:
        yield before + compact(case_fields(case, with_file=case_set.shows_files))
        before = _BEFORE_CASE
    yield _AFTER_CASES


def case_size(case: ReportedCase, *, with_file: bool) -> int:
    """Return how many bytes one case takes in the document, at most."""
    return len(_BEFORE_CASE) + len(compact(case_fields(case, with_file=with_file)))


def frame_size(report: Report) -> int:
    """Return how many bytes the document takes beside its cases."""
    return len(_head(report)) + len(_AFTER_CASES)


def _head(report: Report) -> bytes:
    return b'{\n%b,\n  "cases": [' % members(check_fields(report))


def check_fields(report: Report) -> CheckFieldsV1:
    """Return all of the document but the cases, in the order of the contract."""
    (case_set,) = report.sets
    return {**_run_fields(report), **_set_fields(case_set)}


def _run_fields(report: Report) -> RunFieldsV1:
    return RunFieldsV1(
        schemaVersion=1,
        ok=report.exit_code == 0,
        tool=ToolV1(name="evalgate-sql", version=report.run.tool_version),
        kind="check",
        startedAt=report.run.started_at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        durationMs=round(report.run.duration_ms, 3),
        jobs=report.run.jobs,
        isolation=dict(report.run.isolation),
    )


def _set_fields(case_set: SetReport) -> SetFieldsV1:
    facts, tally, ruling = case_set.facts, case_set.tally, case_set.ruling
    outcomes, total = tally.outcomes, tally.total
    fields = SetFieldsV1(
        status=ruling.exit_code.name,
        exitCode=ruling.exit_code,
        complete=ruling.complete,
        engine=EngineV1(name=facts.engine.name, version=facts.engine.version),
        database=DatabaseV1(name=facts.database.name, sha256=facts.database.sha256),
        policy=None if facts.policy is None else _policy_fields(facts.policy),
        limits=_limits_fields(facts.limits),
        referencesOnly=facts.references_only,
        caseFiles=[_case_file_fields(file) for file in facts.case_files],
        caseCount=facts.case_count,
        scoredCount=total.scored_count,
        notRunCount=case_set.not_run_count,
        matchCount=total.match_count,
        emptyMatchCount=tally.empty_match_count,
        referenceErrorCount=outcomes[Outcome.REFERENCE_ERROR],
        accuracy=ruling.accuracy,
        minAccuracy=facts.min_accuracy,
        outcomes=outcomes,
        reasons=tally.reasons,
        tags={tag: _tag_fields(score, available=ruling.accuracy is not None) for tag, score in tally.tags.items()},
        warnings=[WarningV1(code=code, count=count) for code, count in case_set.warnings.items()],
        fixtureUnchanged=facts.fixture_unchanged,
        containsFixtureRows=case_set.contains_fixture_rows,
        diffTruncatedCaseCount=case_set.diff_truncated_count,
    )
    if facts.stop is not None:
        fields["error"] = error_fields(facts.stop)
    return fields


def _policy_fields(policy: Policy) -> PolicyV1:
    fields = PolicyV1(
        name=policy.name, version=policy.version, sha256=policy.sha256, enabledGroups=sorted(policy.enabled_groups)
    )
    if policy.extends is not None:
        fields["extends"] = policy.extends
    return fields


def _limits_fields(limits: QueryLimits) -> LimitsV1:
    return LimitsV1(
        timeoutMs=limits.timeout_ms,
        maxRows=limits.max_rows,
        maxValueBytes=MAX_VALUE_BYTES,
        maxResultBytes=MAX_RESULT_BYTES,
        caseDeadlineMs=case_deadline_ms(limits.timeout_ms),
    )


def _case_file_fields(file: CaseFileFacts) -> CaseFileV1:
    return CaseFileV1(path=file.path, sha256=file.sha256, caseCount=file.case_count)


def _tag_fields(score: Score, *, available: bool) -> TagV1:
    return TagV1(
        caseCount=score.case_count,
        scoredCount=score.scored_count,
        matchCount=score.match_count,
        accuracy=score.accuracy() if available else None,
    )


def case_fields(case: ReportedCase, *, with_file: bool) -> CaseV1:
    """Return one case; `with_file` when the set has several case files."""
    verdict = case.verdict
    place = {"file": case.file} if with_file else {}
    cause = {"reason": verdict.reason, "stage": verdict.stage}
    counts = {"referenceRows": verdict.reference_rows, "generatedRows": verdict.generated_rows}
    return cast(
        "CaseV1",
        {
            "id": case.id,
            **place,
            "line": case.line,
            "outcome": verdict.outcome,
            **{name: value for name, value in cause.items() if value is not None},
            "referenceMs": _rounded(verdict.reference_ms),
            "generatedMs": _rounded(verdict.generated_ms),
            "compareMs": _rounded(verdict.compare_ms),
            **{name: value for name, value in counts.items() if value is not None},
            **_extra_fields(verdict),
        },
    )


def _extra_fields(verdict: Verdict) -> dict[str, object]:
    extra: dict[str, object] = {}
    if verdict.warnings:
        extra["warnings"] = verdict.warnings
    if verdict.diff is not None:
        extra["diff"] = _diff_fields(verdict.diff)
    if verdict.diff_truncated:
        extra["diffTruncated"] = True
    return extra


def _diff_fields(diff: Diff) -> DiffV1:
    fields = DiffV1(reference=_row_fields(diff.reference_rows), generated=_row_fields(diff.generated_rows))
    if diff.columns_clipped:
        fields["columnsClipped"] = True
    return fields


def _row_fields(rows: tuple[PreviewRow, ...]) -> list[list[PreviewV1]]:
    # The worker's reply was checked cell by cell (`wire.reply_codec`); the type of a cell merely cannot say so.
    return [list(cast("tuple[PreviewV1, ...]", row)) for row in rows]


def _rounded(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else round(milliseconds, 3)
