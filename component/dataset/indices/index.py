"""Building secondary indices: value → labels of the partitions that hold it (reference kartothek 3).

A commit puts the index files: what the new data files hold, and what stays of the base, under new names. Files are
sorted by value, in row groups with statistics, so a lookup reads a few pages.

Building is done in passes over ranges of values. What the writers found comes as runs that are sorted by value and read
batch by batch; between passes, memory holds their bytes as they came, the first and last value of each batch, and all
labels once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from component import clock, identity
from component.dataset.files.csv_file import open_data
from component.dataset.files.data_file import read_rows
from component.dataset.files.footer import naming_file
from component.dataset.files.fragment import (
    Fragment,
    encode_fragment,
    fragment_of_files,
    fragment_of_index,
    in_order,
    labels_of,
)
from component.dataset.files.write import Written
from component.dataset.format.facts import FileFacts, facts_of
from component.dataset.format.header import Header
from component.dataset.format.keys import index_key
from component.dataset.format.layout import Layout
from component.dataset.format.seal import seal
from component.dataset.indices.lookup import index_parts, naming_index, read_embedded
from component.store.base import Store
from component.store.uncommitted import Uncommitted

Partitions = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class KeptBase:
    """What stays of a base: these partitions; the values of `rebuilt` indices are read from the data files."""

    base: Header
    partitions: Partitions
    rebuilt: frozenset[str]


@dataclass(frozen=True, slots=True)
class NewIndex:
    """An index that was put: its key, how many values it has, and what is known of its file."""

    key: str
    values: int
    facts: FileFacts


def put_indices(
    uncommitted: Uncommitted, layouts: Sequence[Layout], written: Sequence[Written], stays: KeptBase | None
) -> dict[str, NewIndex]:
    """Put an index for each column that has one, and return them by column.

    Of several tables, an index holds the values of all that have the column.
    """
    store = uncommitted.store
    name = f"{clock.utc_now().isoformat()}-{identity.new_hex()[:8]}"
    put: dict[str, NewIndex] = {}
    for column in dict.fromkeys(name for layout in layouts for name in layout.secondary_indices):
        having = [layout for layout in layouts if column in layout.secondary_indices]
        fragments: list[bytes | pa.Buffer] = [part.fragments[column] for part in written if column in part.fragments]
        if stays is not None:
            fragments += _base_fragments(store, having, stays, column)
        built = build_index(column, having[0].index_type(column), fragments)
        key = index_key(having[0].uuid, column, name)
        put[column] = NewIndex(key, built.values, facts_of(built.data, built.values))
        uncommitted.add([key])
        store.put(key, built.data)
    return put


def _base_fragments(store: Store, layouts: Sequence[Layout], stays: KeptBase, column: str) -> Iterator[pa.Buffer]:
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


ROW_GROUP_VALUES: Final = 10_000
ROW_GROUP_LABELS: Final = 1_000_000
"""Labels are texts of a hundred bytes, so a row group of them all stays in memory, and in 32-bit offsets."""
PAIRS_PER_PASS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class BuiltIndex:
    """The bytes of an index file, and how many distinct values it holds."""

    data: pa.Buffer
    values: int


def build_index(
    column: str,
    data_type: pa.DataType,
    fragments: Sequence[Fragment | bytes | pa.Buffer],
    *,
    pairs_per_pass: int = PAIRS_PER_PASS,
) -> BuiltIndex:
    """Merge fragments, as they are or encoded, into one index file: sorted, distinct values, each with all its labels.

    `data_type` is that of the fragments' values.
    """
    schema = pa.schema([pa.field(column, data_type), pa.field("partition", pa.list_(pa.string()))])
    merge = Merge(data_type, fragments)
    sink = pa.BufferOutputStream()
    count = 0
    with pq.ParquetWriter(
        sink, schema, compression="snappy", version="2.4", coerce_timestamps="us", write_page_checksum=True
    ) as writer:
        for merged in merge.passes(pairs_per_pass):
            count += len(merged.values)
            for rows in _row_groups(merged, merge.labels, schema):
                writer.write_table(rows, row_group_size=ROW_GROUP_VALUES)
    return BuiltIndex(seal(sink.getvalue()), count)


def _row_groups(merged: MergedValues, all_labels: pa.Array, schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield row groups: the labels' texts exist for one row group at a time."""
    start = 0
    while start < len(merged.values):
        stop = _row_group_end(merged, start)
        bounds = merged.offsets[start : stop + 1]
        labels = all_labels.take(pa.array(merged.places[bounds[0] : bounds[-1]]))
        lists = pa.ListArray.from_arrays(pa.array(bounds - bounds[0], pa.int32()), labels)
        yield pa.table([merged.values.slice(start, stop - start), lists], schema=schema)
        start = stop


def _row_group_end(merged: MergedValues, start: int) -> int:
    """Return where the row group of a value ends; it has at least that value, however many labels it has."""
    most = int(np.searchsorted(merged.offsets, merged.offsets[start] + ROW_GROUP_LABELS, side="right")) - 1
    return max(start + 1, min(most, start + ROW_GROUP_VALUES, len(merged.values)))


