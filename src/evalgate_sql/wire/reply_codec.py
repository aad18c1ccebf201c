"""Replies as bytes: written by a child, read by a parent that does not trust it.

Everything is checked: types, ranges, enum members, the size of a diff. What fails is a `ReplyError`, and the case pays.
"""

import json
import math
import sys
from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from evalgate_sql.limits import MAX_DIFF_COLUMNS, MAX_DIFF_ROWS, MAX_PREVIEW_CHARACTERS, MAX_REPLY_BYTES, MAX_ROWS
from evalgate_sql.model.outcome import Outcome, Reason, Stage, WarningCode
from evalgate_sql.model.verdict import Diff, Preview, PreviewRow, Verdict
from evalgate_sql.wire import frames
from evalgate_sql.wire.messages import FaultCode, JobFault, Probe, Reply

Member = TypeVar("Member", bound=StrEnum)
Value = TypeVar("Value")

_MAX_VERSION_CHARACTERS = 64

_ENCODER = json.JSONEncoder(separators=(",", ":"))


class ReplyError(Exception):
    """Bytes that are no reply. The message is ours alone."""


def encode_reply(reply: Reply) -> bytes:
    """Return the frame of a reply."""
    return frames.pack(_ENCODER.encode(_reply_fields(reply)).encode())


def _reply_fields(reply: Reply) -> dict[str, object]:
    match reply:
        case Probe():
            return {"engineVersion": reply.engine_version}
        case JobFault():
            return {"fault": reply.code}
        case Verdict():
            return {
                "outcome": reply.outcome,
                "reason": reply.reason,
                "stage": reply.stage,
                "ms": [reply.reference_ms, reply.generated_ms, reply.compare_ms],
                "rows": [reply.reference_rows, reply.generated_rows],
                "warnings": reply.warnings,
                "diff": _diff_fields(reply.diff),
                "diffTruncated": reply.diff_truncated,
            }


def _diff_fields(diff: Diff | None) -> list[object] | None:
    return None if diff is None else [diff.reference_rows, diff.generated_rows, diff.columns_clipped]


def decode_reply(data: bytes) -> Reply:
    """Read the one frame a child may send.

    Raises `ReplyError` or `frames.FrameError`.
    """
    body = frames.unpack(data, max_bytes=MAX_REPLY_BYTES)
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ReplyError("not JSON") from error
    if not isinstance(fields, dict):
        raise ReplyError("not an object")
    if fields.keys() == {"engineVersion"}:
        return Probe(_text(fields["engineVersion"], _MAX_VERSION_CHARACTERS))
    if fields.keys() == {"fault"}:
        return JobFault(_member(FaultCode, fields["fault"]))
    return _read_verdict(fields)


def _read_verdict(fields: dict[str, Any]) -> Verdict:
    if fields.keys() != {"outcome", "reason", "stage", "ms", "rows", "warnings", "diff", "diffTruncated"}:
        raise ReplyError("unknown fields")
    outcome = _member(Outcome, fields["outcome"])
    reason = _optional(fields["reason"], lambda value: _member(Reason, value))
    if (reason is None) != (outcome is Outcome.MATCH):
        raise ReplyError("a reason is for what is no match")
    reference_ms, generated_ms, compare_ms = (_optional(value, _milliseconds) for value in _list(fields["ms"], 3))
    reference_rows, generated_rows = (_optional(value, _row_count) for value in _list(fields["rows"], 2))
    return Verdict(
        outcome=outcome,
        reason=reason,
        stage=_optional(fields["stage"], lambda value: _member(Stage, value)),
        reference_ms=reference_ms,
        generated_ms=generated_ms,
        compare_ms=compare_ms,
        reference_rows=reference_rows,
        generated_rows=generated_rows,
        warnings=tuple(_member(WarningCode, value) for value in _list(fields["warnings"])),
        diff=_optional(fields["diff"], _read_diff),
        diff_truncated=_boolean(fields["diffTruncated"]),
    )


def _read_diff(value: object) -> Diff:
    reference_rows, generated_rows, columns_clipped = _list(value, 3)
    return Diff(_preview_rows(reference_rows), _preview_rows(generated_rows), _boolean(columns_clipped))


def _preview_rows(value: object) -> tuple[PreviewRow, ...]:
    rows = _list(value)
    if len(rows) > MAX_DIFF_ROWS:
        raise ReplyError("too many rows in a diff")
    return tuple(tuple(_preview(cell) for cell in _columns(row)) for row in rows)


def _columns(value: object) -> list[object]:
    cells = _list(value)
    if len(cells) > MAX_DIFF_COLUMNS:
        raise ReplyError("too many columns in a diff")
    return cells


def _preview(value: object) -> Preview:
    match value:
        case None | bool() | int():
            return value
        case float() if math.isfinite(value):
            return value
        case str():
            return _text(value, MAX_PREVIEW_CHARACTERS)
        case {"type": kind, "value": text, **rest} if rest in ({}, {"clipped": True}):
            tagged: dict[str, str | bool] = {"type": _text(kind, 32), "value": _text(text, MAX_PREVIEW_CHARACTERS)}
            return {**tagged, "clipped": True} if rest else tagged
        case _:
            raise ReplyError("no cell of a diff")


def _optional(value: object, read: Callable[[Any], Value]) -> Value | None:
    return None if value is None else read(value)


def _member(members: type[Member], value: object) -> Member:
    try:
        return members(_text(value, 64))
    except ValueError as error:
        raise ReplyError(f"no member of {members.__name__}") from error


def _list(value: object, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise ReplyError("no list of the right length")
    return value


def _text(value: object, max_characters: int) -> str:
    if not isinstance(value, str) or len(value) > max_characters or any("\ud800" <= c <= "\udfff" for c in value):
        raise ReplyError("no text of bounded length")
    return value


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise ReplyError("no boolean")
    return value


def _milliseconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= sys.float_info.max:
        raise ReplyError("no duration")
    return float(value)


def _row_count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_ROWS + 1:
        raise ReplyError("no row count")
    return value
