"""Tablemill as a library, in one process, as plateau is: rows in memory to a dataset, and questions to it."""

import pandas as pd  # noqa: F401 - pyarrow loads it on first use where it is there: before the clock, as all libraries
import pyarrow as pa
import pyarrow.parquet as pq
from step import run

from component import identity
from component.dataset.commits.commit import commit, plan_commit
from component.dataset.files.write import PartitionWriter
from component.dataset.format.layout import Layout
from component.dataset.reading.reader import open_dataset, read_dataset
from component.store.local import LocalStore

UUID = "shape"


def _store(folder):
    return LocalStore(folder / "mill")


def _put(folder, rows, mode):
    layout = Layout(UUID, rows.schema, ("grp",), ("id",))
    store = _store(folder)
    plan = plan_commit(store, layout, mode, primary_key=["id"])
    writer = PartitionWriter(store, plan.layout, identity.new_hex)
    for start in range(0, rows.num_rows, 500_000):
        writer.add(rows.slice(start, 500_000))
    return commit(store, plan, [writer.finish()]).index_values["id"]


def write(folder):
    rows = pq.read_table(folder / "rows.parquet")
    return lambda: _put(folder, rows, "overwrite")


def append(folder):
    rows = pq.read_table(folder / "appended.parquet")
    return lambda: _put(folder, rows, "append")


def _ask(folder, predicates):
    return pa.concat_tables(read_dataset(open_dataset(_store(folder), UUID), predicates=predicates))


def read(folder):
    return lambda: _ask(folder, None).num_rows


def read_pandas(folder):
    return lambda: len(_ask(folder, None).to_pandas())


def lookup(folder):
    def act():
        return _ask(folder, [[("id", "==", 777)]])["id"].to_pylist()

    return act


def range_lookup(folder):
    return lambda: _ask(folder, [[("cust", "==", 777), ("day", ">", "2021-01-01")]]).num_rows


def upsert(folder):
    from component.dataset.changes.upsert import upsert as upsert_rows

    rows = pq.read_table(folder / "changed.parquet")

    def act():
        upsert_rows(_store(folder), UUID, rows)
        return rows.num_rows

    return act


run({step.__name__: step for step in (write, append, read, read_pandas, lookup, range_lookup, upsert)})
