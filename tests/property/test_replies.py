"""Replies: every one comes back as it was, and no bytes do more to the parent than to be no reply."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from evalgate_sql.limits import MAX_ROWS
from evalgate_sql.model.outcome import Outcome, Reason, Stage, WarningCode
from evalgate_sql.model.verdict import Diff, Preview, PreviewRow, Verdict
from evalgate_sql.wire import frames
from evalgate_sql.wire.messages import FaultCode, JobFault, Probe, Reply
from evalgate_sql.wire.reply_codec import ReplyError, decode_reply, encode_reply

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
TAGGED = st.builds(
    lambda kind, value, clipped: {"type": kind, "value": value, **({"clipped": True} if clipped else {})},
    TEXTS,
    TEXTS,
    st.booleans(),
)
CELLS: st.SearchStrategy[Preview] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS, TAGGED
)
ROWS: st.SearchStrategy[tuple[PreviewRow, ...]] = st.lists(st.lists(CELLS, max_size=4).map(tuple), max_size=5).map(
    tuple
)
TIMES = st.none() | st.floats(0, 1e9)
COUNTS = st.none() | st.integers(0, MAX_ROWS + 1)


@st.composite
def verdicts(draw: st.DrawFn) -> Verdict:
    """Any verdict that a child may send."""
    outcome = draw(st.sampled_from(Outcome))
    return Verdict(
        outcome=outcome,
        reason=None if outcome is Outcome.MATCH else draw(st.sampled_from(Reason)),
        stage=draw(st.none() | st.sampled_from(Stage)),
        reference_ms=draw(TIMES),
        generated_ms=draw(TIMES),
        compare_ms=draw(TIMES),
        reference_rows=draw(COUNTS),
        generated_rows=draw(COUNTS),
        warnings=tuple(draw(st.lists(st.sampled_from(WarningCode), max_size=2))),
        diff=draw(st.none() | st.builds(Diff, ROWS, ROWS, st.booleans())),
        diff_truncated=draw(st.booleans()),
    )


REPLIES: st.SearchStrategy[Reply] = st.one_of(verdicts(), TEXTS.map(Probe), st.sampled_from(FaultCode).map(JobFault))
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from([10**400, -1]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NAMES = ("outcome", "reason", "stage", "ms", "rows", "warnings", "diff", "diffTruncated")


@given(REPLIES)
def test_reply_comes_back_as_it_was(reply: Reply) -> None:
    """Encoding and decoding is nothing."""
    assert decode_reply(encode_reply(reply)) == reply


@given(st.binary(max_size=200))
def test_any_bytes_are_a_reply_or_an_error(data: bytes) -> None:
    """Bytes from a hostile child raise one of two errors, or are a reply."""
    assert _is_reply_or_error(data)


@given(st.binary(max_size=200))
def test_any_body_is_a_reply_or_an_error(body: bytes) -> None:
    """The same for bytes in a sound frame."""
    assert _is_reply_or_error(frames.pack(body))


@settings(max_examples=50)
@given(REPLIES, st.data())
def test_flipped_bit_is_a_reply_or_an_error(reply: Reply, data: st.DataObject) -> None:
    """One bit changed anywhere in a sound reply gives another reply or an error."""
    whole = bytearray(encode_reply(reply))
    whole[data.draw(st.integers(0, len(whole) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    assert _is_reply_or_error(bytes(whole))


@settings(max_examples=50)
@given(verdicts(), st.sampled_from(NAMES), JSON_VALUES)
def test_any_value_of_a_field_is_a_reply_or_an_error(verdict: Verdict, name: str, value: object) -> None:
    """Whatever JSON stands in a field, the parent believes it or does not."""
    fields = json.loads(encode_reply(verdict)[frames.HEADER_BYTES :])
    assert _is_reply_or_error(frames.pack(json.dumps({**fields, name: value}).encode()))


def _is_reply_or_error(data: bytes) -> bool:
    try:
        reply = decode_reply(data)
    except (frames.FrameError, ReplyError):
        return True
    # What is believed can be written again, so it can be reported.
    return decode_reply(encode_reply(reply)) == reply
