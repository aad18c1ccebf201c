"""What nobody may allow, and that the list has no holes for the names next to it."""

import pytest

from evalgate_sql.policy.deny import denial, denied_groups


@pytest.mark.parametrize(
    "function",
    ["load_extension", "readfile", "writefile", "edit", "eval", "zeroblob", "fts3_tokenizer", "fts5", "fts5_source_id"],
)
def test_dangerous_function_is_denied(function: str) -> None:
    """A function that reaches out of the query is denied with a reason."""
    assert denial(function, engine="sqlite")


@pytest.mark.parametrize("function", ["sqlite_version", "rtreenode", "geopoly_svg", "sqlar_compress", "shell_putsnl"])
def test_family_is_denied_by_its_prefix(function: str) -> None:
    """Members of a family that later engines may add are denied before anybody has seen them."""
    assert denial(function, engine="sqlite")


@pytest.mark.parametrize("function", ["sum", "match_all", "edits", "zero", "changes"])
def test_ordinary_function_is_not_denied(function: str) -> None:
    """A whole name denies that name only."""
    assert denial(function, engine="sqlite") is None


def test_engine_without_a_list_has_no_answer() -> None:
    """A missing list is an error: it must never read as nothing denied."""
    with pytest.raises(KeyError):
        denied_groups("oracle")


def test_names_are_written_as_the_engine_reports_them() -> None:
    """The engine reports names in lower case, so a capital letter would deny nothing."""
    groups = denied_groups("sqlite")
    assert all(word == word.lower() for group in groups for word in (*group.names, *group.prefixes))
