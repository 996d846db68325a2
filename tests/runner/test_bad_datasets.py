"""Whole runs onto datasets, and rows, that cannot be right: one sentence, a code, and nothing is changed."""

import json

import pytest

HEADER = "t.by-dataset-metadata.json"
ROWS = "id,n\na,1\nb,2\n"


@pytest.fixture
def configure(folder):
    def configure(mode="overwrite", **dataset):
        columns = dataset.pop("columns", {"n": "integer"})
        sources = [{"source": "t.csv", "columns": columns}]
        options = {"partition_on": ["id"], "secondary_indices": ["n"], **dataset}
        folder.file_store(datasets=[{"uuid": "t", "mode": mode, "tables": sources, **options}])

    return configure


@pytest.fixture
def again(folder, configure, run):
    """A dataset that a run has made; call for the next run, which appends."""

    def again(**dataset):
        folder.next_run()
        configure("append", **dataset)

    folder.table("t.csv", ROWS)
    configure()
    outcome = run()
    assert outcome.done, outcome
    return again


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda text: text[: len(text) // 2], "cannot be decoded"),
        (lambda text: json.dumps({**json.loads(text), "dataset_metadata_version": 3}), "version is 3, not 4"),
        (lambda text: json.dumps({**json.loads(text), "dataset_uuid": "other"}), "names the dataset 'other'"),
    ],
    ids=["truncated", "of version 3", "of another dataset"],
)
@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_a_header_that_is_none_is_not_written_over(folder, configure, again, refused, change, text, mode):
    again()
    configure(mode)
    path = folder.store / HEADER
    path.write_text(change(path.read_text()))
    refused(
        "dataset.format", "The header of dataset 't' cannot be used", text, "tablemill dataset verify, then --repair"
    )


def test_a_schema_that_drifts_is_said_by_column_types_and_way_out(folder, again, refused):
    again(columns={"n": "string"})
    refused("dataset.schema", "column 'n'", "string now and int64 in the dataset", "overwrite")


def test_a_column_more_and_one_less_are_said(folder, again, refused):
    again(columns={}, partition_on=["id"], secondary_indices=[])
    folder.table("t.csv", "id,m\na,1\n")
    refused("dataset.schema", "lack n", "have also m")


@pytest.mark.parametrize("data_type", ["boolean", "numeric"])
def test_a_partition_key_of_a_type_that_clients_read_back_wrong_is_refused(folder, configure, refused, data_type):
    folder.table("t.csv", "id,n\n1,1\n0,2\n")
    configure(columns={"id": data_type}, secondary_indices=[])
    refused("column.type", "column 'id'", "cannot be a partition key")


def test_an_index_that_is_gone_is_named_and_the_next_overwrite_works(folder, configure, again, run, refused):
    again()
    (index,) = (folder.store / "t" / "indices" / "n").iterdir()
    index.unlink()
    refused("store.missing", index.name)
    configure("overwrite")
    assert run().done
