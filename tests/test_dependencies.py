"""Every dependency is declared, locked with hashes, and explained."""

from __future__ import annotations

import re
import tomllib
from itertools import combinations
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
PIN = re.compile(r"^(?P<name>[a-z0-9._-]+)==(?P<version>\S+)(?P<rest>(?:.*\\\n)+.*)", re.MULTILINE)
GROUPS_OF_LOCK = {"build": [], "run": ["build"], "java": ["build", "java"], "test": ["build", "test"]}
APART = ("datadirtest", "kartothek", "plateau", "plateau-pandas3", "records")
"""Locks of other programs, whose packages may have versions of their own."""
GROUPS_OF_LOCK["bench"] = ["build", "test", "bench"]


def sources(lock):
    """What a lock was made from."""
    if lock in ("build", *APART):
        return (ROOT / "requirements" / f"{lock}.in").read_text(encoding="utf-8").split()
    groups = PROJECT["dependency-groups"]
    return [*PROJECT["project"]["dependencies"], *(one for group in GROUPS_OF_LOCK[lock] for one in groups[group])]


def pins(lock):
    found = {}
    for pin in PIN.finditer((ROOT / "requirements" / f"{lock}.lock").read_text(encoding="utf-8")):
        found.setdefault(pin["name"], set()).add(pin["version"])
    return found


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_a_lock_fits_what_it_was_made_from(lock):
    locked = pins(lock.stem)
    for source in map(Requirement, sources(lock.stem)):
        versions = locked.get(canonicalize_name(source.name), set())
        assert versions, f"{source.name} is not in {lock.name}: run `make lock`"
        assert all(source.specifier.contains(version) for version in versions), f"{source} has {versions}"


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_a_lock_has_hashes_and_names_no_place_to_fetch_from(lock):
    text = lock.read_text(encoding="utf-8")
    assert PIN.search(text)
    assert all("--hash=sha256:" in pin["rest"] for pin in PIN.finditer(text))
    assert not re.search(r"://|--(extra-)?index|--find-links", text)


def test_a_package_has_one_version_in_all_locks():
    ours = {lock.stem: pins(lock.stem) for lock in LOCKS if lock.stem not in APART}
    for (one, first), (other, second) in combinations(ours.items(), 2):
        differing = {name for name in first.keys() & second.keys() if first[name] != second[name]}
        assert not differing, f"{one} and {other} differ"


def test_the_page_on_dependencies_explains_exactly_what_is_declared():
    groups = PROJECT["dependency-groups"].values()
    declared = {Requirement(one).name for one in PROJECT["project"]["dependencies"]}
    declared |= {Requirement(one).name for group in groups for one in group} | {
        "plateau",
        "records-mover",
        "keboola-datadirtest",
    }
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `((?![\w-]+\.lock)[\w.-]+)` \| (.+?) \| .+? \|$", page, re.MULTILINE)
    assert sorted(name for name, _ in rows) == sorted(declared)
    assert all(reason.endswith(".") for _, reason in rows)
