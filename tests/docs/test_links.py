"""Every relative link of the pages leads somewhere, to a heading where it names one."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "policies" / "README.md", ROOT / "benchmarks" / "README.md"]
)

_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors_of(page: Path) -> set[str]:
    """Return the anchors that a page's headings get."""
    headings = _HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    """No link names a file or a heading that is not there."""
    dead = []
    for file, anchor in _LINK.findall(page.read_text(encoding="utf-8")):
        target = (page.parent / file) if file else page
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            dead.append(f"{file}#{anchor}")
    assert dead == []
