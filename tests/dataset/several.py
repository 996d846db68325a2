"""Datasets of several tables for tests: written as a run writes them, and read whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import pyarrow as pa

from component import identity
from component.dataset.commits.commit import CommitPlan, Prepared, commit, plan_commit
from component.dataset.commits.tables import fill_tables
from component.dataset.files.write import PartitionWriter, Written
from component.dataset.format.layout import Layout, OtherTable
from component.dataset.reading.reader import open_dataset, read_dataset
from component.store.base import Store
from component.store.uncommitted import Uncommitted

UUID = "trips"
FLIGHTS = pa.table(
    {
        "flight": pa.array([1, 2, 3], pa.int64()),
        "day": ["mon", "mon", "tue"],
        "origin": ["BRU", "é/x", None],
    }
)
SEATS = pa.table(
    {
        "seat": ["1A", "2B", "3C", "4D"],
        "flight": pa.array([1, 3, 4, None], pa.int64()),
        "day": ["mon", "tue", "wed", "wed"],
    }
)
TABLES = {"flights": FLIGHTS, "seats": SEATS}


def plan_tables(
    store: Store,
    tables: Mapping[str, pa.Table],
    partition_on: Sequence[str] = ("day",),
    indices: Sequence[str] = (),
    *,
    mode: Any = "overwrite",
    **options: Any,
) -> CommitPlan:
    layouts = [
        Layout(
            UUID,
            rows.schema,
            tuple(partition_on),
            tuple(name for name in indices if name in rows.column_names),
            table=table,
            compatibility="kartothek",
        )
        for table, rows in tables.items()
    ]
    others = [OtherTable(layout, tuple(layout.schema.names[:1])) for layout in layouts[1:]]
    return plan_commit(store, layouts[0], mode, others=others, **options)


def write_tables(store: Store, plan: CommitPlan, tables: Mapping[str, pa.Table], splits: int = 1) -> list[Written]:
    """Write each table in so many splits, whose files have the same names in all tables, and files without rows."""
    run = identity.new_hex()[:24]
    written = []
    for layout in plan.layouts:
        rows = tables[layout.table]
        size = -(-rows.num_rows // splits) or 1
        for number in range(splits):
            files = count()
            writer = PartitionWriter(store, layout, lambda n=number, f=files: f"{run}{n:04x}{next(f):04x}")
            writer.add(rows.slice(number * size, size))
            written.append(writer.finish())
    return [*written, *fill_tables(Uncommitted(store), plan.layouts, written)]


def commit_tables(store: Store, tables: Mapping[str, pa.Table] = TABLES, *more: Any, **options: Any) -> Prepared:
    """Plan, write and commit all tables at once."""
    splits = options.pop("splits", 1)
    plan = plan_tables(store, tables, *more, **options)
    return commit(store, plan, write_tables(store, plan, tables, splits))


def read_table(store: Store, table: str, **question: Any) -> pa.Table:
    dataset = open_dataset(store, UUID, table=table)
    names = question.get("columns") or dataset.columns
    empty = pa.schema([dataset.schema.field(name) for name in names]).empty_table()
    return pa.concat_tables([empty, *read_dataset(dataset, **question)])
