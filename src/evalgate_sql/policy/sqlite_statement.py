"""The text rules of contract section 4 for SQLite: what can be said of a text before the engine sees it.

Answers with the statement to run, which is the given text less its tail, or raises the fault. Regenerates nothing.
"""

import re
from dataclasses import dataclass

from evalgate_sql.limits import MAX_NESTING_DEPTH
from evalgate_sql.model.fault import Refused, Rejected
from evalgate_sql.model.outcome import Reason
from evalgate_sql.model.policy import Policy
from evalgate_sql.policy.sqlite_calls import called_functions, check_arguments, computes_time
from evalgate_sql.policy.sqlite_tokens import Token, deepest_nesting, has_outer_order_by, tokenize

_UNSENDABLE = re.compile("[\0\ud800-\udfff]")

_FENCES = ("```", "~~~")

COMMAND_WORDS = frozenset(
    """
    abort alter analyze analyse attach begin call checkpoint close cluster comment commit copy create deallocate
    declare delete detach discard do drop end exec execute explain fetch grant import insert kill listen load lock
    merge move notify pragma prepare reassign refresh reindex release rename replace reset revoke rollback savepoint
    security select set show start table truncate unlisten update use vacuum values with
    """.split()  # noqa: SIM905 - a list of seventy strings is no easier to read
)
"""Words that begin a statement in some dialect: a text that begins so after a semicolon is a second statement."""

_QUERY_WORDS = frozenset({"select", "with"})
_EXPLAIN = "explain"


@dataclass(frozen=True, slots=True)
class Statement:
    """A text that may be handed to the engine."""

    text: str
    """The given text without its tail of blanks, comments and semicolons."""
    is_query: bool
    """False when it begins with another word than SELECT or WITH: the engine may compile it, never run it."""
    is_explain: bool
    """True when it begins with EXPLAIN."""
    computes_time: bool
    """True when a time function gets an argument that is no literal, so that the engine has to watch it."""
    tokens: list[Token]

    @property
    def is_ordered(self) -> bool:
        """Return whether ORDER BY stands outside all parentheses."""
        return has_outer_order_by(self.tokens)


def read_statement(sql: str, policy: Policy) -> Statement:
    """Apply the text rules in the contract's order.

    Raises `Rejected` for a text that is no statement and `Refused` for one that the contract forbids.
    """
    # What engine and parser would read differently: NUL ends a C string, a lone surrogate has no encoding.
    if _UNSENDABLE.search(sql):
        raise Rejected(Reason.INVALID_TEXT)
    tokens = tokenize(sql)
    if not tokens:
        raise Rejected(Reason.EMPTY)
    if sql.lstrip().startswith(_FENCES):
        raise Rejected(Reason.FENCE)
    if ";" in sql:
        tokens = _single_statement(tokens)
    if sql.count("(") > MAX_NESTING_DEPTH and deepest_nesting(tokens) > MAX_NESTING_DEPTH:
        raise Refused(Reason.TOO_DEEP)
    is_restricted = not called_functions(tokens).isdisjoint(policy.restricted_functions)
    if is_restricted:
        check_arguments(tokens, policy)
    return Statement(
        text=sql[: tokens[-1].end],
        is_query=tokens[0].word in _QUERY_WORDS,
        is_explain=tokens[0].word == _EXPLAIN,
        computes_time=is_restricted and computes_time(tokens, policy),
        tokens=tokens,
    )


def _single_statement(tokens: list[Token]) -> list[Token]:
    """Return the tokens before the first semicolon when nothing but semicolons follows it."""
    end = next((index for index, token in enumerate(tokens) if token.text == ";"), len(tokens))
    if end == 0:
        raise Refused(Reason.MULTIPLE_STATEMENTS)
    following = next((token for token in tokens[end:] if token.text != ";"), None)
    if following is None:
        return tokens[:end]
    if following.word in COMMAND_WORDS:
        raise Refused(Reason.MULTIPLE_STATEMENTS)
    raise Rejected(Reason.PARSE_ERROR)
