"""Every link of every page leads to a file, and to a heading of it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [
    path
    for path in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "benchmarks" / "RESULTS.md")
    if path.exists()
]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def links(page: Path) -> list[str]:
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text(encoding="utf-8")))
    return [target for target in LINK.findall(text) if not re.match(r"[a-z]+:", target)]


@cache
def headings(page: Path) -> frozenset[str]:
    """The anchors of a page, as GitHub makes them of its headings."""
    found = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-") for text in found)


def leads_nowhere(page: Path, link: str) -> bool:
    target, _, heading = link.partition("#")
    path = (page.parent / target).resolve() if target else page
    return not path.exists() or bool(heading and path.suffix == ".md" and heading not in headings(path))


def test_every_link_leads_to_a_file_and_a_heading():
    dead = {str(page.relative_to(ROOT)): [link for link in links(page) if leads_nowhere(page, link)] for page in PAGES}
    assert {page: lost for page, lost in dead.items() if lost} == {}


def test_the_index_lists_every_page():
    index = ROOT / "docs" / "README.md"
    listed = {(index.parent / link.partition("#")[0]).resolve() for link in links(index)}
    assert set((ROOT / "docs").rglob("*.md")) - listed == {index}
