"""Several tables kept in step: a label names a file of every table, whichever of them a change writes again.

Where the file of one table goes or is written again, the files of the others go on under the new label, byte for byte;
a table without rows there gets a file without rows. So labels are the same in all tables, as kartothek demands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from isal.isal_zlib import crc32

from component import identity, naming
from component.dataset.changes.rewrite import Rewritten
from component.dataset.commits.tables import fill_tables
from component.dataset.files.csv_file import parquet_of
from component.dataset.files.data_file import read_rows
from component.dataset.files.footer import naming_file, open_footer
from component.dataset.files.fragment import encode_fragment, fragment_of_files
from component.dataset.files.write import Written, WrittenFile
from component.dataset.format.facts import FileFacts, facts_of, known_facts
from component.dataset.format.keys import data_key, partition_label, stored_key
from component.dataset.format.layout import Layout
from component.dataset.format.soundness import damaged
from component.dataset.format.values import value_text
from component.dataset.reading.reader import Dataset
from component.store.base import Store
from component.store.uncommitted import Uncommitted

Values = dict[str, list[tuple[str, Any]]]
"""The values of indexed columns, file by file with its label."""


def carry(
    uncommitted: Uncommitted,
    tables: Sequence[Dataset],
    layouts: Sequence[Layout],
    done: Sequence[Rewritten],
    written: Sequence[Written],
) -> tuple[Written, ...]:
    """Put the files that keep the tables of a dataset in step with a change of some of them, and return them.

    `tables` are those of the state that changes, `layouts` say how all of them will be; `done` are the files that go or
    are written again, each of one table, and `written` is all that comes. Nothing for a dataset of one table.
    UserError `dataset.damaged` for a file to be copied that is not the one written.
    """
    if len(layouts) < 2:
        return ()
    goals = _goals(done)
    parts = [
        _copied(uncommitted, table, layout, _labels(table, done), goals)
        for table in tables
        for layout in layouts
        if layout.table == table.table
    ]
    return (*parts, *fill_tables(uncommitted, layouts, [*written, *parts]))


def _goals(done: Sequence[Rewritten]) -> dict[str, str]:
    """Return the new label of each label that a file was written again under, if it was."""
    found: dict[str, str] = {}
    for one in done:
        for old, file in zip(one.labels, one.written.files, strict=False):
            found.setdefault(old, file.label)
    return found


def _labels(table: Dataset, done: Sequence[Rewritten]) -> list[str]:
    """Return the labels that go because of another table, and whose file of this one is not written again itself."""
    own = {label for one in done if one.table == table.table for label in one.labels}
    gone = dict.fromkeys(label for one in done for label in one.labels)
    return [label for label in gone if label not in own and table.table in table.header.partitions[label]]


def _copied(
    uncommitted: Uncommitted, table: Dataset, layout: Layout, labels: Iterable[str], goals: dict[str, str]
) -> Written:
    """Put the files of a table again under the new labels; those without rows stay behind."""
    store = uncommitted.store
    facts, start = known_facts(store, table.header).by_file(), len(table.header.uuid) + 1
    values: Values = {name: [] for name in layout.secondary_indices}
    files = []
    for old in labels:
        key = table.header.partitions[old][table.table]
        data = parquet_of(sound_bytes(store, key, facts.get(key[start:])), key, table.schema)
        rows = open_footer(pa.BufferReader(data)).metadata.num_rows
        if not rows:
            continue
        label = goals.setdefault(old, _new_label(table, key))
        note_values(table, label, table.partition_values(key), data, values)
        files.append(WrittenFile(label, data_key(layout.uuid, layout.table, label), facts_of(data, rows)))
        uncommitted.add([files[-1].key])
        store.put(files[-1].key, data)
    return Written(tuple(files), fragments_of(layout, values))


def _new_label(table: Dataset, key: str) -> str:
    texts = tuple((name, value_text(value)) for name, value in table.partition_values(key).items())
    return partition_label(texts, identity.new_hex())


def sound_bytes(store: Store, key: str, known: FileFacts | None) -> bytes:
    """Return a file that is to be copied; UserError when it is not the one that was written, or not readable at all."""
    with naming_file(key):
        data = store.get(stored_key(key))
        if known is not None and crc32(data) != known.check:
            raise damaged("A file")
        if known is None and not key.endswith(naming.CSV_SUFFIXES):
            open_footer(pa.BufferReader(data))
    return data


def note_values(
    table: Dataset, label: str, partition_values: Mapping[str, Any], data: bytes | pa.Buffer, values: Values
) -> None:
    """Note the values that a file has of indexed columns."""
    rows = read_rows(pa.BufferReader(data), table.schema, list(values), partition_values)
    for name, found in values.items():
        found.append((label, pc.unique(rows[name])))


def fragments_of(layout: Layout, values: Values) -> dict[str, bytes]:
    """Return the fragments of the indices for the values of copied files."""
    return {
        name: encode_fragment(fragment_of_files(found, layout.index_type(name))).to_pybytes()
        for name, found in values.items()
    }
