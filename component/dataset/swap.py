"""From one state of a dataset to the next and back: the schema, then the header, each put only onto what was read.

The header is the commit. A dataset has one live header, and JSON hides msgpack, so a header that changes its format is
committed in the old format first, then put in the new one, and the old one goes; a new dataset begins as JSON, so that
two that create it meet at one key. A crash on the way leaves the same
header twice, which is one state; a header that JSON hides is removed once commits have passed it. A store cannot delete
on a condition: whoever commits within the one call that deletes a header of the old format loses that commit.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass

import pyarrow as pa

from component.dataset.header import Header, HeaderFormat, StoredHeader, decode_header, encode_header, read_header
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
    first = base.storage_format if base else "json"
    key = header_key(header.uuid, first)
    try:
        version = store.put_if(key, encode_header(header, first), base.version if base else None)
    except CommitUnknownError:
        if not _is_live(store, header):
            raise
        return
    if base is None:
        _give_way(store, header)
    live = StoredHeader(header, first, version)
    with suppress(TablemillError):  # the commit is done, and no failure may say otherwise
        if first != storage_format:
            _change_format(store, live, storage_format)
        elif base is not None and first == "json":
            _remove_hidden(store, live, base.header)


def _give_way(store: Store, header: Header) -> None:
    """Take a new header back where another writer created the dataset at the same time and moved it to msgpack.

    CommitRefusedError then; a crash just before would leave this header hiding that one.
    """
    hidden_key = header_key(header.uuid, "msgpack.zstd")
    try:
        found = store.get_versioned(hidden_key)
    except TablemillError:
        return
    if found is not None:
        store.delete(header_key(header.uuid, "json"))
        raise CommitRefusedError("commit.refused", f"The dataset {header.uuid!r} has been created meanwhile")


def _is_live(store: Store, header: Header) -> bool:
    try:
        live = read_header(store, header.uuid)
    except TablemillError:
        return False
    return live is not None and same_header(live.header, header)


def _change_format(store: Store, live: StoredHeader, storage_format: HeaderFormat) -> None:
    """Move the live header to another format, unless another writer has committed since in the old one."""
    uuid = live.header.uuid
    old_key, new_key = header_key(uuid, live.storage_format), header_key(uuid, storage_format)
    data = encode_header(live.header, storage_format)
    store.put(new_key, data)
    found = store.get_versioned(old_key)
    if found is not None and found[1] == live.version:
        store.delete(old_key)
    elif found is not None and (store.get_versioned(new_key) or (b"",))[0] == data:
        store.delete(new_key)


def _remove_hidden(store: Store, live: StoredHeader, base: Header) -> None:
    """Delete a msgpack header that the live JSON header hides.

    One of the same commit as the base stays for now: another writer may be about to make it the live one.
    """
    hidden_key = header_key(base.uuid, "msgpack.zstd")
    hidden = store.get_versioned(hidden_key)
    if hidden is None or _commit_of(hidden[0], base.uuid) == base.extras.get("commit"):
        return
    found = store.get_versioned(header_key(base.uuid, "json"))
    if found is not None and found[1] == live.version:
        store.delete(hidden_key)


def _commit_of(data: bytes, uuid: str) -> object:
    try:
        return decode_header(data, "msgpack.zstd", uuid).extras.get("commit")
    except UserError:
        return ""


def same_header(left: Header, right: Header) -> bool:
    """Say whether two headers are the same on disk."""
    return json.dumps(left.to_dict()) == json.dumps(right.to_dict())
