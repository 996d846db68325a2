"""Rows to data files: cut by partition keys, hold within a budget, write whole files under new names.

A writer holds the rows of its split per partition and writes each partition's file at the end. When what it holds
passes the budget, the largest partitions are written early (roll), so memory is bounded by the budget and not by the
split. When a split holds more partitions than it may write directly, it stops: its rows are shuffled by key first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from component import naming
from component.dataset.data_file import encode_rows
from component.dataset.index import encode_fragment, fragment_of_files
from component.dataset.keys import data_key, partition_label
from component.dataset.layout import Layout
from component.dataset.values import value_text
from component.store.base import Store

PartitionValues = tuple[str, ...]
"""The partition values of a row, as text, in the order of the partition keys."""


class TooManyPartitionsError(Exception):
    """The rows hold more partitions than may be written directly."""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """One data file that is in the store and in no header yet."""

    label: str
    key: str
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Written:
    """What one writer left in the store: files, and per indexed column the fragment of its index as bytes."""

    files: tuple[WrittenFile, ...] = ()
    fragments: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Rows in all files."""
        return sum(file.rows for file in self.files)


def cut_by_keys(rows: pa.Table, partition_on: tuple[str, ...]) -> Iterator[tuple[PartitionValues, pa.Table]]:
    """Cut rows by their partition values, the rows of each in their order, without the partition columns.

    Partition columns hold no nulls (the reader saw to that).
    """
    if not partition_on:
        yield (), rows
        return
    encoded = [_encode(rows[name]) for name in partition_on]
    codes = reduce(lambda left, right: left * len(right[1]) + right[0], encoded[1:], encoded[0][0])
    distinct, inverse = np.unique(codes, return_inverse=True)
    rest = rows.drop_columns(list(partition_on))
    if len(distinct) == 1:
        yield _texts(int(distinct[0]), encoded), rest
        return
    order = np.argsort(inverse.astype(_smallest(len(distinct))), kind="stable")
    ends = np.cumsum(np.bincount(inverse))
    ordered = rest.take(pa.array(order))
    for code, start, stop in zip(distinct, [0, *ends], ends, strict=False):
        yield _texts(int(code), encoded), ordered.slice(start, stop - start)


def _encode(column: pa.ChunkedArray) -> tuple[Any, list[Any]]:
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist()


def _smallest(count: int) -> Any:
    """Return the type in which sorting is a counting sort where it can be."""
    return np.uint8 if count <= 256 else np.uint16 if count <= 65536 else np.int64


def _texts(code: int, encoded: list[tuple[Any, list[Any]]]) -> PartitionValues:
    texts = []
    for _, values in reversed(encoded):
        code, position = divmod(code, len(values))
        texts.append(value_text(values[position]))
    return tuple(reversed(texts))


@dataclass(slots=True)
class _Held:
    """The rows of one partition that are not written yet."""

    tables: list[pa.Table] = field(default_factory=list)
    bytes: int = 0


class PartitionWriter:
    """Writes the rows of one split; `stems` gives a new file stem at each call.

    Use `add` for each batch, then `finish`; on any failure call `abort`, which deletes what was written.
    """

    def __init__(
        self,
        store: Store,
        layout: Layout,
        stems: Callable[[], str],
        *,
        most_partitions: int | None = None,
        buffer_bytes: int = naming.BUFFER_BYTES,
    ) -> None:
        self._store = store
        self._layout = layout
        self._stems = stems
        self._stem = stems()
        self._most_partitions = most_partitions
        self._buffer_bytes = buffer_bytes
        self._held: dict[PartitionValues, _Held] = {}
        self._seen: set[PartitionValues] = set()
        self._files: list[WrittenFile] = []
        self._values: dict[str, list[tuple[str, Any]]] = {name: [] for name in layout.secondary_indices}

    def add(self, rows: pa.Table) -> None:
        """Take rows in the layout's schema. Raises TooManyPartitionsError before anything of these rows is written."""
        for values, part in cut_by_keys(rows, self._layout.partition_on):
            held = self._held.setdefault(values, _Held())
            held.tables.append(part)
            held.bytes += part.get_total_buffer_size() if len(rows) == len(part) else part.nbytes
            self._seen.add(values)
        if self._most_partitions is not None and len(self._seen) > self._most_partitions:
            raise TooManyPartitionsError
        while sum(held.bytes for held in self._held.values()) > self._buffer_bytes:
            self._roll()

    def _roll(self) -> None:
        """Write the largest partition held; later rows of it go to a file of another name."""
        largest = max(self._held, key=lambda values: self._held[values].bytes)
        self._write(largest, self._stems())

    def finish(self) -> Written:
        """Write what is held and say what was written."""
        for values in list(self._held):
            self._write(values, self._stem)
        fragments = {
            name: encode_fragment(fragment_of_files(columns, self._layout.index_type(name))).to_pybytes()
            for name, columns in self._values.items()
        }
        return Written(tuple(self._files), fragments)

    def abort(self) -> None:
        """Delete what was written."""
        for file in self._files:
            self._store.delete(file.key)
        self._files.clear()
        self._held.clear()

    def _write(self, values: PartitionValues, stem: str) -> None:
        rows = pa.concat_tables(self._held.pop(values).tables)
        if self._layout.sort_by:
            rows = rows.sort_by([(name, "ascending") for name in self._layout.sort_by])
        label = partition_label(tuple(zip(self._layout.partition_on, values, strict=True)), stem)
        data = encode_rows(rows)
        key = data_key(self._layout.uuid, self._layout.table, label)
        self._files.append(WrittenFile(label, key, rows.num_rows, data.size))
        self._store.put(key, data)
        for name, columns in self._values.items():
            columns.append((label, pc.unique(rows[name])))
