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
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pyarrow as pa

from component.dataset.commits.fit import absent_tables, check_indices, check_names, fit_tables
from component.dataset.commits.intent import Intent
from component.dataset.commits.latest import on_latest
from component.dataset.commits.next_header import NextState, next_header
from component.dataset.commits.swap import schema_of_base, swap_state
from component.dataset.commits.tables import check_shared
from component.dataset.commits.writable import make_explicit
from component.dataset.files.write import Written, facts_of_files
from component.dataset.format.facts import data_keys, known_facts, put_facts
from component.dataset.format.header import Header, HeaderFormat, StoredHeader, read_header
from component.dataset.format.history import put_copies
from component.dataset.format.keys import schema_key
from component.dataset.format.layout import Layout, OtherTable
from component.dataset.format.schema import normal_schema
from component.dataset.format.trusted import read_schema
from component.dataset.indices.index import KeptBase, put_indices
from component.errors import CommitRefusedError, UserError
from component.store.base import Store
from component.store.uncommitted import Uncommitted

Mode = Literal["overwrite", "append"]


@dataclass(frozen=True, slots=True)
class CommitPlan:
    """What is to be committed onto what: `base` is the header that was read, or None when there was no dataset.

    A change of what is there is an append that also lets `removed` labels go, and `unset` keys of the metadata, and
    that reads the values of `rebuilt` indices from the data files; `operation` is its name in the history.

    `layout` and `primary_key` are of the first table, in most datasets the only one; `others` are further ones.
    `absent` are tables of the base for which no rows come: they have files without rows where others have new ones.
    `intent` is what the write is meant to do, for a plan on another state: `removed` holds for this base only.
    `succeeds` names the commit before where a run knows it and did not get the dataset itself.
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
    others: tuple[OtherTable, ...] = ()
    absent: tuple[OtherTable, ...] = ()
    intent: Intent = field(default_factory=Intent)
    succeeds: str | None = None

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The layouts of the tables that rows come for."""
        return (self.layout, *(other.layout for other in self.others))

    @property
    def all_layouts(self) -> tuple[Layout, ...]:
        """The layouts of all tables."""
        return (*self.layouts, *(other.layout for other in self.absent))

    @property
    def appends(self) -> bool:
        """Whether the partitions of the base stay, but for those removed."""
        return self.mode == "append" and self.base is not None

    @property
    def may_repeat_keys(self) -> bool:
        """Whether new rows come to stand beside rows of the base, which could have the same primary key."""
        return (
            self.appends
            and self.intent.mode != "delete"
            and any((self.primary_key, *(one.primary_key for one in self.others)))
        )

    @property
    def stays(self) -> KeptBase | None:
        """What of the base the new indices are to hold as well."""
        return KeptBase(self.base.header, self.kept, self.rebuilt) if self.appends and self.base else None

    @property
    def kept(self) -> dict[str, Mapping[str, str]]:
        """The partitions of the base that stay."""
        if self.base is None or self.mode != "append":
            return {}
        partitions = self.base.header.partitions
        return {label: files for label, files in partitions.items() if label not in self.removed}


