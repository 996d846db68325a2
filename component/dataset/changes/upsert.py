"""Rows by their key: new ones that replace old ones, and keys whose rows go. One commit, touched files only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from component import naming
from component.dataset.changes.change import Base, Change, apply_change
from component.dataset.changes.execution import HERE, Executor
from component.dataset.changes.key_sets import KeySet, set_of, stored_keys
from component.dataset.changes.known_keys import candidates
from component.dataset.changes.rewrite import DropKeys, RewriteTarget, in_groups
from component.dataset.changes.row_keys import check_keys, checked_key, distinct_keys
from component.dataset.commits.commit import Prepared
from component.dataset.commits.fit import fitted_rows
from component.dataset.commits.intent import Intent
from component.dataset.reading.reader import Dataset, FileScan
from component.store.base import Store
from component.store.uncommitted import discard
from component.tables.key_hash import key_values


def upsert(
    store: Store,
    uuid: str,
    rows: pa.Table,
    key: Sequence[str] = (),
    *,
    table: str | None = None,
    executor: Executor = HERE,
) -> Prepared | None:
    """Replace the rows that have the key of a new row, and add the new rows; None when there are no new rows.

    `key` are the columns that name a row, by default the primary key; of several tables, `table` names one. Files that
    hold none of the keys are not written again; they are left out by secondary indices and partition values where these
    are part of the key, else by reading their key columns. UserError `dataset.key` for a key that is unknown, holds
    nulls, or stands twice in the new rows; `dataset.schema` for rows that do not fit.
    """
    used: list[KeySet] = []

    def decide(base: Base) -> Change | None:
        new = fitted_rows(rows, base.layout.schema, uuid)
        columns = checked_key(new.column_names, tuple(key) or primary_key_of(base.chosen), uuid)
        keys = key_values(new, columns)
        check_keys(keys, uuid, unique=True)
        change = _change("upsert", base, keys, used, [[new]]) if new.num_rows else None
        return replace(change, intent=Intent("upsert", key=columns)) if change is not None else None

    try:
        return apply_change(store, uuid, decide, table=table, executor=executor)
    finally:
        discard(store, stored_keys(used))


def delete_keys(
    store: Store,
    uuid: str,
    keys: pa.Table,
    key: Sequence[str] = (),
    *,
    table: str | None = None,
    executor: Executor = HERE,
) -> Prepared | None:
    """Delete the rows that have one of the keys; None when there is none. Other columns of `keys` are not looked at.

    Errors as `upsert`, but a key may stand twice.
    """
    used: list[KeySet] = []

    def decide(base: Base) -> Change | None:
        columns = checked_key(keys.column_names, tuple(key) or primary_key_of(base.chosen), uuid)
        checked_key(base.chosen.columns, columns, uuid)
        wanted = pa.schema([base.chosen.schema.field(name) for name in columns])
        fitted = key_values(fitted_rows(keys.select(list(columns)), wanted, uuid), columns)
        check_keys(fitted, uuid, unique=False)
        return _change("delete keys", base, distinct_keys(fitted), used, []) if fitted.num_rows else None

    try:
        return apply_change(store, uuid, decide, table=table, executor=executor)
    finally:
        discard(store, stored_keys(used))


def _change(operation: str, base: Base, keys: pa.Table, used: list[KeySet], rows: list[list[pa.Table]]) -> Change:
    if not used:
        used.append(set_of(keys, base.dataset.store, base.dataset.header.uuid))
    scans = candidates(base.chosen, keys)
    sizes = base.sizes() if len(scans) > naming.SPARK_REWRITE_FILES else {}
    tasks = drop_tasks(base.target(), scans, sizes, keys.column_names, used)
    return Change(operation, rows=rows, tasks=tasks, sizes=sizes)


def drop_tasks(
    target: RewriteTarget,
    scans: Sequence[FileScan],
    sizes: Mapping[str, int],
    key: Sequence[str],
    sets: Sequence[KeySet],
) -> list[DropKeys]:
    """Return the tasks that write files again without the rows of some keys."""
    return [DropKeys(target, group, tuple(key), tuple(sets)) for group in in_groups(scans, sizes)]


def primary_key_of(dataset: Dataset) -> tuple[str, ...]:
    """Return the primary key that a dataset was given; empty where it has none."""
    return tuple(dataset.header.described(dataset.table).get("primary_key", ()))
