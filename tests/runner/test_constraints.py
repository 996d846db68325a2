"""What a table promises of its rows, end to end: columns that are never null, and primary keys against a dataset."""

import json

import pytest

from tests.runner.data_folder import csv_text

TYPES = {"id": "INTEGER", "day": "DATE", "price": "NUMERIC", "name": "STRING"}
ROWS = [
    [1, "2024-01-01", "1.50", "a"],
    [2, None, "1.50", "b"],
    [3, "2024-01-01", None, "c"],
    [4, "2024-01-01", "1.50", None],
]


def configure(folder, rows, **facts):
    text = "".join(",".join("" if cell is None else str(cell) for cell in row) + "\n" for row in rows)
    schema = [{"name": name, "nullable": False, "data_type": {"base": {"type": word}}} for name, word in TYPES.items()]
    folder.table("t.csv", text, {"schema": schema})
    table = {"source": "t.csv", "columns": {"price": {"length": "10,2"}, "name": {"nulls": "always"}}}
    folder.configure(datasets=[{"uuid": "t", "tables": [table], **facts}], outputs=[{"dataset": "t"}])


@pytest.mark.parametrize(("row", "column"), [(2, "day"), (3, "price"), (4, "name")])
def test_a_null_in_a_required_column_stops_the_run(folder, refused, row, column):
    configure(folder, [ROWS[0], ROWS[row - 1]])
    refused("row.null", "no value in a column that is not nullable", f"row 2, column {column!r}")


def test_rows_with_a_null_in_a_required_column_are_rejected_and_the_output_says_not_null(folder, run):
    configure(folder, ROWS, on_bad_row="reject")
    assert run().done
    assert sorted(folder.rows("t")) == [("1", "2024-01-01", "1.50", "a")]
    assert [(row["row"], row["column"]) for row in folder.records("t.rejected")] == [
        ("2", "day"),
        ("3", "price"),
        ("4", "name"),
    ]
    said = {
        name: [pair["value"] for pair in pairs if pair["key"] == "KBC.datatype.nullable"]
        for name, pairs in folder.manifest("t")["column_metadata"].items()
    }
    assert said == {name: ["0"] for name in TYPES}


def test_the_rows_of_an_append_are_held_to_the_primary_key_of_the_dataset(folder, run, refused):
    def append(ids, rule, **facts):
        folder.table("t.csv", csv_text(["id", "v"], [[number, "x"] for number in ids]))
        table = {"source": "t.csv", "columns": {"id": "integer"}, **facts}
        dataset = {"uuid": "t", "tables": [table], "mode": "append", "on_duplicate_key": rule}
        folder.file_store(datasets=[dataset], outputs=[{"dataset": "t"}])

    append([1, 2], "fail", primary_key=["id"])
    assert run().done
    append([2, 3, 3], "reject")  # the key is the dataset's
    assert run().done
    reasons = {(row["value"], row["reason"]) for row in folder.records("t.rejected")}
    assert reasons == {
        ("2", "The dataset already has the primary key"),
        ("3", "The primary key stood in a row before"),
    }
    append([3, 4], "fail")
    refused("row.duplicate_key", "The dataset already has the primary key of 1 row", "'3'")
    append([3, 4], "warn")
    outcome = run(as_json=True)
    assert outcome.code == 0
    assert "The dataset already has the primary key of 1 row" in json.dumps(json.loads(outcome.out)["log"])
    assert sorted(row[0] for row in folder.rows("t")) == ["1", "2", "3", "3", "4"]
