"""What is in the wheel and in the source distribution."""

from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(300)]

Members = Callable[[Path], dict[str, bytes]]


def _files_of_the_package(tree: Path) -> dict[str, bytes]:
    """Return every file that has to be in a wheel, by its name there."""
    sources = {path.relative_to(tree / "src").as_posix(): path for path in tree.glob("src/evalgate_sql/**/*")}
    policies = {f"evalgate_sql/{path.relative_to(tree).as_posix()}": path for path in tree.glob("policies/**/*")}
    return {
        name: path.read_bytes()
        for name, path in {**sources, **policies}.items()
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_wheel_holds_the_package_and_nothing_else(wheel: Path, tree: Path, members: Members) -> None:
    """Every module, policy, schema and demo file is in the wheel, byte by byte, and no test is."""
    held = {name: content for name, content in members(wheel).items() if ".dist-info/" not in name}
    wanted = _files_of_the_package(tree)
    assert (set(held) - set(wanted), set(wanted) - set(held)) == (set(), set())
    assert held == wanted


def test_wheel_from_sdist_is_the_same(wheel: Path, wheel_from_sdist: Path, members: Members) -> None:
    """A wheel that somebody builds from the source distribution has the same files as ours."""
    ours, theirs = (
        {name: content for name, content in members(path).items() if not name.endswith("/RECORD")}
        for path in (wheel, wheel_from_sdist)
    )
    assert theirs == ours


@pytest.mark.parametrize(
    "name",
    [
        "evalgate_sql/py.typed",
        "evalgate_sql/policies/MANIFEST.sha256",
        "evalgate_sql/policies/sqlite/1.toml",
        "evalgate_sql/schemas/report.v1.json",
        "evalgate_sql/schemas/error.v1.json",
        "evalgate_sql/demo/demo.db",
        "evalgate_sql/demo/demo.jsonl",
        "evalgate_sql/worker/bootstrap.py",
    ],
)
def test_wheel_holds_what_is_read_at_run_time(name: str, wheel: Path, members: Members) -> None:
    """The files that are looked up by name are there under that name."""
    assert name in members(wheel)


def test_wheel_names_its_licence_and_command(wheel: Path, members: Members) -> None:
    """The licence text and the command are in the wheel's metadata."""
    held = members(wheel)
    (entry_points,) = (content for name, content in held.items() if name.endswith(".dist-info/entry_points.txt"))
    assert b"evalgate-sql = evalgate_sql.cli.main:main" in entry_points
    assert [name for name in held if name.endswith(".dist-info/licenses/LICENSE")]


def test_sdist_holds_no_tests(sdist: Path, members: Members) -> None:
    """The source distribution is what a wheel is built from, not the workshop."""
    assert not [name for name in members(sdist) if name.startswith(("tests/", "benchmarks/", "docs/"))]
