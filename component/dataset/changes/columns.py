"""Columns of a dataset added, widened, renamed and dropped, each one commit (docs/dataset-operations.md).

Data files are written again with the new columns, since the original clients read columns as each file has them. A
null column may also be added to the schema alone: our readers then find null where a file lacks it. plateau does so in
whole tables only, not where the column is asked for or about, and `verify` says that files lack it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import pyarrow as pa

from component.dataset.changes.change import Base, Change, apply_change
from component.dataset.changes.column_edits import NewColumn, check_widening, constant, kept_attributes, renamed
from component.dataset.changes.execution import HERE, Executor
from component.dataset.changes.rewrite import EditColumns, in_groups, new_target
from component.dataset.commits.commit import Prepared
from component.dataset.format.keys import check_partition_keys
from component.dataset.format.layout import Layout, OtherTable
from component.dataset.format.schema import normal_type
from component.dataset.format.values import check_partition_type
from component.dataset.reading.reader import Dataset, plan_scan
from component.errors import Place, UserError
from component.store.base import Store
from component.tables.types import BASE_TYPES, Column, TypeName

TypeLike: TypeAlias = str | pa.DataType
"""A type as a configuration says it, `numeric(12,2)`, or as Arrow does."""
_TYPE: Final = re.compile(r"\s*([a-z]+)\s*(?:\(\s*([0-9,\s]+)\))?\s*")


def type_of(name: str, wanted: TypeLike) -> pa.DataType:
    """Return the type that a column is to have; UserError `column.type` for a word that is no type."""
    if isinstance(wanted, pa.DataType):
        return normal_type(wanted)
    found = _TYPE.fullmatch(wanted)
    if found is None or found[1] not in BASE_TYPES or (found[2] and found[1] != TypeName.NUMERIC):
        raise UserError(
            "column.type",
            f"{wanted!r} is no type of a column",
            place=Place(column=name),
            remedy=f"Types are {', '.join(BASE_TYPES)}; numeric may have a length, as numeric(12,2).",
        )
    return Column(name, TypeName(found[1]), found[2]).arrow


def add_column(
    store: Store,
    uuid: str,
    name: str,
    wanted: TypeLike,
    value: Any = None,
    *,
    schema_only: bool = False,
    table: str | None = None,
    executor: Executor = HERE,
) -> Prepared | None:
    """Add a column at the end, null or with the same value in every row; of several tables, to the one named.

    `schema_only` writes no data file: only for null, and for datasets that no other client reads. UserError
    `column.duplicate` for a column that is there, `column.type`, `cell.type` for a value that is none of the type.
    """
    data_type = type_of(name, wanted)
    fixed = constant(name, data_type, value)
    if schema_only and fixed is not None:
        raise UserError(
            "config.value",
            "A column that is added to the schema alone is null",
            place=Place(table=uuid, column=name),
            remedy="Leave the value out, or have the files written again.",
        )

    def decide(base: Base) -> Change:
        _check_new(base.chosen, name)
        layout = base.layout
        columns = [*_as_they_are(layout), NewColumn(pa.field(name, data_type), None, fixed)]
        edits = {layout.table: _Edit(layout, columns, base.primary_key(layout.table))}
        if not schema_only:
            return _rewritten("add column", base, edits)
        return Change("add column", tables=_tables(base, edits))

    return apply_change(store, uuid, decide, table=table, executor=executor)


def widen_column(
    store: Store, uuid: str, name: str, wanted: TypeLike, *, table: str | None = None, executor: Executor = HERE
) -> Prepared | None:
    """Give a column a wider type; None when it has it already. Indices on it, and paths it is part of, follow.

    Of several tables, all that have the column or the one named.

    UserError `column.missing`; `column.type` for a type that could lose something, or that a partition key cannot have;
    `cell.type` for a value that the type does not hold exactly, such as 2^53 + 1 as float.
    """
    data_type = type_of(name, wanted)

    def decide(base: Base) -> Change | None:
        edits = {}
        for dataset, layout in _having(base, name):
            old = layout.schema.field(name).type
            if old.equals(data_type):
                continue
            check_widening(name, old, data_type)
            if name in layout.partition_on:
                check_partition_type(name, data_type, table=uuid)
            columns = [
                replace(column, field=pa.field(name, data_type)) if column.source == name else column
                for column in _as_they_are(layout)
            ]
            known = kept_attributes(dataset.attributes.get(name, {}))
            new = replace(layout, attributes=((name, known),))
            edits[layout.table] = _Edit(new, columns, base.primary_key(layout.table))
        return _rewritten("widen column", base, edits) if edits else None

    return apply_change(store, uuid, decide, several=True, table=table, executor=executor)


def rename_column(
    store: Store, uuid: str, name: str, new_name: str, *, table: str | None = None, executor: Executor = HERE
) -> Prepared | None:
    """Give a column another name; None when that is its name. Of several tables, in all that have it or the one named.

    What names the column follows: partition keys, with new paths of all files, secondary indices, the primary key, and
    attributes.

    UserError `column.missing`, `column.duplicate` for a name that another column has, and `column.type` for one that no
    partition key can have.
    """

    def decide(base: Base) -> Change | None:
        edits = {}
        for dataset, layout in _having(base, name):
            if name == new_name:
                return None
            _check_new(dataset, new_name)
            if name in layout.partition_on:
                check_partition_keys([new_name], uuid)
            columns = [
                replace(column, field=pa.field(new_name, column.field.type)) if column.source == name else column
                for column in _as_they_are(layout)
            ]
            new = replace(
                layout,
                partition_on=renamed(layout.partition_on, name, new_name),
                secondary_indices=renamed(layout.secondary_indices, name, new_name),
                attributes=((new_name, tuple(sorted(dataset.attributes.get(name, {}).items()))),),
            )
            key = renamed(base.primary_key(layout.table), name, new_name)
            edits[layout.table] = _Edit(new, columns, key)
        return _rewritten("rename column", base, edits)

    return apply_change(store, uuid, decide, several=True, table=table, executor=executor)


def drop_column(
    store: Store, uuid: str, name: str, *, table: str | None = None, executor: Executor = HERE
) -> Prepared | None:
    """Drop a column, and its secondary index; older states keep it until a collection.

    Of several tables, from all that have it or the one named; the index stays as long as one of them has the column.

    UserError `column.missing`; `dataset.partitioning` for a partition key, `dataset.key` for a column of the primary
    key, `dataset.schema` for the last column of the data files.
    """

    def decide(base: Base) -> Change:
        edits = {}
        for _, layout in _having(base, name):
            key = base.primary_key(layout.table)
            _check_free(layout, name, key)
            columns = [column for column in _as_they_are(layout) if column.source != name]
            left = tuple(index for index in layout.secondary_indices if index != name)
            edits[layout.table] = _Edit(replace(layout, secondary_indices=left), columns, key)
        return _rewritten("drop column", base, edits)

    return apply_change(store, uuid, decide, several=True, table=table, executor=executor)


@dataclass(frozen=True, slots=True)
class _Edit:
    """One table as it will be: how it is laid out, its columns and where their values come from, its primary key."""

    layout: Layout
    columns: Sequence[NewColumn]
    primary_key: tuple[str, ...]

    @property
    def table(self) -> OtherTable:
        schema = pa.schema([column.field for column in self.columns])
        return OtherTable(replace(self.layout, schema=schema), self.primary_key)


def _having(base: Base, name: str) -> list[tuple[Dataset, Layout]]:
    """Return the tables in which a column changes: the one named, or all that have it; a partition key is in all.

    UserError `column.missing` when none has it.
    """
    every = base.table is None or name in base.dataset.header.partition_keys
    pairs = [pair for pair in zip(base.datasets, base.layouts, strict=True) if every or pair[0] is base.chosen]
    found = [pair for pair in pairs if name in pair[0].schema.names]
    if not found:
        raise UserError(
            "column.missing",
            "The dataset has no such column",
            place=Place(table=base.dataset.header.uuid, column=name),
            remedy=f"The columns are {', '.join(base.chosen.columns)}.",
        )
    return found


def _tables(base: Base, edits: Mapping[str, _Edit]) -> tuple[OtherTable, ...]:
    return tuple(
        edits[layout.table].table if layout.table in edits else OtherTable(layout, base.primary_key(layout.table))
        for layout in base.layouts
    )


def _as_they_are(layout: Layout) -> list[NewColumn]:
    return [NewColumn(field, field.name) for field in layout.schema]


def _rewritten(operation: str, base: Base, edits: Mapping[str, _Edit]) -> Change:
    """Return the change that writes every file of some tables again in new columns; indices are of new files alone."""
    tables, sizes, run = _tables(base, edits), base.sizes(), ""
    tasks: list[EditColumns] = []
    for dataset, new in zip(base.datasets, tables, strict=True):
        if new.layout.table not in edits:
            continue
        target = new_target(dataset.store, dataset.schema, new.layout, run)
        run, columns = target.run, tuple(edits[new.layout.table].columns)
        tasks += [EditColumns(target, group, columns) for group in in_groups(plan_scan(dataset), sizes)]
    rebuilt = {name for table in tables for name in table.layout.secondary_indices}
    return Change(operation, tasks=tasks, sizes=sizes, rebuilt=rebuilt, tables=tables)


def _check_new(dataset: Dataset, name: str) -> None:
    uuid = dataset.header.uuid
    if not name:
        raise UserError("config.value", "A column must have a name", place=Place(table=uuid))
    if name in dataset.schema.names:
        raise UserError(
            "column.duplicate",
            "The dataset has a column of that name",
            place=Place(table=uuid, column=name),
            remedy="Choose another name.",
        )


def _check_free(layout: Layout, name: str, key: Sequence[str]) -> None:
    """Raise UserError for a column that the dataset cannot be without."""
    found = next((fault for fault in _FAULTS if fault[0](layout, name, key)), None)
    if found is not None:
        _, code, text, remedy = found
        raise UserError(code, text, place=Place(table=layout.uuid, column=name), remedy=remedy)


_FAULTS: Final[tuple[tuple[Callable[[Layout, str, Sequence[str]], bool], str, str, str], ...]] = (
    (
        lambda layout, name, _: name in layout.partition_on,
        "dataset.partitioning",
        "The dataset is partitioned by the column",
        "Write the dataset again with other partition keys.",
    ),
    (
        lambda _, name, key: name in key,
        "dataset.key",
        "The column is part of the primary key",
        "Drop another column.",
    ),
    (
        lambda layout, name, _: set(layout.schema.names) == {*layout.partition_on, name},
        "dataset.schema",
        "The column is the last one of the data files",
        "Delete the dataset, or add another column before.",
    ),
)
