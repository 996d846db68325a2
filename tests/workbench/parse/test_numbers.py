"""Columns of text that become numbers, or stay text."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.workbench.parse.numbers import KEPT_AS_TEXT, with_numbers
from component.workbench.parse.options import Numbers

NUMBERISH = st.text("0123456789.-+e ", max_size=8) | st.integers().map(str) | st.floats().map(repr)


@given(st.lists(st.none() | NUMBERISH, max_size=6))
def test_exact_numbers_come_back_as_the_same_text(cells):
    column, _ = with_numbers(pa.array(cells, pa.string()), "c", Numbers.EXACT)
    if pa.types.is_string(column.type):
        assert column.to_pylist() == cells
        return
    floats = pa.types.is_floating(column.type)
    for cell, value in zip(cells, column.to_pylist(), strict=True):
        shown = None if value is None else repr(value).removesuffix(".0") if floats else str(value)
        assert (cell or None) == shown


@pytest.mark.parametrize("cells", [["01"], ["1.50"], ["9007199254740993.5"], ["+1"], ["1e3"], ["99999999999999999999"]])
def test_what_would_change_stays_text_with_a_message(cells):
    column, message = with_numbers(pa.array(cells), "zip", Numbers.EXACT)
    assert column.to_pylist() == cells
    assert message is not None
    assert (message.id, message.arguments) == (KEPT_AS_TEXT, {"column": "zip"})


@pytest.mark.parametrize(
    ("cells", "data_type", "values"),
    [
        (["3000000000"], pa.float64(), [3e9]),
        (["1", ""], pa.int8(), [1, None]),
        (["-0"], pa.int8(), [0]),
        (["70000"], pa.int32(), [70000]),
        ([" +1", "\t-2.5"], pa.float64(), [1, -2.5]),
        (["1 "], pa.string(), ["1 "]),
        (["1f"], pa.string(), ["1f"]),
        (["nan"], pa.string(), ["nan"]),
        (["", ""], pa.string(), ["", ""]),
        (["1e999"], pa.string(), ["1e999"]),
    ],
)
def test_workbench_converts_as_it_does(cells, data_type, values):
    column, message = with_numbers(pa.array(cells), "c", Numbers.WORKBENCH)
    assert (column.type, column.to_pylist(), message) == (data_type, values, None)


def test_exact_integers_keep_all_their_digits():
    column, _ = with_numbers(pa.array(["9007199254740993", None]), "c", Numbers.EXACT)
    assert (column.type, column.to_pylist()) == (pa.int64(), [9007199254740993, None])
