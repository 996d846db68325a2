"""What a run does to a dataset that is there, mode by mode: real runs, one after the other, on one store."""

from __future__ import annotations

import json

import pytest

from component.dataset.format.history import history
from component.dataset.reading.reader import open_dataset, read_dataset
from component.dataset.verification.verify import verify
from component.store.local import LocalStore
from tests.runner.data_folder import csv_text

COLUMNS = ["id", "k", "v"]
FIRST = [[1, "x", "a"], [2, "x", "b"], [3, "y", "c"], [4, "z", "d"], [5, "z", "e"]]


@pytest.fixture
def configure(folder):
    def set_up(mode, rows, columns=COLUMNS, *, primary_key=("id",), **facts):
        folder.table("t.csv", csv_text(columns, rows))
        table = {"source": "t.csv", "columns": {"id": "integer"}, "primary_key": list(primary_key)}
        dataset = {"uuid": "t", "tables": [table], "partition_on": ["k"], "mode": mode, **facts}
        folder.file_store(datasets=[dataset], outputs=[{"dataset": "t"}])

    return set_up


@pytest.fixture
def summary(run):
    """Run, and return what the summary says of the dataset."""

    def ran():
        outcome = run(as_json=True)
        assert outcome.code == 0, outcome
        return json.loads(outcome.out)["datasets"][0]

    return ran


def stored(folder):
    dataset = open_dataset(LocalStore(folder.store), "t")
    names = [name for name in COLUMNS if name in dataset.columns]
    return sorted(list(row.values()) for rows in read_dataset(dataset) for row in rows.select(names).to_pylist())


def left_over(folder):
    return list(folder.store.glob("t/_keys/**/*.parquet"))


def hold_whole(folder, operation):
    store = LocalStore(folder.store)
    assert not verify(store, "t").faults
    assert next(history(store, "t")).operation == operation
    assert not left_over(folder)


@pytest.mark.parametrize("indices", [[], ["id"]])
def test_an_upsert_replaces_rows_of_the_same_key_and_adds_the_others(folder, configure, summary, indices):
    configure("upsert", FIRST, secondary_indices=indices)
    assert summary()["changed"]["rows_added"] == 5
    before = set(folder.data_files("t"))
    configure("upsert", [[2, "w", "moved"], [3, "y", "new"], [9, "x", "more"]], secondary_indices=indices)
    said = summary()
    assert said["changed"] == {
        "files_rewritten": 1,
        "files_removed": 1,
        "rows_replaced": 2,
        "rows_added": 1,
        "rows_deleted": 0,
    }
    assert stored(folder) == sorted(
        [[1, "x", "a"], [2, "w", "moved"], [3, "y", "new"], [4, "z", "d"], [5, "z", "e"], [9, "x", "more"]]
    )
    assert next(key for key in before if "k=z" in key) in folder.data_files("t")
    assert sorted(row[0] for row in folder.rows("t")) == sorted(map(str, [1, 2, 3, 4, 5, 9]))
    hold_whole(folder, "upsert")


def test_a_configured_key_goes_before_the_primary_key(folder, configure, summary):
    configure("overwrite", FIRST)
    summary()
    configure("upsert", [[7, "x", "a"]], key=["k", "v"])
    assert summary()["changed"]["rows_replaced"] == 1
    assert stored(folder)[-1] == [7, "x", "a"]
    assert [1, "x", "a"] not in stored(folder)


def test_a_deletion_takes_the_rows_of_the_keys_of_its_source(folder, configure, summary):
    configure("overwrite", FIRST, secondary_indices=["id"])
    summary()
    configure("delete", [[2], [4], [5], [77]], ["id"])
    said = summary()
    assert said["changed"] == {
        "files_rewritten": 1,
        "files_removed": 1,
        "rows_replaced": 0,
        "rows_added": 0,
        "rows_deleted": 3,
    }
    assert (said["rows_in"], said["rows"]) == (4, 0)
    assert stored(folder) == [[1, "x", "a"], [3, "y", "c"]]
    assert len(folder.rows("t")) == 2
    hold_whole(folder, "delete keys")


def test_partitions_of_the_new_rows_are_replaced(folder, configure, summary):
    configure("overwrite", FIRST)
    summary()
    configure("replace_partitions", [[8, "x", "new"], [9, "w", "new"]])
    said = summary()["changed"]
    assert (said["files_removed"], said["rows_deleted"], said["rows_added"]) == (1, 2, 2)
    assert stored(folder) == [[3, "y", "c"], [4, "z", "d"], [5, "z", "e"], [8, "x", "new"], [9, "w", "new"]]
    hold_whole(folder, "replace partitions")


def test_partitions_of_a_scope_are_replaced_and_no_others(folder, configure, summary):
    configure("overwrite", FIRST)
    summary()
    configure("replace_partitions", [[8, "x", "new"]], delete_scope=[{"k": "z"}, {"k": "nothing"}])
    summary()
    assert stored(folder) == [[1, "x", "a"], [2, "x", "b"], [3, "y", "c"], [8, "x", "new"]]


@pytest.mark.parametrize(
    ("mode", "facts", "code", "text"),
    [
        ("delete", {}, "dataset.missing", "no dataset 't'"),
        ("upsert", {"primary_key": ()}, "dataset.key", "not known"),
        ("replace_partitions", {"delete_scope": [{"k": 5}]}, "dataset.predicate", "does not fit"),
        ("replace_partitions", {"partition_on": []}, "dataset.scope", "no partition keys"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_read(folder, configure, refused, mode, facts, code, text):
    configure(mode, FIRST, **facts)
    refused(code, text)


@pytest.mark.parametrize(
    ("rows", "text"), [([[2, "x", "a"], [2, "y", "b"]], "'2'"), ([[1, "x", "a"], ['""', "y", "b"]], "null or NaN in 1")]
)
def test_a_key_that_names_no_row_is_refused_and_nothing_changes(folder, configure, summary, refused, rows, text):
    configure("overwrite", FIRST)
    summary()
    configure("upsert", rows)
    refused("dataset.key", text)
    assert stored(folder) == FIRST
    assert not left_over(folder)


def test_garbage_is_collected_where_that_is_configured_and_what_is_young_stays(folder, configure, summary):
    configure("append", FIRST)
    summary()
    for path in folder.store.rglob("*"):
        if path.is_file():
            _age(path)
    summary()
    assert len(list((folder.store / "t" / "_history").glob("*.msgpack.zstd"))) == 2
    configure("overwrite", FIRST[:1], keep={"commits": 1, "days": 1})
    orphan = folder.store / "t" / "table" / "k=x" / "young.parquet"
    orphan.write_bytes(b"of a writer that has not committed")
    old = folder.store / "t" / "table" / "k=x" / "old.parquet"
    old.write_bytes(b"of a run that failed")
    _age(old)
    summary()
    assert orphan.exists()
    assert not old.exists()
    assert stored(folder) == FIRST[:1]


def _age(path):
    import os
    import time

    long_ago = time.time() - 40 * 24 * 3600
    os.utime(path, (long_ago, long_ago))
