"""Policy files as checked values: what a shipped file and an own file say. Applies nothing and reads no file."""

import re
from dataclasses import dataclass
from hashlib import sha256

from evalgate_sql.model.policy import ArgumentBound, ClockCall, ClockRule
from evalgate_sql.policy.reference import PolicyId, is_policy_id
from evalgate_sql.policy.toml_table import Table, parse_toml
from evalgate_sql.policy.wording import quoted

GROUP_NAMES = (
    "aggregate",
    "window",
    "math",
    "string",
    "datetime",
    "json",
    "array",
    "conditional",
    "set_returning",
    "clock",
    "random",
)
ENGINES = ("sqlite", "postgresql")

_MAX_VERSION = 999_999
_MAX_WIDTH = 1_000_000
_FUNCTION = re.compile(r"[a-z_][a-z0-9_]{0,62}|->>?")
_FUNCTION_WORDS = "a function name in lower case, without parentheses"
_GROUP = re.compile(r"[a-z_]{1,32}")
_GROUP_WORDS = "the name of a group"
_OWN_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_OWN_NAME_WORDS = "at most 63 lower-case letters, digits, - and _"
_ENGINE = re.compile("|".join(ENGINES))
_ENGINE_VERSIONS = re.compile(r">=\d{1,4}(\.\d{1,4}){0,2}")
_WORD = re.compile(r"[a-z]{1,32}")
_REASON = re.compile(r"[^\x00-\x1f\x7f]{1,500}")


@dataclass(frozen=True, slots=True)
class Group:
    """Functions allowed, or left off, for one reason."""

    name: str
    reason: str
    enabled: bool
    """False for a group that is off until somebody enables it by name."""
    functions: frozenset[str]
    table_functions: frozenset[str]
    clock: ClockRule | None = None
    """How other groups' functions read the clock; only the group `clock` has it."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Known functions that are left out but that an own policy may add."""

    reason: str
    functions: frozenset[str]


@dataclass(frozen=True, slots=True)
class ShippedDocument:
    """A policy file of ours."""

    policy_id: PolicyId
    sha256: str
    """Digest of the file's bytes, in hexadecimal."""
    engine: str
    engine_versions: str
    groups: tuple[Group, ...]
    bounds: tuple[ArgumentBound, ...]
    excluded: tuple[Exclusion, ...]


@dataclass(frozen=True, slots=True)
class OwnDocument:
    """A policy file of a project: a shipped policy and what is changed in it."""

    policy_id: PolicyId
    sha256: str
    """Digest of the file's bytes, in hexadecimal."""
    extends: PolicyId
    remove: frozenset[str]
    add: frozenset[str]
    enable_groups: tuple[str, ...]


def parse_shipped(content: bytes, *, file: str) -> ShippedDocument:
    """Return what a shipped policy file says. `PolicyError` for an unknown key, a wrong type or a bad name."""
    table = parse_toml(content, file=file)
    table.only("name", "version", "engine", "engine_versions", "groups", "bounds", "excluded")
    return ShippedDocument(
        policy_id=_policy_id(table),
        sha256=sha256(content).hexdigest(),
        engine=table.text("engine", _ENGINE, wanted=" or ".join(ENGINES)),
        engine_versions=table.text("engine_versions", _ENGINE_VERSIONS, wanted="a least version such as >=3.37"),
        groups=_groups(table.table("groups")),
        bounds=tuple(_bound(entry) for entry in table.tables("bounds")),
        excluded=tuple(_exclusion(entry) for entry in table.tables("excluded")),
    )


def parse_own(content: bytes, *, file: str) -> OwnDocument:
    """Return what a project's policy file says. `PolicyError` for an unknown key, a wrong type or a bad name."""
    table = parse_toml(content, file=file)
    table.only("name", "version", "extends", "remove", "add", "enable_groups")
    policy_id = _policy_id(table)
    if policy_id.name in ENGINES:
        # Reports name the policy; a changed one must not pass for the shipped one there.
        raise table.fault("name", f"{quoted(policy_id.name)} is kept for the shipped policies")
    document = OwnDocument(
        policy_id=policy_id,
        sha256=sha256(content).hexdigest(),
        extends=_extends(table),
        remove=_functions(table, "remove"),
        add=_functions(table, "add"),
        enable_groups=table.words("enable_groups", _GROUP, wanted=_GROUP_WORDS),
    )
    for name in sorted(document.add & document.remove):
        raise table.fault("add", f"{quoted(name)} stands under remove, too")
    return document


def _policy_id(table: Table) -> PolicyId:
    name = table.text("name", _OWN_NAME, wanted=_OWN_NAME_WORDS)
    return PolicyId(name, table.number("version", greatest=_MAX_VERSION))


def _extends(table: Table) -> PolicyId:
    reference = table.text("extends", re.compile(".*", re.DOTALL), wanted="a shipped policy")
    if not is_policy_id(reference):
        raise table.fault("extends", f"must be a shipped policy such as sqlite@1, not {quoted(reference)}")
    return PolicyId.parse(reference)


def _functions(table: Table, key: str) -> frozenset[str]:
    return frozenset(table.words(key, _FUNCTION, wanted=_FUNCTION_WORDS))


def _reason(table: Table) -> str:
    return table.text("reason", _REASON, wanted="one sentence")


def _groups(table: Table) -> tuple[Group, ...]:
    table.only(*GROUP_NAMES)
    return tuple(_group(name, table.table(name)) for name in table.keys())  # noqa: SIM118 - a Table is no dict


def _group(name: str, table: Table) -> Group:
    clock_keys = ("calls", "time_values", "modifiers") if name == "clock" else ()
    table.only("reason", "enabled", "functions", "table_functions", *clock_keys)
    return Group(
        name=name,
        reason=_reason(table),
        enabled=table.flag("enabled", default=True),
        functions=_functions(table, "functions"),
        table_functions=_functions(table, "table_functions"),
        clock=_clock_rule(table) if name == "clock" else None,
    )


def _clock_rule(table: Table) -> ClockRule:
    return ClockRule(
        calls=tuple(_clock_call(entry) for entry in table.tables("calls")),
        time_values=frozenset(table.words("time_values", _WORD, wanted="a word in lower case")),
        modifiers=frozenset(table.words("modifiers", _WORD, wanted="a word in lower case")),
    )


def _clock_call(table: Table) -> ClockCall:
    table.only("functions", "time_arguments")
    positions = table.positions("time_arguments")
    if not positions:
        raise table.fault("time_arguments", "must name at least one argument")
    return ClockCall(functions=_functions(table, "functions"), time_arguments=positions)


def _bound(table: Table) -> ArgumentBound:
    table.only("reason", "functions", "argument", "literal", "max_length", "max_format_width")
    # The reason is for the people who review the file; it must be there, but nothing is done with it.
    _reason(table)
    return ArgumentBound(
        functions=_functions(table, "functions"),
        argument=table.number("argument", greatest=100),
        literal=table.flag("literal", default=False),
        max_length=_optional_size(table, "max_length"),
        max_format_width=_optional_size(table, "max_format_width"),
    )


def _optional_size(table: Table, key: str) -> int | None:
    return table.number(key, greatest=_MAX_WIDTH) if table.has(key) else None


def _exclusion(table: Table) -> Exclusion:
    table.only("reason", "functions")
    return Exclusion(reason=_reason(table), functions=_functions(table, "functions"))
