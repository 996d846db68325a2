"""The header that a writer commits onto: at its place, not older than one that it hides, with its partitions."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from component.dataset.commits.moving import finish_move, is_moving
from component.dataset.format.header import Header, StoredHeader, decode_header, encode_header, read_header
from component.dataset.format.history import comes_of
from component.dataset.format.implicit import with_partitions
from component.dataset.format.keys import header_key
from component.errors import CommitRefusedError, UserError
from component.store.base import Store

_LOOKS: Final = 10


def make_explicit(store: Store, uuid: str) -> StoredHeader | None:
    """Return a dataset's header to commit onto, after it has been made to name its partitions.

    The rows are the same before and after, so it is no commit, and no copy is kept: the next commit keeps it, as it
    does for every state that is not its own. CommitRefusedError when another writer commits at the same time.
    """
    stored = settled_header(store, uuid)
    if stored is None or stored.header.explicit:
        return stored
    stored = with_partitions(store, stored)
    header = replace(stored.header, explicit=True)
    data = encode_header(header, stored.storage_format)
    version = store.put_if(header_key(uuid, stored.storage_format), data, stored.version)
    return StoredHeader(header, stored.storage_format, version)


def settled_header(store: Store, uuid: str) -> StoredHeader | None:
    """Return a dataset's header that may be committed onto, or None when there is no dataset.

    A move that another writer began is finished. CommitRefusedError when headers keep moving.
    """
    for _ in range(_LOOKS):
        stored = read_header(store, uuid)
        if stored is None:
            return None
        if is_moving(stored):
            finish_move(store, stored)
        elif stored.storage_format == "json" and newer_hidden(store, stored.header) is not None:
            store.delete_if(header_key(uuid, "json"), stored.version)
        else:
            return stored
    raise CommitRefusedError("commit.refused", f"The header of the dataset {uuid!r} keeps moving", remedy="Run again.")


def newer_hidden(store: Store, header: Header) -> Header | None:
    """Return the msgpack header that a JSON header hides if it is the newer one: a writer stopped while it moved it."""
    found = store.get_versioned(header_key(header.uuid, "msgpack.zstd"))
    if found is None:
        return None
    try:
        hidden = decode_header(found[0], "msgpack.zstd", header.uuid)
        return hidden if comes_of(store, hidden, header) else None
    except UserError:
        return None
