"""Calls and their arguments as they stand in the text."""

from pathlib import Path

import pytest

from evalgate_sql.model.fault import Refused
from evalgate_sql.model.policy import ArgumentBound, Policy
from evalgate_sql.policy.load import load_policy
from evalgate_sql.policy.sqlite_calls import called_functions, check_arguments, computes_time, find_calls
from evalgate_sql.policy.sqlite_tokens import tokenize

SHIPPED = load_policy(None, engine="sqlite", base=Path())


def policy_with(*bounds: ArgumentBound) -> Policy:
    """Return a policy that has these bounds and no other rule."""
    return Policy("own", 1, "", "sqlite", ">=3.37", frozenset(), frozenset(), frozenset(), bounds)


def breaks(sql: str, policy: Policy) -> bool:
    """Tell whether the arguments in a text break the policy."""
    try:
        check_arguments(tokenize(sql), policy)
    except Refused:
        return True
    return False


@pytest.mark.parametrize(
    ("sql", "calls"),
    [
        ("f()", [("f", [])]),
        ("F(1, 2)", [("f", ["1", "2"])]),
        ('"f" (1)', [("f", ["1"])]),
        ("[f](1)", [("f", ["1"])]),
        ("'f'(1)", [("f", ["1"])]),
        ("f((1, 2), g(3, 4), 5)", [("f", ["(1,2)", "g(3,4)", "5"])]),
        ("f(f(1), 2)", [("f", ["f(1)", "2"]), ("f", ["1"])]),
        ("f(1", [("f", [])]),
        ("f(1, ", [("f", ["1"])]),
        ("f(',', ')')", [("f", ["','", "')'"])]),
        ("f, (1)", []),
        ("g(1)", []),
    ],
)
def test_calls_are_found_with_their_arguments(sql: str, calls: list[tuple[str, list[str]]]) -> None:
    """A call is a name before a parenthesis, however it is quoted; commas split at their own level only."""
    found = [
        (call.function, ["".join(token.text for token in argument) for argument in call.arguments])
        for call in find_calls(tokenize(sql), frozenset({"f"}))
    ]
    assert found == calls


def test_called_functions_are_the_names_before_parentheses() -> None:
    """Every name that may be a call is there, and no other word."""
    assert called_functions(tokenize("SELECT a, F(b), [g](1), (2)")) >= {"f", "g"}


PRINTF = ArgumentBound(frozenset({"printf"}), argument=1, literal=True, max_format_width=1000)
SHORT = ArgumentBound(frozenset({"trim"}), argument=2, max_length=3)


@pytest.mark.parametrize(
    ("sql", "broken"),
    [
        ("printf('%d', 1)", False),
        ("printf('%1000d', 1)", False),
        ("printf('%1001d', 1)", True),
        ("printf('%.1001f', 1)", True),
        ("printf('%1.1000f', 1)", False),
        ("printf('%*d', 1)", True),
        ("printf('%-0+ #,!2000d', 1)", True),
        ("printf('%999999999999999999999d', 1)", True),
        ("printf('%%2000d')", False),
        ("printf('a' || 'b', 1)", True),
        ("printf(column, 1)", True),
        ('printf("%d", 1)', True),
        ("printf()", False),
        ("PRINTF('%2000d', 1)", True),
        ("coalesce(1, printf('%2000d', 1))", True),
        ("'printf(%2000d)'", False),
    ],
)
def test_format_is_one_narrow_literal(sql: str, *, broken: bool) -> None:
    """A template has to be a literal whose widths and precisions are within the bound."""
    assert breaks(sql, policy_with(PRINTF)) is broken


@pytest.mark.parametrize(
    ("sql", "broken"),
    [("trim(a, 'abc')", False), ("trim(a, 'abcd')", True), ("trim(a)", False), ("trim(a, b)", False)],
)
def test_length_of_a_literal_is_bounded(sql: str, *, broken: bool) -> None:
    """A bound without `literal` leaves computed arguments to the engine and counts written ones."""
    assert breaks(sql, policy_with(SHORT)) is broken


@pytest.mark.parametrize(
    ("sql", "reads"),
    [
        ("date('now')", True),
        ("date('NOW')", True),
        ('date("now")', True),
        ("date([now])", True),
        ("date()", True),
        ("strftime('%Y')", True),
        ("strftime('%Y', 'now')", True),
        ("strftime('now', '2024-01-01')", False),
        ("timediff('2024-01-01', 'now')", True),
        ("timediff('2024-01-01')", True),
        ("datetime('2024-01-01', 'localtime')", True),
        ("datetime('2024-01-01', 'UTC')", True),
        ("unixepoch('subsec')", True),
        ("unixepoch('2024-01-01', 'subsec')", False),
        ("date('2024-01-01', '+1 day')", False),
        ("upper('now')", False),
        ("date(coalesce(day, 'now'))", True),
        ("date(upper(date('now')))", True),
    ],
)
def test_written_clock_is_read(sql: str, *, reads: bool) -> None:
    """A time function that is told to read the clock or the zone, or not told a time, is refused by its text."""
    assert breaks(sql, SHIPPED) is reads


@pytest.mark.parametrize(
    ("sql", "computes"),
    [
        ("date('2024-01-01')", False),
        ("date(2460310.5)", False),
        ("date(day)", True),
        ("date('n' || 'ow')", True),
        ("date(x'6e6f77')", True),
        ('date("2024-01-01")', True),
        ("upper(day)", False),
    ],
)
def test_computed_time_is_told(sql: str, *, computes: bool) -> None:
    """Anything but a literal in a time function has to be watched at the engine."""
    assert computes_time(tokenize(sql), SHIPPED) is computes


def test_enabled_clock_needs_no_watch() -> None:
    """With the group enabled there is nothing to watch and nothing to refuse."""
    enabled = load_policy(None, engine="sqlite", enable_groups=("clock",), base=Path())
    assert not computes_time(tokenize("date(day)"), enabled)
    assert not breaks("date('now')", enabled)
