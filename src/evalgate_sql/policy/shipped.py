"""The policies that come with the package, each checked against the manifest. Knows their bytes, not their content.

Contract section 4: a published version never changes. A file that is not the one that was published is no policy at
all, so a digest that differs, a file that the manifest does not list and an entry without a file all end the run.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from evalgate_sql.errors import NextAction, PolicyError
from evalgate_sql.policy.reference import USE_SHIPPED, PolicyId
from evalgate_sql.policy.wording import quoted

MANIFEST_NAME = "MANIFEST.sha256"

_ENTRY = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<file>(?P<name>[a-z0-9_-]+)/(?P<version>[1-9][0-9]{0,5})\.toml)")
_REINSTALL = NextAction("pip install --force-reinstall evalgate-sql", "restores the shipped policies")


def shipped_root() -> Traversable:
    """Return the folder of the shipped policies."""
    return files("evalgate_sql.policies")


def shipped_policies(root: Traversable | None = None) -> tuple[PolicyId, ...]:
    """Return the shipped policies by name, oldest first. `PolicyError` when files and manifest disagree."""
    return tuple(sorted(_manifest(root or shipped_root())))


def newest_shipped(engine: str, *, root: Traversable | None = None) -> PolicyId:
    """Return the newest shipped policy for `engine`, which has the engine's name. `PolicyError` when none ships."""
    versions = [policy_id for policy_id in shipped_policies(root) if policy_id.name == engine]
    if not versions:
        raise PolicyError(
            "policy_unknown", f"no policy ships for the engine {quoted(engine)}", next_actions=(USE_SHIPPED,)
        )
    return versions[-1]


def shipped_file(policy_id: PolicyId) -> str:
    """Return the name of the policy's file, as the manifest and messages write it."""
    return f"{policy_id.name}/{policy_id.version}.toml"


def read_shipped(policy_id: PolicyId, *, root: Traversable | None = None) -> bytes:
    """Return the file of one shipped policy, byte for byte as it was published.

    `PolicyError` `policy_unknown` when there is none, `policy_digest_mismatch` when it is not what was published.
    """
    folder = root or shipped_root()
    manifest = _manifest(folder)
    if policy_id not in manifest:
        raise _unknown(policy_id, tuple(sorted(manifest)))
    content = (folder / policy_id.name / f"{policy_id.version}.toml").read_bytes()
    if sha256(content).hexdigest() != manifest[policy_id]:
        raise _mismatch(f"{shipped_file(policy_id)} is not the file that was published as {policy_id}")
    return content


def _unknown(policy_id: PolicyId, known: tuple[PolicyId, ...]) -> PolicyError:
    return PolicyError(
        "policy_unknown",
        f"no shipped policy is named {policy_id}; there are: {', '.join(map(str, known))}",
        next_actions=(USE_SHIPPED,),
    )


def _mismatch(problem: str) -> PolicyError:
    return PolicyError("policy_digest_mismatch", problem, file=MANIFEST_NAME, next_actions=(_REINSTALL,))


def _manifest(root: Traversable) -> Mapping[PolicyId, str]:
    """Return the published digests, after checking that they are of exactly the files there are."""
    digests = _entries(root)
    present = {f"{folder.name}/{file.name}" for folder in root.iterdir() if folder.is_dir() for file in _toml(folder)}
    listed = {shipped_file(policy_id) for policy_id in digests}
    for file in sorted(present - listed):
        raise _mismatch(f"the policy file {quoted(file)} is not in the manifest")
    for file in sorted(listed - present):
        raise _mismatch(f"the policy file {file} is in the manifest but missing")
    return digests


def _toml(folder: Traversable) -> list[Traversable]:
    return [file for file in folder.iterdir() if file.name.endswith(".toml")]


def _entries(root: Traversable) -> dict[PolicyId, str]:
    try:
        lines = (root / MANIFEST_NAME).read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        raise _mismatch("the manifest of the shipped policies is missing or unreadable") from None
    digests: dict[PolicyId, str] = {}
    for line in lines:
        entry = _ENTRY.fullmatch(line)
        policy_id = PolicyId(entry["name"], int(entry["version"])) if entry else None
        if entry is None or policy_id is None or policy_id in digests:
            raise _mismatch("the manifest of the shipped policies has a malformed or repeated line")
        digests[policy_id] = entry["digest"]
    return digests
