"""Building secondary indices: value → labels of the partitions that hold it (reference kartothek 3).

Files are sorted by value, in row groups with statistics, so a lookup reads a few pages. Building is done in passes over
ranges of values, so that memory is bounded by a pass and not by the number of values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

ROW_GROUP_VALUES: Final = 10_000
ROW_GROUP_LABELS: Final = 1_000_000
"""Labels are texts of a hundred bytes, so a row group of them all stays in memory, and in 32-bit offsets."""
PAIRS_PER_PASS: Final = 8_000_000
_SAMPLES: Final = 1_000


@dataclass(frozen=True, slots=True)
class Fragment:
    """Pairs of a value and the position of its label in `labels`; sorted by value, each pair once, no nulls."""

    values: pa.Array
    positions: pa.Array
    labels: tuple[str, ...]


def fragment_of_files(columns: Sequence[tuple[str, Any]], data_type: pa.DataType) -> Fragment:
    """Return the fragment for files given as (label, column of the file). Nulls are not indexed; NaN neither."""
    values, positions = [pa.array([], data_type)], [pa.array([], pa.int32())]
    for position, (_, column) in enumerate(columns):
        unique = _indexed(pc.unique(column).cast(data_type))
        values.append(unique)
        positions.append(pa.array(np.full(len(unique), position, np.int32)))
    return _sorted(pa.concat_arrays(values), pa.concat_arrays(positions), tuple(label for label, _ in columns))


def _indexed(unique: pa.Array) -> pa.Array:
    """Return the distinct values that an index has: no null, no NaN, one zero."""
    values = unique.drop_null()
    if not pa.types.is_floating(values.type):
        return values
    return pc.unique(pc.add(values.filter(pc.invert(pc.is_nan(values))), 0.0))


def _sorted(values: pa.Array, positions: pa.Array, labels: tuple[str, ...]) -> Fragment:
    order = pc.sort_indices(pa.table([values, positions], names=["v", "p"]), sort_keys=_BY_VALUE)
    return Fragment(values.take(order), positions.take(order), labels)


def fragment_of_index(table: pa.Table, column: str, live: Iterable[str], data_type: pa.DataType) -> Fragment:
    """Return the fragment of an index as read: labels not live are dropped, values united, nulls and NaN left out."""
    labels = tuple(sorted(live))
    lists = table["partition"].combine_chunks()
    values = table[column].cast(data_type).combine_chunks().take(pc.list_parent_indices(lists))
    positions = pc.index_in(pc.list_flatten(lists).cast(pa.string()), value_set=pa.array(labels, pa.string()))
    known = pc.and_(pc.is_valid(positions), pc.is_valid(values))
    if pa.types.is_floating(data_type):
        known = pc.and_(known, pc.invert(pc.is_nan(values)))
        values = pc.add(values, 0.0)
    return _distinct(_sorted(values.filter(known), positions.filter(known), labels))


def _distinct(fragment: Fragment) -> Fragment:
    """Return a sorted fragment with each pair once."""
    pairs = len(fragment.values)
    if pairs < 2:
        return fragment
    same = [pc.equal(array.slice(1), array.slice(0, pairs - 1)) for array in (fragment.values, fragment.positions)]
    repeated = pc.and_(*same)
    if not pc.any(repeated).as_py():
        return fragment
    keep = pa.concat_arrays([pa.array([True]), pc.invert(repeated)])
    return Fragment(fragment.values.filter(keep), fragment.positions.filter(keep), fragment.labels)


def encode_fragment(fragment: Fragment) -> pa.Buffer:
    """Return a fragment as bytes that travel in a commit message."""
    table = pa.table([fragment.values, fragment.positions], names=["value", "position"])
    table = table.replace_schema_metadata({"labels": "\n".join(fragment.labels)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(table)
    return sink.getvalue()


def decode_fragment(data: pa.Buffer | bytes) -> Fragment:
    """Return the fragment in these bytes."""
    table = pa.ipc.open_file(data).read_all()
    labels = (table.schema.metadata or {}).get(b"labels", b"").decode()
    values, positions = table["value"].combine_chunks(), table["position"].combine_chunks()
    return Fragment(values, positions, tuple(labels.split("\n")) if labels else ())


@dataclass(frozen=True, slots=True)
class BuiltIndex:
    """The bytes of an index file, and how many distinct values it holds."""

    data: pa.Buffer
    values: int


def build_index(
    column: str, data_type: pa.DataType, fragments: Sequence[Fragment], *, pairs_per_pass: int = PAIRS_PER_PASS
) -> BuiltIndex:
    """Merge fragments into one index file of sorted, distinct values, each with all its labels."""
    fragments = fragments or [Fragment(pa.array([], data_type), pa.array([], pa.int32()), ())]
    schema = pa.schema([pa.field(column, data_type), pa.field("partition", pa.list_(pa.string()))])
    sink = pa.BufferOutputStream()
    count = 0
    with pq.ParquetWriter(
        sink, schema, compression="snappy", version="2.4", coerce_timestamps="us", write_page_checksum=True
    ) as writer:
        for low, high in _value_ranges(fragments, pairs_per_pass):
            merged = _merge(fragments, low, high)
            count += len(merged.values)
            for rows in merged.rows(schema):
                writer.write_table(rows, row_group_size=ROW_GROUP_VALUES)
    return BuiltIndex(sink.getvalue(), count)


def _value_ranges(fragments: Sequence[Fragment], pairs_per_pass: int) -> Iterator[tuple[Any, Any]]:
    """Yield half-open ranges of values (None: open) of about `pairs_per_pass` pairs each, by a sample of all values."""
    pairs = sum(len(fragment.values) for fragment in fragments)
    passes = -(-pairs // pairs_per_pass)
    bounds: list[Any] = []
    if passes > 1:
        step = max(1, pairs // (_SAMPLES * passes))
        picked = [f.values.take(pa.array(np.arange(0, len(f.values), step))) for f in fragments if len(f.values)]
        sample = pa.concat_arrays(picked)
        sample = sample.take(pc.sort_indices(sample))
        bounds = [sample[len(sample) * number // passes] for number in range(1, passes)]
    edges = [None, *bounds, None]
    yield from pairwise(edges)


@dataclass(frozen=True, slots=True)
class _Merged:
    """Distinct values, where each one's labels begin, the positions of the labels, and the labels."""

    values: pa.Array
    offsets: Any
    positions: Any
    labels: pa.Array

    def rows(self, schema: pa.Schema) -> Iterator[pa.Table]:
        """Yield row groups: the labels' texts exist for one row group at a time."""
        start = 0
        while start < len(self.values):
            stop = self._row_group_end(start)
            bounds = self.offsets[start : stop + 1]
            labels = self.labels.take(pa.array(self.positions[bounds[0] : bounds[-1]]))
            lists = pa.ListArray.from_arrays(pa.array(bounds - bounds[0], pa.int32()), labels)
            yield pa.table([self.values.slice(start, stop - start), lists], schema=schema)
            start = stop

    def _row_group_end(self, start: int) -> int:
        """Return where the row group of a value ends; it has at least that value, however many labels it has."""
        most = int(np.searchsorted(self.offsets, self.offsets[start] + ROW_GROUP_LABELS, side="right")) - 1
        return max(start + 1, min(most, start + ROW_GROUP_VALUES, len(self.values)))


