"""The JSON documents of schema version 1, as types.

`tools/generate_schemas.py` makes the published JSON Schemas from them: docstrings and the text in `Annotated` become
descriptions, a pair in `Annotated` is taken over as a keyword. Version 1 may gain fields and never loses one.
"""

from typing import Annotated, Literal, NotRequired, TypedDict

from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.model.outcome import Outcome, Reason, Stage, WarningCode
from evalgate_sql.report.facts import Scalar
from evalgate_sql.report.values import ReportWarning

Count = Annotated[int, ("minimum", 0)]
LineNumber = Annotated[int, ("minimum", 1)]
Milliseconds = Annotated[float, ("minimum", 0)]
Fraction = Annotated[float, ("minimum", 0), ("maximum", 1)]
Sha256 = Annotated[str, ("pattern", "^[0-9a-f]{64}$")]
Status = Annotated[str, ("enum", tuple(code.name for code in ExitCode))]
Timestamp = Annotated[str, ("pattern", r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]


class ToolV1(TypedDict):
    """The program that wrote the report."""

    name: Literal["evalgate-sql"]
    version: str


class EngineV1(TypedDict):
    """The engine that ran the queries."""

    name: str
    version: Annotated[str | None, "null when the run ended before the engine told"]


class DatabaseV1(TypedDict):
    """The fixture."""

    name: Annotated[str, "file or database name, never a path or URL"]
    sha256: Annotated[Sha256 | None, "null when the fixture is too large to be hashed"]


class PolicyV1(TypedDict):
    """What SQL was allowed to do."""

    name: str
    version: Count
    sha256: Sha256
    extends: NotRequired[Annotated[str, "the shipped policy that this one was made from, as NAME@VERSION"]]
    enabledGroups: list[str]


class LimitsV1(TypedDict):
    """What one query, and one case, could take."""

    timeoutMs: Count
    maxRows: Count
    maxValueBytes: Count
    maxResultBytes: Count
    caseDeadlineMs: Count


class CaseFileV1(TypedDict):
    """One case file as it was validated."""

    path: str
    sha256: Sha256
    caseCount: Count


class TagV1(TypedDict):
    """The finished cases that carry one tag."""

    caseCount: Count
    scoredCount: Count
    matchCount: Count
    accuracy: Fraction | None


class WarningV1(TypedDict):
    """How many cases have a warning."""

    code: WarningCode | ReportWarning
    count: Count


class ErrorV1(TypedDict):
    """What went wrong outside the SQL, and where."""

    code: str
    message: str
    file: NotRequired[str]
    line: NotRequired[LineNumber]


class TaggedPreviewV1(TypedDict):
    """A cell that a plain JSON value would not tell truly, or that was clipped."""

    type: str
    value: str
    clipped: NotRequired[Literal[True]]


PreviewV1 = bool | int | float | str | TaggedPreviewV1 | None


class DiffV1(TypedDict):
    """Rows that show where the results part, at most five a side. These are fixture rows."""

    reference: list[list[PreviewV1]]
    generated: list[list[PreviewV1]]
    columnsClipped: NotRequired[Literal[True]]


class CaseV1(TypedDict):
    """One finished case."""

    id: str
    file: NotRequired[Annotated[str, "present when the set has several case files"]]
    line: LineNumber
    outcome: Outcome
    reason: NotRequired[Annotated[Reason, "present for everything but a match"]]
    stage: NotRequired[Annotated[Stage, "where a case ended that is neither match nor mismatch"]]
    referenceMs: Annotated[Milliseconds | None, "null when the stage was not reached"]
    generatedMs: Annotated[Milliseconds | None, "null when the stage was not reached"]
    compareMs: Annotated[Milliseconds | None, "null when the stage was not reached"]
    referenceRows: NotRequired[Count]
    generatedRows: NotRequired[Count]
    warnings: NotRequired[list[WarningCode]]
    diff: NotRequired[DiffV1]
    diffTruncated: NotRequired[Annotated[Literal[True], "a diff was asked for and did not fit"]]


class RunFieldsV1(TypedDict):
    """What belongs to the invocation as a whole."""

    schemaVersion: Literal[1]
    ok: Annotated[bool, "true when exitCode is 0"]
    tool: ToolV1
    kind: Literal["check"]
    startedAt: Timestamp
    durationMs: Milliseconds
    jobs: Annotated[int, "cases that ran at once", ("minimum", 1)]
    isolation: Annotated[dict[str, Scalar], "limits that were proved to hold"]


class SetFieldsV1(TypedDict):
    """What belongs to one case set, its cases apart."""

    status: Status
    exitCode: ExitCode
    complete: Annotated[bool, "every selected case finished and is listed"]
    error: NotRequired[Annotated[ErrorV1, "why the set could not finish"]]
    engine: EngineV1
    database: DatabaseV1
    policy: PolicyV1 | None
    limits: LimitsV1
    referencesOnly: bool
    caseFiles: list[CaseFileV1]
    caseCount: Annotated[Count, "cases selected to run"]
    scoredCount: Annotated[Count, "finished cases without a reference error: the denominator"]
    notRunCount: Count
    matchCount: Annotated[Count, "the numerator"]
    emptyMatchCount: Annotated[Count, "matches without a row on either side"]
    referenceErrorCount: Count
    accuracy: Annotated[Fraction | None, "matchCount / scoredCount; null when unavailable"]
    minAccuracy: Fraction
    outcomes: Annotated[dict[Outcome, Count], "all nine, zeros too", ("minProperties", len(Outcome))]
    reasons: dict[Reason, Count]
    tags: dict[str, TagV1]
    warnings: list[WarningV1]
    fixtureUnchanged: Annotated[bool | None, "null when it cannot be told"]
    containsFixtureRows: Annotated[bool, "at least one diff is in the report"]
    diffTruncatedCaseCount: Count


class CheckFieldsV1(RunFieldsV1, SetFieldsV1):
    """The report of `evalgate-sql check`, its cases apart."""


class CheckReportV1(CheckFieldsV1):
    """The report of `evalgate-sql check`."""

    cases: Annotated[list[CaseV1], "finished cases in the order of the case file"]


class NextActionV1(TypedDict):
    """One thing to do now."""

    command: str
    description: str


class ErrorEnvelopeV1(TypedDict):
    """What a command prints with `--format json` when there is no report."""

    schemaVersion: Literal[1]
    ok: Literal[False]
    status: Status
    exitCode: ExitCode
    error: ErrorV1
    nextActions: list[NextActionV1]
