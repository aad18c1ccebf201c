"""One line of a case file: bytes in, a `Case` out, or the reason why not.

Contract section 3. The checks are written by hand, because a validation library would cost every command more
start-up time than reading ten thousand cases does. Knows no file but as a name to write into the case, and never
puts a value, a question or SQL into a reason.

Control characters are allowed in ids and tags: whoever shows one has to escape it.
"""

import json
import math
import re
from collections import Counter
from typing import NoReturn

from evalgate_sql.limits import (
    DEFAULT_FLOAT_TOLERANCE,
    MAX_CASE_ID_BYTES,
    MAX_CASE_LINE_BYTES,
    MAX_SQL_BYTES,
    MAX_TAG_BYTES,
    MAX_TAGS,
)
from evalgate_sql.model.case import Case

_REQUIRED = ("id", "question", "generatedSql", "referenceSql")
_FIELDS = (*_REQUIRED, "orderMatters", "floatTolerance", "tags")
_REQUIRED_SET = frozenset(_REQUIRED)
_FIELD_SET = frozenset(_FIELDS)
_SHOWABLE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")
_TYPE_NAMES = {
    str: "a string",
    float: "a number",
    bool: "a boolean",
    list: "an array",
    dict: "an object",
    type(None): "null",
}


class RecordError(Exception):
    """Why a line is no case: one sentence that quotes nothing of the line but the name of a field."""


def parse_case(raw: bytes, *, file: str, line: int) -> Case:
    """Return the case in `raw`, one line without its LF; `file` and `line` say where it stands.

    The question is checked like the rest and dropped. SQL of blanks only passes: contract section 4 makes it an
    outcome. So does SQL with a NUL. Raises RecordError.
    """
    record = _json_object(raw)
    _check_fields(record)
    _string(record["question"], "`question`")
    return Case(
        id=_string(record["id"], "`id`", max_bytes=MAX_CASE_ID_BYTES),
        file=file,
        line=line,
        reference_sql=_string(record["referenceSql"], "`referenceSql`", max_bytes=MAX_SQL_BYTES, blank=True),
        generated_sql=_string(record["generatedSql"], "`generatedSql`", max_bytes=MAX_SQL_BYTES, blank=True),
        order_matters=_boolean(record.get("orderMatters", False), "`orderMatters`"),
        float_tolerance=_tolerance(record.get("floatTolerance", DEFAULT_FLOAT_TOLERANCE)),
        tags=_tags(record["tags"]) if "tags" in record else (),
    )


def _json_object(raw: bytes) -> dict[str, object]:
    """Return the JSON object in `raw`; the length is checked before anything is parsed."""
    if len(raw) > MAX_CASE_LINE_BYTES:
        raise RecordError(f"the line is longer than {MAX_CASE_LINE_BYTES:,} bytes")
    try:
        record = _DECODER.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as fault:
        raise RecordError(f"the line is not valid UTF-8 at byte {fault.start + 1}") from None
    except json.JSONDecodeError as fault:
        # The decoder's own text is left out: its pure Python form quotes the line.
        raise RecordError(
            f"the line is not valid JSON at character {fault.pos + 1}: each line holds one whole JSON object"
        ) from None
    except RecursionError:
        raise RecordError("the JSON is nested too deeply") from None
    if not isinstance(record, dict):
        raise RecordError(f"the line holds {_TYPE_NAMES[type(record)]}, not a JSON object")
    return record


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build one JSON object, at any depth, and refuse a key that stands in it twice."""
    built = dict(pairs)
    if len(built) != len(pairs):
        raise RecordError(f"the key {_shown(_first_repeated(pairs))} stands twice in one JSON object")
    return built


def _first_repeated(pairs: list[tuple[str, object]]) -> str:
    """Return the name that stands there twice, in one go: a line has room for a hundred thousand names."""
    counts = Counter(name for name, _ in pairs)
    return next(name for name, count in counts.items() if count > 1)


def _refuse_constant(name: str) -> NoReturn:
    raise RecordError(f"{name} is no JSON number")


# NOTE: whole numbers are read as floats too. The one number of a case is a tolerance, and so a number of a million
# digits costs no quadratic conversion, meets no limit of the interpreter and ends as an infinity, which is refused.
_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_int=float, parse_constant=_refuse_constant)


def _check_fields(record: dict[str, object]) -> None:
    """Refuse a field that we do not know and the lack of a required one."""
    if not _FIELD_SET.issuperset(record):
        raise _unknown_field(next(name for name in record if name not in _FIELD_SET))
    if not record.keys() >= _REQUIRED_SET:
        missing = next(name for name in _REQUIRED if name not in record)
        raise RecordError(f"the field `{missing}` is missing")


def _unknown_field(name: str) -> RecordError:
    """Explain an unknown field, with the known one it looks like."""
    _utf8_bytes(name, "the name of a field")
    near = _known_field_like(name) if _SHOWABLE_NAME.fullmatch(name) else None
    hint = f"did you mean `{near}`?" if near else f"the fields of a case are {', '.join(_FIELDS)}"
    return RecordError(f"the field {_shown(name)} is unknown; {hint}")


def _known_field_like(name: str) -> str | None:
    import difflib  # noqa: PLC0415 - 3 ms that only a wrong file has to pay

    return next(iter(difflib.get_close_matches(name, _FIELDS, n=1)), None)


def _shown(name: str) -> str:
    """Return a field's name for a message, unless it could be a value that ended up in the wrong place."""
    return f"`{name}`" if _SHOWABLE_NAME.fullmatch(name) else "with a name that is not shown"


def _string(value: object, name: str, *, max_bytes: int | None = None, blank: bool = False) -> str:
    """Return `value` if it is a string that is not empty, within its bound and encodable as UTF-8."""
    if not isinstance(value, str):
        raise _wrong_type(value, name, wanted="a string")
    if not value:
        raise RecordError(f"{name} is empty")
    if not blank and value.isspace():
        raise RecordError(f"{name} holds blanks only")
    size = _utf8_bytes(value, name)
    if max_bytes is not None and size > max_bytes:
        raise RecordError(f"{name} has {size:,} UTF-8 bytes; at most {max_bytes:,} are allowed")
    return value


def _utf8_bytes(text: str, name: str) -> int:
    """Return the length of `text` in UTF-8, which a lone surrogate does not have."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise RecordError(f"{name} holds a lone surrogate, which is not text") from None


def _boolean(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong_type(value, name, wanted="true or false")
    return value


def _tolerance(value: object) -> float:
    """Return a usable tolerance. A bool is no float, though Python calls it a number."""
    if not isinstance(value, float):
        raise _wrong_type(value, "`floatTolerance`", wanted="a number")
    if not (math.isfinite(value) and value >= 0):
        raise RecordError("`floatTolerance` has to be finite and at least 0")
    return value


def _tags(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _wrong_type(value, "`tags`", wanted="an array of strings")
    if len(value) > MAX_TAGS:
        raise RecordError(f"`tags` has {len(value):,} entries; at most {MAX_TAGS} are allowed")
    tags = tuple(
        _string(tag, f"entry {position} of `tags`", max_bytes=MAX_TAG_BYTES)
        for position, tag in enumerate(value, start=1)
    )
    if len(set(tags)) != len(tags):
        raise RecordError("`tags` names the same tag twice")
    return tags


def _wrong_type(value: object, name: str, *, wanted: str) -> RecordError:
    return RecordError(f"{name} has to be {wanted}, not {_TYPE_NAMES[type(value)]}")
