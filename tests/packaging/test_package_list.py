"""The hand-written list of packages in pyproject.toml is the tree."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_package_is_listed() -> None:
    """A package that is not listed would be missing from the wheel, and one that is gone would break the build."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found = {
        ".".join(path.parent.relative_to(ROOT / "src").parts) for path in ROOT.glob("src/evalgate_sql/**/__init__.py")
    }
    assert set(project["tool"]["setuptools"]["packages"]) == found | {"evalgate_sql.policies"}


def test_every_module_is_in_a_package() -> None:
    """A folder of modules without `__init__.py` would be left out of the wheel."""
    orphans = {
        path.parent
        for path in ROOT.glob("src/evalgate_sql/**/*.py")
        if not path.parent.joinpath("__init__.py").exists()
    }
    assert orphans == set()
