"""Runs what the pages show: a reader who copies every block of a page, top to bottom, gets what the page says.

What a block is, by its language:

- `python` is run; `bash` is run and has to succeed;
- `console` is run too, and what it prints has to be what the page shows, versions apart;
- any other block is written to a file when the paragraph above it ends in a colon and names one in backticks, or when
  its first line is a comment with the name alone;
- lines that call `make` are about the checkout: their targets have to exist.

A page that shows no case file of its own goes on from the README's.
"""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = sorted([README, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *ROOT.glob("docs/**/*.md")])

_BLOCK = re.compile(
    r"(?P<lead>[^\n]*(?:\n[^\n]+)*)\n\n(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)
_FILE_IN_LEAD = re.compile(r"`([\w.-]+\.\w+)`[^`]*:$")
_FILE_IN_COMMENT = re.compile(r"# ([\w.-]+\.\w+)\n")
_VERSION = re.compile(r"\b\d+\.\d+\.\d+\b")
_END_OF_OUTPUT = "\x1e"


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block of a page."""

    language: str
    text: str
    file: str | None
    """The file that the page says it is."""


def blocks_of(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    found = []
    for match in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        text = textwrap.dedent(match["text"])
        named = _FILE_IN_LEAD.search(match["lead"]) or _FILE_IN_COMMENT.match(text)
        found.append(Block(match["language"], text, named[1] if named else None))
    return found


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a reader would, with the tested package's own `evalgate-sql` first on PATH."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.defpath])
    environment = {"PATH": path, "HOME": str(folder), "LC_ALL": "C.UTF-8", "COLUMNS": "100"}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )


def follow(blocks: list[Block], folder: Path) -> None:
    """Do what each block says, in `folder`."""
    for block in blocks:
        if block.language == "python":
            require_success(run([sys.executable, "-c", block.text], folder), block)
        elif block.language == "bash":
            follow_shell(block, folder)
        elif block.language == "console":
            assert transcript_of(block.text, folder) == without_versions(block.text)
        elif block.file is not None:
            (folder / block.file).write_text(block.text, encoding="utf-8")


def follow_shell(block: Block, folder: Path) -> None:
    """Run a block of shell, or look up its targets when it calls make."""
    targets = re.findall(r"^make (\w[\w-]*)", block.text, re.MULTILINE)
    for target in targets:
        require_success(run(["make", "-n", "-C", str(ROOT), target], folder), block)
    if not targets:
        require_success(run(["bash", "-euo", "pipefail", "-c", block.text], folder), block)


def require_success(done: subprocess.CompletedProcess[str], block: Block) -> None:
    """Fail with the block and what it printed unless it ended with 0."""
    assert done.returncode == 0, f"{block.text}\nended with {done.returncode}:\n{done.stdout}"


def transcript_of(text: str, folder: Path) -> str:
    """Return a console block with what its commands print now, all run in one shell."""
    commands = re.findall(r"^\$ (.*(?:\n> .*)*)", text, re.MULTILINE)
    script = "".join(
        f'{command.replace(chr(10) + "> ", chr(10))}\nstatus=$?; printf "\\036"; (exit $status)\n'
        for command in commands
    )
    outputs = run(["bash", "-c", script], folder).stdout.split(_END_OF_OUTPUT)
    return without_versions(
        "".join(f"$ {command}\n{output}" for command, output in zip(commands, outputs, strict=False))
    )


def without_versions(text: str) -> str:
    """Return a text that is the same under every version of SQLite and of the package."""
    return _VERSION.sub("N.N.N", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_can_be_followed(page: Path, tmp_path: Path) -> None:
    """Every command of the page works with the files that the page has shown before it."""
    blocks = blocks_of(page)
    languages = {block.language for block in blocks}
    if languages & {"bash", "console"} and "jsonl" not in languages:
        follow([block for block in blocks_of(README) if block.language in {"python", "jsonl"}], tmp_path)
        shutil.copy(tmp_path / "sql-cases.jsonl", tmp_path / "cases.jsonl")
    follow(blocks, tmp_path)


def test_readme_has_the_two_commands_and_the_example() -> None:
    """The blocks that the other tests rely on are found at all, so that none of them passes by finding nothing."""
    blocks = blocks_of(README)
    assert [block.language for block in blocks] == ["bash", "python", "jsonl", "console", "bash"]
    assert blocks[0].text == "make demo\nmake test\n"
    assert blocks[2].file == "sql-cases.jsonl"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_block_is_overlooked(page: Path) -> None:
    """As many blocks are found as the page has fences, so that an odd layout hides no command from the test above."""
    fences = re.findall(r"^ *```", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(blocks_of(page)) * 2 == len(fences)
