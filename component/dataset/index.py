"""Secondary indices: value → labels of the partitions that hold it (reference kartothek 3).

Files are sorted by value, in row groups with statistics, so a lookup reads a few pages. Building is done in passes over
ranges of values, so that memory is bounded by a pass and not by the number of values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from component.errors import UserError

ROW_GROUP_VALUES: Final = 10_000
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
        unique = pc.unique(column).drop_null().cast(data_type)
        if pa.types.is_floating(data_type):
            unique = unique.filter(pc.invert(pc.is_nan(unique)))
        values.append(unique)
        positions.append(pa.array(np.full(len(unique), position, np.int32)))
    return _sorted(pa.concat_arrays(values), pa.concat_arrays(positions), tuple(label for label, _ in columns))


def _sorted(values: pa.Array, positions: pa.Array, labels: tuple[str, ...]) -> Fragment:
    order = pc.sort_indices(
        pa.table([values, positions], names=["v", "p"]), sort_keys=[("v", "ascending"), ("p", "ascending")]
    )
    return Fragment(values.take(order), positions.take(order), labels)


def fragment_of_index(table: pa.Table, column: str, live: Iterable[str], data_type: pa.DataType) -> Fragment:
    """Return the fragment of an index as read: labels not live are dropped, values united, nulls left out."""
    labels = tuple(sorted(live))
    lists = table["partition"].combine_chunks()
    parents = pc.list_parent_indices(lists)
    values = table[column].combine_chunks().take(parents)
    positions = pc.index_in(pc.list_flatten(lists).cast(pa.string()), value_set=pa.array(labels, pa.string()))
    known = pc.and_(pc.is_valid(positions), pc.is_valid(values))
    return _sorted(values.filter(known).cast(data_type), positions.filter(known), labels)


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
    schema = pa.schema([pa.field(column, data_type), pa.field("partition", pa.list_(pa.string()))])
    sink = pa.BufferOutputStream()
    count = 0
    with pq.ParquetWriter(sink, schema, compression="snappy", version="2.4", coerce_timestamps="us") as writer:
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
        for start in range(0, len(self.values), ROW_GROUP_VALUES):
            values = self.values.slice(start, ROW_GROUP_VALUES)
            bounds = self.offsets[start : start + len(values) + 1]
            labels = self.labels.take(pa.array(self.positions[bounds[0] : bounds[-1]]))
            lists = pa.ListArray.from_arrays(pa.array(bounds - bounds[0], pa.int32()), labels)
            yield pa.table([values, lists], schema=schema)


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


# --- reading ---


def read_index(file: pa.NativeFile, column: str) -> pa.Table:
    """Return a whole index file: the column and `partition`; UserError `dataset.format` when it has them not."""
    parquet = pq.ParquetFile(file)
    _check_index(parquet, column)
    return parquet.read(columns=[column, "partition"], use_threads=False)


def _check_index(parquet: pq.ParquetFile, column: str) -> None:
    if not {column, "partition"} <= set(parquet.schema_arrow.names):
        raise UserError("dataset.format", f"The index of column {column!r} lacks its columns")


def lookup(file: pa.NativeFile, column: str, wanted: pa.Array) -> set[str]:
    """Return the labels of partitions that hold any of the wanted values (of the column's normalised type, no nulls).

    Reads only the row groups whose range holds a wanted value. Values that stand twice are united.
    """
    parquet = pq.ParquetFile(file)
    _check_index(parquet, column)
    wanted = wanted.cast(parquet.schema_arrow.field(column).type)
    position = parquet.schema_arrow.get_field_index(column)
    groups = [
        n for n in range(parquet.num_row_groups) if _may_hold(parquet.metadata.row_group(n).column(position), wanted)
    ]
    table = parquet.read_row_groups(groups, columns=[column, "partition"], use_threads=False)
    hits = table.filter(pc.is_in(table[column], value_set=wanted))
    return {label for labels in hits["partition"].to_pylist() for label in labels or ()}


def _may_hold(chunk: Any, wanted: pa.Array) -> bool:
    if not chunk.is_stats_set or not chunk.statistics.has_min_max:
        return True
    low, high = (pa.scalar(bound, wanted.type) for bound in (chunk.statistics.min, chunk.statistics.max))
    return bool(pc.any(pc.and_(pc.greater_equal(wanted, low), pc.less_equal(wanted, high))).as_py())


def embedded_labels(index: Mapping[str, Sequence[str]], wanted: Iterable[Any]) -> set[str]:
    """Return the labels of an index embedded in the header, whose values are text."""
    return {label for value in wanted for label in index.get(str(value), ())}
