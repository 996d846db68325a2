"""Every citation and every pointer leads somewhere.

The facts that code and tests rest on stand in docs/reference/, one page for each system. They are cited by page and
section: `reference keboola 6.3`, `reference records 2.1, 9.5`, `reference workbench 5, "CSV machine"`. A number is that
of a heading, or of an item in the list of a section (10.2.4); a text in quotes is printed bold in the section before.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = {path.stem: path for path in sorted((ROOT / "docs" / "reference").glob("*.md"))}
FOLDERS = ("component", "tablemill", "tests", "scripts", "benchmarks", "docs")
"""Folders whose texts cite and point."""
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in {".py", ".md"}]
ROOMS = sorted(path.name for path in (ROOT / "component").iterdir() if path.is_dir())
FILES += sorted(ROOT.glob("*.md"))
SECTION = r"(?:\d+(?:\.\d+)*|[A-Z]\d*(?:\.\d+)*)(?![\w])"
CITED = rf'(?:{SECTION}|"[^"]+")'
CITATION = re.compile(rf"\b[Rr]eference\s+(?P<page>\w+)\s+(?P<cited>{CITED}(?:(?:,|,?\s+and)\s+{CITED})*)")
LOOSE = re.compile(
    rf"\b[Rr]eference\s+(?:{'|'.join(PAGES)}|\d)[^\n]{{0,30}}|\bseed (?:{'|'.join(PAGES)})-\w+|\bissue: "
)
"""What looks like a citation and may not be one that can be followed."""


@cache
def anchors(page: str) -> frozenset[str]:
    """What can be cited on a page."""
    found, here, fenced = set(), "", False
    for line in PAGES[page].read_text(encoding="utf-8").splitlines():
        fenced ^= line.startswith("```")
        if fenced:
            continue
        heading = re.match(rf"#+ ({SECTION})", line)
        item = re.match(r"(\d+)\. ", line)
        named = re.match(r"(?:- \*\*|\| )([A-Z]\d+)\b", line)
        if heading:
            here = heading[1]
            found.add(here)
        elif item:
            found.add(f"{here}.{item[1]}")
        elif named:
            found.add(named[1])
        found.update(f'{here} "{label}"' for label in re.findall(r"\*\*([^*]+)\*\*", line))
    return frozenset(found)


def followed(match: re.Match[str]) -> list[str]:
    """Where a citation leads, or is meant to."""
    places, here = [], ""
    for cited in re.findall(CITED, match["cited"]):
        if cited.startswith('"'):
            places.append(f"{here} {cited}")
        else:
            here = cited
            places.append(cited)
    return places


def unfollowable(text: str) -> list[str]:
    """What a text cites that is not there, and what is no citation but looks like one."""
    text = re.sub(r"\s*\n[ #*]*", " ", text)
    found = list(CITATION.finditer(text))
    lost = [
        f"{one['page']} {place}"
        for one in found
        for place in followed(one)
        if one["page"] not in PAGES or place not in anchors(one["page"])
    ]
    starts = {one.start() for one in found}
    return lost + [one[0] for one in LOOSE.finditer(text) if one.start() not in starts]


def test_citations_lead_to_a_section_that_exists():
    texts = {path: path.read_text(encoding="utf-8") for path in FILES if path != Path(__file__)}
    lost = {str(path.relative_to(ROOT)): unfollowable(text) for path, text in texts.items()}
    assert {path: places for path, places in lost.items() if places} == {}


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("(reference keboola 6.3)", []),
        ("Reference keboola 4.1 and 5, S39.", []),
        ("(reference keboola 6.3,\n    10.2.4)", []),
        ('reference workbench 5, "Sniff", "CSV machine")', []),
        ("(reference keboola 6.33)", ["keboola 6.33"]),
        ('reference workbench 4, "Sniff"', ['workbench 4 "Sniff"']),
        ("reference platform 1", ["platform 1"]),
        ("(reference 3.1)", ["reference 3.1)"]),
        ("(reference records, above)", ["reference records, above)"]),
        ("seed records-format says", ["seed records-format"]),
    ],
)
def test_a_citation_that_cannot_be_followed_is_named(text, lost):
    assert unfollowable(text) == lost


def test_every_section_of_the_reference_pages_stands_once():
    for page, path in PAGES.items():
        sections = re.findall(rf"^#+ ({SECTION})", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(sections) == len(set(sections)), page


# --- pointers: paths of files, names of modules and of what they define ---

POINTS_TO_A_FILE = re.compile(r"(?<![\w./<*-])((?:[\w.-]+/)+[\w-]+\.(?:py|md|sh|ipynb|toml))\b")
POINTS_TO_A_NAME = re.compile(r"(?<![\w./])((?:component|tests|scripts)(?:\.\w+)+)")
POINTS_INTO_A_MODULE = re.compile(r"`(\w+)\.([A-Z]\w+)`")
POINTS_INTO_A_ROOM = re.compile(r"`((?:" + "|".join(ROOMS) + r")(?:\.[a-z_]+)+)`")
POINTS_BESIDE = re.compile(r"\(see `(\w+)`\)")
DOCSTRING_OR_COMMENT = re.compile(r'"""(.*?)"""|(?:^|\s)(# [^\n]*)', re.DOTALL)
NOT_OURS = re.compile(r"^(source/|expected/|src/keboola|docs/RECORDS_SPEC)")
"""Files of cases, and of the sources that the reference pages name."""


def prose(path: Path) -> str:
    """What a file says to its readers: all of a page, the docstrings and comments of a module."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text
    return "\n".join(text for texts in DOCSTRING_OR_COMMENT.findall(text) for text in texts)


