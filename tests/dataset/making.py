"""Datasets for tests: written as a run writes them, read whole, compared as bags of rows."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import settings

from component import identity, naming
from component.dataset.commits.commit import CommitPlan, Prepared, commit, plan_commit
from component.dataset.files.write import PartitionWriter, Written
from component.dataset.format.layout import Layout
from component.dataset.reading.reader import open_dataset, read_dataset
from component.store.base import Store
from component.store.local import LocalStore

UUID = "sales"
with_files = settings(deadline=None, max_examples=60)
"""For properties whose every example writes files."""


@contextmanager
def new_store() -> Iterator[LocalStore]:
    """An empty store; property tests need one for each example."""
    with tempfile.TemporaryDirectory() as folder:
        yield LocalStore(Path(folder))


def layout_of(
    rows: pa.Table, partition_on: Sequence[str] = (), indices: Sequence[str] = (), uuid: str = UUID
) -> Layout:
    return Layout(uuid, rows.schema, tuple(partition_on), tuple(indices))


def write_files(store: Store, layout: Layout, *batches: pa.Table, buffer_bytes: int = naming.BUFFER_BYTES) -> Written:
    """Write batches of rows as one split does."""
    writer = PartitionWriter(store, layout, identity.new_hex, buffer_bytes=buffer_bytes)
    for rows in batches:
        writer.add(rows)
    return writer.finish()


def write_dataset(
    store: Store,
    rows: pa.Table,
    partition_on: Sequence[str] = (),
    indices: Sequence[str] = (),
    *,
    uuid: str = UUID,
    mode: Any = "overwrite",
    splits: int = 1,
    **options: Any,
) -> Prepared:
    """Plan, write the rows in so many splits, and commit."""
    plan = plan_commit(store, layout_of(rows, partition_on, indices, uuid), mode, **options)
    return commit(store, plan, write_splits(store, plan, rows, splits))


def write_splits(store: Store, plan: CommitPlan, rows: pa.Table, splits: int = 1) -> list[Written]:
    size = -(-rows.num_rows // splits) or 1
    return [write_files(store, plan.layout, rows.slice(number * size, size)) for number in range(splits)]


def read_all(store: Store, uuid: str = UUID, **question: Any) -> pa.Table:
    """All rows of a dataset that answer a question, in one table."""
    dataset = open_dataset(store, uuid)
    names = question.get("columns") or dataset.columns
    empty = pa.schema([dataset.schema.field(name) for name in names]).empty_table()
    return pa.concat_tables([empty, *read_dataset(dataset, **question)])


def bag(rows: pa.Table, columns: Sequence[str] | None = None) -> list[str]:
    """The rows without their order, as text that tells null, NaN, zeros and types apart."""
    names = sorted(columns or rows.column_names)
    return sorted(repr(tuple(row[name] for name in names)) for row in rows.select(names).to_pylist())