@dataclass(frozen=True, slots=True)
class NextSchema:
    """The schema that a table will have, its key, and the bytes of the `_common_metadata` of the base."""

    key: str
    schema: pa.Schema
    before: bytes | None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A commit that is ready: everything is in the store but schemas and header, which `publish` puts.

    `index_values` counts the distinct values of each index.
    """

    plan: CommitPlan
    header: Header
    index_values: Mapping[str, int]
    schemas: tuple[NextSchema, ...]


def plan_commit(
    store: Store,
    layout: Layout,
    mode: Mode,
    *,
    metadata: Mapping[str, Any] | None = None,
    storage_format: HeaderFormat = "json",
    primary_key: Sequence[str] = (),
    others: Sequence[OtherTable] = (),
) -> CommitPlan:
    """Read the base and check that the rows to come fit it; the layouts come back as the base demands it.

    Nothing is written, except that a header that names no partitions is made to name them.

    UserError `store.key` and `column.type` for names of tables and partition keys that a new dataset cannot have,
    `dataset.schema` and `dataset.partitioning` when an append does not fit, `dataset.format` when it does not
    bring the tables of the dataset, `column.missing` and `column.type` for an index that cannot be, `column.type` for
    tables that do not agree on a column.
    """
    base = make_explicit(store, layout.uuid)
    layouts, absent = (layout, *(other.layout for other in others)), tuple[OtherTable, ...]()
    if mode == "append" and base is not None:
        schemas = _schemas_of(store, base.header)
        layouts = fit_tables(layouts, base.header, schemas)
        absent = absent_tables(base.header, schemas, {one.table for one in layouts})
        storage_format = base.storage_format
        primary_key = primary_key or _key_of(base.header, layouts[0])
        keys = [other.primary_key or _key_of(base.header, one) for other, one in zip(others, layouts[1:], strict=True)]
        others = [replace(other, primary_key=key) for other, key in zip(others, keys, strict=True)]
    else:
        check_names(layouts)
    for one in layouts:
        check_indices(one)
    every = (*layouts, *(other.layout for other in absent))
    check_shared({one.table: one.stored_schema for one in every}, layout.uuid)
    plan = CommitPlan(layouts[0], mode, base, metadata or {}, storage_format, tuple(primary_key))
    fitted = (replace(other, layout=one) for other, one in zip(others, layouts[1:], strict=True))
    return replace(plan, others=tuple(fitted), absent=absent)


def _key_of(header: Header, layout: Layout) -> tuple[str, ...]:
    """Return the primary key that a dataset knows of one of its tables."""
    return tuple(header.described(layout.table).get("primary_key", ()))


def _schemas_of(store: Store, header: Header) -> dict[str, pa.Schema]:
    keys = header.partition_keys
    return {table: normal_schema(read_schema(store, header, table), keys) for table in header.tables}


def prepare(uncommitted: Uncommitted, plan: CommitPlan, written: Sequence[Written]) -> Prepared:
    """Put the index files under new names, make the header and keep a copy; nothing that a reader sees changes.

    CommitRefusedError when files of the base are gone, since it is no longer the live state.
    """
    store, base = uncommitted.store, plan.base.header if plan.base else None
    try:
        indices = put_indices(uncommitted, plan.all_layouts, written, plan.stays)
        facts = {one.key: one.facts for one in indices.values()} | facts_of_files(written)
        vouched = put_facts(uncommitted, plan.layout.uuid, known_facts(store, base), facts, data_keys(plan.kept))
        schemas = tuple(_next_schema(store, layout, base) for layout in plan.all_layouts)
        keys = {column: one.key for column, one in indices.items()}
        header = next_header(_next_state(plan, written, keys, vouched), plan.operation or plan.mode)
        put_copies(uncommitted, header, base)
    except UserError as error:
        if error.code == "store.missing" and _has_passed(store, plan):
            raise CommitRefusedError("commit.refused", f"{error.text} any more", remedy="Run again.") from error
        raise
    return Prepared(plan, header, {column: one.values for column, one in indices.items()}, schemas)


def _next_state(
    plan: CommitPlan, written: Sequence[Written], indices: Mapping[str, str], facts: Mapping[str, Any]
) -> NextState:
    base = plan.base.header if plan.base else None
    tables = (OtherTable(plan.layout, plan.primary_key), *plan.others, *plan.absent)
    if plan.absent and base is not None:  # the order of the tables stays
        tables = tuple(sorted(tables, key=lambda one: base.tables.index(one.layout.table)))
    return NextState(
        base, plan.appends, plan.kept, tables, written, indices, plan.metadata, plan.unset, facts, plan.succeeds
    )


def _next_schema(store: Store, layout: Layout, base: Header | None) -> NextSchema:
    key = schema_key(layout.uuid, layout.table)
    found = store.get_versioned(key)
    before = schema_of_base(found[0] if found else None, base, layout.table)
    return NextSchema(key, layout.stored_schema, before)


def _has_passed(store: Store, plan: CommitPlan) -> bool:
    """Say whether the base is no longer the live state: then its files may have gone."""
    live = read_header(store, plan.layout.uuid)
    return plan.base is not None and (live is None or live.version != plan.base.version)


def publish(store: Store, prepared: Prepared) -> None:
    """Put schemas and header: the commit.

    CommitRefusedError when the header is no longer the one that was read, CommitUnknownError when the store does not
    say and the header is not there (yet): then the files must stay. After any other error the state is the one before.
    After a refusal an append may be planned and prepared again with the same data files.
    """
    plan, schemas = prepared.plan, {one.key: one.schema for one in prepared.schemas}
    swap_state(store, plan.base, prepared.header, schemas, plan.storage_format)


def prepare_and_publish(uncommitted: Uncommitted, plan: CommitPlan, written: Sequence[Written]) -> Prepared:
    """Make one attempt. Errors as `prepare` and `publish`; what it put itself is discarded when it fails."""
    with uncommitted:
        prepared = prepare(uncommitted, plan, written)
        with uncommitted.publishing():
            publish(uncommitted.store, prepared)
    return prepared


def commit(
    store: Store, plan: CommitPlan, written: Sequence[Written], uncommitted: Uncommitted | None = None
) -> Prepared:
    """Prepare and publish; an append that loses the race is carried out again on the new base.

    `uncommitted` is that of the write that puts the files; without one they are the caller's business.
    CommitRefusedError when an overwrite or a change loses the race.
    """
    ours = Uncommitted(store) if uncommitted is None else uncommitted

    def again(lost: CommitPlan, refused: CommitRefusedError) -> CommitPlan:
        if lost.mode != "append" or lost.operation:
            raise refused
        return replan(store, lost)

    return on_latest(plan, lambda latest: prepare_and_publish(ours, latest, written), again)


def replan(store: Store, plan: CommitPlan) -> CommitPlan:
    """Return the same commit on the state that is in the store now, for the data files that are written.

    What goes of that state is not known yet: `removed` is empty.

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
        others=plan.others,
    )
    if plan.base is not None and again.base is None:
        raise CommitRefusedError(
            "commit.refused", f"The dataset {plan.layout.uuid!r} has been deleted meanwhile", remedy="Run again."
        )
    if list(map(_shape, again.layouts)) != list(map(_shape, plan.layouts)):
        raise CommitRefusedError(
            "commit.refused",
            f"The dataset {plan.layout.uuid!r} has other partition keys, indices or another table by now",
            remedy="Run again.",
        )
    return replace(again, intent=plan.intent, operation=plan.intent.operation)


def _shape(layout: Layout) -> tuple[object, ...]:
    return layout.table, layout.partition_on, frozenset(layout.secondary_indices)
