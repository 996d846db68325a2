"""What is made from the code, pages and pictures, is current; pages name what is there."""

from __future__ import annotations

import re
from pathlib import Path

from scripts.draw_rooms import PICTURE, drawn, floors, reduced, rooms
from scripts.write_error_page import PAGE, error_page

ROOT = Path(__file__).parents[2]


def test_the_page_of_error_codes_is_current():
    assert PAGE.read_text(encoding="utf-8") == error_page()


# --- the picture of the rooms ---


def test_the_picture_of_the_rooms_is_current():
    assert PICTURE.read_text(encoding="utf-8") == drawn(rooms()), "run: python scripts/draw_rooms.py"


def test_the_picture_shows_every_room_and_only_arrows_that_no_longer_way_stands_for():
    graph = {"a": frozenset("bc"), "b": frozenset("c"), "c": frozenset(), "d": frozenset("c")}
    assert floors(graph) == {"a": 2, "b": 1, "c": 0, "d": 1}
    assert reduced(graph) == {"a": frozenset("b"), "b": frozenset("c"), "c": frozenset(), "d": frozenset("c")}
    picture = drawn(graph)
    assert re.findall(r">(\w)</text>", picture) == ["a", "b", "c", "d"]
    assert picture.count("<path d=") == 1 + 3  # the tip, and an arrow each


# --- the pages name what is there ---


def test_every_target_of_make_that_a_page_names_is_one():
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    named = {
        name
        for page in pages
        for name in re.findall(r"(?:^|`)make (\w+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {"setup", "unit", "test"} <= named <= set(targets)


def test_what_the_contributors_page_tells_to_change_is_there():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    told = re.findall(r"`([A-Z]\w+)` (?:in |\()`(component/[\w/]+\.py)`", page)
    assert len(told) >= 3
    lost = [
        (name, path) for name, path in told if not re.search(rf"\b{name}\b", (ROOT / path).read_text(encoding="utf-8"))
    ]
    assert lost == []
