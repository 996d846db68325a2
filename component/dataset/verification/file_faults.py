"""One pass over the data files of a dataset: what is wrong with each, and what the indices should hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from isal.isal_zlib import crc32

from component.dataset.files.csv_file import parquet_of
from component.dataset.files.data_file import read_rows
from component.dataset.files.footer import open_footer
from component.dataset.format.facts import FileFacts
from component.dataset.format.header import Header
from component.dataset.format.keys import stored_key
from component.dataset.reading.reader import Dataset
from component.dataset.verification.faults import Fault
from component.errors import TablemillError, UserError
from component.store.base import check_key

GONE = "drop the partition from the header"
REBUILD = "build the index again"


def table_faults(header: Header, tables: Sequence[str]) -> Iterator[Fault]:
    """Yield partitions that have files of other tables than the rest; `tables` are those of most partitions."""
    for label, files in header.partitions.items():
        if set(files) != set(tables):
            there = ", ".join(files) or "no table"
            text = f"The partition has a file of {there}, and the others of {', '.join(tables)}"
            mend = f"write its rows again as a file of {tables[0]}" if len(files) == len(tables) == 1 else None
            yield Fault("verify.table", text, next(iter(files.values()), None), label, mend=mend)


def listed_faults(header: Header, sizes: Mapping[str, int], facts: Mapping[str, FileFacts]) -> Iterator[Fault]:
    """Yield files and indices that are not there in a listing, with `sizes`, and files of another size than written."""
    start = len(header.uuid) + 1
    for label, files in header.partitions.items():
        for key in files.values():
            size = sizes.get(stored_key(key))
            if size is None:
                yield _not_there(key, label)
            elif key[start:] in facts and facts[key[start:]].bytes != size:
                text = f"The file has {size} bytes, and {facts[key[start:]].bytes} were written"
                yield Fault("verify.size", text, key, label)

    for column, index in header.indices.items():
        if isinstance(index, str) and stored_key(index) not in sizes:
            yield Fault("verify.index", "The index is not there", index, column=column, mend=REBUILD)


def _not_there(key: str, label: str) -> Fault:
    """Return the fault of a file that a listing does not show; one of a key that no store takes may be there."""
    try:
        check_key(stored_key(key))
    except UserError as error:
        return Fault("verify.file", error.text, key, label)
    return Fault("verify.file", "The file is not there", key, label, mend=GONE)


class FilePass:
    """One pass over the files of one table: their faults, their rows, and the values of indexed columns by label."""

    def __init__(self, dataset: Dataset, facts: Mapping[str, FileFacts]) -> None:
        self._dataset, self._facts = dataset, facts
        self.indexed: dict[str, list[tuple[str, Any]]] = {
            name: [] for name in dataset.header.indices if name in dataset.schema.names
        }
        self.rows = 0

    def file(self, label: str, key: str) -> Iterator[Fault]:
        """Read a file whole, once: its checksum, its types, so that every page is decoded, and its rows."""
        schema, store = self._dataset.schema, self._dataset.store
        facts = self._facts.get(key[len(self._dataset.header.uuid) + 1 :])
        try:
            data = store.get(stored_key(key))
            if facts is not None and crc32(data) != facts.check:
                yield Fault("verify.checksum", "The bytes of the file are not those that were written", key, label)
            values = self._dataset.partition_values(key)
            content = parquet_of(data, key, schema)
            rows = read_rows(pa.BufferReader(content), schema, schema.names, values)
            stored = set(open_footer(pa.BufferReader(content)).schema_arrow.names)
        except TablemillError as error:
            yield Fault("verify.file", error.text, key, label)
            return
        self.rows += rows.num_rows
        if facts is not None and facts.rows != rows.num_rows:
            text = f"The file has {rows.num_rows} rows, and {facts.rows} were written"
            yield Fault("verify.rows", text, key, label)
        for name in sorted(set(schema.names) - stored - set(values)):
            text = "The file lacks a column, whose values read as null"
            yield Fault("verify.column", text, key, label, name)
        for name, columns in self.indexed.items():
            columns.append((label, pc.unique(rows[name])))
