"""`tablemill dataset …` on what cannot be right: exit 1, one sentence with what to do, and nothing is changed."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from component.cli.main import app
from component.dataset.format.header import read_header
from component.dataset.reading.reader import open_dataset, read_dataset
from component.store.local import LocalStore
from tests.dataset.making import write_dataset
from tests.runner.data_folder import snapshot

ROWS = pa.table({"k": ["x", "x", "y"], "v": [1, 2, 2]})
HEADER = "sales.by-dataset-metadata.json"


@pytest.fixture
def store(tmp_path):
    store = LocalStore(tmp_path / "store")
    write_dataset(store, ROWS, ["k"], ["v"])
    write_dataset(store, ROWS, mode="append")
    return store


@pytest.fixture
def refused(store):
    """Call a command, which must fail; return its sentence."""

    def refused(command, *arguments):
        before = snapshot(store.root)
        result = CliRunner().invoke(app, ["dataset", command, f"{store.url}/sales", *arguments])
        assert result.exit_code == 1, result.output
        assert result.stderr.count("\n") == 1
        assert "Traceback" not in result.output
        assert snapshot(store.root) == before
        return result.stderr

    return refused


COMMANDS = [
    ["show"],
    ["history"],
    ["query"],
    ["gc", "--delete", "--min-age", "0"],
    ["build-index", "--columns", "v"],
    ["set", "owner=me"],
    ["restore", "HEAD~1"],
    ["compact"],
    ["delete-rows", "--where", "v == 2"],
    ["delete-partitions", "--scope", '{"k": "x"}'],
    ["add-column", "more", "integer"],
    ["rename-column", "v", "w"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda text: text[:100], "cannot be decoded"),
        (lambda text: json.dumps({**json.loads(text), "dataset_metadata_version": 3}), "version is 3, not 4"),
    ],
    ids=["truncated", "of version 3"],
)
def test_a_header_that_is_none_is_refused_by_every_command(store, refused, command, change, text):
    path = store.root / HEADER
    path.write_text(change(path.read_text()))
    said = refused(*command)
    assert "The header of dataset 'sales' cannot be used: " in said
    assert text in said
    assert "tablemill dataset verify, then --repair" in said


def test_a_file_that_is_gone_is_named_by_what_reads_it_and_mended_by_repair(store, refused):
    label, files = next(iter(read_header(store, "sales").header.partitions.items()))
    (store.root / files["table"]).unlink()
    for command in (["query"], ["compact"], ["delete-rows", "--where", "v > 0", "--where", "v < 2"]):
        assert files["table"].rpartition("/")[2] in refused(*command)
    assert "The file is not there" in verify(store, code=1)
    assert label in verify(store, "--repair")
    verify(store)


def test_an_index_that_is_gone_or_lies_is_said_and_built_again(store, refused):
    key = read_header(store, "sales").header.indices["v"]
    (store.root / key).unlink()
    assert key.rpartition("/")[2] in refused("query", "--where", "v == 2")
    assert "verify.index" in verify(store, code=1)
    verify(store, "--repair")
    verify(store)
    found = read_dataset(open_dataset(store, "sales"), predicates=[[("v", "==", 2)]])
    assert sum(rows.num_rows for rows in found) == 4


@pytest.mark.parametrize(
    ("rows", "texts"),
    [
        (pa.table({"k": ["x"], "v": ["one"]}), ["'v'", "string", "int64"]),
        (pa.table({"k": ["x"]}), ["v"]),
        (pa.table({"k": ["x"], "v": [1], "more": [2]}), ["more"]),
    ],
)
def test_rows_of_another_schema_are_refused_with_column_types_and_a_way_out(store, refused, tmp_path, rows, texts):
    pq.write_table(rows, tmp_path / "new.parquet")
    for command in ("upsert", "replace-partitions"):
        options = ["--key", "k,v"] if command == "upsert" else ["--scope", '{"k": "x"}']
        said = refused(command, str(tmp_path / "new.parquet"), *options)
        assert [text for text in texts if text not in said] == []


def verify(store, *options, code=0):
    result = CliRunner().invoke(app, ["dataset", "verify", f"{store.url}/sales", *options])
    assert result.exit_code == code, result.output
    return result.output
