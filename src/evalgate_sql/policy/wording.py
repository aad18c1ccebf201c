"""How messages about policies show a word that came from outside. Knows no policy."""

import json
from collections.abc import Iterable
from difflib import get_close_matches

_SHOWN_CHARACTERS = 60


def quoted(text: str) -> str:
    """Return `text` in quotes, short and with control characters escaped, fit to stand in a message."""
    return json.dumps(text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}...")


def suggestion(wrong: str, known: Iterable[str]) -> str:
    """Return ` (did you mean "…"?)` for the known word nearest to `wrong`, or nothing when none is near."""
    near = get_close_matches(wrong[:_SHOWN_CHARACTERS], sorted(known), n=1)
    return f" (did you mean {quoted(near[0])}?)" if near else ""
