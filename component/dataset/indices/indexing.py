"""The index files of a commit: what the new files hold, and what stays of the base, under new names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from component import clock, identity
from component.dataset.files.csv_file import open_data
from component.dataset.files.data_file import read_rows
from component.dataset.files.footer import naming_file
from component.dataset.files.fragment import Fragment, encode_fragment, fragment_of_files, fragment_of_index
from component.dataset.files.write import Written
from component.dataset.format.facts import FileFacts, facts_of
from component.dataset.format.header import Header
from component.dataset.format.keys import index_key
from component.dataset.format.layout import Layout
from component.dataset.indices.index import build_index
from component.dataset.indices.lookup import index_parts, naming_index, read_embedded
from component.store.base import Store

Partitions = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Stays:
    """What stays of a base: these partitions; the values of `rebuilt` indices are read from the data files."""

    base: Header
    partitions: Partitions
    rebuilt: frozenset[str]


def put_indices(
    store: Store,
    layouts: Sequence[Layout],
    written: Sequence[Written],
    stays: Stays | None,
    keys: dict[str, str],
    facts: dict[str, FileFacts],
) -> dict[str, int]:
    """Put an index for each column that has one, note its key in `keys`, and return how many values each has.

    What is known of each is noted in `facts`, by key.
    Of several tables, an index holds the values of all that have the column.
    """
    name = f"{clock.utc_now().isoformat()}-{identity.new_hex()[:8]}"
    counts: dict[str, int] = {}
    for column in dict.fromkeys(name for layout in layouts for name in layout.secondary_indices):
        having = [layout for layout in layouts if column in layout.secondary_indices]
        fragments: list[bytes | pa.Buffer] = [part.fragments[column] for part in written if column in part.fragments]
        if stays is not None:
            fragments += _base_fragments(store, having, stays, column)
        built = build_index(column, having[0].index_type(column), fragments)
        keys[column] = index_key(having[0].uuid, column, name)
        counts[column] = built.values
        facts[keys[column]] = facts_of(built.data, built.values)
        store.put(keys[column], built.data)
    return counts


def _base_fragments(store: Store, layouts: Sequence[Layout], stays: Stays, column: str) -> Iterator[pa.Buffer]:
    """Yield, encoded, what the base has of an index; a large one in pieces, so that its texts are never all held."""
    data_type = layouts[0].index_type(column)
    index = stays.base.indices.get(column)
    if index is None or column in stays.rebuilt:
        yield encode_fragment(_fragment_of_data(store, layouts, column, stays.partitions))
    elif isinstance(index, Mapping):
        table = read_embedded(index, column, data_type)
        yield encode_fragment(fragment_of_index(table, column, stays.partitions, data_type))
    else:
        with naming_index(column), store.open(index) as file:
            for table in index_parts(file, column):
                yield encode_fragment(fragment_of_index(table, column, stays.partitions, data_type))


def _fragment_of_data(store: Store, layouts: Sequence[Layout], column: str, partitions: Partitions) -> Fragment:
    columns = []
    for label, files in partitions.items():
        found = []
        for layout in layouts:
            if layout.table not in files:
                continue
            key = files[layout.table]
            with naming_file(key), open_data(store, key, layout.schema) as file:
                found.append(pc.unique(read_rows(file, layout.schema, [column], {})[column]))
        if found:
            columns.append((label, pa.chunked_array(found)))
    return fragment_of_files(columns, layouts[0].index_type(column))