@cache
def defined(path: Path) -> frozenset[str]:
    """The names of a module: what it defines or imports, and the members of its classes."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
    return frozenset(names)


def modules(stem: str) -> list[Path]:
    """Modules of the product by their last name; of a package its `__init__`."""
    found = [
        path for path in FILES if path.suffix == ".py" and path.parts[len(ROOT.parts)] in {"component", "tablemill"}
    ]
    return [path for path in found if path.stem == stem or (path.stem == "__init__" and path.parent.name == stem)]


@cache
def spelled() -> frozenset[str]:
    """Dotted names that are texts of the product, as error codes are."""
    texts = (path.read_text(encoding="utf-8") for path in FILES if path.is_relative_to(ROOT / "component"))
    return frozenset(name for text in texts for name in re.findall(r'"([a-z_]+\.[a-z_.]+)"', text))


def is_in(stem: str, name: str) -> bool:
    """Whether a module of ours defines a name; modules of others are taken at their word."""
    found = modules(stem) if stem not in sys.stdlib_module_names else []
    return not found or any(name in defined(path) for path in found)


def is_a_file(pointer: str, path: Path) -> bool:
    return any((folder / pointer).exists() for folder in (ROOT, path.parent, ROOT / "component", ROOT / "tests"))


def is_a_name(pointer: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    parts = pointer.split(".")
    for count in range(len(parts), 0, -1):
        place = ROOT.joinpath(*parts[:count])
        module = place.with_suffix(".py") if place.with_suffix(".py").exists() else place / "__init__.py"
        if module.exists():
            return set(parts[count:]) <= defined(module)
        if place.is_dir():
            return count == len(parts)
    return False


def dead(path: Path, text: str) -> list[str]:
    """The pointers of a text that lead nowhere."""
    files = [one for one in POINTS_TO_A_FILE.findall(text) if not NOT_OURS.search(one) and not is_a_file(one, path)]
    if path.suffix == ".md":
        return files
    names = [one for one in POINTS_TO_A_NAME.findall(text) if not one.endswith(".py") and not is_a_name(one)]
    names += [
        one for one in POINTS_INTO_A_ROOM.findall(text) if one not in spelled() and not is_a_name(f"component.{one}")
    ]
    inner = [f"{stem}.{name}" for stem, name in POINTS_INTO_A_MODULE.findall(text) if not is_in(stem, name)]
    beside = [name for name in POINTS_BESIDE.findall(text) if not modules(name) and name not in defined(path)]
    return files + names + inner + beside


def test_pointers_in_docstrings_comments_and_pages_lead_somewhere():
    lost = defaultdict(list)
    for path in FILES:
        if path != Path(__file__):
            lost[str(path.relative_to(ROOT))] += dead(path, prose(path))
    assert {path: places for path, places in lost.items() if places} == {}


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("`tables/cast.py` and `tests/docs/test_references.py`", []),
        ("`tables/casting.py`", ["tables/casting.py"]),
        ("`component.errors.CODES`", []),
        ("component.errors.CODEX says", ["component.errors.CODEX"]),
        ("`naming.SPLIT_BYTES`, `csv.Sniffer`", []),
        ("`guess.SplitIsNotExactError`", ["guess.SplitIsNotExactError"]),
        ("(see `cast`)", []),
        ("(see `casting`)", ["casting"]),
    ],
)
def test_a_pointer_that_leads_nowhere_is_named(text, lost):
    assert dead(ROOT / "component" / "errors.py", text) == lost
