from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from component.actions.preview import MOST_COLUMNS
from component.actions.sampling import MOST_LEFT_OUT
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


def test_cells_are_cut_wherever_they_are_shown(folder, ask):
    folder.table("t.csv", f'a\n"{"x" * 300_000}"\n')
    shown = ask("previewTable", {"action": {"table": "t.csv"}})
    assert shown["rows"] == [["x" * 79 + "…"]]


def test_as_many_rows_are_shown_as_asked_for_however_long_they_are(folder, ask):
    folder.table("t.csv", "a,b\n" + "".join(f'{number},"{"x" * 100_000}"\n' for number in range(15)))
    shown = ask("previewTable", {"action": {"table": "t.csv"}})
    assert [row[0] for row in shown["rows"]] == [str(number) for number in range(10)]


def test_rows_that_do_not_fit_are_told_of(folder, ask):
    folder.table("t.csv", b"a,b\n1\n1,2,3\n\xff,6\n4,5\n")
    shown = ask("previewTable", {"action": {"table": "t.csv"}})
    assert shown["rows"] == [["4", "5"]]
    assert shown["message"].startswith("The first row of the input 't.csv'. 3 rows that do not fit are not shown: ")


def test_where_nothing_fits_not_everything_is_read(folder, ask):
    folder.table("t.csv", "a,b\n" + "1\n" * 200_000)
    shown = ask("previewTable", {"action": {"table": "t.csv"}})
    told = re.match(r"No rows in the input 't.csv'. (\d+) rows that do not fit are not shown: ", shown["message"])
    assert MOST_LEFT_OUT <= int(told[1]) < 100_000


def test_one_slice_after_the_other_is_read_until_there_are_enough_rows(folder, ask):
    folder.sliced("t", {str(n): f"{n},x\n{n},y\n" for n in range(5)}, {"columns": ["x", "y"]})
    shown = ask("previewTable", {"action": {"table": "t", "rows": 5}})
    assert shown["rows"] == [["0", "x"], ["0", "y"], ["1", "x"], ["1", "y"], ["2", "x"]]


def test_a_stray_enclosure_is_no_end_of_the_preview(folder, ask):
    folder.table("t.csv", 'a,b\n1,5" pipe\n2,y\n')
    shown = ask("previewTable", {"action": {"table": "t.csv"}})
    assert shown["rows"] == [["2", "y"]]
    assert "holds an enclosure" in shown["message"]


def test_rows_of_parquet_are_shown(folder, ask):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"n": list(range(30)), "s": ["x"] * 30}), sink, row_group_size=4)
    folder.file("7_t.parquet", sink.getvalue().to_pybytes())
    shown = ask("previewTable", {"action": {"table": "t.parquet", "rows": 6}})
    assert shown["rows"] == [[str(number), "x"] for number in range(6)]


def test_what_is_wrong_with_another_table_is_not_in_the_way(folder, ask):
    folder.table("broken.csv", "")
    folder.table("t.csv", "a\n1\n")
    assert ask("previewTable", {"action": {"table": "t.csv"}})["rows"] == [["1"]]
    with pytest.raises(UserError, match="The table has no columns"):
        ask("previewTable", {"action": {"table": "broken.csv"}})


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
    assert "5 more columns are not shown." in shown["message"]


def test_a_dataset_that_is_nowhere_is_told(ask, stored):
    with pytest.raises(UserError, match="Nothing is known of the dataset 'other'"):
        ask("previewTable", {**stored, "action": {"dataset": "other"}})


def test_a_damaged_data_file_is_told(ask, stored, store, folder):
    for path in folder.store.glob("sales/**/*=*/*.parquet"):
        path.write_bytes(b"no parquet")
    with pytest.raises(UserError, match="cannot be read as Parquet"):
        ask("previewTable", {**stored, **DATASET})
