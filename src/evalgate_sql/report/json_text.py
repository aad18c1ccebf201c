"""JSON as the reports write it: compact values, UTF-8, the same bytes for the same value. Knows no document."""

import json
from collections.abc import Mapping

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_UNKNOWN = "\N{REPLACEMENT CHARACTER}"


def compact(value: object) -> bytes:
    """Return a value as one line of JSON that is harmless on a terminal too.

    JSON itself escapes only the first 32 controls; the others, bidi overrides among them, would go out raw.
    """
    text = _ENCODER.encode(value)
    if not text.isprintable():
        text = "".join(c if c.isprintable() else _escape(c) for c in text)
    return text.encode()


def _escape(character: str) -> str:
    # A path that is not UTF-8 reaches us with surrogates in it. Half a pair is no character, and strict readers would
    # refuse the whole report for it.
    return _UNKNOWN if "\ud800" <= character <= "\udfff" else json.dumps(character)[1:-1]


def members(fields: Mapping[str, object]) -> bytes:
    """Return the members of an object, each on a line of its own, without the braces."""
    return b",\n".join(b"  %b: %b" % (compact(key), compact(value)) for key, value in fields.items())
