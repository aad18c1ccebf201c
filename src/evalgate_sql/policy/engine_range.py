"""Is an engine new enough for a policy? Compares dotted versions, and knows nothing else of either."""


def is_supported(engine_version: str, required: str) -> bool:
    """Tell whether `engine_version` is in the range `required`, which is `>=` and a dotted version."""
    return _parts(engine_version) >= _parts(required.removeprefix(">="))


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
