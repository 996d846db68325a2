"""Building secondary indices: value → labels of the partitions that hold it (reference kartothek 3).

Files are sorted by value, in row groups with statistics, so a lookup reads a few pages. Building is done in passes over
ranges of values, so that memory is that of a pass and of the fragments' own compressed bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from component.dataset.files.fragment import Fragment
from component.dataset.format.seal import seal
from component.dataset.indices.merging import Merge, Merged

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


def _row_groups(merged: Merged, all_labels: pa.Array, schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield row groups: the labels' texts exist for one row group at a time."""
    start = 0
    while start < len(merged.values):
        stop = _row_group_end(merged, start)
        bounds = merged.offsets[start : stop + 1]
        labels = all_labels.take(pa.array(merged.places[bounds[0] : bounds[-1]]))
        lists = pa.ListArray.from_arrays(pa.array(bounds - bounds[0], pa.int32()), labels)
        yield pa.table([merged.values.slice(start, stop - start), lists], schema=schema)
        start = stop


def _row_group_end(merged: Merged, start: int) -> int:
    """Return where the row group of a value ends; it has at least that value, however many labels it has."""
    most = int(np.searchsorted(merged.offsets, merged.offsets[start] + ROW_GROUP_LABELS, side="right")) - 1
    return max(start + 1, min(most, start + ROW_GROUP_VALUES, len(merged.values)))
