"""Issue 2, points 4, 9 and 10: with empty parameters everything comes back, values, types and nulls included."""

import csv
import datetime as dt
import gzip
import io
import json
import re
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.folders.nasty import make_nasty_folder
from tests.folders.nasty_tables import nasty_tables
from tests.folders.plain_types import comparable, first_difference, parse_plain
from tests.runner.conftest import finish, start_command
from tests.runner.data_folder import DataFolder

TABLES = {table.name: table for table in nasty_tables()}
NAMED = {"žluťoučký kůň 🐎.csv": "zlutoucky_kun"}
NAMES = {name: NAMED.get(name, name.removesuffix(".csv")) for name in TABLES}


@pytest.fixture(scope="module")
def nasty(tmp_path_factory):
    """The nasty folder after one run of the real command, and what it printed."""
    root = tmp_path_factory.mktemp("nasty")
    make_nasty_folder(root / "data")
    outcome = finish(start_command(root / "data", root, "--format", "json"), seconds=120)
    assert outcome.code == 0, outcome.err
    return DataFolder.existing(root / "data"), outcome


def typed(rows, types):
    """Cells as values; where the only column is no text, a null is `""`."""
    return [
        tuple(
            None if cell is None or (not cell and kind != "string") else parse_plain(cell, kind)
            for cell, kind in zip(row, types, strict=True)
        )
        for row in rows
    ]


def in_order(rows):
    """Rows in an order of their own: several slices are several data files, whose order is open."""
    return sorted(rows, key=lambda row: [repr(comparable(cell)) for cell in row])


def test_every_table_comes_back_under_its_name(nasty):
    folder, outcome = nasty
    assert folder.out_tables == sorted(NAMES.values())
    assert folder.out_files == sorted(f"{name}.dataset.zip" for name in NAMES.values())
    assert outcome.code == 0


@pytest.mark.parametrize("name", TABLES)
def test_every_row_comes_back_with_its_values_types_and_nulls(nasty, name):
    folder, _ = nasty
    table = TABLES[name]
    assert folder.columns(NAMES[name]) == list(table.columns)
    found = typed(folder.rows(NAMES[name]), table.types)
    if table.slices:
        assert first_difference(in_order(found), in_order(table.values)) is None
    else:
        assert first_difference(found, table.values) is None


def inferred(table):
    """The types of a table without manifest: of these tables, whole numbers or text."""
    columns = list(zip(*table.cells, strict=True)) or [()] * len(table.types)
    whole = [cells for cells in columns if any(cells) and all(re.fullmatch(r"[0-9]*", cell or "") for cell in cells)]
    return ["integer" if cells in whole else "string" for cells in columns]


@pytest.mark.parametrize("name", TABLES)
def test_the_manifest_tells_the_types_and_never_the_source_as_destination(nasty, name):
    folder, _ = nasty
    manifest = folder.manifest(NAMES[name])
    types = [entries[0] for entries in manifest["column_metadata"].values()]
    kinds = TABLES[name].types if TABLES[name].manifest is not None else inferred(TABLES[name])
    assert types == [{"key": "KBC.datatype.basetype", "value": kind.upper()} for kind in kinds]
    assert manifest["destination"] == f"out.c-tablemill.{NAMES[name]}"


def test_the_summary_counts_what_went_through(nasty):
    _, outcome = nasty
    summary = json.loads(outcome.out)
    rows = {NAMES[name]: len(table.values) for name, table in TABLES.items()}
    assert {dataset["uuid"]: dataset["rows_in"] for dataset in summary["datasets"]} == rows
    assert {dataset["uuid"]: dataset["rows"] for dataset in summary["datasets"]} == rows
    assert {output["name"]: output["rows"] for output in summary["outputs"]} == rows
    assert all(output["destination"] == f"out.c-tablemill.{output['name']}" for output in summary["outputs"])


def test_an_input_without_manifest_is_a_warning(nasty):
    _, outcome = nasty
    texts = [message["text"] for message in json.loads(outcome.out)["log"] if message["level"] == "warning"]
    warned = [found[1] for text in texts if (found := re.match(r"The table '(.+)' has no manifest", text))]
    assert warned == [name for name in sorted(TABLES) if TABLES[name].manifest is None]
    expected = re.compile("Storage|was webalized to|(is|are) written as")
    assert [text for text in texts[len(warned) :] if not expected.search(text)] == []
    assert outcome.err == ""


def test_the_csv_module_reads_what_was_written(nasty):
    folder, _ = nasty
    for name in ("enclosed.csv", "column-names.csv"):
        part = next((folder.root / "out" / "tables" / NAMES[name]).iterdir())
        rows = list(csv.reader(unpacked_lines(part)))
        assert rows == [[cell or "" for cell in row] for row in TABLES[name].cells]


# --- files, shapes, names ---


def test_files_become_datasets_and_tables_too(folder, run):
    folder.file("12_people.csv", "name,age\nx,1\n")
    folder.file("13_tabs.tsv", "a\tb\n1,5\t2\n")
    folder.file("notes.txt", "not a table")
    assert run().done
    assert folder.out_tables == ["people", "tabs"]
    assert folder.rows("people") == [("x", "1")]
    assert folder.rows("tabs") == [("1,5", "2")]


