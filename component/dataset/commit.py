"""One commit: indices, schema, then the header, put only if it is still the one that was read.

Order: data files are in the store already under new names. Index files get new names. The schema is put if it differs.
The header is put last and conditionally; it is the commit. A crash before it leaves the old state; the files left
behind are named by no header.

The schema has one fixed key. Between a changed schema and its header, and after a crash there, the new schema stands
with the old header: our readers then take names and types from the header's extras (`layout.trusted_schema`); the
original clients know only the schema and cannot read the dataset until the next commit. The format leaves no other way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import pyarrow as pa
import pyarrow.compute as pc

from component import clock, identity
from component.dataset.data_file import read_rows
from component.dataset.fit import check_indices, fit_layout
from component.dataset.header import EXTRAS, Header, HeaderFormat, StoredHeader, read_header
from component.dataset.history import forget, keep, stamped
from component.dataset.implicit import make_explicit
from component.dataset.index import Fragment, build_index, decode_fragment, fragment_of_files, fragment_of_index
from component.dataset.keys import header_key, index_key, schema_key
from component.dataset.layout import Layout, describe_columns, trusted_schema
from component.dataset.lookup import read_embedded, read_index
from component.dataset.schema import decode_schema, normal_schema
from component.dataset.swap import restore_schema, same_header, swap_header, swap_schema, undo_schema
from component.dataset.write import Written
from component.errors import CommitRefusedError, CommitUnknownError, TablemillError
from component.store.base import Store

Mode = Literal["overwrite", "append"]
TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class CommitPlan:
    """What is to be committed onto what: `base` is the header that was read, or None when there was no dataset.

    A change of what is there is an append that also lets `removed` labels go, and `unset` keys of the metadata, and
    that reads the values of `rebuilt` indices from the data files; `operation` is its name in the history.
    """

    layout: Layout
    mode: Mode
    base: StoredHeader | None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    storage_format: HeaderFormat = "json"
    primary_key: tuple[str, ...] = ()
    operation: str = ""
    removed: frozenset[str] = frozenset()
    unset: frozenset[str] = frozenset()
    rebuilt: frozenset[str] = frozenset()

    @property
    def appends(self) -> bool:
        """Whether the partitions of the base stay, but for those removed."""
        return self.mode == "append" and self.base is not None

    @property
    def kept(self) -> dict[str, Mapping[str, str]]:
        """The partitions of the base that stay."""
        if self.base is None or self.mode != "append":
            return {}
        partitions = self.base.header.partitions
        return {label: files for label, files in partitions.items() if label not in self.removed}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A commit that is ready: everything is in the store but schema and header, which `publish` puts.

    `index_values` counts the distinct values of each index; `schema_before` is what `_common_metadata` held.
    """

    plan: CommitPlan
    header: Header
    index_values: Mapping[str, int]
    schema_before: bytes | None = None

    @property
    def schema_key(self) -> str:
        """The key of the dataset's schema."""
        return schema_key(self.header.uuid, self.plan.layout.table)

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

    Nothing is written, except that a header that names no partitions is made to name them.

    UserError `dataset.schema` and `dataset.partitioning` when an append does not fit, `column.missing` and
    `column.type` for an index that cannot be.
    """
    base = make_explicit(store, layout.uuid)
    if mode == "append" and base is not None:
        layout = fit_layout(layout, base.header, _schema_of(store, base.header))
        storage_format = base.storage_format
    check_indices(layout)
    return CommitPlan(layout, mode, base, metadata or {}, storage_format, tuple(primary_key))


def _schema_of(store: Store, header: Header) -> pa.Schema:
    stored = decode_schema(store.get(schema_key(header.uuid, header.table)))
    return normal_schema(trusted_schema(header.extras, stored, header.partition_keys), header.partition_keys)


def prepare(store: Store, plan: CommitPlan, written: Sequence[Written]) -> Prepared:
    """Put the index files under new names, make the header and keep a copy; nothing that a reader sees changes."""
    index_keys, index_values = _put_indices(store, plan, written)
    found = store.get_versioned(schema_key(plan.layout.uuid, plan.layout.table))
    header = _new_header(plan, written, index_keys)
    keep(store, header, plan.base.header if plan.base else None)
    return Prepared(plan, header, index_values, found[0] if found else None)


def publish(store: Store, prepared: Prepared) -> None:
    """Put schema and header: the commit.

    CommitRefusedError when the header is no longer the one that was read, CommitUnknownError when the store does not
    say and the header is not there (yet): then the files must stay. After any other error the state is the one before.
    After a refusal an append may be planned and prepared again with the same data files.
    """
    plan = prepared.plan
    swap = swap_schema(store, prepared.schema_key, prepared.dataset_schema)
    try:
        swap_header(store, plan.base, prepared.header, plan.storage_format)
    except CommitUnknownError:
        raise
    except TablemillError:
        undo_schema(store, swap)
        raise


def withdraw(store: Store, prepared: Prepared) -> None:
    """Delete the index files of a commit that is not published, and the copy of its header."""
    forget(store, prepared.header)
    for key in prepared.header.indices.values():
        store.delete(key)


def commit(store: Store, plan: CommitPlan, written: Sequence[Written]) -> Prepared:
    """Prepare and publish; an append that loses the race is carried out again on the new base.

    CommitRefusedError when an overwrite or a change loses it; then the caller deletes what was written.
    """
    for attempt in range(TRIES):
        prepared = prepare(store, plan, written)
        try:
            publish(store, prepared)
        except CommitRefusedError:
            withdraw(store, prepared)
            if plan.mode != "append" or plan.operation or attempt == TRIES - 1:
                raise
            plan = replan(store, plan)
        else:
            return prepared
    raise AssertionError  # pragma: no cover - the loop returns or raises


def replan(store: Store, plan: CommitPlan) -> CommitPlan:
    """Return the same commit on the state that is in the store now, for the data files that are written.

    CommitRefusedError when that state asks for other files: it is partitioned or indexed in another way by now.
    """
    again = plan_commit(
        store,
        plan.layout,
        plan.mode,
        metadata=plan.metadata,
        storage_format=plan.storage_format,
        primary_key=plan.primary_key,
    )
    if _shape(again.layout) != _shape(plan.layout):
        raise CommitRefusedError(
            "commit.refused",
            f"The dataset {plan.layout.uuid!r} has other partition keys, indices or another table by now",
            remedy="Run again.",
        )
    return again


def _shape(layout: Layout) -> tuple[object, ...]:
    return layout.table, layout.partition_on, frozenset(layout.secondary_indices)


def rollback(store: Store, prepared: Prepared) -> bool:
    """Put back the state before a publish, if nobody committed since, and say whether; a new dataset vanishes."""
    plan, uuid = prepared.plan, prepared.header.uuid
    live = read_header(store, uuid)
    if live is None or not same_header(live.header, prepared.header):
        return False
    if plan.base is None:
        store.delete(header_key(uuid, live.storage_format))
        return True
    restore_schema(store, prepared.schema_key, prepared.schema_before, prepared.dataset_schema)
    try:
        swap_header(store, live, plan.base.header, plan.base.storage_format)
    except CommitRefusedError:
        return False
    return True


def _put_indices(store: Store, plan: CommitPlan, written: Sequence[Written]) -> tuple[dict[str, str], dict[str, int]]:
    name = f"{clock.utc_now().isoformat()}-{identity.new_hex()[:8]}"
    keys: dict[str, str] = {}
    counts: dict[str, int] = {}
    for column in plan.layout.secondary_indices:
        fragments = [decode_fragment(part.fragments[column]) for part in written if part.files]
        if plan.appends:
            fragments.append(_base_fragment(store, plan, column))
        built = build_index(column, plan.layout.index_type(column), fragments)
        keys[column] = index_key(plan.layout.uuid, column, name)
        counts[column] = built.values
        store.put(keys[column], built.data)
    return keys, counts


def _base_fragment(store: Store, plan: CommitPlan, column: str) -> Fragment:
    assert plan.base is not None  # noqa: S101 - `appends` says so
    header, kept = plan.base.header, plan.kept
    data_type = plan.layout.index_type(column)
    index = header.indices.get(column)
    if index is None or column in plan.rebuilt:
        return _fragment_of_data(store, plan.layout, column, kept)
    if isinstance(index, Mapping):
        table = read_embedded(index, column, data_type)
    else:
        with store.open(index) as file:
            table = read_index(file, column)
    return fragment_of_index(table, column, kept, data_type)


def _fragment_of_data(
    store: Store, layout: Layout, column: str, partitions: Mapping[str, Mapping[str, str]]
) -> Fragment:
    columns = []
    for label, files in partitions.items():
        with store.open(files[layout.table]) as file:
            columns.append((label, pc.unique(read_rows(file, layout.schema, [column], {})[column])))
    return fragment_of_files(columns, layout.index_type(column))


def _new_header(plan: CommitPlan, written: Sequence[Written], index_keys: Mapping[str, str]) -> Header:
    old = plan.base.header if plan.base else None
    fresh = {file.label: {plan.layout.table: file.key} for part in written for file in part.files}
    header = Header(
        uuid=plan.layout.uuid,
        partitions={**plan.kept, **fresh},
        partition_keys=plan.layout.partition_on,
        indices=dict(index_keys),
        metadata=_new_metadata(plan, old),
    )
    return stamped(header, old, plan.operation or plan.mode)


def _new_metadata(plan: CommitPlan, old: Header | None) -> dict[str, Any]:
    """Keep what is there, add what the user gives; the creation time stays that of the first write."""
    before = {key: value for key, value in old.metadata.items() if key not in plan.unset} if old else {}
    created = before.get("creation_time", clock.utc_now().isoformat())
    extras = {
        "table": plan.layout.table,
        "columns": describe_columns(plan.layout.schema),
        "primary_key": list(plan.primary_key),
    }
    return {**before, **plan.metadata, "creation_time": created, EXTRAS: extras}
