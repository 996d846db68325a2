"""Changes of a dataset that is there, each one commit: read its state, decide, write new files, commit onto that state.

A change that loses the race is made again from the new state: what it decided may no longer be right.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from component import identity
from component.dataset.changes.carrying import carry
from component.dataset.changes.execution import HERE, Executor
from component.dataset.changes.known_keys import check_known_keys, check_new_keys
from component.dataset.changes.rewrite import (
    Rewrite,
    RewriteTarget,
    Rewritten,
    new_target,
    run_rewrites,
)
from component.dataset.commits.commit import CommitPlan, Prepared, commit
from component.dataset.commits.fit import check_indices
from component.dataset.commits.intent import Intent
from component.dataset.commits.latest import on_latest
from component.dataset.commits.tables import check_has_table, check_one_table, check_same_table, check_shared
from component.dataset.commits.writable import make_explicit
from component.dataset.files.write import PartitionWriter, Written
from component.dataset.format.flavour import flavour_of, said_flavour
from component.dataset.format.header import Header, StoredHeader, missing_dataset
from component.dataset.format.keys import check_uuid
from component.dataset.format.layout import Compatibility, Layout, OtherTable
from component.dataset.format.trusted import read_schema
from component.dataset.reading.reader import Dataset
from component.store.base import Store
from component.store.uncommitted import Uncommitted


@dataclass(frozen=True, slots=True)
class Base:
    """The state that a change starts from: its header, and its tables, in most datasets one.

    `table` is the one whose rows change, where a change is of one.
    """

    stored: StoredHeader
    dataset: Dataset
    others: tuple[Dataset, ...] = ()
    compatibility: Compatibility | None = None
    table: str | None = None

    @property
    def datasets(self) -> tuple[Dataset, ...]:
        """All tables."""
        return (self.dataset, *self.others)

    @property
    def chosen(self) -> Dataset:
        """The table whose rows change; the first where none is named."""
        return next((one for one in self.datasets if one.table == self.table), self.dataset)

    @property
    def layout(self) -> Layout:
        """The layout of new files of that table."""
        return next(layout for layout in self.layouts if layout.table == self.chosen.table)

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The layouts of new files of all tables; each has the indices on its columns."""
        several = len(self.datasets) > 1
        return tuple(_layout(one, self.compatibility or said_flavour(one.header), several) for one in self.datasets)

    def target(self, sort_by: tuple[str, ...] = ()) -> RewriteTarget:
        """Return where the files of one change of one table are written to; each call begins another change."""
        return new_target(self.chosen.store, self.chosen.schema, replace(self.layout, sort_by=sort_by))

    def targets(self, sort_by: Sequence[str] = ()) -> list[RewriteTarget]:
        """Return where the files of one change of all tables are written to; each is sorted by its own columns."""
        first = self.target()
        return [
            new_target(
                one.store,
                one.schema,
                replace(layout, sort_by=tuple(name for name in sort_by if name in layout.schema.names)),
                first.run,
            )
            for one, layout in zip(self.datasets, self.layouts, strict=True)
        ]

    def primary_key(self, table: str) -> tuple[str, ...]:
        """Return the primary key of a table; empty where it has none."""
        return tuple(self.dataset.header.described(table).get("primary_key", ()))

    def sizes(self) -> Mapping[str, int]:
        """Return the bytes of the data files of all tables by their keys: one listing for each."""
        dataset = self.dataset
        prefixes = [f"{dataset.header.uuid}/{one.table}/" for one in self.datasets]
        return {stat.key: stat.size for prefix in prefixes for stat in dataset.store.list(prefix)}


def _layout(dataset: Dataset, compatibility: Compatibility, several: bool) -> Layout:
    header = dataset.header
    schema = pa.schema([dataset.schema.field(name) for name in dataset.columns])
    indices = tuple(name for name in header.indices if not several or name in schema.names)
    return Layout(header.uuid, schema, header.partition_keys, indices, table=dataset.table, compatibility=compatibility)


