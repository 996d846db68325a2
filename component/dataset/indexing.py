"""The index files of a commit: what the new files hold, and what stays of the base, under new names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow.compute as pc

from component import clock, identity
from component.dataset.data_file import read_rows
from component.dataset.header import Header
from component.dataset.index import Fragment, build_index, decode_fragment, fragment_of_files, fragment_of_index
from component.dataset.keys import index_key
from component.dataset.layout import Layout
from component.dataset.lookup import read_embedded, read_index
from component.dataset.write import Written
from component.store.base import Store

Partitions = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Stays:
    """What stays of a base: these partitions; the values of `rebuilt` indices are read from the data files."""

    base: Header
    partitions: Partitions
    rebuilt: frozenset[str]


def put_indices(
    store: Store, layout: Layout, written: Sequence[Written], stays: Stays | None, keys: dict[str, str]
) -> dict[str, int]:
    """Put an index for each column that has one, note its key in `keys`, and return how many values each has."""
    name = f"{clock.utc_now().isoformat()}-{identity.new_hex()[:8]}"
    counts: dict[str, int] = {}
    for column in layout.secondary_indices:
        fragments = [decode_fragment(part.fragments[column]) for part in written if part.files]
        if stays is not None:
            fragments.append(_base_fragment(store, layout, stays, column))
        built = build_index(column, layout.index_type(column), fragments)
        keys[column] = index_key(layout.uuid, column, name)
        counts[column] = built.values
        store.put(keys[column], built.data)
    return counts


def _base_fragment(store: Store, layout: Layout, stays: Stays, column: str) -> Fragment:
    data_type = layout.index_type(column)
    index = stays.base.indices.get(column)
    if index is None or column in stays.rebuilt:
        return _fragment_of_data(store, layout, column, stays.partitions)
    if isinstance(index, Mapping):
        table = read_embedded(index, column, data_type)
    else:
        with store.open(index) as file:
            table = read_index(file, column)
    return fragment_of_index(table, column, dict(stays.partitions), data_type)


def _fragment_of_data(store: Store, layout: Layout, column: str, partitions: Partitions) -> Fragment:
    columns = []
    for label, files in partitions.items():
        with store.open(files[layout.table]) as file:
            columns.append((label, pc.unique(read_rows(file, layout.schema, [column], {})[column])))
    return fragment_of_files(columns, layout.index_type(column))
