"""delta-rs: a Delta table of the same rows, partitioned alike; it has no index."""

import pyarrow.compute as pc
import pyarrow.dataset  # noqa: F401 - loaded before the clock starts
import pyarrow.parquet as pq
from deltalake import DeltaTable, write_deltalake
from step import run


def _table(folder):
    return str(folder / "delta")


def write(folder):
    rows = pq.read_table(folder / "rows.parquet")

    def act():
        write_deltalake(_table(folder), rows, partition_by=["grp"], mode="overwrite")
        return rows.num_rows

    return act


def append(folder):
    rows = pq.read_table(folder / "appended.parquet")

    def act():
        write_deltalake(_table(folder), rows, mode="append")
        return rows.num_rows

    return act


def lookup(folder):
    def act():
        return DeltaTable(_table(folder)).to_pyarrow_dataset().to_table(filter=pc.field("id") == 777)["id"].to_pylist()

    return act


def upsert(folder):
    rows = pq.read_table(folder / "changed.parquet")

    def act():
        merge = DeltaTable(_table(folder)).merge(rows, "t.id = s.id", source_alias="s", target_alias="t")
        merge.when_matched_update_all().when_not_matched_insert_all().execute()
        return rows.num_rows

    return act


run({step.__name__: step for step in (write, append, lookup, upsert)})
