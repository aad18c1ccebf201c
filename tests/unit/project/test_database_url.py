"""What `--db` may say, and what a refusal may not repeat."""

from pathlib import Path

import pytest

from evalgate_sql.errors import UserError
from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.project.database_url import parse_database_url

BASE = Path("/project")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///p.db", "/project/p.db"),
        ("sqlite:///sub/p.db", "/project/sub/p.db"),
        ("sqlite:////abs/p.db", "/abs/p.db"),
        ("SQLite:///p.db", "/project/p.db"),
        ("sqlite:///a%20b.db", "/project/a b.db"),
        ("sqlite:///a b.db", "/project/a b.db"),
        ("sqlite:///a%3Fmode=rwc&x=%23.db", "/project/a?mode=rwc&x=#.db"),
        ("sqlite:///100%25.db", "/project/100%.db"),
        ("sqlite:///a%2541.db", "/project/a%41.db"),
        ("sqlite:///caf%C3%a9.db", "/project/café.db"),
        ("sqlite:///café.db", "/project/café.db"),
        ("sqlite:///two\nlines.db", "/project/two\nlines.db"),
        ("sqlite:///./:memory:", "/project/:memory:"),
        ("sqlite:///a:b@c.db", "/project/a:b@c.db"),
    ],
)
def test_a_sqlite_url_names_a_path_decoded_once(url: str, path: str) -> None:
    """Relative paths count from the base, absolute ones stand, and every escape is undone exactly once."""
    assert parse_database_url(url, base=BASE).path == Path(path)


@pytest.mark.parametrize(
    ("url", "code", "says"),
    [
        ("sqlite:///p.db?mode=rwc", "database_url_invalid", "%3F"),
        ("sqlite:///p#1.db", "database_url_invalid", "%23"),
        ("sqlite:///50%.db", "database_url_invalid", "%25"),
        ("sqlite:///50%4", "database_url_invalid", "%25"),
        ("sqlite:///50%zz.db", "database_url_invalid", "%25"),
        ("sqlite:///p%00.db", "database_url_invalid", "NUL"),
        ("sqlite:///p\0.db", "database_url_invalid", "NUL"),
        ("sqlite:///p%FF.db", "database_url_invalid", "not UTF-8"),
        ("sqlite:///p\udcff.db", "database_url_invalid", "not UTF-8"),
        ("sqlite://host/p.db", "database_url_invalid", "no host"),
        ("sqlite://p.db", "database_url_invalid", "no host"),
        ("sqlite:p.db", "database_url_invalid", "two slashes"),
        ("sqlite:/p.db", "database_url_invalid", "two slashes"),
        ("sqlite:", "database_url_invalid", "two slashes"),
        ("sqlite://", "database_url_invalid", "no path"),
        ("sqlite:///", "database_url_invalid", "no path"),
        ("sqlite:///:memory:", "database_url_invalid", "in-memory"),
        ("sqlite:///%3Amemory%3A", "database_url_invalid", "in-memory"),
        (":memory:", "database_url_invalid", "sqlite:///PATH"),
        ("p.db", "database_url_invalid", "sqlite:///PATH"),
        ("/abs/p.db", "database_url_invalid", "sqlite:///PATH"),
        ("C:\\p.db", "database_url_invalid", "sqlite:///PATH"),
        (" sqlite:///p.db", "database_url_invalid", "sqlite:///PATH"),
        ("", "database_url_invalid", "sqlite:///PATH"),
        ("file:p.db", "engine_unknown", "unknown engine"),
        ("mysql://u:pw@h/d", "engine_unknown", "unknown engine"),
        ("sqlite+pysqlite:///p.db", "engine_unknown", "unknown engine"),
        ("postgresql://u:pw@h/d", "engine_unavailable", "not in this version"),
        ("postgres://u:pw@h/d", "engine_unavailable", "not in this version"),
    ],
)
def test_a_refused_url_gets_its_reason(url: str, code: str, says: str) -> None:
    """Every way to write it wrong ends in exit 5 with a stable code and a remedy."""
    with pytest.raises(UserError) as caught:
        parse_database_url(url, base=BASE)

    assert (caught.value.code, caught.value.exit_code) == (code, ExitCode.BAD_ARGS)
    assert says in caught.value.message


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://user:S3CRET@host/db",
        "mysql://S3CRET",
        "S3CRET",
        "S3CRET:x",
        "sqlite://user:S3CRET@host/db",
        "sqlite:///S3CRET?x",
        "sqlite:///S3CRET%",
        "sqlite:///S3CRET%FF",
        "sqlite:S3CRET",
    ],
)
def test_no_message_repeats_the_url(url: str) -> None:
    """A URL may hold a password, so a refusal quotes none of it."""
    with pytest.raises(UserError) as caught:
        parse_database_url(url, base=BASE)

    assert "S3CRET" not in caught.value.diagnostics()
    assert caught.value.next_actions == ()
