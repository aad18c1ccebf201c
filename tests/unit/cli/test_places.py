"""Outputs that would destroy an input, another output, or could not be written."""

from pathlib import Path

import pytest

from evalgate_sql.cli.places import check_places
from evalgate_sql.errors import EvalGateError


@pytest.fixture(name="cases")
def _cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    path.touch()
    return path


def _refusal(inputs: list[Path], reports: list[Path], log: Path | None = None) -> tuple[str, int]:
    with pytest.raises(EvalGateError) as caught:
        check_places(inputs=inputs, reports=[str(path) for path in reports], log=None if log is None else str(log))
    return caught.value.code, caught.value.exit_code


def test_link_to_an_input_is_that_input(cases: Path, tmp_path: Path) -> None:
    """A report behind a symbolic link would replace what the link leads to."""
    link = tmp_path / "report.json"
    link.symlink_to(cases)
    assert _refusal([cases], [link]) == ("output_taken", 5)


def test_hard_link_to_an_input_is_that_input(cases: Path, tmp_path: Path) -> None:
    """A log that is appended to by another name damages the input all the same."""
    link = tmp_path / "run.log"
    link.hardlink_to(cases)
    assert _refusal([cases], [], link) == ("output_taken", 5)


def test_log_and_report_cannot_be_one_file(tmp_path: Path) -> None:
    """A report that replaces the log would lose it."""
    assert _refusal([], [tmp_path / "a"], tmp_path / "a") == ("output_taken", 5)


def test_log_into_an_input_is_refused(cases: Path) -> None:
    """Appending to a fixture damages it."""
    assert _refusal([cases], [], cases) == ("output_taken", 5)


def test_missing_folder_is_refused(tmp_path: Path) -> None:
    """A report needs its folder."""
    assert _refusal([], [tmp_path / "absent" / "report.json"]) == ("report_not_written", 11)


def test_folder_is_no_report(tmp_path: Path) -> None:
    """A report cannot take a folder's name."""
    assert _refusal([], [tmp_path]) == ("report_not_written", 11)


def test_device_takes_several_outputs(cases: Path) -> None:
    """Nothing is lost when two reports and a log go to /dev/null."""
    check_places(inputs=[cases], reports=["/dev/null", "/dev/null"], log="/dev/null")


def test_old_report_is_no_obstacle(cases: Path, tmp_path: Path) -> None:
    """A report may replace its predecessor."""
    tmp_path.joinpath("report.json").touch()
    check_places(inputs=[cases], reports=[str(tmp_path / "report.json")], log=None)
