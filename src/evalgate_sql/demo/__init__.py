"""The shipped example as data: a bookshop's fixture, six cases, and what becomes of each. Runs nothing.

`tools/build_demo.py` writes the two files; a test holds the lessons against a real run.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.model.outcome import Outcome, Reason

FIXTURE_NAME = "demo.db"
CASES_NAME = "demo.jsonl"
TIMEOUT_MS = 500
"""Long enough for a busy machine, short enough for a reader to wait for the case that never ends."""

EXIT_CODE = ExitCode.WEAK_EVIDENCE
"""What `check` ends with on the example."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one case shows."""

    case_id: str
    outcome: Outcome
    reason: Reason | None
    text: str


LESSONS = (
    Lesson(
        "revenue-by-book",
        Outcome.MATCH,
        None,
        "The reference sums in a subquery, the model joined and grouped. The texts differ, the results agree: that is "
        "all that counts. Row order and column names do not matter.",
    ),
    Lesson(
        "latest-orders",
        Outcome.MATCH,
        None,
        'Here the order is part of the question, so the case says "orderMatters": true and rows are compared in order.',
    ),
    Lesson(
        "orders-per-customer",
        Outcome.MISMATCH,
        Reason.ROW_COUNT,
        "The model wrote an inner join and lost the customer without orders. Valid SQL, wrong answer. The row that is "
        "missing is shown because the demo runs with --show-diff.",
    ),
    Lesson(
        "customers-per-city",
        Outcome.GENERATED_ERROR,
        Reason.UNDEFINED_COLUMN,
        "The model asked for a column that the fixture does not have. It counts as a wrong answer.",
    ),
    Lesson(
        "inactive-customers",
        Outcome.REFUSED,
        Reason.NOT_SELECT,
        "The model wrote DELETE. Only a single read-only SELECT runs; the fixture was not touched.",
    ),
    Lesson(
        "genres-above-crime",
        Outcome.TIMEOUT,
        Reason.STATEMENT_DEADLINE,
        f"The model's recursion never ends. It was stopped after {TIMEOUT_MS} ms (--timeout-ms), and cost no other "
        "case anything.",
    ),
)
"""One lesson a case, in the order of the case file."""


def read_files() -> Mapping[str, bytes]:
    """Return the shipped files by name."""
    folder = resources.files(__package__)
    return {name: folder.joinpath(name).read_bytes() for name in (FIXTURE_NAME, CASES_NAME)}
