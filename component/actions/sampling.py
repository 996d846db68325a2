"""Some rows of an input or of a dataset, read within bounds of memory and time; all of them where they are few.

Rows are taken from several places of a large input, because its beginning is seldom like the rest of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from component import naming
from component.dataset.reader import Dataset, FileScan, plan_scan
from component.errors import UserError
from component.formats.csv.read import CsvReader, ReadAgainError
from component.formats.csv.source import CsvSplit
from component.formats.parquet import ParquetReader, ParquetSplit
from component.plan.model import Limits, Source
from component.plan.splits import splits_of
from component.tables.types import Column, NullRule, TableSchema

SAMPLE_BYTES: Final = 48 * naming.MIB
"""Rows that are looked at, block by block: about half a second of work."""
PLACES: Final = 8
LIMITS: Final = Limits(
    split_bytes=naming.SPLIT_BYTES,
    block_bytes=naming.BLOCK_BYTES,
    buffer_bytes=naming.BUFFER_BYTES,
    direct_files=naming.DIRECT_FILES,
    slice_bytes=naming.SLICE_BYTES,
    max_slices=naming.MAX_SLICES,
)
"""What is configured of limits has no part in an action: a sample is small by itself."""
BLOCK_BYTES: Final = 1 * naming.MIB
BATCH_ROWS: Final = 16_384
FOOTERS: Final = 128
"""Most files that are opened only to count their rows."""


class Taker(Protocol):
    """What is done with blocks of rows; only what it keeps is held."""

    def add(self, rows: pa.Table) -> object:
        """Take one block."""
        ...


@dataclass(slots=True)
class Kept:
    """A taker that keeps the rows themselves."""

    rows: list[pa.Table] = field(default_factory=list)

    def add(self, rows: pa.Table) -> None:
        """Keep one block."""
        self.rows.append(rows)


T = TypeVar("T", bound=Taker)


@dataclass(frozen=True, slots=True)
class Extent:
    """Whether all rows were read (`whole`), how many were, and about how many there are."""

    whole: bool
    rows: int
    rows_there: int


def sample_source(
    source: Source, start: Callable[[], T], *, most_bytes: int = SAMPLE_BYTES, places: int = PLACES
) -> tuple[list[T], Extent]:
    """Read rows of an input into takers, one for each place, made by `start`, and say how many rows there are.

    Rows are texts of a CSV file, typed values of a Parquet file; those with a fault are left out.
    """
    cut = max(1, most_bytes // places, -(-source.size // places))
    limits = replace(LIMITS, split_bytes=cut, block_bytes=min(BLOCK_BYTES, most_bytes))
    splits = splits_of(source, limits, cores=1)
    chosen = spread(splits, places)
    schema = source.schema if source.kind == "parquet" else _as_text(source.schema)
    share = max(1, most_bytes // max(1, len(chosen)))
    read = [_read_split(source, split, schema, share, start) for split in chosen]
    parts = [part for _, part in read]
    rows = sum(part.rows for part in parts)
    whole = len(chosen) == len(splits) and all(part.whole for part in parts)
    there = rows if whole else _rows_there(source, rows, parts, limits.block_bytes)
    return [taker for taker, _ in read], Extent(whole, rows, there)


def _as_text(schema: TableSchema) -> TableSchema:
    return TableSchema(tuple(Column(column.name, null_rule=NullRule.UNQUOTED) for column in schema.columns))


def spread(items: Sequence[Any], count: int) -> list[Any]:
    """Return so many items, evenly spread from the first to the last; all when there are fewer."""
    if len(items) <= count or count < 2:
        return list(items[:count])
    return [items[round(number * (len(items) - 1) / (count - 1))] for number in range(count)]


@dataclass(frozen=True, slots=True)
class _Part:
    """How much was read of one split."""

    whole: bool
    rows: int
    blocks: int


def _read_split(
    source: Source, split: CsvSplit | ParquetSplit, schema: TableSchema, most_bytes: int, start: Callable[[], T]
) -> tuple[T, _Part]:
    """Read one split; what was taken of a split that turns out to be no whole records is dropped."""
    while True:
        taker = start()
        try:
            return taker, _bounded(_blocks(source, split, schema), most_bytes, taker)
        except ReadAgainError as again:
            split = again.split


def _bounded(blocks: Iterator[pa.Table], most_bytes: int, taker: Taker) -> _Part:
    size = rows = count = 0
    for block in blocks:
        if size >= most_bytes:
            return _Part(whole=False, rows=rows, blocks=count)
        taker.add(block)
        size += block.nbytes
        rows += block.num_rows
        count += 1
    return _Part(whole=True, rows=rows, blocks=count)


def _blocks(source: Source, split: CsvSplit | ParquetSplit, schema: TableSchema) -> Iterator[pa.Table]:
    if isinstance(split, ParquetSplit):
        yield from (parsed.rows for parsed in ParquetReader(schema).read(split))
    else:
        yield from (parsed.rows for parsed in CsvReader(schema, source.dialect, reject=True).read(split))


def _rows_there(source: Source, rows: int, parts: Sequence[_Part], block_bytes: int) -> int:
    """Estimate the rows of a CSV source by the text that was read; a Parquet file says how many it has."""
    if source.kind == "parquet":
        return sum(pq.read_metadata(part.path).num_rows for part in source.slices)
    text = sum(part.blocks for part in parts) * block_bytes
    there = sum(_text_bytes(os.fspath(part.path)) if part.gzip else part.size for part in source.slices)
    return max(rows, rows * there // max(1, text))


def _text_bytes(path: str) -> int:
    """Return the size of a gzip file's text as its last four bytes say it: right for one member below 4 GiB."""
    with open(path, "rb") as file:  # noqa: PTH123 - seeks from the end
        file.seek(-4, os.SEEK_END)
        return int.from_bytes(file.read(4), "little")


