"""How servers are started, and where they are not."""

import json
import os
from pathlib import Path

import pytest

from evalgate_sql.errors import UnsupportedPlatform, UserError
from evalgate_sql.exit_codes import ExitCode
from evalgate_sql.supervisor.launch import BOOTSTRAP, Launch, prepare_launch


@pytest.mark.parametrize("platform", ["win32", "darwin", "freebsd14"])
def test_other_platform_is_told_the_docker_line(platform: str) -> None:
    """Where no limit can be enforced the run ends with exit 5 and the command to use instead, for each shell."""
    with pytest.raises(UnsupportedPlatform) as caught:
        prepare_launch(platform=platform)
    assert (caught.value.code, caught.value.exit_code) == ("platform_unsupported", ExitCode.BAD_ARGS)
    assert [caught.value.message.count(word) for word in ("docker run", "PowerShell", "Git Bash")] == [3, 1, 1]


def test_root_is_where_the_package_is() -> None:
    """A server imports from the parent's own resolved location and no other."""
    assert prepare_launch() == Launch((str(BOOTSTRAP.parents[2]),))


def test_root_that_anyone_may_write_is_refused(tmp_path: Path) -> None:
    """A folder that everybody may write to would be a way into every child."""
    root = tmp_path / "site"
    root.mkdir()
    root.chmod(0o777)
    assert refusal(root) == "import_root_unsafe"


def test_working_directory_as_root_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies in a working directory is never imported."""
    monkeypatch.chdir(tmp_path)
    assert refusal(tmp_path) == "import_root_unsafe"


def test_pythonpath_as_root_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What PYTHONPATH names is never imported, however it is spelled."""
    root = tmp_path / "site"
    root.mkdir()
    monkeypatch.setenv("PYTHONPATH", f"/nowhere{os.pathsep}{tmp_path}/../{tmp_path.name}/site")
    assert refusal(root) == "import_root_unsafe"


@pytest.mark.parametrize("root", ["missing", "file"])
def test_root_that_is_no_directory_is_refused(tmp_path: Path, root: str) -> None:
    """A zip file or a folder that is gone cannot be given to a server."""
    (tmp_path / "file").touch()
    assert refusal(tmp_path / root) == "import_root_unsafe"


def test_relative_root_is_refused() -> None:
    """A relative location would mean another folder in the server."""
    assert refusal(Path("src")) == "import_root_unsafe"


def refusal(root: Path) -> str:
    """Return the code of the error that `root` is refused with."""
    with pytest.raises(UserError) as caught:
        prepare_launch(root=root)
    return caught.value.code


def test_command_line_isolates_the_interpreter() -> None:
    """No site, no environment, no working directory; the limits and the roots go as JSON."""
    _, isolated, no_site, script, launch = Launch(("/root",)).argv(7)
    assert (isolated, no_site, script) == ("-I", "-S", str(BOOTSTRAP))
    assert json.loads(launch) == {
        "rlimits": {"RLIMIT_AS": 536_870_912, "RLIMIT_CORE": 0, "RLIMIT_FSIZE": 0, "RLIMIT_NOFILE": 32},
        "roots": ["/root"],
        "control": 7,
    }


def test_environment_is_made_and_not_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server knows UTC, a fixed locale and where libraries are, and nothing else of ours."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("PGPASSWORD", "secret")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/lib")
    assert Launch.environment() == {"TZ": "UTC", "LC_ALL": "C.UTF-8", "LD_LIBRARY_PATH": "/opt/lib"}
