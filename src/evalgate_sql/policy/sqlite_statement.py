"""The text rules of contract section 4 for SQLite: what can be said of a text before the engine sees it.

Answers with the statement to run, which is the given text less its tail, or raises the fault. Regenerates nothing.
"""

import re
from dataclasses import dataclass

from evalgate_sql.limits import MAX_NESTING_DEPTH
from evalgate_sql.model.fault import Refused, Rejected
from evalgate_sql.model.outcome import Reason
from evalgate_sql.model.policy import Policy
from evalgate_sql.policy.sqlite_calls import breaks_bound, called_functions
from evalgate_sql.policy.sqlite_time import may_compute_clock, reads_clock
from evalgate_sql.policy.sqlite_tokens import Token, deepest_nesting, has_outer_order_by, outer_word, tokenize

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
    objection: Reason | None
    """Why the policy forbids it, should the engine find nothing wrong with it."""
    watches_clock: bool
    """True when it might compute a time value that means the clock, so that the engine has to watch it."""
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
    return Statement(
        text=sql[: tokens[-1].end],
        is_query=_is_query(tokens),
        is_explain=tokens[0].word == _EXPLAIN,
        objection=_objection(tokens, policy) if is_restricted else None,
        watches_clock=is_restricted and may_compute_clock(tokens, policy),
        tokens=tokens,
    )


def _is_query(tokens: list[Token]) -> bool:
    """Tell whether the text begins like a query: SELECT, or WITH before anything but VALUES."""
    if tokens[0].word != "with":
        return tokens[0].word == "select"
    return outer_word(tokens, frozenset({"select", "values"})) != "values"


def _objection(tokens: list[Token], policy: Policy) -> Reason | None:
    """Return what the policy says against the arguments of calls."""
    if breaks_bound(tokens, policy.bounds):
        return Reason.ARGUMENT_NOT_ALLOWED
    if policy.clock is not None and reads_clock(tokens, policy.clock):
        return Reason.FUNCTION_NONDETERMINISTIC
    return None


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
