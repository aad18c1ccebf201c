"""Which policy a reference names, what an own file may change in it, and what ends the run instead."""

import os
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from evalgate_sql.errors import PolicyError
from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.policy.load import PolicyId, load_policy, shipped_policies
from evalgate_sql.policy.own_file import MAX_POLICY_FILE_BYTES

CASES: dict[str, Any] = tomllib.loads(
    (Path(__file__).parents[2] / "cases" / "policy_files.toml").read_text(encoding="utf-8")
)
SHIPPED = Path(__file__).parents[3] / "policies"


def _write_own(folder: Path, case: dict[str, Any]) -> bytes:
    text: str = case["text"].replace("@5000_DIGITS@", "1" * 5000).replace("@5000_BRACKETS@", "[" * 5000)
    content = (text if case.get("bare") else CASES["header"].lstrip() + text).encode()
    (folder / "ours.toml").write_bytes(content)
    return content


def _shipped(folder: Path, content: str, *, engine: str = "sqlite") -> Path:
    """Make a folder of shipped policies with one file and its manifest."""
    (folder / engine).mkdir()
    (folder / engine / "1.toml").write_text(content, encoding="utf-8")
    digest = sha256(content.encode()).hexdigest()
    (folder / "MANIFEST.sha256").write_text(f"{digest}  {engine}/1.toml\n", encoding="ascii")
    return folder


@pytest.mark.parametrize("case", CASES["accept"], ids=lambda case: case["name"])
def test_own_policy_is_accepted(case: dict[str, Any], tmp_path: Path) -> None:
    """An own file changes the shipped policy by what it says and by nothing else."""
    content = _write_own(tmp_path, case)
    base = load_policy("sqlite@1", engine="sqlite", base=tmp_path)
    policy = load_policy("ours.toml", engine="sqlite", base=tmp_path)
    had, has = base.functions | base.table_functions, policy.functions | policy.table_functions
    assert (policy.name, policy.version, policy.extends) == ("ours", 3, "sqlite@1")
    assert policy.sha256 == sha256(content).hexdigest()
    assert set(case.get("has", [])) <= has
    assert not set(case.get("gone", [])) & has
    assert had - has <= set(case.get("gone", []))


@pytest.mark.parametrize("case", CASES["refuse"], ids=lambda case: case["name"])
def test_own_policy_is_refused(case: dict[str, Any], tmp_path: Path) -> None:
    """A wrong own file ends the run with exit 5, the file, the line where known, and a message that repairs it."""
    _write_own(tmp_path, case)
    with pytest.raises(PolicyError) as caught:
        load_policy("ours.toml", engine="sqlite", base=tmp_path)
    assert caught.value.exit_code is ExitCode.BAD_ARGS
    assert caught.value.code == case["code"]
    assert case["message"] in caught.value.message
    assert caught.value.line == case.get("line")
    assert caught.value.file == "ours.toml" or case["code"] == "policy_unknown"
    assert caught.value.message.isprintable()


def test_no_reference_is_the_newest_shipped_policy(tmp_path: Path) -> None:
    """Without a reference the newest version counts by number, so that 10 is newer than 9."""
    text = (SHIPPED / "sqlite" / "1.toml").read_text(encoding="utf-8")
    lines = []
    (tmp_path / "sqlite").mkdir()
    for version in (1, 9, 10):
        content = text.replace("\nversion = 1\n", f"\nversion = {version}\n").encode()
        (tmp_path / "sqlite" / f"{version}.toml").write_bytes(content)
        lines.append(f"{sha256(content).hexdigest()}  sqlite/{version}.toml\n")
    (tmp_path / "MANIFEST.sha256").write_text("".join(lines), encoding="ascii")
    policy = load_policy(None, engine="sqlite", base=tmp_path, shipped_root=tmp_path)
    assert (policy.name, policy.version, policy.extends) == ("sqlite", 10, None)


def test_shipped_policy_carries_its_published_digest() -> None:
    """The digest in the policy is the one that the manifest publishes."""
    manifest = (SHIPPED / "MANIFEST.sha256").read_text(encoding="ascii")
    policy = load_policy("sqlite@1", engine="sqlite", base=Path())
    assert f"{policy.sha256}  sqlite/1.toml" in manifest.splitlines()


def test_shipped_policies_are_listed() -> None:
    """The list names every shipped policy, sorted."""
    listed = shipped_policies()
    assert PolicyId("sqlite", 1) in listed
    assert list(listed) == sorted(listed)


