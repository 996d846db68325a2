"""Rows written by this process, and committed: what a run does on Spark, for rows that are in somebody's hands."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from component import identity, naming
from component.dataset.changes.arrow_rows import GivenRows
from component.dataset.changes.change import Change, carry_out, open_base
from component.dataset.changes.execution import HERE, Executor
from component.dataset.changes.modes import files_layout, plan_write
from component.dataset.changes.settling import commit_write
from component.dataset.changes.upsert import primary_key_of
from component.dataset.commits.commit import CommitPlan, Prepared
from component.dataset.commits.fit import index_doubts, joining_losses
from component.dataset.commits.intent import Intent, KeyRule
from component.dataset.files.write import PartitionWriter
from component.dataset.format.buckets import buckets_of
from component.dataset.format.header import HeaderFormat
from component.dataset.format.layout import Compatibility, Layout, OtherTable
from component.dataset.format.values import check_partition_type
from component.errors import CommitRefusedError, Place, UserError
from component.formats.losses import Loss, LostCells, lost_cells
from component.store.base import Store
from component.store.uncommitted import Uncommitted
from component.tables.types import TableSchema


@dataclass(frozen=True, slots=True)
class FileLayout:
    """How the rows of one write are put into files; later writes need not do the same.

    The rows of a file are sorted by `sort_by`. With `bucket_by` and `num_buckets` rows whose values there are equal are
    in one file of their partition, which has at most so many files.
    """

    sort_by: Sequence[str] = ()
    bucket_by: Sequence[str] = ()
    num_buckets: int | None = None

    def applied(self, layout: Layout) -> Layout:
        """Return a layout with files like this; UserError `column.missing` and `config.value`."""
        names = layout.schema.names
        _check_columns(self.sort_by, names, layout.uuid)
        return replace(
            layout,
            sort_by=tuple(name for name in self.sort_by if name not in layout.partition_on),
            buckets=buckets_of(tuple(self.bucket_by), self.num_buckets, names, layout.uuid),
        )


@dataclass(frozen=True, slots=True)
class NewDataset:
    """How a dataset is laid out that is made, or made anew."""

    partition_on: tuple[str, ...] = ()
    secondary_indices: tuple[str, ...] = ()
    primary_key: tuple[str, ...] = ()
    files: FileLayout = field(default_factory=FileLayout)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    storage_format: HeaderFormat = "json"
    table: str = naming.DEFAULT_TABLE
    compatibility: Compatibility = "plateau"
    on_duplicate_key: KeyRule = "warn"


def make_dataset(
    store: Store, uuid: str, rows: GivenRows, new: NewDataset, *, replaces: bool, executor: Executor = HERE
) -> Prepared:
    """Write rows as a dataset, in the place of one that is there if it `replaces`.

    CommitRefusedError when one is there and must not be, or comes to be there meanwhile. UserError `column.missing` and
    `column.type` for columns that the layout names, `config.value` for buckets, and as `write_rows`.
    """
    _check_columns([*new.partition_on, *new.primary_key], rows.schema.names, uuid)
    for name in new.partition_on:
        check_partition_type(name, rows.schema.column(name).arrow, table=uuid)
    layout = replace(
        _layout(uuid, rows.schema),
        partition_on=new.partition_on,
        secondary_indices=new.secondary_indices,
        table=new.table,
        compatibility=new.compatibility,
    )
    layout = new.files.applied(layout)
    for doubt in index_doubts([layout]):
        warnings.warn(doubt, stacklevel=2)
    plan = plan_write(
        store,
        layout,
        Intent("overwrite", on_duplicate_key=new.on_duplicate_key),
        metadata=new.metadata,
        storage_format=new.storage_format,
        primary_key=new.primary_key,
    )
    if plan.base is not None and not replaces:
        raise CommitRefusedError(
            "commit.refused",
            f"The dataset {uuid!r} exists in {store.url}",
            remedy="Choose another uuid, append to it, or overwrite it.",
        )
    done = write_rows(store, plan, rows.tables(), executor)
    assert done is not None  # noqa: S101 - an overwrite always commits
    return done


def add_rows(
    store: Store,
    uuid: str,
    rows: GivenRows,
    intent: Intent,
    files: FileLayout,
    *,
    table: str | None = None,
    executor: Executor = HERE,
) -> Prepared | None:
    """Let rows meet those of a dataset that is there, in any mode but overwrite; of several tables, those of `table`.

    None for an upsert without rows, and for keys that no row has. Whole numbers, dates and shorter decimals are taken
    by columns of a wider type, where every value fits. UserError `dataset.schema` for other columns or types, and as
    `plan_write`.
    """
    base = open_base(store, uuid, table=table)
    fitting = rows.towards(base.chosen.schema)
    own = _layout(uuid, fitting.schema)
    layout = files.applied(replace(base.layout, schema=_in_order(own.schema, base.layout.schema.names)))
    if intent.mode == "delete":
        layout = replace(own, table=base.chosen.table)
    plan = plan_write(store, layout, intent, primary_key=primary_key_of(base.chosen))
    if intent.mode == "delete" or plan.base is None:
        return write_rows(store, plan, fitting.tables(), executor)
    losses = tuple(joining_losses(_layout(uuid, rows.schema), plan.layout, plan.base.header))
    lost: list[LostCells] = []
    done = write_rows(store, plan, _counted(fitting.tables(), losses, lost), executor)
    for one in lost_cells(lost):
        warnings.warn(f"Column {one.loss.column!r} of {uuid!r}: {one.text}.", stacklevel=2)
    return done


def _counted(tables: Iterable[pa.Table], losses: Sequence[Loss], lost: list[LostCells]) -> Iterator[pa.Table]:
    for table in tables:
        lost += [LostCells(loss, loss.cells(table)) for loss in losses]
        yield table


def overwrite_rows(
    store: Store,
    uuid: str,
    rows: GivenRows,
    *,
    table: str | None = None,
    partition_on: Sequence[str] | None = None,
    secondary_indices: Sequence[str] | None = None,
    primary_key: Sequence[str] | None = None,
    files: FileLayout | None = None,
    metadata: Mapping[str, Any] | None = None,
    on_duplicate_key: KeyRule = "warn",
    executor: Executor = HERE,
) -> Prepared:
    """Put rows in the place of all that a dataset has, or of several tables one; what is not given stays as it is.

    The other tables of a dataset of several keep their rows, and all have the same partition keys. Errors as
    `make_dataset`, `dataset.partitioning` for other partition keys or indices in one of several tables.
    """
    base = open_base(store, uuid, table=table)
    header = base.dataset.header
    new = NewDataset(
        tuple(header.partition_keys if partition_on is None else partition_on),
        tuple(sorted(header.indices) if secondary_indices is None else secondary_indices),
        base.primary_key(base.chosen.table) if primary_key is None else tuple(primary_key),
        files or FileLayout(),
        metadata or {},
        base.stored.storage_format,
        base.chosen.table,
        base.compatibility or "plateau",
        on_duplicate_key,
    )
    if not base.others:
        return make_dataset(store, uuid, rows, new, replaces=True, executor=executor)
    if new.partition_on != header.partition_keys or set(new.secondary_indices) != set(header.indices):
        raise UserError(
            "dataset.partitioning",
            "One table of several cannot have other partition keys or indices than the rest",
            place=Place(table=uuid),
            remedy="Leave them out; tablemill dataset build-index and drop-index change the indices of all tables.",
        )
    _check_columns([*new.partition_on, *new.primary_key], rows.schema.names, uuid)
    indices = tuple(name for name in header.indices if name in rows.schema.names)
    own = replace(_layout(uuid, rows.schema), partition_on=new.partition_on, secondary_indices=indices)
    own = new.files.applied(replace(own, table=new.table, compatibility=new.compatibility))
    partitions = header.partitions
    change = Change(
        "overwrite",
        rows=[(part.select(own.schema.names) for part in rows.tables())],
        metadata=new.metadata,
        sort_by=own.sort_by,
        emptied=[(label, new.table) for label in partitions if new.table in partitions[label]],
        tables=tuple(
            OtherTable(own, new.primary_key)
            if layout.table == new.table
            else OtherTable(layout, base.primary_key(layout.table))
            for layout in base.layouts
        ),
        intent=Intent(on_duplicate_key=on_duplicate_key),
    )
    done = carry_out(store, base, change, executor)
    assert done is not None  # noqa: S101 - a change with rows always commits
    return done


def write_rows(
    store: Store, plan: CommitPlan, tables: Iterable[pa.Table], executor: Executor = HERE
) -> Prepared | None:
    """Write the data files of a planned write here, and commit them; on any error nothing of them is left.

    None, and no commit, for a write by key that changes nothing. After CommitUnknownError the files stay: the dataset
    may name them. UserError `row.null_partition`; errors as `commit_write`.
    """
    layout = files_layout(plan)
    with Uncommitted(store) as uncommitted:
        with PartitionWriter(store, layout, identity.new_hex) as writer:
            for table in tables:
                writer.add(table.select(layout.schema.names))
            written = writer.finish()
        uncommitted.add(file.key for file in written.files)
        return commit_write(uncommitted, plan, [written], executor, if_idle="leave")


def _in_order(schema: pa.Schema, names: Sequence[str]) -> pa.Schema:
    """Return columns in the order that a dataset has them in; its new ones, which will be refused, at the end."""
    known = [name for name in names if name in schema.names]
    return pa.schema([schema.field(name) for name in (*known, *(one for one in schema.names if one not in known))])


def _layout(uuid: str, schema: TableSchema) -> Layout:
    attributes = tuple((column.name, column.attributes) for column in schema.columns if column.attributes)
    return Layout(uuid, schema.arrow, attributes=attributes)


def _check_columns(wanted: Sequence[str], names: Sequence[str], uuid: str) -> None:
    for name in wanted:
        if name not in names:
            raise UserError(
                "column.missing",
                "The rows have no such column",
                place=Place(table=uuid, column=name),
                remedy=f"The columns are {', '.join(names)}.",
            )
