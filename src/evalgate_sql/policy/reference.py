"""How a policy is named: NAME@VERSION for a shipped one, a path for an own file. Knows no policy, opens nothing."""

import re
from dataclasses import dataclass
from typing import Self

from evalgate_sql.errors import NextAction, PolicyError
from evalgate_sql.policy.wording import quoted

USE_SHIPPED = NextAction(
    "evalgate-sql check --cases cases.jsonl --db sqlite:///fixture.db --policy sqlite@1", "uses a shipped policy"
)

_POLICY_ID = re.compile(r"(?P<name>[a-z0-9][a-z0-9_-]{0,62})@(?P<version>[1-9][0-9]{0,5})")


@dataclass(frozen=True, slots=True, order=True)
class PolicyId:
    """Name and version of one policy. Written as NAME@VERSION; sorts by name, then by version."""

    name: str
    version: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read NAME@VERSION. `PolicyError` when `text` is anything else."""
        match = _POLICY_ID.fullmatch(text)
        if match is None:
            raise PolicyError(
                "policy_reference_invalid",
                f"{quoted(text)} names no policy: write NAME@VERSION, such as sqlite@1, or the path of a .toml file",
                next_actions=(USE_SHIPPED,),
            )
        return cls(match["name"], int(match["version"]))

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"


def is_policy_id(text: str) -> bool:
    """Tell whether `text` is written as NAME@VERSION."""
    return _POLICY_ID.fullmatch(text) is not None


def is_file_reference(reference: str) -> bool:
    r"""Tell whether `reference` is a path: it has a separator (`/`, `\`) or ends in `.toml`."""
    return "/" in reference or "\\" in reference or reference.endswith(".toml")