_SAMPLES: Final = 1_000


@dataclass(frozen=True, slots=True)
class MergedValues:
    """Distinct values in order; of value `n` the labels at `places[offsets[n]:offsets[n + 1]]` of all labels."""

    values: pa.Array
    offsets: Any
    places: Any


class Merge:
    """The fragments of one index, encoded or not; `labels` are all of theirs, each once."""

    def __init__(self, data_type: pa.DataType, fragments: Sequence[Fragment | bytes | pa.Buffer]) -> None:
        self._type = data_type
        files = [pa.ipc.open_file(_encoded(one)) for one in fragments]
        labels = [labels_of(file.schema) for file in files]
        everything = pa.array([label for some in labels for label in some], pa.string()).dictionary_encode()
        self.labels = everything.dictionary
        ends = np.cumsum([0, *map(len, labels)])
        codes = everything.indices.to_numpy()
        self._runs = [_FragmentRun(file, codes[a:b]) for file, (a, b) in zip(files, pairwise(ends), strict=True)]

    def passes(self, pairs_per_pass: int) -> Iterator[MergedValues]:
        """Yield the values in order, in passes of about so many pairs."""
        for low, high in self._ranges(pairs_per_pass):
            parts = [part for run in self._runs for part in run.between(low, high)]
            values = pa.concat_arrays([pa.array([], self._type), *(values for values, _ in parts)])
            places = np.concatenate([np.empty(0, np.int32), *(places for _, places in parts)])
            del parts
            yield _united(values, places)

    def _ranges(self, pairs_per_pass: int) -> Iterator[tuple[Any, Any]]:
        """Yield half-open ranges of values (None: open) of about so many pairs each, by a sample of all values."""
        passes = -(-sum(run.pairs for run in self._runs) // pairs_per_pass)
        bounds: list[Any] = []
        if passes > 1:
            step = max(1, pairs_per_pass // _SAMPLES)
            sample = pa.concat_arrays([picked for run in self._runs for picked in run.sample(step)])
            sample = sample.take(pc.sort_indices(sample))
            bounds = [sample[len(sample) * number // passes] for number in range(1, passes)]
        yield from pairwise([None, *bounds, None])


def _encoded(fragment: Fragment | bytes | pa.Buffer) -> bytes | pa.Buffer:
    return encode_fragment(fragment) if isinstance(fragment, Fragment) else fragment


class _FragmentRun:
    """One encoded fragment; `codes` say for each of its labels which of all labels it is."""

    def __init__(self, file: pa.ipc.RecordBatchFileReader, codes: Any) -> None:
        self._file, self._codes = file, codes
        self.pairs = 0
        self._batches: list[int] = []
        firsts, lasts = [], []
        for number in range(file.num_record_batches):
            values = file.get_batch(number).column(0)
            if len(values):
                self._batches.append(number)
                self.pairs += len(values)
                firsts.append(values.take(pa.array([0])))  # a slice would hold all values
                lasts.append(values.take(pa.array([len(values) - 1])))
        self._firsts = pa.chunked_array(firsts, file.schema.field(0).type)
        self._lasts = pa.chunked_array(lasts, file.schema.field(0).type)

    def sample(self, step: int) -> Iterator[pa.Array]:
        """Yield some of the values, evenly from all."""
        for number in self._batches:
            values = self._file.get_batch(number).column(0)
            yield values.take(pa.array(np.arange(0, len(values), step)))

    def between(self, low: Any, high: Any) -> Iterator[tuple[pa.Array, Any]]:
        """Yield values from `low` on and below `high` (None: open), and for each the number of its label."""
        for number in np.flatnonzero(self._overlap(low, high)):
            batch = self._file.get_batch(self._batches[number])
            values = batch.column(0)
            start = _count_below(values, low) if low is not None else 0
            stop = _count_below(values, high) if high is not None else len(values)
            if start < stop:
                yield values.slice(start, stop - start), self._codes[batch.column(1).to_numpy()[start:stop]]

    def _overlap(self, low: Any, high: Any) -> Any:
        found = np.ones(len(self._firsts), bool)
        if low is not None:
            found &= pc.greater_equal(self._lasts, low).to_numpy()
        if high is not None:
            found &= pc.less(self._firsts, high).to_numpy()
        return found


def _count_below(values: pa.Array, bound: Any) -> int:
    """Return how many of sorted values are below a bound."""
    return int(pc.sum(pc.less(values, bound)).as_py() or 0)


def _united(values: pa.Array, places: Any) -> MergedValues:
    """Return the values, each once, with their labels, each once."""
    pairs = in_order(values, places)
    kept, starts = ~pairs.twice, np.flatnonzero(~pairs.repeated)
    before = np.concatenate([[0], np.cumsum(kept)])
    distinct = pairs.values if len(starts) == len(values) else pairs.values.take(pa.array(starts))
    return MergedValues(distinct, np.append(before[starts], before[-1]), pairs.places[kept])
