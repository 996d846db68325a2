"""What is made from the code, pages and pictures, is current."""

from __future__ import annotations

import re

from scripts.draw_rooms import PICTURE, drawn, floors, reduced, rooms
from scripts.write_error_page import PAGE, error_page


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
