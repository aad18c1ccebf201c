"""Previews are bounded and can always be written as JSON."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from evalgate_sql.compare.preview import preview
from evalgate_sql.compare.rows import compare
from evalgate_sql.limits import MAX_DIFF_COLUMNS, MAX_DIFF_ROWS, MAX_PREVIEW_CHARACTERS
from evalgate_sql.model.result import ResultSet, Row

SURROGATE_ESCAPED = st.binary(max_size=300).map(lambda raw: raw.decode("utf-8", "surrogateescape"))
CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=2**1000, max_value=2**1100),
    st.floats(),
    st.decimals(),
    st.text(max_size=300),
    SURROGATE_ESCAPED,
    st.binary(max_size=300),
)


@st.composite
def tables(draw: st.DrawFn) -> ResultSet:
    """Draw a result of any cells, sometimes wider and longer than a diff may be."""
    width = draw(st.sampled_from((1, 2, 3, MAX_DIFF_COLUMNS, MAX_DIFF_COLUMNS + 2)))
    pool = draw(st.lists(CELLS, min_size=1, max_size=8))
    row: st.SearchStrategy[Row] = st.tuples(*[st.sampled_from(pool)] * width)
    return ResultSet(width, draw(st.lists(row, max_size=8)))


@settings(max_examples=100, deadline=None)
@given(tables(), tables(), st.booleans())
def test_previews_are_bounded_json(reference: ResultSet, generated: ResultSet, order_matters: bool) -> None:  # noqa: FBT001 - drawn
    """Whatever the cells hold, a diff has its bounds and is strict JSON in UTF-8."""
    comparison = compare(reference, generated, order_matters=order_matters, float_tolerance=1e-9)
    diff = preview(reference, generated, comparison)
    rows = [*diff.reference_rows, *diff.generated_rows]

    json.dumps(rows, allow_nan=False, ensure_ascii=False).encode()
    assert len(diff.reference_rows) <= MAX_DIFF_ROWS
    assert len(diff.generated_rows) <= MAX_DIFF_ROWS
    assert all(len(row) <= MAX_DIFF_COLUMNS for row in rows)
    for cell in (cell for row in rows for cell in row):
        text = cell["value"] if isinstance(cell, dict) else cell
        assert not isinstance(text, str) or len(text) <= MAX_PREVIEW_CHARACTERS
    assert diff.columns_clipped == (max(reference.column_count, generated.column_count) > MAX_DIFF_COLUMNS)
