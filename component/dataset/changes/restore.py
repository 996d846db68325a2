"""Back to an earlier state of a dataset, as a new commit: nothing of the history is lost by it."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa

from component.dataset.changes.change import open_base
from component.dataset.commits.swap import swap_state
from component.dataset.format.flavour import flavour_of
from component.dataset.format.header import Header
from component.dataset.format.history import Commit, commit_of, put_copies, stamped, state_as_of
from component.dataset.format.keys import history_key, referenced, schema_key, stored_key
from component.dataset.format.layout import described_schema
from component.dataset.format.schema import decode_schema, normal_schema
from component.dataset.format.trusted import with_description
from component.errors import UserError
from component.store.base import Store
from component.store.uncommitted import Uncommitted


def restore(store: Store, uuid: str, as_of: str | dt.datetime) -> Commit:
    """Make an earlier state the live one again, and return that state.

    UserError `dataset.history` when it is not kept, or its files have been collected since, or are just now.
    CommitRefusedError when another writer commits at the same time.
    """
    base = open_base(store, uuid, several=True)
    wanted = state_as_of(store, uuid, as_of)
    schemas = {table: _schema_of(store, wanted.header, table) for table in wanted.header.tables}
    kept_for = flavour_of(store, wanted.header, schemas[wanted.header.table])
    header = stamped(with_description(wanted.header, schemas, kept_for), base.dataset.header, "restore")
    keyed = {schema_key(uuid, table): schema for table, schema in schemas.items()}
    with Uncommitted(store) as uncommitted:
        put_copies(uncommitted, header, base.dataset.header)  # from here on a collection spares what this copy names
        _hold_complete(store, wanted, base.dataset.header)
        with uncommitted.publishing():
            swap_state(store, base.stored, header, keyed, base.stored.storage_format)
    return wanted


def _schema_of(store: Store, header: Header, table: str) -> pa.Schema:
    described = described_schema(header.described(table))
    if described is not None:
        return normal_schema(described, header.partition_keys)
    return decode_schema(store.get(schema_key(header.uuid, table)))


def _hold_complete(store: Store, wanted: Commit, live: Header) -> None:
    """Raise UserError `dataset.history` for a state that is being collected, or has been: its copy goes first."""
    kept = store.get_versioned(history_key(live.uuid, wanted.id)) is not None
    missing = _missing(store, wanted.header)
    if missing or not (kept or wanted.id == commit_of(live).id):
        raise UserError(
            "dataset.history",
            f"Of the state {wanted.id} {len(missing)} files are gone" + (f", as {missing[0]!r}" if missing else ""),
            remedy="Choose a younger state.",
        )


def _missing(store: Store, header: Header) -> list[str]:
    present = {stat.key for stat in store.list(f"{header.uuid}/")}
    return [key for key in referenced(header.partitions, header.indices) if stored_key(key) not in present]
