from __future__ import annotations

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from component.replay.compare.file_bytes import compare_files
from component.replay.compare.options import CompareOptions
from component.replay.compare.out_folder import OutComparison
from tests.dataset.making import UUID, write_dataset
from tests.store.contract import keys_of


@pytest.fixture
def sides(tmp_path):
    """Return a function that writes both folders and compares them."""
    count = iter(range(1000))

    def run(left, right, columns=None, **options):
        top = tmp_path / str(next(count))
        for side, files in (("left", left), ("right", right)):
            for name in ("tables", "files"):
                (top / side / name).mkdir(parents=True)
            for path, content in files.items():
                target = top / side / path
                target.parent.mkdir(parents=True, exist_ok=True)
                data = content if isinstance(content, bytes | str) else json.dumps(content)
                target.write_bytes(data if isinstance(data, bytes) else data.encode())
        compared = OutComparison(top / "left", top / "right", CompareOptions(**options), columns or {}).compare()
        found = [(one.place, one.kind) for one in compared.differences]
        return found, compared

    return run


def test_equal_folders_are_equal_and_what_was_compared_is_told(sides):
    files = {
        "tables/t.csv": "a\n1\n",
        "tables/t.csv.manifest": {"destination": "in.c-a.t"},
        "files/f": "text",
        "files/f.manifest": {"tags": ["x"]},
        "files/deep/g": b"\0",
        "state.json": {"a": 1},
    }
    found, compared = sides(files, files)
    assert found == []
    assert compared.places == ("state.json", "tables/t.csv", "files/deep/g", "files/f", "files/f.manifest")


def test_missing_and_extra_things_are_named(sides):
    found, _ = sides(
        {"tables/a": "x\n", "files/f": "1", "files/o.manifest": {}},
        {"tables/b": "x\n", "files/g": "1", "tables/o.manifest": {}},
    )
    assert sorted(found) == [
        ("files/f", "missing"),
        ("files/g", "extra"),
        ("files/o.manifest", "missing"),
        ("tables/a", "missing"),
        ("tables/b", "extra"),
        ("tables/o.manifest", "extra"),
    ]


def test_documents_are_compared_when_they_are_expected(sides):
    assert sides({"state.json": {"a": 1}}, {})[0] == [("state.json", "missing")]
    found, compared = sides({}, {"state.json": {"a": 1}})
    assert (found, compared.unasked) == ([], ("state.json",))
    assert sides({"state.json": {"a": 1}}, {"state.json": {"a": 2}})[0] == [("state.json", "value")]
    assert sides({"state.json": {"a": 1}}, {"state.json": "{"})[0] == [("state.json", "value")]


def test_usage_has_no_order(sides):
    one, other = {"metric": "a", "value": 1}, {"metric": "b", "value": 2}
    assert sides({"usage.json": [one, other]}, {"usage.json": [other, one]})[0] == []


def test_a_file_and_slices_and_gzip_are_one_table(sides):
    left = {"tables/t.csv": "a,b\n1,2\n3,4\n"}
    slices = {
        "tables/t.csv/p1": gzip.compress(b"3,4\n", mtime=0),
        "tables/t.csv/p2": "1,2\n",
        "tables/t.csv.manifest": {"columns": ["a", "b"]},
    }
    assert sides(left, slices)[0] == []
    assert sides(left, {"tables/t.csv.gz": gzip.compress(b"a,b\n3,4\n1,2\n", mtime=0)})[0] == []


def test_columns_of_the_mapping_are_known(sides):
    left, right = {"tables/t": "1,2\n3,4\n"}, {"tables/t": "3,4\n1,2\n"}
    assert sides(left, right)[0] == [("tables/t", "columns")]
    assert sides(left, right, columns={"t": ["a", "b"]})[0] == []


def test_a_table_that_cannot_be_read_is_compared_by_its_bytes(sides):
    broken = {"tables/t": 'a\n"x'}
    assert sides(broken, broken)[0] == []
    assert sides(broken, {"tables/t": "a\nx\n"})[0] == [("tables/t", "unreadable")]
    latin = {"tables/t": b"a\n\xe9\n"}
    assert sides(latin, latin)[0] == []
    assert sides(latin, {"tables/t": b"a\n\xe8\n"})[0] == [("tables/t", "unreadable")]


def test_a_cell_that_is_no_text_is_named_by_its_column(sides):
    (found,) = sides({"tables/t": "a,b\n1,2\n"}, {"tables/t": b"a,b\n1,\xe9\n"})[1].differences
    assert "column 'b'" in found.text
    assert found.text.endswith("). Write the file as UTF-8, or name its encoding.")


def test_tables_without_a_common_column_show_no_rows(sides):
    differences = sides({"tables/t": "a\n1\n"}, {"tables/t": "b\n"})[1].differences
    assert [(one.kind, one.rows) for one in differences] == [("columns", ()), ("rows", ())]