@dataclass(frozen=True, slots=True)
class Change:
    """What a change does to a state: `removed` are the labels that go, `rows` come.

    Each group of rows becomes one new file in every partition it has rows of, or several where it is large. Rows come
    to the table that the base names. `emptied` are labels and tables: the file of that table goes, and what the others
    have under the label stays. `tasks` write old files again: what they find to be done adds to what goes and
    comes, and where a change is nothing but `tasks` and they find nothing, there is no commit. `sizes` are the bytes of
    their files by key, where they are known. `adopted` are files that are there and that no state names; they stay
    there whatever becomes of the change. `tables` are the tables as they will be, where columns change. `intent` says
    by which key rows go, if by any, and the rule for primary keys.
    """

    operation: str
    rows: Iterable[Iterable[pa.Table]] = ()
    removed: Collection[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    unset: Collection[str] = ()
    secondary_indices: tuple[str, ...] | None = None
    rebuilt: Collection[str] = ()
    sort_by: tuple[str, ...] = ()
    tasks: Sequence[Rewrite] = ()
    adopted: Sequence[Written] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    tables: tuple[OtherTable, ...] = ()
    emptied: Sequence[tuple[str, str]] = ()
    intent: Intent = field(default_factory=Intent)


def open_base(store: Store, uuid: str, *, several: bool = False, table: str | None = None) -> Base:
    """Read the state of a dataset; UserError `dataset.missing`, and `dataset.format` for one of several tables.

    `table` names the one whose rows will change. `several`: the change to come is one of all tables, so that there may
    be several and none need be named.
    """
    stored = make_explicit(store, check_uuid(uuid))
    if stored is None:
        raise missing_dataset(store, uuid)
    header = stored.header
    check_same_table(header)
    if table is not None:
        check_has_table(header, table)
    elif not several:
        check_one_table(header)
    datasets = [Dataset(store, header, table, read_schema(store, header, table)) for table in header.tables]
    return Base(stored, datasets[0], tuple(datasets[1:]), flavour_of(store, header, datasets[0].schema), table)


def apply_change(
    store: Store,
    uuid: str,
    decide: Callable[[Base], Change | None],
    *,
    several: bool = False,
    table: str | None = None,
    executor: Executor = HERE,
) -> Prepared | None:
    """Make a change and commit it; None when `decide`, or the tasks that it gives, find nothing to do.

    `executor` runs the tasks; what `decide` gives as rows is written here. `several` and `table` as `open_base`.
    CommitRefusedError when other writers won several times in a row. On any error nothing of the change is left, unless
    it may be committed: after CommitUnknownError, or an interrupt while the header is put.
    """

    def opened() -> Base:
        return open_base(store, uuid, several=several, table=table)

    def attempt(base: Base) -> Prepared | None:
        change = decide(base)
        return None if change is None else carry_out(store, base, change, executor)

    return on_latest(opened(), attempt, lambda _lost, _refused: opened())


def carry_out(store: Store, base: Base, change: Change, executor: Executor = HERE) -> Prepared | None:
    """Make a change of a state that was read, and commit it; CommitRefusedError when that is no longer the live one."""
    with Uncommitted(store) as uncommitted:
        done = run_rewrites(uncommitted, executor, change.tasks, change.sizes)
        if change.tasks and not (done or change.removed or change.rows or change.emptied):
            return None
        return _commit(uncommitted, base, change, done, executor)


def _commit(
    uncommitted: Uncommitted, base: Base, change: Change, done: Sequence[Rewritten], executor: Executor
) -> Prepared:
    store = uncommitted.store
    done = [*done, *(Rewritten((label,), Written(), table=table) for label, table in change.emptied)]
    removed = {*change.removed, *(label for one in done for label in one.labels)}
    plan = _plan(base, replace(change, removed=removed))
    layout = next(layout for layout in plan.layouts if layout.table == base.chosen.table)
    written = [_write_group(uncommitted, layout, group) for group in change.rows]
    coming = [*written, *(one.written for one in done), *change.adopted]
    said: tuple[str, ...] = ()
    if any(part.files for part in written):
        said = check_new_keys(store, plan, written) + check_known_keys(store, plan, written, done, executor)
    carried = carry(uncommitted, base.datasets, plan.layouts, done, coming)
    prepared = commit(store, plan, [*coming, *carried], uncommitted)
    for text in said:
        warnings.warn(text, stacklevel=2)
    return prepared


def _plan(base: Base, change: Change) -> CommitPlan:
    header = base.dataset.header
    layouts = _changed_layouts([table.layout for table in change.tables] or base.layouts, change)
    for layout in layouts:
        check_indices(layout)
    check_shared({layout.table: layout.stored_schema for layout in layouts}, header.uuid)
    keys = [table.primary_key for table in change.tables] or [base.primary_key(layout.table) for layout in layouts]
    return CommitPlan(
        layouts[0],
        "append",
        base.stored,
        metadata=change.metadata,
        storage_format=base.stored.storage_format,
        primary_key=keys[0],
        operation=change.operation,
        intent=change.intent,
        removed=frozenset(change.removed),
        unset=frozenset(change.unset) - {"creation_time"},
        rebuilt=frozenset(change.rebuilt),
        others=tuple(OtherTable(layout, key) for layout, key in zip(layouts[1:], keys[1:], strict=True)),
    )


def _changed_layouts(layouts: Sequence[Layout], change: Change) -> list[Layout]:
    """Return the layouts with the indices and the order that a change wants, each with those of its own columns.

    A column that no table has stays with the first one, where it is found to be missing.
    """
    known = {name for layout in layouts for name in layout.schema.names}

    def own(layout: Layout, names: Iterable[str]) -> tuple[str, ...]:
        columns = set(layout.schema.names)
        return tuple(name for name in names if name in columns or (layout is layouts[0] and name not in known))

    wanted = change.secondary_indices
    return [
        replace(
            layout,
            secondary_indices=layout.secondary_indices if wanted is None else own(layout, wanted),
            sort_by=own(layout, change.sort_by),
        )
        for layout in layouts
    ]


def _write_group(uncommitted: Uncommitted, layout: Layout, rows: Iterable[pa.Table]) -> Written:
    with PartitionWriter(uncommitted.store, layout, identity.new_hex) as writer:
        for table in rows:
            writer.add(table)
        written = writer.finish()
    uncommitted.add(file.key for file in written.files)
    return written


def labels_in_order(header: Header) -> list[str]:
    """Return the labels of a state, folder by folder, in each in the order of the header."""
    return sorted(header.partitions, key=lambda label: label.rpartition("/")[0])
