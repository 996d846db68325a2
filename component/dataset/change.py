"""Changes of a dataset that is there, each one commit: read its state, decide, write new files, commit onto that state.

A change that loses the race is made again from the new state: what it decided may no longer be right.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from component import identity
from component.dataset.commit import TRIES, CommitPlan, Prepared, commit, discard
from component.dataset.fit import check_indices
from component.dataset.header import Header, StoredHeader
from component.dataset.keys import check_uuid
from component.dataset.layout import Layout
from component.dataset.reader import Dataset
from component.dataset.trusted import read_schema
from component.dataset.writable import make_explicit
from component.dataset.write import PartitionWriter, Written
from component.errors import CommitRefusedError, CommitUnknownError, TablemillError, UserError
from component.store.base import Store


@dataclass(frozen=True, slots=True)
class Base:
    """The state that a change starts from."""

    stored: StoredHeader
    dataset: Dataset

    @property
    def layout(self) -> Layout:
        """The layout of new files: that of the dataset."""
        dataset = self.dataset
        schema = pa.schema([dataset.schema.field(name) for name in dataset.columns])
        header = dataset.header
        return Layout(header.uuid, schema, header.partition_keys, tuple(header.indices), table=dataset.table)


@dataclass(frozen=True, slots=True)
class Change:
    """What a change does to a state: `removed` are the labels that go, `rows` come.

    Each group of rows becomes one new file in every partition it has rows of, or several where it is large.
    """

    operation: str
    rows: Iterable[Iterable[pa.Table]] = ()
    removed: Collection[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    unset: Collection[str] = ()
    secondary_indices: tuple[str, ...] | None = None
    rebuilt: Collection[str] = ()
    sort_by: tuple[str, ...] = ()


def open_base(store: Store, uuid: str) -> Base:
    """Read the state of a dataset; UserError `dataset.missing`, and `dataset.format` for one of several tables."""
    stored = make_explicit(store, check_uuid(uuid))
    if stored is None:
        raise UserError("dataset.missing", f"There is no dataset {uuid!r} in {store.url}")
    header = stored.header
    if {name for files in header.partitions.values() for name in files} - {header.table}:
        raise UserError(
            "dataset.format",
            f"The dataset {uuid!r} has several tables, which cannot be changed one by one",
            remedy="Copy each table to a dataset of its own.",
        )
    return Base(stored, Dataset(store, header, header.table, read_schema(store, header, header.table)))


def apply_change(store: Store, uuid: str, decide: Callable[[Base], Change | None]) -> Prepared | None:
    """Make a change and commit it; None when `decide` finds nothing to do.

    CommitRefusedError when other writers won several times in a row; on any error but CommitUnknownError nothing of the
    change is left. What an interrupt leaves is garbage that `find_garbage` finds.
    """
    for attempt in range(TRIES):
        base = open_base(store, uuid)
        change = decide(base)
        if change is None:
            return None
        try:
            return _commit(store, base, change)
        except CommitRefusedError:
            if attempt == TRIES - 1:
                raise
    raise AssertionError  # pragma: no cover - the loop returns or raises


def _commit(store: Store, base: Base, change: Change) -> Prepared:
    plan = _plan(base, change)
    written = _write(store, plan.layout, change)
    try:
        return commit(store, plan, written)
    except CommitUnknownError:
        raise
    except TablemillError:  # and nothing else: an interrupt may come when the header is there already
        _delete(store, written)
        raise


def _plan(base: Base, change: Change) -> CommitPlan:
    layout, header = base.layout, base.dataset.header
    indices = layout.secondary_indices if change.secondary_indices is None else change.secondary_indices
    layout = Layout(layout.uuid, layout.schema, layout.partition_on, indices, change.sort_by, layout.table)
    check_indices(layout)
    return CommitPlan(
        layout,
        "append",
        base.stored,
        metadata=change.metadata,
        storage_format=base.stored.storage_format,
        primary_key=tuple(header.extras.get("primary_key", ())),
        operation=change.operation,
        removed=frozenset(change.removed),
        unset=frozenset(change.unset) - {"creation_time"},
        rebuilt=frozenset(change.rebuilt),
    )


def _write(store: Store, layout: Layout, change: Change) -> list[Written]:
    written: list[Written] = []
    try:
        for group in change.rows:
            written.append(_write_group(store, layout, group))  # noqa: PERF401 - what is written is deleted on an error
    except BaseException:
        _delete(store, written)
        raise
    return written


def _write_group(store: Store, layout: Layout, rows: Iterable[pa.Table]) -> Written:
    writer = PartitionWriter(store, layout, identity.new_hex)
    try:
        for table in rows:
            writer.add(table)
        return writer.finish()
    except BaseException:
        writer.abort()
        raise


def _delete(store: Store, written: Iterable[Written]) -> None:
    discard(store, (file.key for part in written for file in part.files))


def labels_in_order(header: Header) -> list[str]:
    """Return the labels of a state, folder by folder, in each in the order of the header."""
    return sorted(header.partitions, key=lambda label: label.rpartition("/")[0])
