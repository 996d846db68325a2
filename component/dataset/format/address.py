"""A dataset by its address: the URL of its store, a slash, its uuid."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from component import naming
from component.dataset.format.keys import check_uuid
from component.errors import UserError
from component.naming import absolute_url
from component.store.base import Store
from component.store.local import LocalStore
from component.store.open import open_store


@dataclass(frozen=True, slots=True)
class Address:
    """A store and the uuid of a dataset in it."""

    store: Store
    uuid: str


def open_address(address: str) -> Address:
    """Open the store of an address as `file:///data/store/flights`, `/data/store/flights` or `store/flights`.

    UserError `store.url` for no URL, and `store.key` for no uuid.
    """
    url, slash, uuid = address.rstrip("/").rpartition("/")
    if not slash:
        raise UserError(
            "store.url",
            f"{address!r} is not the address of a dataset",
            remedy="Give the store's URL, a slash and the uuid: file:///data/store/flights.",
        )
    return Address(open_here(url or "/"), check_uuid(uuid))


def open_here(url: str) -> Store:
    """Open a store as a person names it: a relative path is one below the working directory."""
    return open_store(absolute_url(url, Path.cwd()))


def open_existing(url: str) -> Store:
    """Open a store as a person names it, to be looked into; UserError `store.missing` where there is none."""
    store = open_here(url)
    if isinstance(store, LocalStore) and not os.path.isdir(store.root):  # noqa: PTH112 - a Path raises, this does not
        raise UserError(
            "store.missing", f"There is no store {store.url}", remedy="Name the folder that datasets live in."
        )
    return store


def dataset_uuids(store: Store) -> list[str]:
    """Return the uuids of all datasets in a store, sorted; one listing of the top of the store."""
    found = set()
    for stat in store.list("", deep=False):
        for suffix in (naming.HEADER_JSON_SUFFIX, naming.HEADER_MSGPACK_SUFFIX):
            if stat.key.endswith(suffix):
                found.add(stat.key.removesuffix(suffix))
    return sorted(found)
