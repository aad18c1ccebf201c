"""The clock rule of a policy on a text: whether a time function reads the clock, or might.

What is written is judged here. What is computed only the engine can judge (`backends.sqlite_clock`), at a price for
each row, so this also says whether the statement could make up a time value at all. A column of the fixture is no such
thing: what the fixture holds is data.
"""

from itertools import pairwise

from evalgate_sql.model.policy import ClockCall, ClockRule, Policy
from evalgate_sql.policy.sqlite_calls import Call, find_calls, is_literal
from evalgate_sql.policy.sqlite_tokens import Kind, Token

_MAKE_NO_TEXT = frozenset(
    """
    abs avg cast ceil ceiling coalesce count cume_dist date datetime dense_rank first_value floor ifnull iif instr
    julianday lag last_value lead length likely max min mod nth_value ntile nullif percent_rank rank round row_number
    sign strftime sum time timediff total trunc unixepoch unlikely

    all and as between by case distinct else except exists filter from glob having in intersect is join like limit
    materialized not offset on or over partition select then union using values when where with
    """.split()  # noqa: SIM905 - seventy strings are no easier to read
)
"""What may stand before a parenthesis without a new text coming out: functions that give numbers, or hand on what they
are given, and keywords."""


def reads_clock(tokens: list[Token], rule: ClockRule) -> bool:
    """Tell whether a time function reads the clock or the time zone by what is written in its call."""
    return any(
        len(call.arguments) < max(clock_call.time_arguments) or _names_clock(call, clock_call, rule)
        for clock_call in rule.calls
        for call in find_calls(tokens, clock_call.functions)
    )


def _names_clock(call: Call, clock_call: ClockCall, rule: ClockRule) -> bool:
    return any(
        _quotes(
            argument, rule.modifiers | rule.time_values if position in clock_call.time_arguments else rule.modifiers
        )
        for position, argument in enumerate(call.arguments, start=1)
    )


def _quotes(tokens: tuple[Token, ...] | list[Token], words: frozenset[str]) -> bool:
    """Tell whether one of `words` stands there in quotes of any kind, by itself or in an expression."""
    return any(token.kind in (Kind.STRING, Kind.NAME) and token.word in words for token in tokens)


def may_compute_clock(tokens: list[Token], policy: Policy) -> bool:
    """Tell whether a time function may be handed a time value that the statement itself makes up."""
    rule = policy.clock
    if rule is None:
        return False
    computed = [
        argument
        for clock_call in rule.calls
        for call in find_calls(tokens, clock_call.functions)
        for argument in call.arguments
        if not is_literal(argument)
    ]
    if any(_makes_text(list(argument), rule) for argument in computed):
        return True
    return bool(computed) and _has_inner_rows(tokens, policy) and _makes_text(tokens, rule)


def _has_inner_rows(tokens: list[Token], policy: Policy) -> bool:
    """Tell whether a column may be one that the statement makes: by a subquery, or by a table function."""
    words = [token.word for token in tokens if token.kind is Kind.WORD]
    return words.count("select") + words.count("values") > 1 or not policy.table_functions.isdisjoint(words)


def _makes_text(tokens: list[Token], rule: ClockRule) -> bool:
    """Tell whether there is a way to a text that is not one of the fixture's and not written out in one piece."""
    if _quotes(tokens, rule.time_values | rule.modifiers):
        return True
    return any(
        (token.text + following.text) in ("||", "->")
        or (token.word == "x" and following.kind is Kind.STRING and token.end == following.start)
        or (following.text == "(" and _is_name(token) and token.word not in _MAKE_NO_TEXT)
        for token, following in pairwise(tokens)
    )


def _is_name(token: Token) -> bool:
    return token.kind in (Kind.WORD, Kind.NAME, Kind.STRING)
