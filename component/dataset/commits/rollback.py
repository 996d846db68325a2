"""A commit taken back: the state before it is live again, unless another writer has gone on from it."""

from __future__ import annotations

from component.dataset.commits.commit import Prepared
from component.dataset.commits.moving import remove_header
from component.dataset.commits.swap import restore_schema, same_header, swap_header, undo_schema
from component.dataset.commits.writable import settled_header
from component.dataset.format.header import StoredHeader
from component.dataset.format.history import was_committed
from component.errors import CommitRefusedError
from component.store.base import Store


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
    swaps = [restore_schema(store, one.key, one.before, one.schema) for one in prepared.schemas]
    try:
        swap_header(store, live, base.header, base.storage_format)
    except CommitRefusedError:
        for swap in swaps:
            undo_schema(store, swap)
        return False
    return True
