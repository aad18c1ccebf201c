"""SQLite's lexical grammar: enough to cut a tail, count nesting and find calls.

Knows no policy and judges nothing; SQLite itself decides what is a statement. Written after the tokenizer rules of
https://www.sqlite.org/draft/tokenreq.html: unterminated block comments run to the end, `[x]`, `"x"` and `` `x` `` are
names, and any character from U+0080 may stand in a name. An unterminated quote takes the rest of the text with it:
what looks like a token in there is none, and looking for the end from every bracket of many would be quadratic.
"""

import re
from enum import Enum, auto
from itertools import pairwise
from typing import NamedTuple


class Kind(Enum):
    """What a token is, as far as the rules need to know."""

    STRING = auto()
    NAME = auto()
    WORD = auto()
    NUMBER = auto()
    MARK = auto()


class Token(NamedTuple):
    """One significant token: kind, text as written, and where it starts and ends in the statement.

    A tuple, since a case makes a hundred of them and has no time for a hundred `__init__`s.
    """

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """The name or keyword in lower case, without quotes."""
        if self.kind is Kind.WORD:
            return self.text.lower()
        return self.value.lower()

    @property
    def value(self) -> str:
        """The content of a quoted token; the text of any other."""
        if self.kind not in (Kind.STRING, Kind.NAME):
            return self.text
        close = "]" if self.text[0] == "[" else self.text[0]
        return self.text[1:-1].replace(close * 2, close)


_TOKEN = re.compile(
    r"""
    (?P<blank> (?:[ \t\n\f\r][ \t\n\v\f\r]*|\ufeff)+ | --[^\n]* | /\*(?:.*?\*/|.+) )
  | (?P<string> '(?:[^']|'')*+' )
  | (?P<name> "(?:[^"]|"")*+" | `(?:[^`]|``)*+` | \[[^\]]*\] )
  | (?P<word> [A-Za-z_\x80-\U0010ffff][A-Za-z0-9_$\x80-\U0010ffff]* )
  | (?P<number> (?:[0-9]|\.[0-9])[0-9A-Za-z_$.\x80-\U0010ffff]* )
  | (?P<open> ['"`\[].* )
  | (?P<mark> . )
    """,
    re.VERBOSE | re.DOTALL,
)

_KINDS = {
    "string": Kind.STRING,
    "name": Kind.NAME,
    "word": Kind.WORD,
    "number": Kind.NUMBER,
    "open": Kind.MARK,
    "mark": Kind.MARK,
}


def tokenize(sql: str) -> list[Token]:
    """Return the significant tokens of `sql`: everything but blanks and comments, in order."""
    return [
        Token(_KINDS[match.lastgroup], match.group(), match.start(), match.end())
        for match in _TOKEN.finditer(sql)
        if match.lastgroup is not None and match.lastgroup != "blank"
    ]


def deepest_nesting(tokens: list[Token]) -> int:
    """Return how many parentheses are open at once at most."""
    depth = deepest = 0
    for token in tokens:
        if token.text == "(":
            depth += 1
            deepest = max(deepest, depth)
        elif token.text == ")":
            # NOTE: a parenthesis too many closes nothing, and must not make room for one too deep.
            depth = max(0, depth - 1)
    return deepest


def outer_word(tokens: list[Token], words: frozenset[str]) -> str | None:
    """Return the first of `words` that stands outside all parentheses, or None."""
    depth = 0
    for token in tokens:
        if token.text == "(":
            depth += 1
        elif token.text == ")":
            depth -= 1
        elif depth == 0 and token.kind is Kind.WORD and token.word in words:
            return token.word
    return None


def has_outer_order_by(tokens: list[Token]) -> bool:
    """Tell whether ORDER BY stands outside all parentheses."""
    depth = 0
    for token, following in pairwise(tokens):
        if token.text == "(":
            depth += 1
        elif token.text == ")":
            depth -= 1
        elif depth == 0 and token.kind is Kind.WORD and token.word == "order" and following.word == "by":
            return True
    return False
