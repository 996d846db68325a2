"""`tablemill dataset`: what changes rows and files, called as a person calls it."""

import json
from dataclasses import replace

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from component.cli.main import app
from component.dataset.format.header import encode_header, read_header
from component.naming import HEADER_JSON_SUFFIX
from component.store.local import LocalStore
from tests.dataset.making import read_all, write_dataset

ROWS = pa.table({"id": [1, 2, 3, 4], "k": ["x", "x", "y", "z"], "v": ["a", None, "c", "d"]})


@pytest.fixture
def store(tmp_path):
    store = LocalStore(tmp_path / "store")
    write_dataset(store, ROWS, ["k"], primary_key=["id"])
    return store


@pytest.fixture
def call(store):
    def call(command, *arguments, code=0):
        result = CliRunner().invoke(app, ["dataset", command, f"{store.url}/sales", *map(str, arguments)])
        assert result.exit_code == code, result.output
        return result.stderr if code else result.stdout

    return call


@pytest.fixture(params=[".parquet", ".arrow", ".csv"])
def file_of(request, tmp_path):
    def write(rows):
        path = tmp_path / f"rows{request.param}"
        if request.param == ".parquet":
            pq.write_table(rows, path)
        elif request.param == ".arrow":
            with pa.ipc.new_file(str(path), rows.schema) as writer:
                writer.write_table(rows)
        else:
            pacsv.write_csv(rows, path)
        return path

    return write


def listed(store):
    return sorted(tuple(row.values()) for row in read_all(store).select(["id", "k", "v"]).to_pylist())


def test_rows_of_a_file_replace_those_of_the_same_key(store, call, file_of):
    path = file_of(pa.table({"id": [2, 9], "k": ["w", "x"], "v": pa.array([None, ""], pa.string())}))
    assert call("upsert", path).startswith("sales: rows are replaced and added; 5 files")
    assert listed(store) == [(1, "x", "a"), (2, "w", None), (3, "y", "c"), (4, "z", "d"), (9, "x", "")]


def test_rows_of_the_keys_in_a_file_are_deleted(store, call, file_of):
    path = file_of(pa.table({"id": [2, 4, 77], "other": ["?", "?", "?"]}))
    call("delete-keys", path, "--master", "none")
    assert [row[0] for row in listed(store)] == [1, 3]
    assert "no row has such a key" in call("delete-keys", path, "--key", "id")


def test_partitions_are_replaced_and_deleted(store, call, file_of):
    path = file_of(pa.table({"id": [7], "k": ["x"], "v": ["new"]}))
    call("replace-partitions", path, "--scope", '{"k": "x"}', "--scope", '{"k": "z"}')
    assert listed(store) == [(3, "y", "c"), (7, "x", "new")]
    call("delete-partitions", "--scope", '{"k": "y"}')
    assert listed(store) == [(7, "x", "new")]
    assert "there is no such partition" in call("delete-partitions", "--scope", '{"k": "y"}')


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (["delete-partitions", "--scope", "{}"], "would match every partition"),
        (["delete-partitions", "--scope", "k=x"], "is no object of partition keys"),
        (["delete-partitions", "--scope", '{"id": 1}'], "no partition key"),
        (["upsert", "nowhere.parquet"], "There is no file"),
        (["upsert", "nowhere.txt"], "names no format"),
        (["delete-keys", "nowhere.parquet"], "There is no file"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(store, call, command, text):
    assert text in call(*command, code=1)
    assert listed(store) == sorted(tuple(row.values()) for row in ROWS.to_pylist())


def test_a_file_that_is_no_parquet_is_named(store, call, tmp_path):
    path = tmp_path / "rows.parquet"
    path.write_bytes(b"nothing")
    assert "'rows.parquet' cannot be read" in call("upsert", path, code=1)


@pytest.mark.parametrize(
    ("command", "gone"),
    [
        (["delete-rows", "--where", "id <= 2"], 2),
        (["delete-rows", "--where", "v is null", "--where", "k == 'x'"], 1),
        (["delete-partitions", "--scope", '{"k": "x"}'], 2),
    ],
)
@pytest.mark.parametrize("foreign", [False, True])
def test_how_many_rows_went_is_said(store, call, command, gone, foreign):
    if foreign:  # nobody has counted the rows of its files
        stored = read_header(store, "sales")
        bare = {key: value for key, value in stored.header.metadata.items() if key != "tablemill"}
        data = encode_header(replace(stored.header, metadata=bare), stored.storage_format)
        store.put(f"sales{HEADER_JSON_SUFFIX}", data)
    said = json.loads(call(*command, "--format", "json"))
    assert (said["changed"], said["rows_deleted"]) == (True, gone)
    assert len(listed(store)) == 4 - gone


def test_how_many_rows_went_is_said_to_people(call, file_of):
    path = file_of(pa.table({"id": [2, 4, 77]}))
    assert call("delete-keys", path).startswith("sales: rows are deleted (2 rows); ")
    assert call("delete-rows", "--where", "id == 1").startswith("sales: rows are deleted (1 row); ")


def test_machines_are_told_of_the_commit(call, file_of):
    said = json.loads(call("upsert", file_of(ROWS.slice(0, 1)), "--format", "json"))
    assert said["changed"] is True
    assert len(said["commit"]) == 32


@pytest.mark.parametrize(("command", "more"), [("append", ()), ("replace-partitions", ("--scope", '{"k": "z"}'))])
def test_rows_of_a_file_are_held_to_the_primary_key(store, call, tmp_path, command, more):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"id": [2, 9], "k": ["w", "x"], "v": ["e", "f"]}), path)
    told = call(command, path, *more, "--on-duplicate-key", "fail", code=1)
    assert told.startswith("The dataset already has the primary key of 1 row (table 'sales', column 'id', value '2').")
    assert listed(store) == sorted(tuple(row.values()) for row in ROWS.to_pylist())
    result = CliRunner().invoke(app, ["dataset", command, f"{store.url}/sales", str(path), *more])
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: The dataset already has the primary key of 1 row")
    assert (2, "w", "e") in listed(store)


def test_an_overwrite_is_held_to_the_primary_key(store, call, tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"id": [2, 2, None], "k": ["w", "x", "x"], "v": ["e", "f", "g"]}), path)
    assert "is null in 1 row" in call("overwrite", path, "--on-duplicate-key", "fail", code=1)
    assert listed(store) == sorted(tuple(row.values()) for row in ROWS.to_pylist())