def test_clock_is_off_by_default() -> None:
    """Functions that only read the clock are off, and calls that may read it are ruled by their arguments."""
    policy = load_policy(None, engine="sqlite", base=Path())
    assert "current_date" in policy.nondeterministic
    assert "random" in policy.nondeterministic
    assert policy.clock is not None
    assert policy.enabled_groups == ()


def test_enabled_clock_drops_the_rule() -> None:
    """With the group clock its functions are ordinary ones, no argument is ruled, and random stays off."""
    policy = load_policy(None, engine="sqlite", enable_groups=("clock", "clock"), base=Path())
    assert policy.clock is None
    assert {"current_date", "current_time", "current_timestamp"} <= policy.functions
    assert policy.nondeterministic == {"random", "randomblob"}
    assert policy.enabled_groups == ("clock",)


def test_groups_of_file_and_option_add_up(tmp_path: Path) -> None:
    """A group enabled for the run joins those that the own file enables."""
    _write_own(tmp_path, {"text": 'enable_groups = ["random"]'})
    policy = load_policy("./ours.toml", engine="sqlite", enable_groups=("clock",), base=tmp_path)
    assert policy.enabled_groups == ("clock", "random")
    assert not policy.nondeterministic


def test_option_does_not_make_a_wrong_file_right(tmp_path: Path) -> None:
    """Whether an own file is valid does not depend on the options of the run."""
    _write_own(tmp_path, {"text": 'add = ["random"]'})
    with pytest.raises(PolicyError) as caught:
        load_policy("ours.toml", engine="sqlite", enable_groups=("random",), base=tmp_path)
    assert caught.value.code == "policy_group_required"


def test_unknown_group_option_names_the_known_ones() -> None:
    """A group that does not exist is refused with those that do."""
    with pytest.raises(PolicyError) as caught:
        load_policy(None, engine="sqlite", enable_groups=("network",), base=Path())
    assert (caught.value.code, caught.value.file) == ("policy_group_unknown", None)
    assert "clock, random" in caught.value.message


@pytest.mark.parametrize("reference", ["", "sqlite", "sqlite@", "sqlite@0", "sqlite@01", "SQLite@1", "sqlite@1\n"])
def test_reference_without_form_is_refused(reference: str) -> None:
    """What is neither NAME@VERSION nor a path names no policy."""
    with pytest.raises(PolicyError) as caught:
        load_policy(reference, engine="sqlite", base=Path())
    assert caught.value.code == "policy_reference_invalid"
    assert caught.value.next_actions


def test_policy_that_never_shipped_is_refused() -> None:
    """A version that does not exist is refused with the list of those that do."""
    with pytest.raises(PolicyError) as caught:
        load_policy("sqlite@999", engine="sqlite", base=Path())
    assert caught.value.code == "policy_unknown"
    assert "sqlite@1" in caught.value.message


def test_engine_without_a_policy_is_refused() -> None:
    """No policy is made up for an engine that none ships for."""
    with pytest.raises(PolicyError) as caught:
        load_policy(None, engine="mysql", base=Path())
    assert caught.value.code == "policy_unknown"


def test_policy_for_another_engine_is_refused() -> None:
    """A policy of one engine never rules the other, since equal names mean other things there."""
    with pytest.raises(PolicyError) as caught:
        load_policy("sqlite@1", engine="postgresql", base=Path())
    assert caught.value.code == "policy_engine_mismatch"


def test_own_file_may_be_named_by_absolute_path(tmp_path: Path) -> None:
    """An absolute path does not depend on the base."""
    _write_own(tmp_path, {"text": ""})
    assert load_policy(str(tmp_path / "ours.toml"), engine="sqlite", base=Path("/nowhere")).name == "ours"


def test_own_file_may_be_a_link(tmp_path: Path) -> None:
    """A link to a regular file is read as that file."""
    _write_own(tmp_path, {"text": ""})
    (tmp_path / "link.toml").symlink_to("ours.toml")
    assert load_policy("link.toml", engine="sqlite", base=tmp_path).name == "ours"


def _missing(path: Path) -> None:
    path.unlink(missing_ok=True)


def _dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


def _link_loop(path: Path) -> None:
    path.symlink_to(path)


def _too_large(path: Path) -> None:
    path.write_bytes(b"#" * (MAX_POLICY_FILE_BYTES + 1))


def _not_utf8(path: Path) -> None:
    path.write_bytes(b'name = "ours"\n# \xff\n')


