"""Operations on a dataset, each one commit (reference kartothek 4): what goes, what comes, and nothing by mistake."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import pyarrow as pa

from component import naming
from component.dataset.changes.change import Base, Change, apply_change, labels_in_order
from component.dataset.changes.execution import HERE, Executor
from component.dataset.changes.rewrite import DropRows, JoinFiles, in_groups
from component.dataset.commits.commit import Prepared
from component.dataset.commits.fit import fitted_rows
from component.dataset.commits.intent import Intent, KeyRule
from component.dataset.commits.scope import Scope, labels_in_scope
from component.dataset.reading.reader import Dataset, FileScan, plan_scan
from component.errors import Place, UserError
from component.store.base import Store


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

    return apply_change(store, uuid, decide, several=True)


def build_indices(store: Store, uuid: str, columns: Sequence[str]) -> Prepared | None:
    """Build, or build again from the data, the secondary indices of some columns.

    UserError `column.missing` and `column.type` for a column that cannot have an index.
    """

    def decide(base: Base) -> Change:
        there = tuple(base.dataset.header.indices)
        return Change("build index", secondary_indices=tuple(dict.fromkeys([*there, *columns])), rebuilt=columns)

    return apply_change(store, uuid, decide, several=True)


def drop_indices(store: Store, uuid: str, columns: Sequence[str]) -> Prepared | None:
    """Drop secondary indices; UserError `column.missing` for one that is not there."""

    def decide(base: Base) -> Change:
        there = tuple(base.dataset.header.indices)
        for name in columns:
            if name not in there:
                raise UserError(
                    "column.missing",
                    "The column has no secondary index",
                    place=Place(table=uuid, column=name),
                    remedy=f"Indices are on {', '.join(there) or 'no column'}.",
                )
        return Change("drop index", secondary_indices=tuple(name for name in there if name not in columns))

    return apply_change(store, uuid, decide, several=True)


def delete_rows(
    store: Store,
    uuid: str,
    predicates: Sequence[Sequence[Sequence[Any]]],
    *,
    table: str | None = None,
    executor: Executor = HERE,
) -> Prepared | None:
    """Delete the rows of which the predicates are true; None when there is none. Of several tables, `table` names one.

    Only files that hold such rows are written again, and one that holds no others goes whole. Rows of which the
    predicates are unknown, because of a null, stay. Raises UserError as `bind_predicates`.
    """

    def decide(base: Base) -> Change | None:
        scans = plan_scan(base.chosen, predicates)
        whole = [(scan.label, base.chosen.table) for scan in scans if not scan.keep]
        some = [scan for scan in scans if scan.keep]
        if not scans:
            return None
        sizes = base.sizes() if len(some) > naming.SPARK_REWRITE_FILES else {}
        target = base.target()
        tasks = [DropRows(target, group) for group in in_groups(some, sizes)]
        return Change("delete", emptied=whole, tasks=tasks, sizes=sizes)

    return apply_change(store, uuid, decide, table=table, executor=executor)


def delete_partitions(store: Store, uuid: str, scope: Sequence[Scope]) -> Prepared | None:
    """Delete the partitions that any condition of the scope matches; None when none does.

    UserError `dataset.scope` for an empty scope or condition, which would mean everything, and for a column that is no
    partition key, since whole partitions go.
    """

    def decide(base: Base) -> Change | None:
        removed = labels_in_scope(base.dataset, scope)
        return Change("delete partitions", removed=removed) if removed else None

    return apply_change(store, uuid, decide, several=True)


def replace_partitions(
    store: Store,
    uuid: str,
    rows: Iterable[pa.Table],
    scope: Sequence[Scope],
    *,
    table: str | None = None,
    on_duplicate_key: KeyRule = "warn",
) -> Prepared | None:
    """Delete the partitions in scope and add rows, in one commit. `rows` may be asked for again after a lost race.

    Of several tables, `table` names the one whose rows go and come.

    UserError as `delete_partitions`, and `dataset.schema` for rows that have other columns or types.
    """

    def decide(base: Base) -> Change:
        fitted = (fitted_rows(table, base.layout.schema, uuid) for table in rows)
        own = base.chosen.table
        partitions, labels = base.dataset.header.partitions, labels_in_scope(base.dataset, scope)
        emptied = [(label, own) for label in sorted(labels) if own in partitions[label]]
        rule = Intent(on_duplicate_key=on_duplicate_key)
        return Change("replace partitions", rows=[fitted], emptied=emptied, intent=rule)

    return apply_change(store, uuid, decide, table=table)


def compact(
    store: Store,
    uuid: str,
    *,
    target_bytes: int = naming.COMPACT_BYTES,
    sort_by: tuple[str, ...] = (),
    executor: Executor = HERE,
) -> Prepared | None:
    """Write small files of a partition again as files of about `target_bytes`, sorted if asked; None if none are small.

    Rows stay in their order unless sorted. Of several tables the files of one label stay together, and each table is
    sorted by those of the columns that it has. UserError `column.missing` for a column to sort by that is not there.
    """

    def decide(base: Base) -> Change | None:
        known = {name for one in base.datasets for name in one.schema.names}
        missing = [name for name in sort_by if name not in known]
        if missing:
            raise UserError(
                "column.missing", "The dataset has no such column", place=Place(table=uuid, column=missing[0])
            )
        sizes = base.sizes()
        targets = base.targets([name for name in sort_by if name not in base.dataset.header.partition_keys])
        groups = list(_small_files(base, sizes, target_bytes))
        tasks = [
            JoinFiles(target, scans)
            for group in groups
            for one, target in zip(base.datasets, targets, strict=True)
            if (scans := tuple(_scans(one, group)))
        ]
        return Change("compact", tasks=tasks, sizes=sizes) if tasks else None

    return apply_change(store, uuid, decide, several=True, executor=executor)


def _scans(table: Dataset, labels: Iterable[str]) -> Iterator[FileScan]:
    for label in labels:
        key = table.header.partitions[label].get(table.table)
        if key is not None:
            yield FileScan(label, key, table.partition_values(key), ())


def _small_files(base: Base, sizes: Mapping[str, int], target_bytes: int) -> Iterator[list[str]]:
    """Yield groups of at least two labels of one partition whose files together stay within the target."""
    header = base.dataset.header
    for _, labels in groupby(labels_in_order(header), key=lambda label: label.rpartition("/")[0]):
        group: list[str] = []
        total = 0
        for label in labels:
            size = sum(sizes.get(key, 0) for key in header.partitions[label].values())
            if group and total + size > target_bytes:
                if len(group) > 1:
                    yield group
                group, total = [], 0
            group.append(label)
            total += size
        if len(group) > 1:
            yield group
