"""From one state of a dataset to the next and back: the schema, then the header, each put only onto what was read.

The header is the commit. A dataset has one live header, and JSON hides msgpack, so a header that changes its format is
committed in the old format first, then put in the new one, and the old one goes. A crash on the way leaves the same
header twice; the next commit removes the hidden one. No store can swap two keys at once: while the format changes,
another writer has the time between two calls to commit a header that the change then removes.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass

import pyarrow as pa

from component.dataset.header import Header, HeaderFormat, StoredHeader, encode_header, read_header
from component.dataset.keys import header_key
from component.dataset.schema import decode_schema, encode_schema
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


def restore_schema(store: Store, key: str, before: bytes | None, ours: pa.Schema) -> None:
    """Put back a schema, if the one that is there is ours."""
    found = store.get_versioned(key)
    if before is not None and found is not None and found[0] != before and _is_schema(found[0], ours):
        with suppress(CommitRefusedError):
            store.put_if(key, before, found[1])


def swap_header(store: Store, base: StoredHeader | None, header: Header, storage_format: HeaderFormat) -> None:
    """Put a header if the one that is there is still the base (None: none is): the commit.

    CommitRefusedError when it is not. CommitUnknownError when the store does not say, and the header is not there.
    """
    first = base.storage_format if base else storage_format
    key = header_key(header.uuid, first)
    try:
        version = store.put_if(key, encode_header(header, first), base.version if base else None)
    except CommitUnknownError:
        if not _is_live(store, header):
            raise
        return
    if base is not None and (first == "json" or first != storage_format):
        with suppress(TablemillError):  # the commit is done; the next one tidies up
            _tidy(store, header, StoredHeader(header, first, version), storage_format)


def _is_live(store: Store, header: Header) -> bool:
    try:
        live = read_header(store, header.uuid)
    except TablemillError:
        return False
    return live is not None and same_header(live.header, header)


def _tidy(store: Store, header: Header, live: StoredHeader, storage_format: HeaderFormat) -> None:
    """Leave one header, in the format wanted; what another writer has committed since stays."""
    live_key = header_key(header.uuid, live.storage_format)
    other_key = header_key(header.uuid, "msgpack.zstd" if live.storage_format == "json" else "json")
    changes = live.storage_format != storage_format
    if changes:
        store.put(other_key, encode_header(header, storage_format))
    found = store.get_versioned(live_key)
    still_ours = found is not None and found[1] == live.version
    if changes:
        store.delete(live_key if still_ours else other_key)
    elif still_ours:
        store.delete(other_key)


def same_header(left: Header, right: Header) -> bool:
    """Say whether two headers are the same on disk."""
    return json.dumps(left.to_dict()) == json.dumps(right.to_dict())
