"""The two places of a header: JSON, which hides msgpack, and how a header gets from one to the other.

No commit may be lost on the way, whoever commits at the same time and wherever a writer stops:

- *msgpack to JSON*: the header is committed in msgpack with a mark that it moves. No writer commits onto a marked
  header; whoever finds one puts it as JSON first, which succeeds once. Who did so removes the marked one.
- *JSON to msgpack*: the header is committed as JSON, put as msgpack, where it is hidden, and then the JSON is deleted,
  if it is still the one that was committed. A commit in between keeps JSON alive.

A header that JSON hides is of no consequence. It goes with the next commit, and only as the version that was read.

One case is left: a writer stops just before it puts a marked header as JSON, and meanwhile others do so, commit, and
move the header back to msgpack. When it goes on, it brings an older state to light, and takes it away again with its
next call. If it is killed between the two, the next writer does that (`writable`).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from component.dataset.format.header import Header, StoredHeader, decode_header, encode_header
from component.dataset.format.history import commit_of
from component.dataset.format.keys import header_key
from component.errors import CommitRefusedError, TablemillError, UserError
from component.store.base import Store


def finish_move(store: Store, marked: StoredHeader) -> None:
    """Put a marked header as JSON and remove it; nothing when another writer has put it."""
    uuid = marked.header.uuid
    data = encode_header(replace(marked.header, moves=False), "json")
    try:
        version = store.put_if(header_key(uuid, "json"), data, None)
    except CommitRefusedError:
        return
    if not store.delete_if(header_key(uuid, "msgpack.zstd"), marked.version):
        # only who puts the JSON removes the marked one: so the dataset was deleted, or moved on, before the put
        store.delete_if(header_key(uuid, "json"), version)


def move_to_msgpack(store: Store, live: StoredHeader) -> None:
    """Move a JSON header that has just been committed, unless another writer commits onto it meanwhile."""
    uuid = live.header.uuid
    hidden = store.get_versioned(header_key(uuid, "msgpack.zstd"))
    if not _is_live(store, live):
        return  # in this order: what is put over `hidden` now is not newer than ours
    data = encode_header(replace(live.header, moves=False), "msgpack.zstd")
    version = store.put_if(header_key(uuid, "msgpack.zstd"), data, hidden[1] if hidden else None)
    if not store.delete_if(header_key(uuid, "json"), live.version):
        store.delete_if(header_key(uuid, "msgpack.zstd"), version)


def remove_hidden(store: Store, live: StoredHeader) -> None:
    """Delete the msgpack header that a JSON header hides, unless that one is no longer the live one.

    A hidden one of the same commit is left to who is moving it, or else to the next commit.
    """
    key = header_key(live.header.uuid, "msgpack.zstd")
    hidden = store.get_versioned(key)
    if hidden is not None and not _same_commit(hidden[0], live.header) and _is_live(store, live):
        store.delete_if(key, hidden[1])


def _same_commit(hidden: bytes, header: Header) -> bool:
    try:
        return commit_of(decode_header(hidden, "msgpack.zstd", header.uuid)).id == commit_of(header).id
    except UserError:
        return False


def is_moving(stored: StoredHeader) -> bool:
    """Say whether a header is on its way to JSON."""
    return stored.header.moves and stored.storage_format == "msgpack.zstd"


def remove_header(store: Store, live: StoredHeader) -> bool:
    """Delete a dataset's header, if it is still the live one, and say whether; what it hides goes first."""
    key = header_key(live.header.uuid, "msgpack.zstd")
    hidden = store.get_versioned(key) if live.storage_format == "json" else None
    if hidden is not None and _is_live(store, live):
        store.delete_if(key, hidden[1])
    return store.delete_if(header_key(live.header.uuid, live.storage_format), live.version)


def _is_live(store: Store, live: StoredHeader) -> bool:
    found = store.get_versioned(header_key(live.header.uuid, "json"))
    return found is not None and found[1] == live.version


def arrive(store: Store, live: StoredHeader, wanted: str) -> None:
    """Bring a header that has just been committed to its place; no failure says that the commit is not done."""
    with suppress(TablemillError):
        if is_moving(live):
            finish_move(store, live)
        elif live.storage_format != wanted:
            move_to_msgpack(store, live)
        elif live.storage_format == "json":
            remove_hidden(store, live)


def marked(header: Header, storage_format: str, wanted: str) -> Header:
    """Return the header as it is put in a format, on the way to another."""
    return replace(header, moves=storage_format == "msgpack.zstd" and wanted == "json")
