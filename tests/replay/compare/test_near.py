from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.replay.compare.leftover import LeftRow
from component.replay.compare.near import is_near, pair_near

fresh = itertools.count()
NUMBERS = st.floats(-1e6, 1e6).map(lambda number: round(number, 3))


def rows(*cells):
    return [LeftRow("t", number, tuple(row)) for number, row in enumerate(cells, 1)]


def pair(tmp_path, left, right, tolerance=0.01, numeric=(None, None)):
    return pair_near(
        left, right, numeric=numeric, tolerance=tolerance, work=tmp_path / f"{next(fresh)}.sqlite", show=10
    )


@pytest.mark.parametrize(
    ("left", "right", "near"),
    [(1.0, 1.01, True), (1.0, 1.02, False), (1000, 1010, True), (1000, 1011, False), (0, 0.01, True), (-5, 5, False)],
)
def test_near_is_relative_above_one(left, right, near):
    assert is_near(left, right, 0.01) is near
    assert is_near(right, left, 0.01) is near


def test_nothing_is_near_to_what_is_no_number_but_itself():
    assert is_near(math.nan, math.nan, 0.1)
    assert not is_near(math.nan, 1, 0.1)
    assert is_near(math.inf, math.inf, 0.1)
    assert not is_near(1, math.nan, 0.1)


@given(table=st.lists(st.tuples(st.sampled_from("abc"), NUMBERS), max_size=20), data=st.data())
def test_rows_moved_by_less_than_the_tolerance_all_find_a_partner(tmp_path_factory, table, data):
    moved = [(name, number + data.draw(st.floats(-0.9, 0.9)) * 0.0001 * max(1, abs(number))) for name, number in table]
    # Rows far enough from each other, so that a partner of one is a partner of no other.
    spread = [(f"{name}{at}", number) for at, (name, number) in enumerate(table)]
    others = [(f"{name}{at}", number) for at, (name, number) in enumerate(moved)]
    left = rows(*((name, repr(number)) for name, number in spread))
    right = rows(*((name, repr(number)) for name, number in data.draw(st.permutations(others))))
    found = pair(tmp_path_factory.mktemp("near"), left, right, 0.001)
    assert (found.missing, found.extra) == (0, 0)


@given(
    left=st.lists(st.tuples(st.sampled_from("ab"), NUMBERS), max_size=8),
    right=st.lists(st.tuples(st.sampled_from("ab"), NUMBERS), max_size=8),
)
def test_without_tolerance_it_is_the_difference_of_multisets(tmp_path_factory, left, right):
    sides = [rows(*((name, repr(number)) for name, number in side)) for side in (left, right)]
    found = pair(tmp_path_factory.mktemp("zero"), *sides, tolerance=0.0, numeric=(False, True))
    rest = list(right)
    missing = [row for row in left if row not in rest or rest.remove(row)]
    assert (found.missing, found.extra) == (len(missing), len(rest))


def test_a_column_with_any_text_is_no_column_of_numbers(tmp_path):
    left, right = rows(("a", "1"), ("b", "x")), rows(("a", "1.001"), ("b", "x"))
    assert pair(tmp_path, left, right).missing == 1
    assert pair(tmp_path, left[:1], right[:1]).missing == 0


def test_rows_without_cells_are_paired_by_their_text(tmp_path):
    left = [LeftRow("t", 1, ("1,2,3",), broken=True), *rows(("a", "1"))]
    right = [*rows(("a", "1.001")), LeftRow("t", 2, ("1,2,3",), broken=True)]
    assert pair(tmp_path, left, right).missing == 0
    assert pair(tmp_path, left, right[:1]).missing == 1


def test_the_working_file_is_removed(tmp_path):
    pair(tmp_path, rows(("a", "1")), rows(("a", "2")))
    assert list(tmp_path.iterdir()) == []