def _merge(fragments: Sequence[Fragment], low: Any, high: Any) -> _Merged:
    all_labels: list[str] = []
    values, positions = [], []
    for fragment in fragments:
        part_values, part_positions = _between(fragment, low, high)
        values.append(part_values)
        positions.append(part_positions.to_numpy(zero_copy_only=False).astype(np.int64) + len(all_labels))
        all_labels += fragment.labels
    joined = pa.concat_arrays(values)
    places = np.concatenate(positions)
    order = pc.sort_indices(pa.table([joined, pa.array(places)], names=["v", "p"]), sort_keys=_BY_VALUE)
    ordered = joined.take(order)
    starts = _run_starts(ordered)
    offsets = np.append(starts, len(ordered))
    return _Merged(ordered.take(pa.array(starts)), offsets, places[order.to_numpy()], pa.array(all_labels, pa.string()))


_BY_VALUE: Final = [("v", "ascending"), ("p", "ascending")]


def _between(fragment: Fragment, low: Any, high: Any) -> tuple[pa.Array, pa.Array]:
    if low is None and high is None:
        return fragment.values, fragment.positions
    keep = pc.greater_equal(fragment.values, low) if low is not None else pc.less(fragment.values, high)
    if low is not None and high is not None:
        keep = pc.and_(keep, pc.less(fragment.values, high))
    return fragment.values.filter(keep), fragment.positions.filter(keep)


def _run_starts(ordered: pa.Array) -> Any:
    """Return the positions where a new value begins."""
    if not len(ordered):
        return np.empty(0, np.int64)
    changed = pc.not_equal(ordered.slice(1), ordered.slice(0, len(ordered) - 1))
    return np.concatenate([[0], np.flatnonzero(changed.to_numpy(zero_copy_only=False)) + 1])
