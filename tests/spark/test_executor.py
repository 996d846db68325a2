"""Changes of datasets on a real Spark: the same rows, files and indices as in this process."""

from __future__ import annotations

import contextlib

import pyarrow as pa
import pytest

from component import naming
from component.dataset.changes.execution import HERE, WhenLarge
from component.dataset.changes.operations import compact, delete_rows
from component.dataset.changes.upsert import delete_keys, upsert
from component.dataset.format.header import read_header
from component.dataset.verification.verify import verify
from component.errors import UserError
from component.spark.executor import SparkExecutor
from component.store.local import LocalStore
from tests.dataset.making import bag, read_all, write_dataset

ROWS = pa.table({"id": range(40), "k": [f"k{row % 4}" for row in range(40)], "v": [row % 7 for row in range(40)]})
NEW = pa.table({"id": [3, 4, 100], "k": ["k1", "moved", "k0"], "v": [None, 1, 2]})


def small_files(root):
    store = LocalStore(root)
    for row in range(0, 40, 10):
        write_dataset(store, ROWS.slice(row, 10), ["k"], ["v"], mode="append", primary_key=["id"])
    return store


CHANGES = {
    "delete rows": lambda store, **more: delete_rows(store, "sales", [[["v", "in", [2, 3]]]], **more),
    "upsert": lambda store, **more: upsert(store, "sales", NEW, **more),
    "delete keys": lambda store, **more: delete_keys(store, "sales", NEW.select(["id"]), **more),
    "compact": lambda store, **more: compact(store, "sales", sort_by=("v",), **more),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_on_spark_is_the_same_change(tmp_path, engine, change):
    here, there = small_files(tmp_path / "here"), small_files(tmp_path / "there")
    CHANGES[change](here)
    CHANGES[change](there, executor=SparkExecutor(engine))
    assert bag(read_all(there)) == bag(read_all(here))
    assert not verify(there, "sales").faults
    assert _folders(there) == _folders(here)


def _folders(store):
    return sorted(label.rpartition("/")[0] for label in read_header(store, "sales").header.partitions)


def test_an_error_of_one_task_leaves_nothing_of_the_others(tmp_path, engine, monkeypatch):
    store = small_files(tmp_path)
    monkeypatch.setattr(naming, "REWRITE_GROUP_FILES", 1)
    files = read_header(store, "sales").header.partitions
    (tmp_path / list(files.values())[-1]["table"]).write_bytes(b"no Parquet")
    before = {stat.key for stat in store.list("sales")}
    with pytest.raises(UserError, match="Parquet"):
        upsert(store, "sales", NEW, executor=SparkExecutor(engine))
    assert {stat.key for stat in store.list("sales")} == before


class Noted(SparkExecutor):
    def __init__(self, engine, ran):
        super().__init__(engine)
        self.ran = ran

    def run(self, function, tasks, *, files=0, size=0):
        self.ran.append(len(tasks))
        return super().run(function, tasks, files=files, size=size)


@pytest.mark.parametrize("large", [False, True])
def test_spark_is_started_for_large_changes_only_and_once(tmp_path, engine, monkeypatch, large):
    monkeypatch.setattr(naming, "SPARK_REWRITE_BYTES", 0 if large else naming.GIB)
    monkeypatch.setattr(naming, "REWRITE_GROUP_FILES", 2)
    store, ran, starts = small_files(tmp_path), [], []

    def start():
        starts.append(1)
        return contextlib.nullcontext(Noted(engine, ran))

    with WhenLarge(start) as executor:
        assert executor.run(len, []) == HERE.run(len, []) == []
        delete_rows(store, "sales", [[["v", "==", 3]]], executor=executor)
        upsert(store, "sales", NEW, executor=executor)
        assert executor.started == large
    assert (len(starts), bool(ran)) == (int(large), large)
    assert sorted(set(read_all(store)["v"].to_pylist()) - {None}) == [0, 1, 2, 4, 5, 6]