def test_what_does_not_count_is_not_compared(sides):
    left = {"tables/a": "x\n1\n", "files/log.txt": "1", "files/log.txt.manifest": {"tags": ["a"]}}
    right = {"tables/a": "x\n2\n", "files/log.txt": "2", "files/log.txt.manifest": {"tags": ["b"]}}
    assert sides(left, right, ignored_tables=("a",), ignored_files=("*.txt",))[0] == []
    assert len(sides(left, right)[0]) == 3


def test_hidden_files_do_not_count(sides):
    assert sides({"files/.gitkeep": "", "tables/.gitkeep": ""}, {"files/.x/y": ""})[0] == []


def test_files_name_the_first_byte_and_line_that_differ(tmp_path):
    (tmp_path / "l").write_text("one\ntwo\nthree\n")
    (tmp_path / "r").write_text("one\ntwa\nthree\n")
    (found,) = compare_files("f", tmp_path / "l", tmp_path / "r")
    text = "The bytes differ from byte 6 on (14 bytes, expected are 14 bytes); expected 'two', found 'twa'."
    assert found.text == text.replace("14 bytes, expected are 14 bytes", "14 bytes, expected are 14")
    (tmp_path / "r").write_text("one\n")
    assert "from byte 4 on (4 bytes" in compare_files("f", tmp_path / "l", tmp_path / "r")[0].text
    (tmp_path / "r").write_bytes(b"\0\1")
    assert "; expected" not in compare_files("f", tmp_path / "l", tmp_path / "r")[0].text


def parquet(table):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, row_group_size=1)
    return sink.getvalue().to_pybytes()


def test_parquet_is_compared_by_rows_when_that_is_asked_for(sides):
    nested = pa.array([{"x": [1]}, None], pa.struct([("x", pa.list_(pa.int64()))]))
    table = pa.table({"a": [1, None], "s": ["x", ""], "n": nested, "b": [b"\xff", None]})
    left, right = {"files/p": parquet(table)}, {"files/p": parquet(table.take([1, 0]))}
    assert sides(left, right)[0] == [("files/p", "bytes")]
    assert sides(left, right, parquet_content=True)[0] == []
    other = {"files/p": parquet(table.set_column(1, "s", pa.array(["x", None])))}
    found, compared = sides(left, other, parquet_content=True)
    assert found == [("files/p", "rows")]
    assert [dict(row.cells)["s"] for row in compared.differences[0].rows] == ["", None]


def test_types_of_parquet_columns_count(sides):
    left = {"files/p": parquet(pa.table({"a": pa.array([1], pa.int64())}))}
    right = {"files/p": parquet(pa.table({"a": pa.array([1], pa.int32())}))}
    assert sides(left, right, parquet_content=True)[0] == [("files/p", "types")]


def test_a_damaged_parquet_file_differs(sides):
    left = {"files/p": parquet(pa.table({"a": [1]}))}
    assert sides(left, {"files/p": b"PAR1damaged"}, parquet_content=True)[0] == [("files/p", "unreadable")]


@pytest.fixture
def archive(tmp_path):
    """Return a function that makes the archive of a dataset, with new names inside each time."""
    count = iter(range(100))

    def make(rows, **options):
        from component.store.archive import pack_archive
        from component.store.local import LocalStore

        store = LocalStore(tmp_path / f"store{next(count)}")
        write_dataset(store, rows, **options)
        target = store.root.with_suffix(".zip")
        pack_archive(store, UUID, keys_of(store), target)
        return {f"files/{UUID}.dataset.zip": target.read_bytes()}

    return make


def test_dataset_archives_are_compared_by_rows_when_that_is_asked_for(sides, archive):
    rows = pa.table({"month": [1, 1, 2], "name": ["x", None, "z"]})
    left = archive(rows, partition_on=["month"])
    right = archive(rows.take([2, 1, 0]), partition_on=["month"])
    assert sides(left, right)[0] == [(f"files/{UUID}.dataset.zip", "bytes")]
    assert sides(left, right, parquet_content=True)[0] == []
    assert sides(left, archive(rows, indices=["month"]), parquet_content=True)[0] == [
        (f"files/{UUID}.dataset.zip", "types")
    ]
    other = archive(pa.table({"month": [1, 1, 2], "name": ["x", "", "z"]}), partition_on=["month"])
    found, compared = sides(left, other, parquet_content=True)
    assert found == [(f"files/{UUID}.dataset.zip", "rows")]
    assert [dict(row.cells)["name"] for row in compared.differences[0].rows] == [None, ""]
    broken = {f"files/{UUID}.dataset.zip": b"PK"}
    assert sides(left, broken, parquet_content=True)[0] == [(f"files/{UUID}.dataset.zip", "unreadable")]