def sample_dataset(dataset: Dataset, taker: Taker, *, most_bytes: int = SAMPLE_BYTES, places: int = PLACES) -> Extent:
    """Read rows of a dataset as its data files hold them, without the columns that are in their paths."""
    scans = plan_scan(dataset)
    chosen = spread(scans, places)
    names = [name for name in dataset.columns if name not in dataset.header.partition_keys]
    schema = pa.schema([dataset.schema.field(name) for name in names])
    parts = []
    for scan in chosen:
        with dataset.store.open(scan.key) as file:
            parts.append(_bounded(batches(open_parquet(file, scan.key), schema), most_bytes // len(chosen), taker))
    rows = sum(part.rows for part in parts)
    whole = len(chosen) == len(scans) and all(part.whole for part in parts)
    return Extent(whole, rows, rows if whole else _counted(dataset, scans))


def _counted(dataset: Dataset, scans: Sequence[FileScan]) -> int:
    """Return the rows of a dataset by the footers of its files; of many files by those of some."""
    looked_at = spread(scans, FOOTERS)
    counts = []
    for scan in looked_at:
        with dataset.store.open(scan.key) as file:
            counts.append(open_parquet(file, scan.key).metadata.num_rows)
    there: int = sum(counts) * len(scans) // max(1, len(looked_at))
    return there


def open_parquet(file: pa.NativeFile, key: str) -> pq.ParquetFile:
    """Open a data file; UserError `dataset.format` when it is none."""
    try:
        return pq.ParquetFile(file)
    except (pa.ArrowException, OSError) as error:
        raise UserError("dataset.format", f"The data file {key!r} cannot be read as Parquet") from error


def batches(parquet: pq.ParquetFile, schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the rows of a data file in the columns of a schema; columns that it lacks are null.

    UserError `dataset.format` when the file is damaged or a column does not fit.
    """
    there = set(parquet.schema_arrow.names)
    names = [name for name in schema.names if name in there]
    try:
        for batch in parquet.iter_batches(BATCH_ROWS, columns=names, use_threads=False):
            columns = [
                batch.column(field.name).cast(field.type) if field.name in there else pa.nulls(len(batch), field.type)
                for field in schema
            ]
            yield pa.table(columns, schema=schema)
    except (pa.ArrowException, OSError) as error:
        raise UserError("dataset.format", "A data file does not fit the dataset") from error
