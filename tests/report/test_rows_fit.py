"""Rows on a screen that is too narrow for them."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from component.report.results.datasets import row_lines

texts = st.text(st.characters(codec="ascii", categories=["L", "N"]), max_size=60)


@given(st.lists(texts, min_size=1, max_size=12), st.integers(60, 120))
def test_a_table_fits_and_names_what_it_leaves_out(cells, width):
    rows = pa.table({f"column_{number}": [cell] for number, cell in enumerate(cells)})
    head, row, count, *more = row_lines(rows, limited=None, width=width)
    assert max(len(head), len(row)) <= max(width, 32)
    assert count == "1 row"
    left_out = [name for name in rows.column_names if name not in head.split()]
    assert bool(more) == bool(left_out)
    assert all(name in more[0] for name in left_out)


def test_nothing_is_cut_where_there_is_no_screen():
    rows = pa.table({"a": ["x" * 500], "b": ["y"]})
    assert row_lines(rows, limited=None)[1] == "x" * 500 + "  y"
