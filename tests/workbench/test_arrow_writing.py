"""Arrow files are written whole or not at all, in the style of 2021, with their sidecar."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings

from component.errors import UserError
from component.workbench.files.arrow_file import read_arrow_file, sidecar_of
from component.workbench.files.arrow_writing import write_arrow_file
from component.workbench.rules.limits import UNLIMITED, TableSizes
from component.workbench.tables.columns import date_column, number_column, text_column
from component.workbench.tables.date_unit import DateUnit
from component.workbench.tables.table import NO_TABLE, WorkbenchTable
from tests.strategies.workbench_tables import same_tables, table_of, workbench_tables

ONE = table_of((number_column("A", "{:d}"), pa.array([1, None], pa.int8())))
OTHER = table_of((text_column("B"), pa.array(["b"])))


def present(folder):
    return sorted(path.name for path in folder.iterdir())


@settings(max_examples=50)  # each is forced to disk
@given(workbench_tables())
def test_a_table_comes_back_from_an_arrow_file(tmp_path_factory, table):
    path = tmp_path_factory.mktemp("a") / "X.arrow"
    write_arrow_file(path, table)
    assert same_tables(read_arrow_file(path).table, table)
    assert present(path.parent) == ["X.arrow", "X.arrow.json"]
    sidecar_of(path).unlink()
    assert same_tables(read_arrow_file(path).table, table)


def test_formats_and_units_are_in_the_fields_and_in_the_sidecar(tmp_path):
    path = tmp_path / "X.arrow"
    write_arrow_file(path, table_of((date_column("A", DateUnit.YEAR), pa.array([0], pa.int32()).cast(pa.date32()))))
    with pa.memory_map(str(path)) as file:
        schema = pa.ipc.open_file(file).schema
    assert schema.metadata is None
    assert schema.field(0).metadata == {b"unit": b"year"}
    document = {"n_rows": 1, "columns": [{"name": "A", "type": "date", "unit": "year"}]}
    assert json.loads(sidecar_of(path).read_text(encoding="utf-8")) == document


def test_a_table_without_columns_is_a_file_of_no_bytes(tmp_path):
    write_arrow_file(tmp_path / "X.arrow", NO_TABLE)
    assert (tmp_path / "X.arrow").read_bytes() == b""
    assert (tmp_path / "X.arrow.json").read_text(encoding="utf-8") == '{"n_rows":0,"columns":[]}'


def test_a_new_pair_replaces_an_old_one(tmp_path):
    path = tmp_path / "X.arrow"
    write_arrow_file(path, ONE)
    write_arrow_file(path, OTHER)
    assert same_tables(read_arrow_file(path).table, OTHER)


def test_pieces_become_one_batch_and_dictionaries_are_mended(tmp_path):
    words = pa.chunked_array([pa.array(["a", "b", "a"]).dictionary_encode(), pa.array(["c", "a"]).dictionary_encode()])
    table = WorkbenchTable((text_column("A"),), pa.table({"A": words}).slice(2))
    write_arrow_file(tmp_path / "X.arrow", table)
    rows = read_arrow_file(tmp_path / "X.arrow").table.rows
    assert rows.column("A").to_pylist() == ["a", "c", "a"]
    assert rows.column("A").num_chunks == 1
    assert rows.column("A").chunk(0).dictionary.to_pylist() == ["a", "c"]


BROKEN = [
    table_of((number_column("A"), pa.array([float("nan")]))),
    table_of((text_column("A\n"), pa.array(["a"]))),
    table_of((text_column("A"), pa.array([1]))),
    table_of((text_column("A"), pa.array(["a"])), (text_column("A"), pa.array(["a"]))),
    table_of((date_column("A", DateUnit.YEAR), pa.array([1], pa.int32()).cast(pa.date32()))),
]


@pytest.mark.parametrize("broken", BROKEN)
def test_a_table_that_breaks_a_rule_leaves_everything_as_it_was(tmp_path, broken):
    path = tmp_path / "X.arrow"
    write_arrow_file(path, ONE)
    with pytest.raises(UserError) as raised:
        write_arrow_file(path, broken)
    assert raised.value.code == "workbench.invalid"
    assert present(tmp_path) == ["X.arrow", "X.arrow.json"]
    assert same_tables(read_arrow_file(path).table, ONE)


def test_a_table_beyond_a_limit_is_refused(tmp_path):
    with pytest.raises(UserError) as raised:
        write_arrow_file(tmp_path / "X.arrow", ONE, limits=TableSizes(rows=1))
    assert raised.value.code == "workbench.limit"
    assert present(tmp_path) == []


def test_a_failure_of_the_disk_leaves_nothing_half_written(tmp_path, monkeypatch):
    path = tmp_path / "X.arrow"
    write_arrow_file(path, ONE)
    renamed = []

    def full(self, target):
        renamed.append(target)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(UserError) as raised:
        write_arrow_file(path, OTHER, limits=UNLIMITED)
    assert raised.value.code == "store.full"
    assert renamed == [path]
    assert same_tables(read_arrow_file(path).table, ONE)
