"""SQLite's tokens, where they begin and end."""

import pytest

from evalgate_sql.policy.sqlite_tokens import Kind, deepest_nesting, has_outer_order_by, tokenize


def texts(sql: str) -> list[str]:
    """Return the significant tokens as written."""
    return [token.text for token in tokenize(sql)]


@pytest.mark.parametrize(
    ("sql", "tokens"),
    [
        ("", []),
        (" \t\r\n\f \v\ufeff", []),
        ("-- all of it", []),
        ("--\n1", ["1"]),
        ("/* a */1/**/", ["1"]),
        ("1/* to the end", ["1"]),
        ("1/*/2", ["1"]),
        ("1 /*", ["1", "/", "*"]),
        ("/* /* */ 1 */", ["1", "*", "/"]),
        ("'it''s' \"a\"\"b\" `c``d` [e'f]", ["'it''s'", '"a""b"', "`c``d`", "[e'f]"]),
        ("'--' '/*' ';'", ["'--'", "'/*'", "';'"]),
        ("a.b_1$ é ünïcode", ["a", ".", "b_1$", "é", "ünïcode"]),
        ("1 1.5 .5 1e5 0xFF 1_000", ["1", "1.5", ".5", "1e5", "0xFF", "1_000"]),
        ("x'00ff'", ["x", "'00ff'"]),
        ("a->>'b'", ["a", "-", ">", ">", "'b'"]),
        ("1 'open; DROP", ["1", "'open; DROP"]),
        ('1 "open; DROP', ["1", '"open; DROP']),
        ("1 `open; DROP", ["1", "`open; DROP"]),
        ("1 [open; DROP", ["1", "[open; DROP"]),
        ("'''", ["'''"]),
        ("\v1", ["\v", "1"]),
        ("٣", ["٣"]),
    ],
)
def test_text_splits_into_tokens(sql: str, tokens: list[str]) -> None:
    """Blanks and comments go, quoted texts stay whole, and an unterminated quote takes the rest with it."""
    assert texts(sql) == tokens


@pytest.mark.parametrize(
    ("text", "kind", "word"),
    [
        ("'It''s'", Kind.STRING, "it's"),
        ('"Date"', Kind.NAME, "date"),
        ("`a``b`", Kind.NAME, "a`b"),
        ("[A b]", Kind.NAME, "a b"),
        ("SELECT", Kind.WORD, "select"),
        ("1.5E3", Kind.NUMBER, "1.5e3"),
        (";", Kind.MARK, ";"),
        ("'open", Kind.MARK, "'open"),
        ("٣", Kind.WORD, "٣"),
    ],
)
def test_token_knows_its_kind_and_word(text: str, kind: Kind, word: str) -> None:
    """A token's word is what it names, without quotes and in lower case."""
    (token,) = tokenize(text)
    assert (token.kind, token.word) == (kind, word)


def test_token_knows_its_place() -> None:
    """Places are of the text as given, so that a cut changes nothing else."""
    assert [(token.start, token.end) for token in tokenize(" a /**/ 'b'")] == [(1, 2), (8, 11)]


@pytest.mark.parametrize("quote", ["[", "'", '"', "`", "/*", "("])
def test_many_open_quotes_are_read_in_one_pass(quote: str) -> None:
    """A text of a hundred thousand openings is tokenized at once: from each, the end is looked for once only."""
    assert len(tokenize(quote * (100_000 // len(quote)))) <= 100_000


@pytest.mark.parametrize(
    ("sql", "depth"), [("1", 0), ("(1)", 1), ("((1),(2))", 2), ("'((('", 0), (")))(", 1), ("((((", 4)]
)
def test_nesting_counts_open_parentheses(sql: str, depth: int) -> None:
    """Depth is how many parentheses are open at once, outside of quotes."""
    assert deepest_nesting(tokenize(sql)) == depth


@pytest.mark.parametrize(
    ("sql", "ordered"),
    [
        ("SELECT 1 ORDER BY 1", True),
        ("SELECT 1 order\n/**/by 1", True),
        ("SELECT * FROM (SELECT 1 ORDER BY 1)", False),
        ("SELECT row_number() OVER (ORDER BY 1)", False),
        ("SELECT 'order by 1'", False),
        ('SELECT "order", by', False),
        ("SELECT 1 AS x ORDER", False),
        ("SELECT (1) ORDER BY (1)", True),
    ],
)
def test_outer_order_by_stands_outside_parentheses(sql: str, *, ordered: bool) -> None:
    """Only an ORDER BY of the whole statement orders its rows."""
    assert has_outer_order_by(tokenize(sql)) is ordered
