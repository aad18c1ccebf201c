"""Whatever bytes a case file holds, the reader gives cases or a reason; and what was written comes back."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from evalgate_sql.cases.read import numbered_lines, open_case_file
from evalgate_sql.errors import CaseFileError
from evalgate_sql.limits import MAX_CASE_ID_BYTES
from evalgate_sql.model.case import Case

FRAGMENTS = [
    b"{",
    b"}",
    b"[",
    b'"',
    b",",
    b":",
    b"\n",
    b"\r\n",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"NaN",
    b"1e999",
    b"9" * 5000,
    b'{"id":"a","question":"q","generatedSql":"g","referenceSql":"r"}',
    b'"floatTolerance":',
    b'"tags":["t"]',
    b"true",
    b"\xe2\x80\xa8",
]

TEXT = st.text(min_size=1).filter(lambda text: not text.isspace())
RECORD = st.fixed_dictionaries(
    {
        "id": TEXT.filter(lambda text: len(text.encode()) <= MAX_CASE_ID_BYTES),
        "question": TEXT,
        "generatedSql": st.text(min_size=1),
        "referenceSql": st.text(min_size=1),
    },
    optional={
        "orderMatters": st.booleans(),
        "floatTolerance": st.floats(min_value=0, allow_infinity=False, allow_nan=False) | st.integers(0, 10**300),
        "tags": st.lists(TEXT.filter(lambda text: len(text.encode()) <= 64), max_size=3, unique=True),
    },
)
BLANK = st.text(alphabet=" \t\r", max_size=3)


@contextmanager
def written(content: bytes) -> Iterator[str]:
    """Write a file for as long as it is needed."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        file.write(content)
        file.flush()
        yield file.name


def read_all(content: bytes) -> list[Case]:
    """Return all cases of a file with this content."""
    with written(content) as path, open_case_file(path) as file:
        cases = list(file.cases())
        assert file.case_count == len(cases)
    return cases


@settings(deadline=None)
@given(st.binary(max_size=300) | st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=3)).map(b"".join))
def test_any_bytes_are_cases_or_a_reason(content: bytes) -> None:
    """Nothing but a refusal escapes, and it names a line that the file has."""
    try:
        lines = [case.line for case in read_all(content)]
    except CaseFileError as error:
        lines = [1 if error.line is None else error.line]

    assert lines == sorted(set(lines))
    assert 1 <= lines[0] <= lines[-1] <= content.count(b"\n") + 1


def expected(record: dict[str, Any], path: str, line: int) -> Case:
    """Return the case that a record stands for."""
    return Case(
        id=record["id"],
        file=path,
        line=line,
        reference_sql=record["referenceSql"],
        generated_sql=record["generatedSql"],
        order_matters=record.get("orderMatters", False),
        float_tolerance=float(record.get("floatTolerance", 1e-9)),
        tags=tuple(record.get("tags", ())),
    )


@settings(deadline=None)
@given(
    records=st.lists(
        st.tuples(RECORD, st.booleans(), BLANK), min_size=1, max_size=5, unique_by=lambda r: str(r[0]["id"])
    ),
    padding=st.lists(BLANK, max_size=4),
    ending=st.sampled_from(["\n", "\r\n"]),
    mark=st.booleans(),
)
def test_written_cases_come_back(
    records: list[tuple[dict[str, Any], bool, str]],
    padding: list[str],
    ending: str,
    mark: bool,  # noqa: FBT001 - drawn by hypothesis
) -> None:
    """Every text survives, escaped or not, and every case knows its line, blank ones counted."""
    lines = []
    numbers = []
    for record, escaped, blank in records:
        lines += padding
        lines.append(blank + json.dumps(record, ensure_ascii=escaped) + blank)
        numbers.append(len(lines))
    content = (b"\xef\xbb\xbf" if mark else b"") + ending.join(lines).encode("utf-8")

    with written(content) as path, open_case_file(path) as file:
        cases = list(file.cases())

    assert cases == [expected(record, path, line) for (record, _, _), line in zip(records, numbers, strict=True)]


@given(st.lists(st.text(alphabet="\n\n\n \t\rx\v").map(str.encode)))
def test_lines_do_not_depend_on_blocks(blocks: list[bytes]) -> None:
    """However the bytes are cut into blocks, the lines are those between LFs that hold more than blanks."""
    naive = enumerate(b"".join(blocks).split(b"\n"), start=1)

    assert list(numbered_lines(blocks)) == [(number, line) for number, line in naive if line.strip(b" \t\r")]
