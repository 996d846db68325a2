"""Plans of writes of every mode: what is in the store, and whether it takes rows that meet it as intended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from component import naming
from component.dataset.changes.row_keys import checked_key
from component.dataset.commits.commit import CommitPlan, plan_commit
from component.dataset.commits.intent import Intent
from component.dataset.commits.scope import check_scope
from component.dataset.commits.tables import check_has_table
from component.dataset.format.header import HeaderFormat
from component.dataset.format.layout import Layout, OtherTable
from component.dataset.format.schema import check_appendable, normal_schema
from component.errors import Place, UserError
from component.store.base import Store


def plan_write(
    store: Store,
    layout: Layout,
    intent: Intent,
    *,
    metadata: Mapping[str, Any] | None = None,
    storage_format: HeaderFormat = "json",
    primary_key: Sequence[str] = (),
    others: Sequence[OtherTable] = (),
) -> CommitPlan:
    """Read the base and check that rows of this layout can meet it as intended; errors as `plan_commit`, and these.

    UserError `dataset.scope` as `check_scope`, and for a replacement of partitions where there are no partition keys;
    `dataset.key` for a key that is unknown; `dataset.missing` for a deletion from a dataset that is not there.
    """
    if intent.mode == "delete":
        return _plan_delete(store, layout, intent, tuple(primary_key), metadata or {})
    plan = plan_commit(
        store,
        layout,
        "overwrite" if intent.mode == "overwrite" else "append",
        metadata=metadata,
        storage_format=storage_format,
        primary_key=primary_key,
        others=others,
    )
    if intent.mode == "replace_partitions":
        _check_partitions(plan, intent)
    if intent.mode == "upsert":
        if others:
            raise _several(layout.uuid)
        key = checked_key(plan.layout.schema.names, intent.key or plan.primary_key, layout.uuid)
        intent = replace(intent, key=key)
    return replace(plan, intent=intent, operation=intent.operation)


def _check_partitions(plan: CommitPlan, intent: Intent) -> None:
    layout = plan.layout
    if intent.scope is not None:
        check_scope(intent.scope, layout.uuid, layout.partition_on, layout.stored_schema)
    elif not layout.partition_on:
        raise UserError(
            "dataset.scope",
            "The dataset has no partition keys, so to replace partitions would be to replace everything",
            place=Place(table=layout.uuid),
            remedy="Use mode overwrite, or partition it.",
        )


def _several(uuid: str) -> UserError:
    return UserError(
        "dataset.format",
        f"Rows for several tables of the dataset {uuid!r} cannot be changed by key at once",
        remedy="Change one table at a time, or use mode overwrite, append or replace_partitions.",
    )


def _plan_delete(
    store: Store, layout: Layout, intent: Intent, primary_key: tuple[str, ...], metadata: Mapping[str, Any]
) -> CommitPlan:
    from component.dataset.changes.change import open_base  # noqa: PLC0415 - most runs change no rows that are there
    from component.dataset.changes.upsert import primary_key_of  # noqa: PLC0415 - the same

    base = open_base(store, layout.uuid, several=True)
    if base.others:
        check_has_table(base.dataset.header, layout.table)
        base = replace(base, table=layout.table)
    known = primary_key_of(base.chosen)
    key = checked_key(layout.schema.names, intent.key or known or primary_key, layout.uuid)
    checked_key(base.chosen.columns, key, layout.uuid)
    check_appendable(normal_schema(_only(layout.schema, key), ()), _only(base.chosen.schema, key), table=layout.uuid)
    return CommitPlan(
        base.layout,
        "append",
        base.stored,
        metadata=metadata,
        storage_format=base.stored.storage_format,
        primary_key=known,
        operation=intent.operation,
        absent=tuple(
            OtherTable(one, base.primary_key(one.table)) for one in base.layouts if one.table != base.chosen.table
        ),
        intent=replace(intent, key=key),
    )


def _only(schema: pa.Schema, names: Sequence[str]) -> pa.Schema:
    return pa.schema([schema.field(name) for name in names])


def files_layout(plan: CommitPlan) -> Layout:
    """Return how the rows of a write are laid out: of a deletion they are keys, and go beside the data files."""
    if plan.intent.mode != "delete":
        return plan.layout
    return Layout(plan.layout.uuid, _only(plan.layout.schema, plan.intent.key), table=naming.KEYS_FOLDER)
