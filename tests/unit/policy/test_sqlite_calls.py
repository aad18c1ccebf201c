"""Calls and their arguments as they stand in the text."""

import pytest

from evalgate_sql.model.policy import ArgumentBound
from evalgate_sql.policy.sqlite_calls import breaks_bound, called_functions, find_calls
from evalgate_sql.policy.sqlite_tokens import tokenize


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
        ("printf('%5%2000d')", False),
        ("printf('%5%%2000d')", True),
        ("printf('%-%%2000d')", True),
        ("printf('%l%%2000d')", True),
        ("printf('%.5%%2000d')", True),
        ("printf('%lld%2000d')", True),
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
    assert breaks_bound(tokenize(sql), (PRINTF,)) is broken


@pytest.mark.parametrize(
    ("sql", "broken"),
    [("trim(a, 'abc')", False), ("trim(a, 'abcd')", True), ("trim(a)", False), ("trim(a, b)", False)],
)
def test_length_of_a_literal_is_bounded(sql: str, *, broken: bool) -> None:
    """A bound without `literal` leaves computed arguments to the engine and counts written ones."""
    assert breaks_bound(tokenize(sql), (SHORT,)) is broken
