"""Calls as they stand in the text, and what a policy says about their arguments.

The engine reports which functions a statement uses but not with which arguments, so a rule on arguments reads the
text. Knows the tokens and the bounds; what a time function may be given is `sqlite_time`'s.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from evalgate_sql.model.policy import ArgumentBound
from evalgate_sql.policy.sqlite_tokens import Kind, Token

# NOTE: the conversion itself is consumed, so that `%5%` is one, as SQLite has it, and not the start of another.
_CONVERSION = re.compile(r"%[-+ 0#,!]*(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d+))?l*.?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Call:
    """A function call: its name in lower case and the tokens of each argument."""

    function: str
    arguments: tuple[tuple[Token, ...], ...]


def called_functions(tokens: list[Token]) -> frozenset[str]:
    """Return every name, in lower case, that stands before a parenthesis."""
    return frozenset(token.word for token, following in pairwise(tokens) if following.text == "(")


def find_calls(tokens: list[Token], functions: frozenset[str]) -> Iterator[Call]:
    """Yield every call of one of `functions`, however its name is quoted, inner calls included."""
    for index in range(len(tokens) - 1):
        if tokens[index + 1].text == "(" and tokens[index].word in functions:
            yield Call(tokens[index].word, _arguments(tokens, index + 2))


def _arguments(tokens: list[Token], start: int) -> tuple[tuple[Token, ...], ...]:
    """Split the tokens from `start` to the closing parenthesis at the commas of their own level."""
    arguments: list[tuple[Token, ...]] = []
    begin, depth = start, 0
    for index in range(start, len(tokens)):
        text = tokens[index].text
        if text == "(":
            depth += 1
        elif text == ")" and depth:
            depth -= 1
        elif text == ")" or (text == "," and not depth):
            if index > begin:
                arguments.append(tuple(tokens[begin:index]))
            begin = index + 1
            if text == ")":
                break
    return tuple(arguments)


def breaks_bound(tokens: list[Token], bounds: tuple[ArgumentBound, ...]) -> bool:
    """Tell whether a bounded argument is written otherwise than its bound allows."""
    return any(
        len(call.arguments) >= bound.argument and not _within(call.arguments[bound.argument - 1], bound)
        for bound in bounds
        for call in find_calls(tokens, bound.functions)
    )


def _within(argument: tuple[Token, ...], bound: ArgumentBound) -> bool:
    if not is_literal(argument):
        return not bound.literal
    text = argument[0].value
    if bound.max_length is not None and len(text) > bound.max_length:
        return False
    return bound.max_format_width is None or _format_is_narrow(text, bound.max_format_width)


def _format_is_narrow(template: str, max_width: int) -> bool:
    sizes = (size for match in _CONVERSION.finditer(template) for size in match.groups() if size)
    # More than nine digits is far beyond any width; converting them could be made slow.
    return all(size != "*" and len(size) <= 9 and int(size) <= max_width for size in sizes)


def is_literal(argument: tuple[Token, ...]) -> bool:
    """Tell whether the argument is one literal. A double-quoted text is none: it may be the name of a column."""
    return len(argument) == 1 and argument[0].kind in (Kind.STRING, Kind.NUMBER)
