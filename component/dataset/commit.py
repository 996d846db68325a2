"""One commit: indices, schema, then the header, put only if it is still the one that was read.

Order: data files are in the store already under new names. Index files get new names. The schema is put if it differs.
The header is put last and conditionally; it is the commit. A crash before it leaves the old state; the files left
behind are named by no header.

The schema has one fixed key. Between a changed schema and its header, and after a crash there, the new schema stands
with the old header: our readers then take names and types from the header's extras (`layout.trusted_schema`); the
original clients know only the schema and cannot read the dataset until the next commit. The format leaves no other way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import pyarrow as pa

from component import clock
from component.dataset.fit import check_indices, fit_layout
from component.dataset.header import EXTRAS, Header, HeaderFormat, StoredHeader, read_header
from component.dataset.history import forget, keep, stamped, was_committed
from component.dataset.indexing import Stays, put_indices
from component.dataset.keys import schema_key
from component.dataset.layout import Layout, describe_columns
from component.dataset.moving import remove_header
from component.dataset.schema import normal_schema
from component.dataset.swap import restore_schema, same_header, schema_of_base, swap_header, swap_schema, undo_schema
from component.dataset.trusted import read_schema
from component.dataset.writable import make_explicit, settled_header
from component.dataset.write import Written
from component.errors import CommitRefusedError, CommitUnknownError, TablemillError, UserError
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
    def stays(self) -> Stays | None:
        """What of the base the new indices are to hold as well."""
        return Stays(self.base.header, self.kept, self.rebuilt) if self.appends and self.base else None

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

    `index_values` counts the distinct values of each index; `schema_before` is the `_common_metadata` of the base.
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
    return normal_schema(read_schema(store, header, header.table), header.partition_keys)


def prepare(store: Store, plan: CommitPlan, written: Sequence[Written]) -> Prepared:
    """Put the index files under new names, make the header and keep a copy; nothing that a reader sees changes.

    On any error nothing of that is left, as far as the store lets itself be tidied. CommitRefusedError when files of
    the base are gone, since it is no longer the live state.
    """
    index_keys: dict[str, str] = {}
    try:
        index_values = put_indices(store, plan.layout, written, plan.stays, index_keys)
        found = store.get_versioned(schema_key(plan.layout.uuid, plan.layout.table))
        header = _new_header(plan, written, index_keys)
        base = plan.base.header if plan.base else None
        keep(store, header, base)
    except BaseException as error:
        discard(store, index_keys.values())
        if isinstance(error, UserError) and error.code == "store.missing" and _has_passed(store, plan):
            raise CommitRefusedError("commit.refused", f"{error.text} any more", remedy="Run again.") from error
        raise
    return Prepared(plan, header, index_values, schema_of_base(found[0] if found else None, base))


def _has_passed(store: Store, plan: CommitPlan) -> bool:
    """Say whether the base is no longer the live state: then its files may have gone."""
    live = read_header(store, plan.layout.uuid)
    return plan.base is not None and (live is None or live.version != plan.base.version)


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
    """Delete the copy of the header of a commit that is not published, and its index files.

    What the store does not let go is garbage, which a collection finds.
    """
    forget(store, prepared.header)
    discard(store, prepared.header.indices.values())


def discard(store: Store, keys: Iterable[str]) -> None:
    """Delete what nobody has named yet, as far as the store lets: what stays is garbage, which a collection finds."""
    for key in keys:
        with suppress(TablemillError):
            store.delete(key)


def commit(store: Store, plan: CommitPlan, written: Sequence[Written]) -> Prepared:
    """Prepare and publish; an append that loses the race is carried out again on the new base.

    CommitRefusedError when an overwrite or a change loses it. On any error but CommitUnknownError the caller deletes
    what was written.
    """
    for attempt in range(TRIES):
        prepared = None
        try:
            prepared = prepare(store, plan, written)
            publish(store, prepared)
        except CommitUnknownError:
            raise
        except TablemillError as error:
            if prepared is not None:
                withdraw(store, prepared)
            if not isinstance(error, CommitRefusedError) or plan.mode != "append" or plan.operation:
                raise
            if attempt == TRIES - 1:
                raise
            plan = replan(store, plan)
        else:
            return prepared
    raise AssertionError  # pragma: no cover - the loop returns or raises


def replan(store: Store, plan: CommitPlan) -> CommitPlan:
    """Return the same commit on the state that is in the store now, for the data files that are written.

    CommitRefusedError when that state asks for other files: it is partitioned or indexed in another way by now, or the
    dataset has been deleted.
    """
    again = plan_commit(
        store,
        plan.layout,
        plan.mode,
        metadata=plan.metadata,
        storage_format=plan.storage_format,
        primary_key=plan.primary_key,
    )
    if plan.base is not None and again.base is None:
        raise CommitRefusedError(
            "commit.refused", f"The dataset {plan.layout.uuid!r} has been deleted meanwhile", remedy="Run again."
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
    """Put back the state before a publish, and say whether; False when it was not published. A new dataset vanishes.

    CommitRefusedError when another writer has committed onto it: then it stays, and so must its files.
    """
    plan, uuid = prepared.plan, prepared.header.uuid
    live = settled_header(store, uuid)
    if live is not None and same_header(live.header, prepared.header):
        back = remove_header(store, live) if plan.base is None else _put_back(store, prepared, plan.base, live)
        if back:
            return True
    if live is not None and was_committed(store, prepared.header, plan.base.header if plan.base else None):
        raise CommitRefusedError(
            "commit.refused",
            f"Another writer has committed onto the new state of the dataset {uuid!r}, so it stays",
            remedy="Delete the rows, or restore the state before, if they are not wanted.",
        )
    return False


def _put_back(store: Store, prepared: Prepared, base: StoredHeader, live: StoredHeader) -> bool:
    swap = restore_schema(store, prepared.schema_key, prepared.schema_before, prepared.dataset_schema)
    try:
        swap_header(store, live, base.header, base.storage_format)
    except CommitRefusedError:
        undo_schema(store, swap)
        return False
    return True


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
