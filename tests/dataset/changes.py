"""Everything that can be done to a dataset, each with one call, and what a refusal must leave."""

import datetime as dt

import pyarrow as pa
import pytest

from component.dataset.changes.arrow_rows import given_rows
from component.dataset.changes.copying import copy_dataset
from component.dataset.changes.operations import (
    build_indices,
    compact,
    delete_partitions,
    delete_rows,
    replace_partitions,
    set_metadata,
)
from component.dataset.changes.restore import restore
from component.dataset.changes.writing import FileLayout, NewDataset, add_rows, make_dataset
from component.dataset.commits.garbage import Retention, collect, find_garbage
from component.dataset.commits.intent import Intent
from component.errors import TablemillError
from component.store.local import LocalStore
from tests.dataset.making import read_all, write_dataset
from tests.runner.data_folder import snapshot

ROWS = pa.table({"k": ["x", "x", "y"], "v": [1, 2, 2], "t": ["a", None, "c"]})
SOON = dt.timedelta(0)
HEADER = "sales.by-dataset-metadata.json"


def two_commits(root):
    """Two commits, one partition key, one index."""
    store = LocalStore(root)
    write_dataset(store, ROWS, ["k"], ["v"], metadata={"owner": "me"})
    write_dataset(store, ROWS, mode="append")
    return store


def add(store, rows, intent=Intent()):  # noqa: B008 - a value that nobody changes
    add_rows(store, "sales", given_rows(rows, "sales"), intent, FileLayout())


def make(store, rows, keys, uuid="new", *, replaces=False):
    make_dataset(store, uuid, given_rows(rows, uuid), NewDataset(partition_on=tuple(keys)), replaces=replaces)


OPERATIONS = {
    "read": read_all,
    "ask": lambda store: read_all(store, predicates=[[("v", "==", 2)]]),
    "append": lambda store: add(store, ROWS),
    "upsert": lambda store: add(store, ROWS.slice(1, 1), Intent("upsert", key=("k", "v"))),
    "delete keys": lambda store: add(store, ROWS.select(["k", "v"]), Intent("delete", key=("k", "v"))),
    "overwrite": lambda store: make(store, ROWS, ["k"], "sales", replaces=True),
    "replace": lambda store: replace_partitions(store, "sales", [ROWS], [{"k": "x"}]),
    "delete rows": lambda store: delete_rows(store, "sales", [[("t", "==", "c")]]),
    "delete partitions": lambda store: delete_partitions(store, "sales", [{"k": "x"}]),
    "metadata": lambda store: set_metadata(store, "sales", {"a": 1}),
    "index": lambda store: build_indices(store, "sales", ["t"]),
    "compact": lambda store: compact(store, "sales"),
    "collect": lambda store: collect(store, find_garbage(store, "sales", min_age=SOON, retention=Retention(1, SOON))),
    "restore": lambda store: restore(store, "sales", "HEAD~1"),
    "copy": lambda store: copy_dataset(store, "sales", store, "other"),
}
CHANGES = [name for name in OPERATIONS if name not in {"read", "ask"}]


def refused(store, operation, *codes):
    """Try an operation, which must be refused; everything in the store is then as it was."""
    before = snapshot(store.root)
    with pytest.raises(TablemillError) as caught:
        operation(store)
    assert caught.value.code in codes, caught.value
    assert snapshot(store.root) == before
    return caught.value
