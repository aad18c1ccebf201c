"""What a parent takes for a reply, and what it does not believe."""

import json
from typing import Any

import pytest

from evalgate_sql.limits import MAX_DIFF_COLUMNS, MAX_DIFF_ROWS, MAX_PREVIEW_CHARACTERS, MAX_ROWS
from evalgate_sql.model.outcome import Outcome, Reason, Stage, WarningCode
from evalgate_sql.model.verdict import Diff, Verdict
from evalgate_sql.wire import frames
from evalgate_sql.wire.messages import FaultCode, JobFault, Probe, Reply
from evalgate_sql.wire.reply_codec import ReplyError, decode_reply, encode_reply

FIELDS: dict[str, Any] = {
    "outcome": "mismatch",
    "reason": "values",
    "stage": None,
    "ms": [1, 2.5, None],
    "rows": [3, None],
    "warnings": ["empty_match"],
    "diff": [[[1, "a"]], [], False],
    "diffTruncated": False,
}


def frame(value: object) -> bytes:
    """Return the frame of a JSON value."""
    return frames.pack(json.dumps(value).encode())


@pytest.mark.parametrize(
    "reply",
    [
        Probe("3.45.1"),
        *(JobFault(code) for code in FaultCode),
        Verdict(Outcome.MATCH),
        Verdict(
            Outcome.MISMATCH,
            Reason.VALUES,
            Stage.COMPARE,
            reference_ms=0.5,
            generated_ms=1.0,
            compare_ms=2.25,
            reference_rows=0,
            generated_rows=MAX_ROWS,
            warnings=(WarningCode.ORDER_NOT_DETERMINED, WarningCode.EMPTY_MATCH),
            diff=Diff(((1, 1.5, None, True, "a"), ({"type": "bytes", "value": "00ff", "clipped": True},)), (), True),
            diff_truncated=True,
        ),
    ],
)
def test_reply_comes_back_as_it_was(reply: Reply) -> None:
    """Every kind of reply survives the pipe."""
    assert decode_reply(encode_reply(reply)) == reply


def test_example_is_a_reply() -> None:
    """The fields that the next tests break are sound as they stand."""
    assert isinstance(decode_reply(frame(FIELDS)), Verdict)


@pytest.mark.parametrize("name", FIELDS)
def test_missing_field_is_no_reply(name: str) -> None:
    """Every field has to be there."""
    with pytest.raises(ReplyError):
        decode_reply(frame({key: value for key, value in FIELDS.items() if key != name}))


def test_unknown_field_is_no_reply() -> None:
    """Nothing may be there beside them."""
    with pytest.raises(ReplyError):
        decode_reply(frame({**FIELDS, "rowsOfTheFixture": [1]}))


LONG = "x" * (MAX_PREVIEW_CHARACTERS + 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("outcome", "matched"),
        ("outcome", None),
        ("outcome", 1),
        ("outcome", "match"),
        ("reason", None),
        ("reason", "no such table: secret"),
        ("reason", ["values"]),
        ("stage", "after"),
        ("ms", [1, 2]),
        ("ms", [1, 2, 3, 4]),
        ("ms", [-1, None, None]),
        ("ms", [True, None, None]),
        ("ms", ["1", None, None]),
        ("ms", [float("nan"), None, None]),
        ("ms", [float("inf"), None, None]),
        ("ms", [10**400, None, None]),
        ("ms", None),
        ("rows", [1]),
        ("rows", [-1, None]),
        ("rows", [1.0, None]),
        ("rows", [True, None]),
        ("rows", [MAX_ROWS + 2, None]),
        ("warnings", None),
        ("warnings", ["something else"]),
        ("warnings", [None]),
        ("diff", []),
        ("diff", [[], []]),
        ("diff", [[], [], 0]),
        ("diff", [[[1]] * (MAX_DIFF_ROWS + 1), [], False]),
        ("diff", [[[1] * (MAX_DIFF_COLUMNS + 1)], [], False]),
        ("diff", [[1], [], False]),
        ("diff", [[[LONG]], [], False]),
        ("diff", [[["\ud800"]], [], False]),
        ("diff", [[[[1]]], [], False]),
        ("diff", [[[{}]], [], False]),
        ("diff", [[[{"type": "bytes"}]], [], False]),
        ("diff", [[[{"type": "bytes", "value": 1}]], [], False]),
        ("diff", [[[{"type": "bytes", "value": LONG}]], [], False]),
        ("diff", [[[{"type": LONG, "value": ""}]], [], False]),
        ("diff", [[[{"type": "bytes", "value": "", "clipped": False}]], [], False]),
        ("diff", [[[{"type": "bytes", "value": "", "more": True}]], [], False]),
        ("diff", [[[float("nan")]], [], False]),
        ("diffTruncated", None),
        ("diffTruncated", 0),
    ],
)
def test_wrong_value_is_no_reply(name: str, value: object) -> None:
    """A value of another type, range or list is not believed."""
    with pytest.raises(ReplyError):
        decode_reply(frame({**FIELDS, name: value}))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"match"',
        b"{",
        b"{}",
        b"\xff\xfe",
        b"[" * 100_000,
        b"9" * 5_000,
        b'{"engineVersion": 3}',
        b'{"engineVersion": "%s"}' % (b"3" * 65),
        b'{"engineVersion": "3", "fault": "fixture_changed"}',
        b'{"fault": "other"}',
        b'{"fault": null}',
    ],
    ids=lambda body: repr(body[:20]),
)
def test_body_that_is_no_reply(body: bytes) -> None:
    """JSON that is not of the one shape, and bytes that are no JSON, are no reply."""
    with pytest.raises(ReplyError):
        decode_reply(frames.pack(body))
