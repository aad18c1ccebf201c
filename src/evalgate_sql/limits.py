"""Every number of the contract, once.

Contract sections 3 (case files), 4 (texts), 5 (execution) and 7 (reports). Units are in the names.
Nothing is computed here but sums of these numbers.
"""

KIB = 1024
MIB = 1024 * KIB

# Case files (section 3)
MAX_CASES = 10_000
MAX_CASE_FILE_BYTES = 32 * MIB
MAX_CASE_LINE_BYTES = MIB
MAX_CASE_ID_BYTES = 256
MAX_SQL_BYTES = 100_000
DEFAULT_FLOAT_TOLERANCE = 1e-9
MAX_TAGS, MAX_TAG_BYTES = 32, 64
"""Accuracy is reported per tag, so the tags of a case have to stay few and short."""

# Query texts (section 4): deeper nesting is refused before any parser sees it.
MAX_NESTING_DEPTH = 200

# One query (section 5)
MIN_TIMEOUT_MS, DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS = 1, 5_000, 300_000
MIN_ROWS, DEFAULT_MAX_ROWS, MAX_ROWS = 1, 10_000, 100_000
MAX_VALUE_BYTES = MIB
MAX_RESULT_BYTES = 8 * MIB
MIN_VALUE_BYTES = 8
"""What the smallest value counts, so that a result of many tiny cells cannot outgrow the worker."""

# SQLite's own limits (section 4)
SQLITE_MAX_LENGTH_BYTES = 1_000_000
SQLITE_MAX_LIKE_PATTERN_BYTES = 1_000
SQLITE_BUSY_TIMEOUT_MS = 1_000

# One case (section 5)
WORKER_ADDRESS_SPACE_BYTES = 512 * MIB
WORKER_OPEN_FILES = 32
WORKER_SETUP_MS = 10_000
"""What a case may take beside its three timed stages: opening the fixture and sending the verdict."""
MAX_REPLY_BYTES = 128 * KIB
MAX_JOB_BYTES = 4 * MIB
"""A job never leaves this machine; the bound only catches our own mistakes."""
MEMORY_PER_JOB_BYTES = 512 * MIB

# Identity of a fixture (section 4)
MAX_HASHED_FIXTURE_BYTES = 64 * MIB

# Reports (section 7)
MAX_REPORT_BYTES = 16 * MIB
MAX_DIFF_ROWS = 5
MAX_DIFF_COLUMNS = 20
MAX_PREVIEW_CHARACTERS = 120


def case_deadline_ms(timeout_ms: int) -> int:
    """Return how long the parent waits for one case, in milliseconds: three timeouts plus ten seconds."""
    return 3 * timeout_ms + WORKER_SETUP_MS
