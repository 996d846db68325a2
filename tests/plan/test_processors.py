"""What processors leave in in/ is read right (reference keboola 1.1, 9.3): there the manifests are those of outputs."""

from __future__ import annotations

import gzip

import pytest

from component.config.parameters import LimitsConfig
from component.errors import UserError
from component.folder.layout import DataFolder
from component.formats.csv.read import CsvReader
from component.plan.asked import Asked
from component.plan.build import plan_limits
from component.plan.sources import find_sources
from component.plan.splits import splits_of
from tests.runner.data_folder import DataFolder as Writer

INPUT = {"id": "in.c-main.orders", "name": "orders", "columns": ["id", "name"], "primary_key": ["id"]}


@pytest.fixture
def folder(tmp_path):
    return Writer(tmp_path / "data")


def read(folder, dialects=None):
    """The rows of the only source, with its columns, what it may be called, and the warnings."""
    (source,), warnings = find_sources(DataFolder(folder.root), Asked(options=dialects or {}))
    reader = CsvReader(source.schema, source.dialect)
    rows = []
    for split in splits_of(source, plan_limits(LimitsConfig()), 2):
        for parsed in reader.read(split):
            rows += [tuple(row.values()) for row in parsed.rows.to_pylist()]
    return source, sorted(rows), warnings


def without_manifest(folder, kind, name, content):
    (folder.root / "in" / kind / name).write_bytes(content if isinstance(content, bytes) else content.encode())


ROWS = [("1", "a"), ("2", "b")]


def test_create_manifest_then_skip_lines(folder):
    folder.table("orders.csv", "1,a\n2,b\n", {"columns": ["id", "name"], "primary_key": ["id"], "incremental": False})
    source, rows, warnings = read(folder)
    assert (source.schema.names, source.schema.primary_key, rows, warnings) == (("id", "name"), ("id",), ROWS, ())


def test_create_manifest_alone_leaves_the_header_and_the_run_says_so(folder):
    folder.table("orders.csv", "id,name\n1,a\n", {"columns": ["id", "name"]})
    _, rows, warnings = read(folder)
    assert rows == [("1", "a"), ("id", "name")]
    assert [text for text in warnings if "repeats the names of its columns" in text and "has_header" in text]


def test_create_manifest_with_has_header(folder):
    folder.table("orders.csv", "id,name\n1,a\n2,b\n", {"columns": ["id", "name"], "has_header": True})
    assert read(folder)[1:] == (ROWS, ())


def test_create_manifest_with_another_delimiter(folder):
    manifest = {"columns": ["id", "name"], "delimiter": "\t", "enclosure": "'", "column_metadata": [], "metadata": []}
    folder.table("orders.csv", "1\t'a'\n2\t'b'\n", manifest)
    assert read(folder)[1] == ROWS


def test_create_manifest_with_a_schema(folder):
    schema = [
        {"name": "id", "data_type": {"base": {"type": "INTEGER"}}, "primary_key": True, "nullable": False},
        {"name": "name", "data_type": {"base": {"type": "STRING"}}},
    ]
    folder.table("orders.csv", "1,a\n2,b\n", {"manifest_type": "out", "schema": schema, "has_header": False})
    source, rows, _ = read(folder)
    assert rows == [(1, "a"), (2, "b")]
    assert source.schema.primary_key == ("id",)


def test_skip_lines_on_a_table_of_the_input_mapping(folder):
    folder.table("orders", "1,a\n2,b\n", INPUT)
    _, rows, warnings = read(folder)
    assert rows == ROWS
    assert warnings == (
        "The first row of 'orders' holds none of the columns that its manifest names: it is read as a row.",
    )


def test_a_header_with_a_renamed_column_is_still_a_header(folder):
    folder.table("orders", "ID,title\n1,a\n2,b\n", INPUT)
    with pytest.raises(UserError, match="only the header has ID, title"):
        read(folder)


def test_another_number_of_cells_than_columns_is_refused(folder):
    folder.table("orders", "1,a,x\n", INPUT)
    with pytest.raises(UserError, match="The first row has 3 cells, and the manifest names 2 other columns"):
        read(folder)


@pytest.mark.parametrize("manifest", [INPUT, {"columns": ["id", "name"]}])
def test_split_table(folder, manifest):
    slices = {"part0001.gz": gzip.compress(b"1,a\n", mtime=0), "part0002.gz": gzip.compress(b"2,b\n", mtime=0)}
    folder.sliced("orders.csv", slices, manifest)
    assert read(folder)[1:] == (ROWS, ())


def test_move_files_leaves_the_id_in_the_name_and_no_manifest(folder):
    without_manifest(folder, "tables", "17_orders.csv", "id,name\n1,a\n2,b\n")
    source, rows, warnings = read(folder)
    assert rows == ROWS
    assert source.names == ("17_orders.csv", "17_orders", "orders.csv", "orders")
    assert warnings == ("The table '17_orders.csv' has no manifest: its types and keys are not known.",)


def test_move_files_of_a_file_with_its_manifest(folder):
    folder.table("17_orders.csv", "id,name\n1,a\n2,b\n", {"tags": ["x"], "is_public": False, "name": "orders.csv"})
    source, rows, _ = read(folder)
    assert rows == ROWS
    assert "orders.csv" in source.names


def test_flatten_folders_of_a_nested_file(folder):
    without_manifest(folder, "tables", "year-2024--01-orders.csv", "id,name\n1,a\n2,b\n")
    assert read(folder)[1] == ROWS


@pytest.mark.parametrize("name", ["17_orders.zip", "17_orders.csv.gz", "17_orders.gz"])
def test_decompress_leaves_a_directory_named_as_the_archive(folder, name):
    directory = folder.root / "in" / "files" / name
    directory.mkdir()
    (directory / "a.csv").write_text("id,name\n1,a\n")
    (directory / "b.csv").write_text("id,name\n2,b\n")
    (folder.root / "in" / "files" / f"{name}.manifest").write_text('{"id": 17, "tags": ["x"], "is_sliced": false}')
    source, rows, warnings = read(folder)
    assert (rows, warnings) == (ROWS, ())
    assert name.removeprefix("17_") in source.names


def test_decompress_then_move_files_needs_columns(folder):
    directory = folder.root / "in" / "tables" / "orders.zip"
    directory.mkdir()
    (directory / "a.csv").write_text("id,name\n1,a\n")
    with pytest.raises(UserError, match="A sliced table has no header") as caught:
        read(folder)
    assert 'Add "columns" to orders.zip.manifest' in caught.value.remedy


def test_decompress_then_create_manifest(folder):
    slices = {"a.csv": "id,name\n1,a\n", "b.csv": "id,name\n2,b\n"}
    folder.sliced("orders.zip", slices, {"columns": ["id", "name"], "has_header": True})
    assert read(folder)[1] == ROWS


def test_add_metadata_keeps_an_input_manifest_and_its_lists(folder):
    metadata = [{"key": "KBC.datatype.basetype", "value": "INTEGER", "provider": "x"}]
    for column_metadata in ({"id": metadata, "name": []}, {"id": {"KBC.datatype.basetype": "INTEGER"}}):
        folder.table("orders", "id,name\n1,a\n2,b\n", {**INPUT, "metadata": {}, "column_metadata": column_metadata})
        assert read(folder)[1] == [(1, "a"), (2, "b")]
