"""From the name of a policy to the `Policy` that a worker enforces: shipped ones, own files, groups to enable.

Runs in the parent, so it parses no SQL and imports no driver. It decides what is allowed, never whether a statement
keeps to it. Contract section 4, "Policies are data".
"""

from collections.abc import Iterable
from dataclasses import replace
from importlib.resources.abc import Traversable
from pathlib import Path

from evalgate_sql.errors import PolicyError
from evalgate_sql.model.policy import Policy
from evalgate_sql.policy.deny import denial
from evalgate_sql.policy.document import OwnDocument, ShippedDocument, parse_own, parse_shipped
from evalgate_sql.policy.own_file import read_own_file
from evalgate_sql.policy.reference import USE_SHIPPED, PolicyId, is_file_reference
from evalgate_sql.policy.shipped import newest_shipped, read_shipped, shipped_file, shipped_policies
from evalgate_sql.policy.wording import quoted, suggestion

__all__ = ["PolicyId", "load_policy", "shipped_policies"]


def load_policy(
    reference: str | None,
    *,
    engine: str,
    enable_groups: tuple[str, ...] = (),
    base: Path,
    shipped_root: Traversable | None = None,
) -> Policy:
    """Return the policy that `reference` names, for `engine`, with the groups enabled that are off by default.

    None is the newest shipped policy for the engine, NAME@VERSION a shipped one, a path (with a separator, or ending
    in `.toml`; relative to `base`) an own file. `shipped_root` stands in for the shipped policies in tests.
    Raises `PolicyError` when there is no such policy, it is not what was published, it is malformed, it is for
    another engine, or it allows what nobody may allow.
    """
    if reference is not None and is_file_reference(reference):
        own = read_own_file(base / reference, shown=reference)
        policy = _own_policy(own, file=reference, enable_groups=enable_groups, root=shipped_root)
    else:
        policy_id = PolicyId.parse(reference) if reference is not None else newest_shipped(engine, root=shipped_root)
        policy = _shipped_policy(_shipped_document(policy_id, root=shipped_root), enable_groups)
    if policy.engine != engine:
        raise PolicyError(
            "policy_engine_mismatch",
            f"the policy {policy.name}@{policy.version} is for {policy.engine}, and the database is {engine}",
            next_actions=(USE_SHIPPED,),
        )
    _refuse_denied(policy)
    return policy


def _shipped_document(policy_id: PolicyId, *, root: Traversable | None) -> ShippedDocument:
    file = shipped_file(policy_id)
    document = parse_shipped(read_shipped(policy_id, root=root), file=file)
    if document.policy_id != policy_id:
        raise PolicyError("policy_file_invalid", f"the file says that it is {document.policy_id}", file=file)
    return document


def _shipped_policy(document: ShippedDocument, enable_groups: Iterable[str]) -> Policy:
    """Return the policy of a shipped document, with `enable_groups` on."""
    enabled = _known_groups(document, enable_groups)
    on = [group for group in document.groups if group.enabled or group.name in enabled]
    off = [group for group in document.groups if group not in on]
    return Policy(
        name=document.policy_id.name,
        version=document.policy_id.version,
        sha256=document.sha256,
        engine=document.engine,
        engine_versions=document.engine_versions,
        functions=frozenset().union(*(group.functions for group in on)),
        table_functions=frozenset().union(*(group.table_functions for group in on)),
        nondeterministic=frozenset().union(*(group.functions for group in off)),
        bounds=document.bounds,
        clock=next((group.clock for group in off if group.clock), None),
        enabled_groups=enabled,
    )


def _known_groups(document: ShippedDocument, names: Iterable[str], *, file: str | None = None) -> tuple[str, ...]:
    """Return `names` sorted and once each. `PolicyError` for one that is not off by default in `document`."""
    optional = sorted(group.name for group in document.groups if not group.enabled)
    wanted = sorted(set(names))
    for name in wanted:
        if name not in optional:
            always_on = any(group.name == name for group in document.groups)
            problem = "is always on" if always_on else f"is unknown{suggestion(name, optional)}"
            raise PolicyError(
                "policy_group_unknown",
                f"the group {quoted(name)} {problem}; groups of {document.policy_id} that can be enabled: "
                f"{', '.join(optional)}",
                file=file,
            )
    return tuple(wanted)


def _own_policy(content: bytes, *, file: str, enable_groups: tuple[str, ...], root: Traversable | None) -> Policy:
    own = parse_own(content, file=file)
    document = _shipped_document(own.extends, root=root)
    own_groups = _known_groups(document, own.enable_groups, file=file)
    policy = _shipped_policy(document, (*own_groups, *enable_groups))
    _check_removed(own, document, file=file)
    for name in sorted(own.add):
        _check_added(name, document, enabled=own_groups, file=file)
    return replace(
        policy,
        name=own.policy_id.name,
        version=own.policy_id.version,
        sha256=own.sha256,
        functions=(policy.functions | own.add) - own.remove,
        table_functions=policy.table_functions - own.remove,
        extends=str(own.extends),
    )


def _check_removed(own: OwnDocument, document: ShippedDocument, *, file: str) -> None:
    listed = frozenset().union(*(group.functions | group.table_functions for group in document.groups))
    for name in sorted(own.remove):
        if name not in listed:
            raise PolicyError(
                "policy_function_unknown",
                f"remove: {document.policy_id} does not list the function {quoted(name)}{suggestion(name, listed)}",
                file=file,
            )


def _check_added(name: str, document: ShippedDocument, *, enabled: tuple[str, ...], file: str) -> None:
    """Refuse to add what nobody may allow, what a group has to allow, and what the engine is not known to have."""
    denied = denial(name, engine=document.engine)
    if denied:
        raise PolicyError("policy_widens_denied", f"add: no policy may allow {quoted(name)}: it {denied}", file=file)
    groups = [group for group in document.groups if group.enabled or group.name in enabled]
    for group in document.groups:
        if group not in groups and name in group.functions:
            raise PolicyError(
                "policy_group_required",
                f"add: {quoted(name)} is of the group {group.name}; write enable_groups = [{quoted(group.name)}]",
                file=file,
            )
    addable = frozenset[str]().union(
        *(group.functions for group in groups), *(exclusion.functions for exclusion in document.excluded)
    )
    if name not in addable:
        raise PolicyError(
            "policy_function_unknown",
            f"add: {document.policy_id} has no function {quoted(name)} to add{suggestion(name, addable)}",
            file=file,
        )


def _refuse_denied(policy: Policy) -> None:
    """Stop a policy that allows a denied function, wherever it came from: the last line of defence."""
    for name in sorted(policy.functions | policy.table_functions):
        denied = denial(name, engine=policy.engine)
        if denied:
            raise PolicyError(
                "policy_widens_denied",
                f"the policy {policy.name}@{policy.version} allows {quoted(name)}, which no policy may: it {denied}",
            )
