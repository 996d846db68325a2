"""What runs on workers when rows must meet: many partition values in one split are shuffled by key before writing."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from component import naming
from component.dataset.changes.primary_keys import NO_KEYS, KeyRuns, KeyWriter
from component.dataset.files.write import PartitionWriter, cut_by_keys
from component.dataset.format.buckets import BUCKET, bucket_numbers
from component.dataset.format.layout import Layout
from component.errors import UserError
from component.formats.csv.read import ReadAgainError
from component.formats.losses import LostCells, lost_cells
from component.spark.jobs.mill import Milled, MillTask, checked_rows, lost_in, stems
from component.spark.jobs.rejects import Rejects
from component.store.base import Store


@dataclass(frozen=True, slots=True)
class Scattered:
    """What became of a split whose rows were handed to the shuffle; `in_doubt` and `error` as of Milled."""

    records: int = 0
    bytes: int = 0
    rejected: int = 0
    mended: int = 0
    rejected_file: Path | None = None
    in_doubt: bool = False
    error: UserError | None = None
    keys: KeyRuns = NO_KEYS
    losses: tuple[LostCells, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether the split was read to its end, and ends at a record if it begins at one."""
        return not self.in_doubt and self.error is None


def scatter_split(buckets: int, task: MillTask) -> Iterator[tuple[int, bytes] | Scattered]:
    """Yield a split's rows as (bucket, Arrow stream) pairs, and last what became of it.

    All rows of a key have one bucket. Rows travel as opaque bytes: no JVM reads them.
    """
    rejects = Rejects(task.split.slice, task.scratch)
    keys = KeyWriter(task.keys)
    records = mended = 0
    lost: list[LostCells] = []
    try:
        for parsed in checked_rows(task):
            records += parsed.records
            mended += parsed.mended
            lost += lost_in(parsed, task)
            rejects.add(parsed.bad)
            keys.add(parsed.rows)
            for bucket, rows in _by_bucket(parsed.rows, task.layout, buckets):
                yield bucket, _to_bytes(rows)
    except (ReadAgainError, UserError) as error:
        rejects.drop()
        keys.drop()
        yield Scattered(error=error) if isinstance(error, UserError) else Scattered(in_doubt=True)
        return
    yield Scattered(
        records,
        task.split.size,
        rejects.count,
        mended,
        rejects.close(),
        keys=keys.close(),
        losses=lost_cells(lost),
    )


def _by_bucket(rows: pa.Table, layout: Layout, buckets: int) -> Iterator[tuple[int, pa.Table]]:
    """Cut rows by the bucket of the values that a file has; the columns stay."""
    keys = layout.file_keys
    numbered = rows.append_column("#", pa.array(np.arange(rows.num_rows)))
    if layout.buckets is not None:
        numbered = numbered.append_column(BUCKET, bucket_numbers(rows, layout.buckets))
    parts: dict[int, list[pa.Array]] = {}
    for values, part in cut_by_keys(numbered.select([*keys, "#"]), keys):
        parts.setdefault(zlib.crc32("/".join(values).encode()) % buckets, []).extend(part["#"].chunks)
    for bucket, chunks in parts.items():
        order = np.sort(pa.concat_arrays(chunks).to_numpy())
        yield bucket, rows.take(pa.array(order))


def _to_bytes(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(rows.combine_chunks())
    return bytes(sink.getvalue().to_pybytes())


@dataclass(frozen=True, slots=True)
class GatherTask:
    """How the rows of one bucket are written."""

    layout: Layout
    store: Store
    run: str
    buffer_bytes: int = naming.BUFFER_BYTES


_GATHER_BYTES: Final = 16 * naming.MIB


def gather_bucket(task: GatherTask, parts: Iterable[bytes]) -> Milled:
    """Write the rows of one bucket; on any error nothing of it is left in the store."""
    with PartitionWriter(task.store, task.layout, stems(task.run), buffer_bytes=task.buffer_bytes) as writer:
        waiting: list[pa.Table] = []
        for part in parts:
            waiting.append(pa.ipc.open_stream(part).read_all())
            if sum(rows.nbytes for rows in waiting) > _GATHER_BYTES:
                writer.add(pa.concat_tables(waiting))
                waiting = []
        if waiting:
            writer.add(pa.concat_tables(waiting))
        written = writer.finish()
    return Milled(written, written.rows)
