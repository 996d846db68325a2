"""One commit: indices, schema, then the header, put only if it is still the one that was read.

Order: data files are in the store already under new names. Index files get new names. The schema is put if it differs.
The header is put last and conditionally; it is the commit. A crash before it leaves the old state; the files left
behind are named by no header. The schema has one fixed key, so between a changed schema and its header a reader would
see the new schema with the old header: our readers take names and types from the header's extras then (`layout`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

import pyarrow as pa

from component import clock, identity
from component.dataset.header import (
    EXTRAS,
    Header,
    HeaderFormat,
    StoredHeader,
    decode_header,
    encode_header,
    read_header,
)
from component.dataset.index import (
    Fragment,
    build_index,
    decode_fragment,
    fragment_of_index,
    read_index,
)
from component.dataset.keys import header_key, index_key, schema_key
from component.dataset.layout import Layout, describe_columns
from component.dataset.schema import check_appendable, decode_schema, encode_schema, normal_schema
from component.dataset.write import Written
from component.errors import CommitRefusedError, UserError
from component.store.base import Store

Mode = Literal["overwrite", "append"]
TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class CommitPlan:
    """What is to be committed onto what: `base` is the header that was read, or None when there was no dataset."""

    layout: Layout
    mode: Mode
    base: StoredHeader | None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    storage_format: HeaderFormat = "json"
    primary_key: tuple[str, ...] = ()

    @property
    def appends(self) -> bool:
        """Whether the partitions of the base stay."""
        return self.mode == "append" and self.base is not None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A commit that is ready: everything is in the store but schema and header, which `publish` puts.

    `index_values` counts the distinct values of each index.
    """

    plan: CommitPlan
    header: Header
    index_values: Mapping[str, int]

    @property
    def dataset_schema(self) -> pa.Schema:
        """The schema that the dataset will have."""
        return self.plan.layout.stored_schema


def plan_commit(
    store: Store,
    layout: Layout,
    mode: Mode,
    *,
    metadata: Mapping[str, Any] | None = None,
    storage_format: HeaderFormat = "json",
    primary_key: Sequence[str] = (),
) -> CommitPlan:
    """Read the base and check that the rows to come fit it; the layout comes back as the base demands it.

    UserError `dataset.schema` and `dataset.partitioning` when an append does not fit.
    """
    base = read_header(store, layout.uuid)
    if mode == "append" and base is not None:
        layout = _fit_layout(store, layout, base.header)
        storage_format = base.storage_format
    return CommitPlan(layout, mode, base, metadata or {}, storage_format, tuple(primary_key))


def _fit_layout(store: Store, layout: Layout, header: Header) -> Layout:
    """Return the layout for an append: partition keys as they are, and all indices of the dataset."""
    if layout.partition_on and layout.partition_on != header.partition_keys:
        raise _differs("partitioned by", layout.partition_on, header.partition_keys)
    unknown = [name for name in layout.secondary_indices if name not in header.indices]
    if unknown and header.partitions:
        raise _differs("indexed by", layout.secondary_indices, tuple(header.indices))
    indices = tuple(dict.fromkeys([*header.indices, *layout.secondary_indices]))
    fitted = replace(layout, partition_on=header.partition_keys, secondary_indices=indices, table=header.table)
    stored = decode_schema(store.get(schema_key(layout.uuid, header.table)))
    check_appendable(fitted.stored_schema, normal_schema(stored, header.partition_keys), table=layout.uuid)
    return fitted


def _differs(what: str, wanted: Sequence[str], there: Sequence[str]) -> UserError:
    return UserError(
        "dataset.partitioning",
        f"The dataset is {what} {', '.join(there) or 'nothing'}, and {', '.join(wanted)} is configured",
        remedy="Configure what the dataset has, or use mode overwrite.",
    )


def prepare(store: Store, plan: CommitPlan, written: Sequence[Written]) -> Prepared:
    """Put the index files under new names and make the header; nothing that a reader sees changes."""
    index_keys, index_values = _put_indices(store, plan, written)
    return Prepared(plan, _new_header(plan, written, index_keys), index_values)


def publish(store: Store, prepared: Prepared) -> None:
    """Put schema and header: the commit.

    CommitRefusedError when the header is no longer the one that was read, CommitUnknownError when the store does not
    say. After a refusal an append may be planned and prepared again with the same data files.
    """
    _put_schema(store, prepared.plan.layout)
    _put_header(store, prepared.plan, prepared.header)


def withdraw(store: Store, prepared: Prepared) -> None:
    """Delete the index files of a commit that is not published."""
    for key in prepared.header.indices.values():
        store.delete(key)


def commit(store: Store, plan: CommitPlan, written: Sequence[Written]) -> Prepared:
    """Prepare and publish; an append that loses the race is carried out again on the new base.

    CommitRefusedError when an overwrite loses it; then the caller deletes what was written.
    """
    for attempt in range(TRIES):
        prepared = prepare(store, plan, written)
        try:
            publish(store, prepared)
        except CommitRefusedError:
            withdraw(store, prepared)
            if plan.mode != "append" or attempt == TRIES - 1:
                raise
            plan = replan(store, plan)
        else:
            return prepared
    raise AssertionError  # pragma: no cover - the loop returns or raises


