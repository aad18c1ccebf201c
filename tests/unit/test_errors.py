"""Errors explain themselves and keep secrets."""

import pytest

from evalgate_sql.errors import UserError


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://u:pw@h/db",
        "postgres://h/db?password=pw",
        "POSTGRESQL://u:pw@h/db",
        "mysql://u:pw@h/db",
        "Invalid value for '--timeout-ms': 'postgresql://u:pw@h/db' is not a number",
    ],
)
def test_message_repeats_no_connection_string(text: str) -> None:
    """Wherever the user put a URL that may hold a password, no message shows it."""
    error = UserError("usage", f"wrong: {text}")
    assert "pw" not in error.diagnostics()
    assert "[connection string]" in error.diagnostics()


@pytest.mark.parametrize("text", ["sqlite:///fixture.db", "see docs/limits.md", "a://b"])
def test_message_keeps_what_is_no_secret(text: str) -> None:
    """A remedy may show how a SQLite URL is written."""
    assert text in UserError("usage", text).message


@pytest.mark.parametrize(
    ("file", "line", "shown"),
    [(None, None, "why"), ("a.jsonl", None, "a.jsonl: why"), ("a.jsonl", 3, "a.jsonl:3: why")],
)
def test_diagnostics_begin_with_the_place(file: str | None, line: int | None, shown: str) -> None:
    """File and line come first where they are known."""
    assert UserError("case_file_invalid", "why", file=file, line=line).diagnostics() == shown
