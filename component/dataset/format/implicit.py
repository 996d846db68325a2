"""Headers that name no partitions: the dataset is every data file below its uuid (reference kartothek 1.6).

Such a dataset is read, never written: every data file put below its uuid is part of it at once, commit or not.
"""

from __future__ import annotations

from dataclasses import replace

from component import naming
from component.dataset.format.header import StoredHeader, read_header
from component.dataset.format.keys import keys_in_path, label_of_key
from component.store.base import Store


def read_whole_header(store: Store, uuid: str) -> StoredHeader | None:
    """Return a dataset's header with its partitions, or None when there is no dataset.

    Two calls to the store at most, and a listing only for a header that names no partitions.
    """
    stored = read_header(store, uuid)
    return stored if stored is None or stored.header.explicit else with_partitions(store, stored)


def with_partitions(store: Store, stored: StoredHeader) -> StoredHeader:
    """Return a header that names no partitions with those that a listing finds."""
    header = stored.header
    partitions = listed_partitions(store, header.uuid)
    first = next((key for files in partitions.values() for key in files.values()), None)
    keys = header.partition_keys or (keys_in_path(first) if first else ())
    return replace(stored, header=replace(header, partitions=partitions, partition_keys=keys))


def listed_partitions(store: Store, uuid: str) -> dict[str, dict[str, str]]:
    """Return what a header would name of every data file that a listing finds: label → table → key."""
    partitions: dict[str, dict[str, str]] = {}
    for stat in store.list(f"{uuid}/"):
        parts = stat.key.split("/")
        if stat.key.endswith(naming.PARQUET_SUFFIX) and len(parts) > 2 and parts[1] != naming.INDICES_FOLDER:
            partitions.setdefault(label_of_key(stat.key), {})[parts[1]] = stat.key
    return partitions