def replan(store: Store, plan: CommitPlan) -> CommitPlan:
    """Return the same commit on the state that is in the store now."""
    return plan_commit(
        store,
        plan.layout,
        plan.mode,
        metadata=plan.metadata,
        storage_format=plan.storage_format,
        primary_key=plan.primary_key,
    )


def rollback(store: Store, prepared: Prepared) -> None:
    """Put the header back that was there before a publish, if nobody committed since; a new dataset vanishes."""
    base, uuid = prepared.plan.base, prepared.header.uuid
    key = header_key(uuid, prepared.plan.storage_format)
    found = store.get_versioned(key)
    if found is None or decode_header(found[0], prepared.plan.storage_format, uuid) != prepared.header:
        return
    if base is None:
        store.delete(key)
        return
    store.put_if(header_key(uuid, base.storage_format), encode_header(base.header, base.storage_format), found[1])


def _put_indices(store: Store, plan: CommitPlan, written: Sequence[Written]) -> tuple[dict[str, str], dict[str, int]]:
    name = f"{clock.utc_now().isoformat()}-{identity.new_hex()[:8]}"
    keys: dict[str, str] = {}
    counts: dict[str, int] = {}
    for column in plan.layout.secondary_indices:
        fragments = [decode_fragment(part.fragments[column]) for part in written if column in part.fragments]
        if plan.appends:
            fragments.append(_base_fragment(store, plan, column))
        built = build_index(column, plan.layout.index_type(column), fragments)
        keys[column] = index_key(plan.layout.uuid, column, name)
        counts[column] = built.values
        store.put(keys[column], built.data)
    return keys, counts


def _base_fragment(store: Store, plan: CommitPlan, column: str) -> Fragment:
    assert plan.base is not None  # noqa: S101 - `appends` says so
    header = plan.base.header
    data_type = plan.layout.index_type(column)
    index = header.indices.get(column)
    if isinstance(index, str):
        with store.open(index) as file:
            return fragment_of_index(read_index(file, column), column, header.partitions, data_type)
    return fragment_of_embedded(index or {}, header.partitions, data_type)


def fragment_of_embedded(index: Mapping[str, Sequence[str]], live: Mapping[str, Any], data_type: Any) -> Fragment:
    """Return the fragment of an index that is embedded in the header, whose values are text."""
    values = pa.array(list(index), pa.string()).cast(data_type)
    lists = pa.array([list(labels) for labels in index.values()], pa.list_(pa.string()))
    table = pa.table([values, lists], names=["value", "partition"])
    return fragment_of_index(table, "value", live, data_type)


def _put_schema(store: Store, layout: Layout) -> None:
    key = schema_key(layout.uuid, layout.table)
    found = store.get_versioned(key)
    wanted = layout.stored_schema
    if found is None or not _same_schema(found[0], wanted):
        store.put(key, encode_schema(wanted))


def _same_schema(data: bytes, wanted: Any) -> bool:
    try:
        return bool(decode_schema(data).equals(wanted))
    except UserError:
        return False


def _new_header(plan: CommitPlan, written: Sequence[Written], index_keys: Mapping[str, str]) -> Header:
    old = plan.base.header if plan.base else None
    kept = dict(old.partitions) if old and plan.appends else {}
    fresh = {file.label: {plan.layout.table: file.key} for part in written for file in part.files}
    return Header(
        uuid=plan.layout.uuid,
        partitions={**kept, **fresh},
        partition_keys=plan.layout.partition_on,
        indices=dict(index_keys),
        metadata=_new_metadata(plan, old),
    )


def _new_metadata(plan: CommitPlan, old: Header | None) -> dict[str, Any]:
    """Keep what is there, add what the user gives; the creation time stays that of the first write."""
    before = dict(old.metadata) if old else {}
    created = before.get("creation_time", clock.utc_now().isoformat())
    parent = old.extras.get("commit") if old else None
    extras = {
        "commit": identity.new_hex(),
        "parent": parent,
        "table": plan.layout.table,
        "columns": describe_columns(plan.layout.schema),
        "primary_key": list(plan.primary_key),
    }
    return {**before, **plan.metadata, "creation_time": created, EXTRAS: extras}


def _put_header(store: Store, plan: CommitPlan, header: Header) -> None:
    """Put the header; of a dataset that changes its format the old header goes, since JSON would win over msgpack."""
    base, uuid = plan.base, header.uuid
    changes = base is not None and base.storage_format != plan.storage_format
    expected = base.version if base and not changes else None
    if changes:
        found = store.get_versioned(header_key(uuid, plan.storage_format))
        expected = found[1] if found else None
    store.put_if(header_key(uuid, plan.storage_format), encode_header(header, plan.storage_format), expected)
    if base is not None and changes:
        store.delete(header_key(uuid, base.storage_format))
