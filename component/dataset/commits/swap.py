"""From one state of a dataset to the next and back: the schema, then the header, each put only onto what was read.

The header is the commit. It is put where the one of its base is; a new dataset begins in msgpack, whatever its format:
two that create it meet at one key, and one that comes too late is hidden by the JSON that is there. Then it moves to
the place of its format (`moving`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import pyarrow as pa

from component.dataset.commits.moving import arrive, marked
from component.dataset.format.header import Header, HeaderFormat, StoredHeader, encode_header, read_header
from component.dataset.format.history import was_committed
from component.dataset.format.keys import header_key, schema_key
from component.dataset.format.layout import described_schema
from component.dataset.format.schema import decode_schema, encode_schema, normal_schema
from component.errors import CommitRefusedError, CommitUnknownError, RetryError, TablemillError, UserError
from component.store.base import Store, Version


@dataclass(frozen=True, slots=True)
class SchemaSwap:
    """A schema that was put: its version, and the bytes that were there before."""

    key: str
    before: bytes | None
    version: Version


def swap_schema(store: Store, key: str, schema: pa.Schema) -> SchemaSwap | None:
    """Put a schema where another or none is; None when it is there already.

    CommitRefusedError when another writer puts one at the same time.
    """
    found = store.get_versioned(key)
    if found is not None and _is_schema(found[0], schema):
        return None
    before, version = found or (None, None)
    return SchemaSwap(key, before, _put(store, key, encode_schema(schema), version))


def _put(store: Store, key: str, data: bytes, expected: Version | None) -> Version:
    """Put a schema; that a store did not say whether it is there leaves no doubt about the commit."""
    try:
        return store.put_if(key, data, expected)
    except CommitUnknownError as error:
        raise RetryError("store.failed", error.text, place=error.place, remedy=error.remedy) from error


def _is_schema(data: bytes, schema: pa.Schema) -> bool:
    try:
        return bool(decode_schema(data).equals(schema))
    except UserError:
        return False


def undo_schema(store: Store, swap: SchemaSwap | None) -> None:
    """Put back the schema that a swap replaced, unless another writer has put one since."""
    if swap is not None and swap.before is not None:
        with suppress(TablemillError):
            store.put_if(swap.key, swap.before, swap.version)


def restore_schema(store: Store, key: str, before: bytes | None, ours: pa.Schema) -> SchemaSwap | None:
    """Put back a schema, if the one that is there is ours; None when nothing was put."""
    found = store.get_versioned(key)
    if before is not None and found is not None and found[0] != before and _is_schema(found[0], ours):
        with suppress(CommitRefusedError):
            return SchemaSwap(key, found[0], _put(store, key, before, found[1]))
    return None


def schema_of_base(data: bytes | None, base: Header | None, table: str) -> bytes | None:
    """Return the schema to put back for a base: what was there, or what the base says where that is another's."""
    described = described_schema(base.described(table)) if base is not None else None
    if data is None or base is None or described is None:
        return data
    schema = normal_schema(described, base.partition_keys)
    return data if _is_schema(data, schema) else encode_schema(schema)


def hold_schema(store: Store, header: Header) -> None:
    """Put the schemas of the live state where others or none are; what the store refuses stays as it is.

    A writer that put its own and lost, or a deletion, may have come between our schema and our header. Each that
    commits looks after it has, so the last one leaves it right.
    """
    for table in header.tables:
        _hold_schema(store, header, table)


def _hold_schema(store: Store, header: Header, table: str) -> None:
    described = described_schema(header.described(table))
    if described is None:
        return
    key, schema = schema_key(header.uuid, table), normal_schema(described, header.partition_keys)
    with suppress(TablemillError):
        found = store.get_versioned(key)
        if found is not None and _is_schema(found[0], schema):
            return
        if not _is_live(store, header):
            return
        version = store.put_if(key, encode_schema(schema), found[1] if found else None)
        if found is not None and not _is_live(store, header):
            store.put_if(key, found[0], version)  # it was put for the one that is live now


def swap_state(
    store: Store,
    base: StoredHeader | None,
    header: Header,
    schemas: Mapping[str, pa.Schema],
    storage_format: HeaderFormat,
) -> None:
    """Put schemas, by their keys, and the header: the commit.

    Errors as `swap_schema` and `swap_header`; after any but CommitUnknownError the schemas are those from before.
    """
    swaps: list[SchemaSwap | None] = []
    try:
        for key, schema in schemas.items():
            swaps.append(swap_schema(store, key, schema))
        swap_header(store, base, header, storage_format)
    except CommitUnknownError:
        raise
    except TablemillError:
        for swap in swaps:
            undo_schema(store, swap)
        raise


def swap_header(store: Store, base: StoredHeader | None, header: Header, storage_format: HeaderFormat) -> None:
    """Put a header if the one that is there is still the base (None: none is): the commit.

    CommitRefusedError when it is not. CommitUnknownError when the store does not say, and nothing that is there tells.
    """
    first: HeaderFormat = base.storage_format if base else "msgpack.zstd"
    header = marked(header, first, storage_format)
    try:
        version = store.put_if(
            header_key(header.uuid, first), encode_header(header, first), base.version if base else None
        )
    except CommitUnknownError:
        if not _is_done(store, base, header):
            raise
        live = _read_again(store, header)
    else:
        live = StoredHeader(header, first, version)
        if base is None:
            _hold_visible(store, live)
    if live is not None:
        hold_schema(store, header)
        arrive(store, live, storage_format)


def _read_again(store: Store, header: Header) -> StoredHeader | None:
    with suppress(TablemillError):
        live = read_header(store, header.uuid)
        return live if live is not None and same_header(live.header, header) else None
    return None


def _is_live(store: Store, header: Header) -> bool:
    live = read_header(store, header.uuid)
    return live is not None and same_header(live.header, header)


def _is_done(store: Store, base: StoredHeader | None, header: Header) -> bool:
    """Say whether a commit happened whose answer was lost; False where it may still be open.

    CommitRefusedError when another one happened in its place.
    """
    try:
        done = was_committed(store, header, base.header if base else None)
    except TablemillError:
        return False
    if done is None:
        return False
    if not done:
        raise _refused(header)
    return True


def _hold_visible(store: Store, live: StoredHeader) -> None:
    """Refuse a new dataset that is hidden by a JSON header, which another writer put before.

    That one may go meanwhile, and others commit onto ours: so it is refused only when it could be taken away.
    """
    key = header_key(live.header.uuid, live.storage_format)
    try:
        visible = was_committed(store, live.header, None)
        if not visible and not store.delete_if(key, live.version):
            visible = was_committed(store, live.header, None)
    except TablemillError as error:
        text = f"The header was put, and whether another one hides it is not known: {error.text}"
        raise CommitUnknownError(
            "commit.unknown",
            text,
            remedy="`tablemill dataset history` says whether the commit is there; run again if it is not.",
        ) from error
    if not visible:
        raise _refused(live.header)


def _refused(header: Header) -> CommitRefusedError:
    text = f"Another writer has committed to the dataset {header.uuid!r} meanwhile"
    return CommitRefusedError("commit.refused", text, remedy="Read it again and repeat the change.")


def same_header(left: Header, right: Header) -> bool:
    """Say whether two headers are the same on disk."""
    return json.dumps(left.to_dict()) == json.dumps(right.to_dict())
