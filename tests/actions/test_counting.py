from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.actions import counting
from component.actions.counting import ColumnTally, Tally, united
from component.actions.sampling import Extent

cells = st.lists(st.sampled_from([None, "", "a", "b", "c", "d"]), max_size=30)


def tally_of(*blocks):
    tally = Tally()
    for block in blocks:
        tally.add(pa.table({"a": pa.array(block, pa.string())}))
    return tally


def extent_of(tally, *, whole=True, rows_there=None):
    return Extent(whole, tally.rows, tally.rows if rows_there is None else rows_there)


@given(places=st.lists(st.lists(cells, min_size=1, max_size=3), min_size=1, max_size=4))
def test_counts_of_all_rows_are_exact_however_they_are_cut(places):
    everything = [cell for blocks in places for block in blocks for cell in block]
    tally = united([tally_of(*blocks) for blocks in places])
    counted = tally.columns["a"].counted(extent_of(tally))
    assert (counted.values, counted.exact) == (len(set(everything) - {None}), True)
    assert counted.has_nulls == (None in everything)
    assert tally.rows == len(everything)


def test_a_column_with_too_many_values_is_estimated(monkeypatch):
    monkeypatch.setattr(counting, "MOST_VALUES", 100)
    tally = tally_of(*([str(number) for number in range(start, start + 50)] for start in range(0, 1000, 50)))
    counted = tally.columns["a"].counted(extent_of(tally))
    assert not counted.exact
    assert 300 <= counted.values <= 1000
    assert tally.columns["a"].held <= 250, "no more is held"


@pytest.mark.parametrize(("cells", "low", "high"), [(["a", "b"] * 50, 2, 2), ([str(n) for n in range(100)], 500, 2000)])
def test_a_sample_stands_for_all_rows(cells, low, high):
    tally = tally_of(cells)
    counted = tally.columns["a"].counted(extent_of(tally, whole=False, rows_there=10_000))
    assert low <= counted.values <= high
    assert not counted.exact


def test_nulls_are_seen_even_after_counting_has_stopped(monkeypatch):
    monkeypatch.setattr(counting, "MOST_VALUES", 1)
    tally = tally_of(["a", "b", "c"], ["d", "e"], [None])
    assert tally.columns["a"].counted(extent_of(tally)).has_nulls


def test_lists_are_not_counted():
    tally = ColumnTally()
    tally.add(pa.chunked_array([pa.array([[1], None], pa.list_(pa.int64()))]))
    assert tally.counted(Extent(whole=True, rows=2, rows_there=2)).values == 0
