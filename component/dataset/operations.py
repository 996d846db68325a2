"""Operations on a dataset, each one commit (reference kartothek 4): what goes, what comes, and nothing by mistake."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component import naming
from component.dataset.change import Base, Change, apply_change, labels_in_order
from component.dataset.commit import Prepared
from component.dataset.fit import fitted_rows
from component.dataset.predicates import bind_predicates, columns_of, expression_of
from component.dataset.reader import FileScan, plan_scan, read_scan
from component.errors import Place, UserError
from component.store.base import Store

COMPACT_BYTES: Final = 128 * naming.MIB
Scope = Mapping[str, Any]
"""Partition keys with the value that each must have."""


def set_metadata(store: Store, uuid: str, values: Mapping[str, Any], unset: Collection[str] = ()) -> Prepared | None:
    """Set and unset keys of the metadata. UserError `dataset.format` for a key that is ours or the format's."""
    for key in (*values, *unset):
        if key in {"creation_time", "tablemill"}:
            raise UserError(
                "dataset.format", f"The metadata key {key!r} is kept by Tablemill", remedy="Use another key."
            )

    def decide(base: Base) -> Change | None:
        before = base.dataset.header.metadata
        same = all(key in before and before[key] == value for key, value in values.items())
        if same and not any(key in before for key in unset):
            return None
        return Change("metadata", metadata=values, unset=unset)

    return apply_change(store, uuid, decide)


def build_indices(store: Store, uuid: str, columns: Sequence[str]) -> Prepared | None:
    """Build, or build again from the data, the secondary indices of some columns.

    UserError `column.missing` and `column.type` for a column that cannot have an index.
    """

    def decide(base: Base) -> Change:
        there = base.layout.secondary_indices
        return Change("build index", secondary_indices=tuple(dict.fromkeys([*there, *columns])), rebuilt=columns)

    return apply_change(store, uuid, decide)


def drop_indices(store: Store, uuid: str, columns: Sequence[str]) -> Prepared | None:
    """Drop secondary indices; UserError `column.missing` for one that is not there."""

    def decide(base: Base) -> Change:
        there = base.layout.secondary_indices
        for name in columns:
            if name not in there:
                raise UserError(
                    "column.missing",
                    "The column has no secondary index",
                    place=Place(table=uuid, column=name),
                    remedy=f"Indices are on {', '.join(there) or 'no column'}.",
                )
        return Change("drop index", secondary_indices=tuple(name for name in there if name not in columns))

    return apply_change(store, uuid, decide)


def delete_rows(store: Store, uuid: str, predicates: Sequence[Sequence[Sequence[Any]]]) -> Prepared | None:
    """Delete the rows of which the predicates are true; None when there is none.

    Only files that hold such rows are written again, and one that holds no others goes whole. Rows of which the
    predicates are unknown, because of a null, stay. Raises UserError as `bind_predicates`.
    """

    def decide(base: Base) -> Change | None:
        touched = [scan for scan in plan_scan(base.dataset, predicates) if _holds(base, scan)]
        if not touched:
            return None

        rows = (_others(base, scan) for scan in touched if scan.keep)
        return Change("delete", rows=[rows], removed=[scan.label for scan in touched])

    return apply_change(store, uuid, decide)


def _holds(base: Base, scan: FileScan) -> bool:
    """Say whether a file has any of the rows; only the columns that are asked about are read."""
    if not scan.keep:
        return True
    rows = read_scan(base.dataset.store, base.dataset.schema, scan, sorted(columns_of(scan.keep)))
    return bool(rows.num_rows)


def _others(base: Base, scan: FileScan) -> pa.Table:
    whole = FileScan(scan.label, scan.key, scan.partition_values, ())
    rows = read_scan(base.dataset.store, base.dataset.schema, whole, base.dataset.columns)
    return rows.filter(~pc.coalesce(expression_of(scan.keep), pc.scalar(False)))


