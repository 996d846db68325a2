"""`testConnection`: whether the store is there and may be written to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from component import identity
from component.actions.messages import SUCCESS
from component.actions.parameters import open_configured_store
from component.actions.request import Request
from component.errors import RetryError
from component.store.base import Store


def check_connection(request: Request) -> Mapping[str, Any]:
    """Return success when a probe could be put, read and deleted; the store's own error otherwise.

    Without `store` there is nothing to reach: datasets travel through in/files and out/files.
    """
    store = open_configured_store(request)
    if store is not None:
        probe(store)
    return SUCCESS


def probe(store: Store) -> None:
    """Put an object as a commit does, read it again, and delete it; its key belongs to no dataset.

    The errors of the store; RetryError `store.failed` when it gives back something else.
    """
    key, data = f".tablemill-probe-{identity.new_hex()}", b"probe"
    store.put_if(key, data, None)
    try:
        found = store.get(key)
    finally:
        store.delete(key)
    if found != data:
        raise RetryError("store.failed", "The store did not give back what was put into it", remedy="Try again.")
