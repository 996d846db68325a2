"""A folder of files as a person has it: what is read of it, and what is said of the rest."""

from __future__ import annotations

import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from component.config.load import load_config
from component.config.model import Config
from component.errors import UserError
from component.folder.files import input_files, left_out
from component.folder.layout import DataFolder
from component.plan.build import build_plan
from component.plan.sources import find_sources


def test_everything_that_looks_like_a_table_is_read_and_the_rest_is_named(tmp_path):
    for name in ("a.csv", "B.TSV", "c.json", "d.xlsx", "e.csv.gz", "12_f.csv", "README.md", ".hidden.csv"):
        (tmp_path / name).write_text("x")
    pq.write_table(pa.table({"x": [1]}), tmp_path / "no suffix")
    (tmp_path / "empty.csv").touch()
    (tmp_path / "out").mkdir()
    (tmp_path / "old").mkdir()
    (tmp_path / "config.json").write_text("{}")
    folder = DataFolder(tmp_path)
    found = input_files(folder)
    assert [file.name for file in found] == ["12_f.csv", "B.TSV", "a.csv", "c.json", "d.xlsx", "e.csv.gz", "no suffix"]
    assert all(file.lying and not file.warnings for file in found)
    [text] = left_out(folder)
    assert text.startswith("Left out of the folder: 'README.md' (neither name nor content says it is a table), ")
    assert text.endswith("'empty.csv' (empty), 'old' (a folder).")


def test_what_lies_beside_in_is_not_read(tmp_path):
    (tmp_path / "in" / "files").mkdir(parents=True)
    (tmp_path / "a.csv").write_text("x\n1\n")
    assert not DataFolder(tmp_path).loose
    assert input_files(DataFolder(tmp_path)) == ()
    assert left_out(DataFolder(tmp_path)) == ()


def test_a_file_that_turns_out_to_be_no_table_is_left_out_with_the_reason(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n")
    (tmp_path / "settings.json").write_text('{"no": "tab')
    sources, warnings = find_sources(DataFolder(tmp_path))
    assert [source.file_name for source in sources] == ["a.csv"]
    assert [text for text in warnings if text.startswith("The file 'settings.json' is left out: ")] == list(warnings)


def test_every_file_becomes_a_dataset_whose_types_are_inferred_and_one_csv_file(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n")
    plan = build_plan(load_config(tmp_path), find_sources(DataFolder(tmp_path))[0])
    assert [dataset.infer for dataset in plan.datasets] == [("x",)]
    assert [(output.name, output.sliced) for output in plan.outputs] == [("a.csv", False)]
    assert plan.store_url == str(tmp_path / "out" / "datasets")


@pytest.mark.parametrize(("url", "found"), [("store", "{root}/store"), ("./a/../b", "{root}/a/../b"), ("/s", "/s")])
def test_a_relative_store_is_one_below_the_folder(tmp_path, url, found):
    (tmp_path / "config.json").write_text(json.dumps({"parameters": {"store": {"url": url}}}))
    store = load_config(tmp_path).parameters.store
    assert store is not None
    assert os.path.normpath(store.url) == os.path.normpath(found.format(root=tmp_path))


def test_a_url_is_no_relative_path(tmp_path):
    (tmp_path / "config.json").write_text('{"parameters": {"store": {"url": "s3://bucket/store"}}}')
    store = load_config(tmp_path).parameters.store
    assert store is not None
    assert store.url == "s3://bucket/store"


def test_a_data_folder_has_no_store_unless_one_is_configured(tmp_path):
    (tmp_path / "in" / "tables").mkdir(parents=True)
    assert load_config(tmp_path).parameters == Config().parameters


def test_an_empty_folder_and_no_folder_are_told_apart(tmp_path):
    with pytest.raises(UserError, match="no files to read") as empty:
        load_config(tmp_path)
    with pytest.raises(UserError, match="There is no data folder") as missing:
        load_config(tmp_path / "nowhere")
    assert empty.value.code == missing.value.code == "config.missing"


@pytest.mark.parametrize(
    ("header", "names"),
    [
        (",x,y", ("index", "x", "y")),
        ('"","x","y"', ("index", "x", "y")),
        (",index,", ("index_2", "index", "column_3")),
        ("x,,", ("x", "column_2", "column_3")),
    ],
)
def test_a_column_without_a_name_gets_one_and_a_warning(tmp_path, header, names):
    (tmp_path / "a.csv").write_text(f"{header}\n1,2,3\n")
    [source], warnings = find_sources(DataFolder(tmp_path))
    assert source.schema.names == names
    assert len(warnings) == header.split(",").count("") + header.split(",").count('""')
    assert all("has no name in the header; it is called" in text for text in warnings)