def delete_partitions(store: Store, uuid: str, scope: Sequence[Scope]) -> Prepared | None:
    """Delete the partitions that any condition of the scope matches; None when none does.

    UserError `dataset.scope` for an empty scope or condition, which would mean everything, and for a column that is no
    partition key, since whole partitions go.
    """

    def decide(base: Base) -> Change | None:
        removed = labels_in_scope(base, scope)
        return Change("delete partitions", removed=removed) if removed else None

    return apply_change(store, uuid, decide)


def replace_partitions(store: Store, uuid: str, rows: Iterable[pa.Table], scope: Sequence[Scope]) -> Prepared | None:
    """Delete the partitions in scope and add rows, in one commit. `rows` may be asked for again after a lost race.

    UserError as `delete_partitions`, and `dataset.schema` for rows that have other columns or types.
    """

    def decide(base: Base) -> Change:
        fitted = (fitted_rows(table, base.layout.schema, uuid) for table in rows)
        return Change("replace partitions", rows=[fitted], removed=labels_in_scope(base, scope))

    return apply_change(store, uuid, decide)


def labels_in_scope(base: Base, scope: Sequence[Scope]) -> frozenset[str]:
    """Return the labels that a delete_scope matches; errors as `delete_partitions`."""
    keys = base.dataset.header.partition_keys
    if not scope or not all(scope):
        raise UserError(
            "dataset.scope",
            "The delete_scope has no condition and would match every partition",
            place=Place(table=base.dataset.header.uuid),
            remedy="Give each entry a partition key and its value.",
        )
    for condition in scope:
        for name in condition:
            if name not in keys:
                raise UserError(
                    "dataset.scope",
                    "The delete_scope names a column that is no partition key",
                    place=Place(table=base.dataset.header.uuid, column=name),
                    remedy=f"Partition keys are {', '.join(keys) or 'none'}; to delete single rows use predicates.",
                )
    asked = [[[name, "==", value] for name, value in condition.items()] for condition in scope]
    bind_predicates(asked, base.dataset.schema)
    return frozenset(scan.label for scan in plan_scan(base.dataset, asked))


def compact(
    store: Store, uuid: str, *, target_bytes: int = COMPACT_BYTES, sort_by: tuple[str, ...] = ()
) -> Prepared | None:
    """Write small files of a partition again as files of about `target_bytes`, sorted if asked; None if none are small.

    Rows stay in their order unless sorted. UserError `column.missing` for a column to sort by that is not there.
    """

    def decide(base: Base) -> Change | None:
        missing = [name for name in sort_by if name not in base.dataset.schema.names]
        if missing:
            raise UserError(
                "column.missing", "The dataset has no such column", place=Place(table=uuid, column=missing[0])
            )
        groups = list(_small_files(base, store, target_bytes))
        if not groups:
            return None

        rows = (
            (read_scan(store, base.dataset.schema, scan, base.dataset.columns) for scan in group) for group in groups
        )
        removed = [scan.label for group in groups for scan in group]
        return Change("compact", rows=rows, removed=removed, sort_by=sort_by)

    return apply_change(store, uuid, decide)


def _small_files(base: Base, store: Store, target_bytes: int) -> Iterator[list[FileScan]]:
    """Yield groups of at least two files of one partition that together stay within the target."""
    header = base.dataset.header
    sizes = {stat.key: stat.size for stat in store.list(f"{header.uuid}/{base.dataset.table}/")}
    for _, labels in groupby(labels_in_order(header), key=lambda label: label.rpartition("/")[0]):
        group: list[FileScan] = []
        total = 0
        for label in labels:
            key = header.partitions[label][base.dataset.table]
            size = sizes.get(key, 0)
            if group and total + size > target_bytes:
                if len(group) > 1:
                    yield group
                group, total = [], 0
            group.append(FileScan(label, key, base.dataset.partition_values(key), ()))
            total += size
        if len(group) > 1:
            yield group
