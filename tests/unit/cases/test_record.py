"""What one line may hold, up to its bounds."""

import json
from typing import Any

import pytest

from evalgate_sql.cases.record import RecordError, parse_case
from evalgate_sql.limits import (
    DEFAULT_FLOAT_TOLERANCE,
    MAX_CASE_ID_BYTES,
    MAX_CASE_LINE_BYTES,
    MAX_SQL_BYTES,
    MAX_TAG_BYTES,
    MAX_TAGS,
)
from evalgate_sql.model.case import Case

VALID: dict[str, Any] = {"id": "a", "question": "How many?", "generatedSql": "SELECT 1", "referenceSql": "SELECT 2"}


def parse(**changes: object) -> Case:
    """Parse a valid record with some fields changed."""
    return parse_case(json.dumps(VALID | changes).encode(), file="f.jsonl", line=7)


def reason(raw: bytes) -> str:
    """Return why `raw` is refused."""
    with pytest.raises(RecordError) as caught:
        parse_case(raw, file="f.jsonl", line=7)
    return str(caught.value)


def test_a_record_of_required_fields_gets_the_defaults() -> None:
    """Order does not matter and the tolerance is the contract's, unless a case says otherwise."""
    assert parse() == Case(
        id="a",
        file="f.jsonl",
        line=7,
        reference_sql="SELECT 2",
        generated_sql="SELECT 1",
        order_matters=False,
        float_tolerance=DEFAULT_FLOAT_TOLERANCE,
        tags=(),
    )


def test_optional_fields_are_taken() -> None:
    """Each of the three arrives as it was written."""
    case = parse(orderMatters=True, floatTolerance=0.5, tags=["join", "hard"])

    assert (case.order_matters, case.float_tolerance, case.tags) == (True, 0.5, ("join", "hard"))


@pytest.mark.parametrize("tolerance", [0, 1, -0.0, 5e-324, 1.7e308, 2**1023])
def test_any_finite_tolerance_is_a_float(tolerance: float) -> None:
    """Whole numbers are tolerances too."""
    taken = parse(floatTolerance=tolerance).float_tolerance

    assert taken == float(tolerance)
    assert isinstance(taken, float)


@pytest.mark.parametrize("digits", ["9" * 400, "9" * 5_000, "9" * 1_000_000])
def test_whole_numbers_beyond_floats_are_refused(digits: str) -> None:
    """Neither the range of a float nor the interpreter's limit on digits ends in a traceback."""
    raw = json.dumps(VALID)[:-1] + f', "floatTolerance": {digits}}}'

    assert reason(raw.encode()) == "`floatTolerance` has to be finite and at least 0"


def test_blank_sql_and_nul_are_left_to_the_run() -> None:
    """Contract section 4 makes them outcomes of the case, so they are no fault of the file."""
    case = parse(generatedSql=" \n\t", referenceSql="SELECT '\0'")

    assert (case.generated_sql, case.reference_sql) == (" \n\t", "SELECT '\0'")


@pytest.mark.parametrize(
    "text", ["\u2028", "\u2029\x85", "\v\f\x1c", "\r\n", "😀\U0010ffff", "\ufeff", "\x1b[31m", "\x7f"]
)
@pytest.mark.parametrize("escaped", [True, False])
def test_text_is_kept_as_it_is(text: str, escaped: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """Separators and control characters of any kind belong to the value, escaped or not."""
    record = VALID | {"id": f"a{text}b", "generatedSql": f"SELECT '{text}'", "tags": [f"a{text}b"]}

    case = parse_case(json.dumps(record, ensure_ascii=escaped).encode(), file="f", line=1)

    assert (case.id, case.generated_sql, case.tags) == (f"a{text}b", f"SELECT '{text}'", (f"a{text}b",))


@pytest.mark.parametrize(
    ("field", "limit"),
    [("id", MAX_CASE_ID_BYTES), ("generatedSql", MAX_SQL_BYTES), ("referenceSql", MAX_SQL_BYTES)],
)
@pytest.mark.parametrize("character", ["x", "é", "😀"])
def test_texts_are_bounded_in_utf8_bytes(field: str, limit: int, character: str) -> None:
    """The bound counts bytes, not characters, and is itself allowed."""
    fitting = character * (limit // len(character.encode()))
    parse(**{field: fitting})

    message = reason(json.dumps(VALID | {field: fitting + character}).encode())

    assert f"`{field}` has" in message
    assert f"at most {limit:,}" in message


def test_tags_are_bounded() -> None:
    """So many of such a length, and no more."""
    most = [str(number).rjust(MAX_TAG_BYTES, "x") for number in range(MAX_TAGS)]
    assert parse(tags=most).tags == tuple(most)

    assert "at most 32" in reason(json.dumps(VALID | {"tags": [*most, "y"]}).encode())
    assert "at most 64" in reason(json.dumps(VALID | {"tags": ["x" * (MAX_TAG_BYTES + 1)]}).encode())


def test_a_line_is_bounded_before_it_is_parsed() -> None:
    """A line at the bound is read; one byte more is refused whatever it holds."""
    raw = json.dumps(VALID).encode()
    parse_case(raw.ljust(MAX_CASE_LINE_BYTES), file="f", line=1)

    assert reason(b"\xff" * (MAX_CASE_LINE_BYTES + 1)) == "the line is longer than 1,048,576 bytes"


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"tags":['])
def test_deep_json_is_refused(opening: bytes) -> None:
    """Nesting as deep as a line allows ends in a reason, not in a crash."""
    raw = opening * (MAX_CASE_LINE_BYTES // len(opening))

    assert reason(raw) == "the JSON is nested too deeply"


def test_a_hundred_thousand_keys_cost_no_square() -> None:
    """Finding the key that stands twice is linear; this would not end in the time of a test otherwise."""
    keys = [f'"k{number}":1' for number in range(80_000)]

    assert reason(("{" + ",".join([*keys, '"k79999":1']) + "}").encode()) == (
        "the key `k79999` stands twice in one JSON object"
    )


def test_a_long_unknown_field_is_not_compared() -> None:
    """Looking for a similar name is only done for what could be a name."""
    raw = json.dumps(VALID | {"x" * 900_000: 1}).encode()

    assert reason(raw).startswith("the field with a name that is not shown is unknown; the fields of a case are id")
