"""`tablemill dataset`: columns, and numbers, called as a person calls it."""

import json

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from component.cli.main import app
from component.store.local import LocalStore
from tests.dataset.making import read_all, write_dataset

ROWS = pa.table({"id": [1, 2, 3], "k": ["x", "x", "y"], "v": ["a", None, "c"]})


@pytest.fixture
def store(tmp_path):
    store = LocalStore(tmp_path / "store")
    write_dataset(store, ROWS, ["k"], ["v"], primary_key=["id"])
    return store


@pytest.fixture
def call(store):
    def call(command, *arguments, code=0):
        result = CliRunner().invoke(app, ["dataset", command, f"{store.url}/sales", *map(str, arguments)])
        assert result.exit_code == code, result.output
        return result.stderr if code else result.stdout

    return call


def test_columns_are_added_widened_renamed_and_dropped(store, call):
    assert call("add-column", "n", "integer", "--value", "7").startswith("sales: n is added; 2 files")
    assert call("add-column", "m", "string", "--schema-only").startswith("sales: m is added")
    assert call("widen", "n", "numeric(12,2)").startswith("sales: n is numeric(12,2) now")
    assert call("widen", "n", "numeric(12,2)") == "sales: the column has that type already\n"
    assert call("rename-column", "k", "key", "--master", "none").startswith("sales: k is key now")
    assert call("drop-column", "v").startswith("sales: v is dropped")
    found = read_all(store)
    assert found.column_names == ["id", "key", "n", "m"]
    assert [str(value) for value in found["n"].to_pylist()] == ["7.00"] * 3


def test_what_cannot_be_done_says_why(call):
    assert "without a loss" in call("widen", "v", "integer", code=1)
    assert "The columns are id, k, v." in call("drop-column", "w", code=1)
    assert "partitioned by the column" in call("drop-column", "k", code=1)
    assert "has a column of that name" in call("rename-column", "id", "v", code=1)
    assert "is none of type int64" in call("add-column", "n", "integer", "--value", "x", code=1)


def test_numbers_are_printed_for_people_and_machines(call):
    text = call("stats").splitlines()
    assert text[0].startswith("k=x: 2 rows, 1 file, ")
    assert text[2:5] == ["id integer (int64): 0 nulls, 1 to 3", "k string: 0 nulls, x to y", "v string: 1 null, a to c"]
    assert text[-1].startswith("3 rows, 2 files, ")
    found = json.loads(call("stats", "--format", "json"))
    assert (found["files"], found["rows"]) == (2, 3)
    assert found["partitions"][0]["values"] == {"k": "x"}
    assert found["columns"][0] == {
        "name": "id",
        "type": "int64",
        "configured_as": "integer",
        "nulls": 0,
        "minimum": 1,
        "maximum": 3,
    }
    assert json.loads(call("stats", "--fast", "--format", "json"))["columns"] is None


def test_values_that_json_lacks_are_text(tmp_path, call, store):
    call("add-column", "day", "date", "--value", "2024-02-29")
    call("add-column", "amount", "numeric(5,2)", "--value", "1.5")
    columns = json.loads(call("stats", "--format", "json"))["columns"]
    assert [(one["minimum"], one["maximum"]) for one in columns[-2:]] == [("2024-02-29",) * 2, ("1.5",) * 2]
    assert "(not partitioned): " in _stats_of_unpartitioned(store)


def _stats_of_unpartitioned(store):
    write_dataset(store, ROWS, uuid="plain")
    return CliRunner().invoke(app, ["dataset", "stats", f"{store.url}/plain"]).stdout