def test_a_parquet_file_keeps_its_types(folder, run, tmp_path):
    rows = pa.table(
        {
            "whole": pa.array([1, None, -5], pa.int32()),
            "exact": pa.array([Decimal("1.25"), None, Decimal("-0.01")], pa.decimal128(12, 2)),
            "real": pa.array([0.1, None, 1e300]),
            "flag": pa.array([True, None, False]),
            "day": pa.array([dt.date(2026, 1, 2), None, dt.date(1, 1, 1)]),
            "at": pa.array([dt.datetime.fromisoformat("2026-01-02T03:04:05.6789"), None, None], pa.timestamp("ms")),
            "text": pa.array(["a", None, ""], pa.large_string()),
        }
    )
    pq.write_table(rows, tmp_path / "x.parquet", row_group_size=1)
    folder.file("values.parquet", (tmp_path / "x.parquet").read_bytes())
    assert run().done
    assert folder.rows("values") == [
        ("1", "1.25", "0.1", "true", "2026-01-02", "2026-01-02 03:04:05.678000", "a"),
        (None,) * 7,
        ("-5", "-0.01", "1e+300", "false", "0001-01-01", None, ""),
    ]
    types = [entries[0]["value"] for entries in folder.manifest("values")["column_metadata"].values()]
    assert types == ["INTEGER", "NUMERIC", "FLOAT", "BOOLEAN", "DATE", "TIMESTAMP", "STRING"]


def test_a_table_is_never_written_over_its_own_source(folder, run):
    folder.table("in.c-main.orders", "id\n1\n", {"id": "in.c-main.orders", "name": "orders"})
    storage = {"output": {"default_bucket": "in.c-main"}}
    folder.config({"storage": storage})
    outcome = run()
    assert outcome.done
    assert folder.out_tables == ["orders"]
    assert folder.manifest("orders")["destination"] == "out.c-tablemill.orders"
    assert "to out.c-tablemill.orders (manifest)" in outcome.out


def test_tables_of_one_name_are_told_apart(folder, run):
    folder.table("orders.csv", "id\n1\n")
    folder.file("7_orders.csv", "id\n2\n")
    assert run().done
    assert folder.rows("orders") == [("1",)]
    assert folder.rows("orders-2") == [("2",)]


def test_one_plain_file_with_header(folder, run):
    folder.table("t.csv", 'id,"a ""b"""\n1,\n2,""\n')
    folder.configure(
        datasets=[{"uuid": "t", "tables": [{"source": "t.csv"}]}],
        outputs=[{"dataset": "t", "slices": False, "name": "t.csv"}],
    )
    assert run().done
    assert (folder.root / "out" / "tables" / "t.csv").read_bytes() == b'"id","a ""b"""\n"1",\n"2",""\n'
    assert "columns" not in folder.manifest("t.csv")


def test_an_output_as_a_file_in_both_formats(folder, run):
    folder.table("t.csv", "id,n\n1,\n2,5\n")
    outputs = [{"dataset": "t", "as": "file", "format": "parquet", "tags": ["a", "b"]}]
    outputs += [{"dataset": "t", "as": "file", "name": "t.csv", "columns": ["n"]}]
    folder.configure(
        datasets=[{"uuid": "t", "tables": [{"source": "t.csv", "columns": {"n": "integer"}}]}], outputs=outputs
    )
    assert run().done
    files = folder.root / "out" / "files"
    assert pq.read_table(files / "t.parquet").to_pylist() == [{"id": "1", "n": None}, {"id": "2", "n": 5}]
    assert (files / "t.csv").read_text() == '"n"\n""\n"5"\n'
    assert folder.manifest("t.parquet", "files")["tags"] == ["a", "b"]


def test_rows_and_columns_are_chosen(folder, run):
    folder.table("t.csv", "id,n,x\n1,5,a\n2,,b\n3,7,c\n")
    outputs = [{"dataset": "t", "predicates": [[["n", ">", 5]], [["x", "==", "a"]]], "columns": ["x", "id"]}]
    folder.configure(
        datasets=[{"uuid": "t", "tables": [{"source": "t.csv", "columns": {"n": "integer"}}]}], outputs=outputs
    )
    assert run().done
    assert folder.columns("t") == ["x", "id"]
    assert sorted(folder.rows("t")) == [("a", "1"), ("c", "3")]


def test_no_rows_are_an_empty_output(folder, run):
    folder.table("t.csv", "id,n\n1,5\n")
    folder.configure(
        datasets=[{"uuid": "t", "tables": [{"source": "t.csv"}], "partition_on": ["id"]}],
        outputs=[{"dataset": "t", "predicates": [[["n", "==", "nothing"]]]}],
    )
    assert run().done
    assert folder.rows("t") == []
    assert folder.columns("t") == ["id", "n"]


def unpacked_lines(path):
    return io.StringIO(gzip.decompress(path.read_bytes()).decode(), newline="")
