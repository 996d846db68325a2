from __future__ import annotations

import pyarrow as pa
import pytest

from component.actions.preview import MOST_COLUMNS
from component.errors import UserError
from tests.dataset.making import write_dataset

DATASET = {"action": {"dataset": "sales"}}


def test_rows_of_a_dataset_are_shown_in_the_order_of_its_source(ask, stored):
    shown = ask("previewTable", {**stored, **DATASET})
    assert shown["columns"] == ["shop", "item", "price", "paid"]
    assert sorted(shown["rows"], key=str) == [
        ["north", "a|b", "1.5", "true"],
        ["north", "c", "2.5", "false"],
        ["south", "d", "4.5", None],
        ["south", None, "3.5", "true"],
    ]
    assert (shown["type"], shown["status"]) == ("table", "success")


def test_the_message_is_a_table_that_no_cell_breaks(ask, stored, store):
    write_dataset(store, pa.table({"a": ["x\ny|`<b>`", None, "z" * 200]}), uuid="odd")
    lines = ask("previewTable", {**stored, "action": {"dataset": "odd"}})["message"].splitlines()
    assert lines[0] == "The first 3 rows of the dataset 'odd' in the store."
    assert lines[2:4] == ["| a |", "| --- |"]
    assert lines[4] == "| x⏎y\\|\\`&lt;b>\\` |"
    assert lines[5] == "| *null* |"
    assert len(lines[6]) < 100


@pytest.mark.parametrize("rows", [1, 3])
def test_no_more_rows_are_shown_than_asked_for(ask, stored, rows):
    assert len(ask("previewTable", {**stored, "action": {"dataset": "sales", "rows": rows}})["rows"]) == rows


@pytest.mark.parametrize("rows", [2, 100])
def test_rows_of_an_input_table_are_shown_as_text(folder, ask, rows):
    folder.table("t.csv", 'id;name\n007;"a;b"\nx;\n3;c\n', {"delimiter": ";"})
    shown = ask("previewTable", {"action": {"table": "t.csv", "rows": rows}})
    assert shown["rows"] == [["007", "a;b"], ["x", None], ["3", "c"]][:rows]
    assert "the input 't.csv'" in shown["message"]


def test_slices_and_quoted_line_ends_are_read_right(folder, ask):
    folder.sliced("t", {"1": '"a\nb",1\n', "2": "c,2\n"}, {"columns": ["x", "y"]})
    assert ask("previewTable", {"action": {"table": "t"}})["rows"][0] == ["a\nb", "1"]


def test_an_input_without_rows_says_so(folder, ask):
    folder.table("t.csv", "a,b\n")
    assert ask("previewTable", {"action": {"table": "t.csv"}})["message"].startswith("No rows in the input 't.csv'.")


def test_of_many_columns_some_are_shown_and_the_rest_is_told(folder, ask):
    names = [f"c{number}" for number in range(MOST_COLUMNS + 5)]
    folder.table("t.csv", ",".join(names) + "\n")
    shown = ask("previewTable", {"action": {"table": "t.csv"}})
    assert shown["columns"] == names[:MOST_COLUMNS]
    assert "5 more columns" in shown["message"]


def test_a_dataset_that_is_nowhere_is_told(ask, stored):
    with pytest.raises(UserError, match="Nothing is known of the dataset 'other'"):
        ask("previewTable", {**stored, "action": {"dataset": "other"}})


def test_a_damaged_data_file_is_told(ask, stored, store, folder):
    for path in folder.store.glob("sales/**/*=*/*.parquet"):
        path.write_bytes(b"no parquet")
    with pytest.raises(UserError, match="cannot be read as Parquet"):
        ask("previewTable", {**stored, **DATASET})
