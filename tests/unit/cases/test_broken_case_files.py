"""Every broken case file of the pack is refused with its code, line and reason."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from evalgate_sql.cases.read import open_case_file
from evalgate_sql.errors import CaseFileError
from evalgate_sql.exit_codes import ExitCode

PACK = Path(__file__).parents[2] / "cases" / "broken_case_files.toml"
ENTRIES = tomllib.loads(PACK.read_text(encoding="utf-8"))["refuse"]


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry["name"] for entry in ENTRIES])
def test_a_broken_case_file_is_refused(entry: dict[str, Any], tmp_path: Path) -> None:
    """The refusal says what is wrong and where, and quotes no value: the pack marks values with SECRET."""
    path = tmp_path / "cases.jsonl"
    path.write_bytes(bytes.fromhex(entry["hex"]) if "hex" in entry else entry["content"].encode("utf-8"))

    with pytest.raises(CaseFileError) as caught:
        open_case_file(str(path))

    error = caught.value
    assert (error.code, error.line, error.file) == (entry["code"], entry.get("line"), str(path))
    assert entry["says"] in error.message
    assert "SECRET" not in error.diagnostics()
    assert error.exit_code is ExitCode.BAD_ARGS


def test_names_in_the_pack_are_unique() -> None:
    """A failure has to point at one entry."""
    names = [entry["name"] for entry in ENTRIES]

    assert len(set(names)) == len(names)
