"""The tool that writes the manifest: right for what ships, and no way to change a published policy by accident."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(name="tool")
def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("policy_manifest", ROOT / "tools" / "policy_manifest.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(name="policies")
def _policies(tmp_path: Path) -> Path:
    (tmp_path / "sqlite").mkdir()
    for version in (2, 10):
        (tmp_path / "sqlite" / f"{version}.toml").write_text(f"version = {version}\n", encoding="utf-8")
    return tmp_path


def test_shipped_manifest_is_right(tool: ModuleType) -> None:
    """The committed manifest is what the tool would write."""
    assert tool.main(["--check"]) == 0


def test_manifest_lists_versions_by_number(tool: ModuleType, policies: Path) -> None:
    """Lines are as sha256sum writes them, version 10 after version 2."""
    assert tool.main(["--policies", str(policies)]) == 0
    lines = (policies / "MANIFEST.sha256").read_text(encoding="ascii").splitlines()
    assert [line[64:] for line in lines] == ["  sqlite/2.toml", "  sqlite/10.toml"]
    assert tool.main(["--policies", str(policies), "--check"]) == 0


def test_check_fails_on_a_changed_policy(tool: ModuleType, policies: Path) -> None:
    """The check writes nothing and fails when a file is not the one in the manifest."""
    tool.main(["--policies", str(policies)])
    (policies / "sqlite" / "2.toml").write_text("version = 3\n", encoding="utf-8")
    before = (policies / "MANIFEST.sha256").read_bytes()
    assert tool.main(["--policies", str(policies), "--check"]) == 1
    assert (policies / "MANIFEST.sha256").read_bytes() == before


def test_published_policy_is_not_rewritten(tool: ModuleType, policies: Path) -> None:
    """A changed file with a written digest is refused unless somebody says that it was never published."""
    tool.main(["--policies", str(policies)])
    (policies / "sqlite" / "2.toml").write_text("version = 3\n", encoding="utf-8")
    assert tool.main(["--policies", str(policies)]) == 1
    assert tool.main(["--policies", str(policies), "--unpublished", "sqlite/2.toml"]) == 0
    assert tool.main(["--policies", str(policies), "--check"]) == 0


def test_published_policy_is_not_dropped(tool: ModuleType, policies: Path) -> None:
    """Deleting a published policy would break the projects that name it."""
    tool.main(["--policies", str(policies)])
    (policies / "sqlite" / "2.toml").unlink()
    assert tool.main(["--policies", str(policies)]) == 1
