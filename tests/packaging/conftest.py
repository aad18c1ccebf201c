"""Builds the distributions from a copy of the tree, and installs each into an environment of its own.

Nothing is downloaded for the installs: an environment sees the packages of the running one through a `.pth` file, after
its own. Only a build backend that is too old here is fetched, once.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns(".*", "*.egg-info", "build", "dist", "__pycache__", "node_modules")
OLDEST_SETUPTOOLS = 77


def _run(*command: str | Path, cwd: Path) -> None:
    done = subprocess.run([*command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"


def _make_environment(folder: Path, *, sees: list[str], with_pip: bool = False) -> Path:
    """Make a virtual environment that also sees the packages in `sees`, and return its interpreter."""
    venv.create(folder, with_pip=with_pip, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    packages.joinpath("seen.pth").write_text("".join(f"{path}\n" for path in sees))
    return folder / "bin" / "python"


def _packages_here() -> str:
    return sysconfig.get_path("purelib")


def _is_new_enough(version: str) -> bool:
    return int(version.partition(".")[0]) >= OLDEST_SETUPTOOLS


@pytest.fixture(scope="session")
def builder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return an interpreter that can build us, and the folders of its packages."""
    try:
        if _is_new_enough(metadata.version("setuptools")):
            return Path(sys.executable), [_packages_here()]
    except metadata.PackageNotFoundError:
        pass
    folder = tmp_path_factory.mktemp("builder")
    python = _make_environment(folder, sees=[_packages_here()])
    _run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "setuptools>=77", cwd=folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    return python, [str(packages), _packages_here()]


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the source tree, since a build writes into it."""
    copy = tmp_path_factory.mktemp("tree") / "evalgate-sql"
    return Path(shutil.copytree(ROOT, copy, ignore=LEFT_OUT))


@pytest.fixture(scope="session")
def sdist(tree: Path, builder: tuple[Path, list[str]]) -> Path:
    """Return the source distribution."""
    _run(builder[0], "-m", "build", "--no-isolation", "--sdist", ".", cwd=tree)
    (path,) = tree.glob("dist/*.tar.gz")
    return path


@pytest.fixture(scope="session")
def wheel(tree: Path, builder: tuple[Path, list[str]]) -> Path:
    """Return the wheel built from the tree."""
    _run(builder[0], "-m", "build", "--no-isolation", "--wheel", ".", cwd=tree)
    (path,) = tree.glob("dist/*.whl")
    return path


@pytest.fixture(scope="session")
def wheel_from_sdist(sdist: Path, builder: tuple[Path, list[str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel built from the unpacked source distribution."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = folder.iterdir()
    _run(builder[0], "-m", "build", "--no-isolation", "--wheel", ".", cwd=unpacked)
    (path,) = unpacked.glob("dist/*.whl")
    return path


@pytest.fixture(scope="session")
def members() -> Callable[[Path], dict[str, bytes]]:
    """Return what reads the files of a distribution, by their names in it."""

    def read(path: Path) -> dict[str, bytes]:
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as archive:
                return {name: archive.read(name) for name in archive.namelist()}
        with tarfile.open(path) as archive:
            files = [member for member in archive.getmembers() if member.isfile()]
            return {
                member.name.partition("/")[2]: content.read()
                for member in files
                if (content := archive.extractfile(member))
            }

    return read


@pytest.fixture(scope="session", params=["wheel", "wheel_from_sdist", "editable"])
def installed(
    request: pytest.FixtureRequest,
    tree: Path,
    builder: tuple[Path, list[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """Return the folder of an environment into which the package was installed, in each of the three ways."""
    folder = tmp_path_factory.mktemp("environment")
    python = _make_environment(folder, sees=builder[1])
    what = ["--editable", str(tree)] if request.param == "editable" else [str(request.getfixturevalue(request.param))]
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--force-reinstall"]
    _run(sys.executable, "-m", "pip", "--python", python, "install", *options, *what, cwd=folder)
    return folder


@pytest.fixture(scope="session")
def run_installed(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Return what runs a program of that environment in an empty folder, and gives what it printed."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    def run(program: str, *arguments: str, cwd: Path = elsewhere) -> str:
        done = subprocess.run(
            [installed / "bin" / program, *arguments],
            cwd=cwd,
            env={"PATH": os.environ["PATH"], "HOME": str(elsewhere)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run
