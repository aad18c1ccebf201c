"""Write policies/MANIFEST.sha256, the digests of the shipped policies, or check it with `--check`.

A published policy never changes, so a digest that is already written is only replaced with `--unpublished FILE`,
which says that no release has carried that file yet.
"""

import argparse
import sys
from hashlib import sha256
from pathlib import Path

POLICIES = Path(__file__).resolve().parent.parent / "policies"
MANIFEST_NAME = "MANIFEST.sha256"


def digests_of(policies: Path) -> dict[str, str]:
    """Return the digest of each policy file, by its name relative to `policies`."""
    files = sorted(policies.glob("*/*.toml"), key=lambda file: (file.parent.name, int(file.stem)))
    return {file.relative_to(policies).as_posix(): sha256(file.read_bytes()).hexdigest() for file in files}


def render(digests: dict[str, str]) -> str:
    """Return the manifest as `sha256sum` writes it."""
    return "".join(f"{digest}  {file}\n" for file, digest in digests.items())


def changed_files(manifest: str, digests: dict[str, str]) -> list[str]:
    """Return the files whose written digest is another than the present one, or that are gone."""
    written = {file: digest for digest, file in (line.split("  ", 1) for line in manifest.splitlines())}
    return [file for file, digest in written.items() if digests.get(file) != digest]


def main(arguments: list[str]) -> int:
    """Return 0 when the manifest is right or was written, 1 when it is not or must not be."""
    parser = argparse.ArgumentParser(description="Write or check policies/MANIFEST.sha256.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the manifest is not right")
    parser.add_argument("--unpublished", action="append", default=[], metavar="FILE", help="let FILE change")
    parser.add_argument("--policies", type=Path, default=POLICIES, help="the folder of the policies")
    options = parser.parse_args(arguments)
    manifest = options.policies / MANIFEST_NAME
    written = manifest.read_text(encoding="ascii") if manifest.exists() else ""
    digests = digests_of(options.policies)
    if options.check:
        if written != render(digests):
            print(f"{MANIFEST_NAME} is not right: run tools/policy_manifest.py", file=sys.stderr)
        return int(written != render(digests))
    published = [file for file in changed_files(written, digests) if file not in options.unpublished]
    for file in published:
        print(f"{file} changed; a published policy never does: write a new version instead", file=sys.stderr)
    if not published:
        manifest.write_text(render(digests), encoding="ascii")
    return int(bool(published))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