@pytest.mark.parametrize(
    ("make", "code", "line"),
    [
        (_missing, "policy_file_missing", None),
        (_dangling_link, "policy_file_missing", None),
        (_link_loop, "policy_file_unreadable", None),
        (Path.mkdir, "policy_file_not_regular", None),
        (os.mkfifo, "policy_file_not_regular", None),
        (_too_large, "policy_file_too_large", None),
        (_not_utf8, "policy_file_invalid", 2),
    ],
)
def test_own_file_that_cannot_be_read_is_refused(make: Any, code: str, line: int | None, tmp_path: Path) -> None:  # noqa: ANN401 - a way to make a path
    """A path that is no regular file of ordinary size is refused, and a FIFO does not hang the program."""
    make(tmp_path / "ours.toml")
    with pytest.raises(PolicyError) as caught:
        load_policy("ours.toml", engine="sqlite", base=tmp_path)
    assert (caught.value.code, caught.value.file, caught.value.line) == (code, "ours.toml", line)


def test_path_with_nul_is_refused(tmp_path: Path) -> None:
    """A path that the system cannot take is a wrong argument, not a crash."""
    with pytest.raises(PolicyError) as caught:
        load_policy("our\0s.toml", engine="sqlite", base=tmp_path)
    assert caught.value.code == "policy_file_unreadable"


MINIMAL = """
name = "sqlite"
version = 1
engine = "sqlite"
engine_versions = ">=3.37"
[groups.math]
reason = "Pure."
functions = ["abs"]
"""


def _changed(folder: Path) -> None:
    (folder / "sqlite" / "1.toml").write_text(MINIMAL + "# one more\n", encoding="utf-8")


def _unlisted(folder: Path) -> None:
    (folder / "sqlite" / "2.toml").write_text(MINIMAL, encoding="utf-8")


def _without_file(folder: Path) -> None:
    with (folder / "MANIFEST.sha256").open("a", encoding="ascii") as manifest:
        manifest.write(f"{'0' * 64}  sqlite/2.toml\n")


def _without_manifest(folder: Path) -> None:
    (folder / "MANIFEST.sha256").unlink()


def _malformed_manifest(folder: Path) -> None:
    (folder / "MANIFEST.sha256").write_text("sqlite/1.toml\n", encoding="ascii")


def _repeated_entry(folder: Path) -> None:
    with (folder / "MANIFEST.sha256").open("a", encoding="ascii") as manifest:
        manifest.write(f"{'0' * 64}  sqlite/1.toml\n")


@pytest.mark.parametrize(
    "tamper", [_changed, _unlisted, _without_file, _without_manifest, _malformed_manifest, _repeated_entry]
)
def test_shipped_policies_must_be_those_published(tamper: Any, tmp_path: Path) -> None:  # noqa: ANN401 - a way to break a folder
    """A changed file, an unlisted one, an entry without a file and a broken manifest each end the run."""
    _shipped(tmp_path, MINIMAL)
    assert load_policy("sqlite@1", engine="sqlite", base=tmp_path, shipped_root=tmp_path).functions == {"abs"}
    tamper(tmp_path)
    with pytest.raises(PolicyError) as caught:
        load_policy("sqlite@1", engine="sqlite", base=tmp_path, shipped_root=tmp_path)
    assert caught.value.code == "policy_digest_mismatch"


def test_shipped_file_must_be_what_its_place_says(tmp_path: Path) -> None:
    """A file that says it is another policy than its name does is refused."""
    root = _shipped(tmp_path, MINIMAL.replace("version = 1", "version = 2"))
    with pytest.raises(PolicyError) as caught:
        load_policy("sqlite@1", engine="sqlite", base=tmp_path, shipped_root=root)
    assert "sqlite@2" in caught.value.message


@pytest.mark.parametrize("key", ["functions", "table_functions"])
def test_not_even_a_shipped_policy_allows_what_is_denied(key: str, tmp_path: Path) -> None:
    """A slip in a shipped policy is caught by the deny list."""
    root = _shipped(tmp_path, MINIMAL + f'[groups.string]\nreason = "A slip."\n{key} = ["writefile"]\n')
    with pytest.raises(PolicyError) as caught:
        load_policy("sqlite@1", engine="sqlite", base=tmp_path, shipped_root=root)
    assert caught.value.code == "policy_widens_denied"


def test_engine_without_a_deny_list_loads_no_policy(tmp_path: Path) -> None:
    """A policy for an engine whose deny list was forgotten is our bug, not an empty deny list."""
    root = _shipped(tmp_path, MINIMAL.replace('"sqlite"', '"postgresql"'), engine="postgresql")
    from evalgate_sql.policy.deny import denied_groups

    try:
        assert denied_groups("postgresql")
    except KeyError:
        with pytest.raises(KeyError):
            load_policy(None, engine="postgresql", base=tmp_path, shipped_root=root)
