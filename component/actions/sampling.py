"""Some rows of an input or of a dataset, read within bounds of memory and time; all of them where they are few.

Rows are taken from several places of a large input, because its beginning is seldom like the rest of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from component import naming
from component.dataset.files.csv_file import open_data
from component.dataset.reading.reader import Dataset, FileScan, plan_scan
from component.errors import Place, UserError
from component.formats.contract import Reader, Split
from component.formats.csv.read import ReadAgainError
from component.formats.csv.source import CsvSplit
from component.formats.parquet import parquet_rows
from component.formats.rows import Parsed
from component.plan.model import Limits, Source
from component.plan.splits import reader_of, splits_of
from component.staging.locations import Location, reading_at, size_of
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
BLOCK_BYTES: Final = 256 * naming.KIB
BATCH_ROWS: Final = 16_384
MOST_LEFT_OUT: Final = 10_000
"""Rows that do not fit, each of which costs as much as hundreds that do: with so many, no more is read."""
FOOTERS: Final = 128
"""Most files that are opened only to count their rows."""


class Taker(Protocol):
    """What is done with blocks of rows; only what it keeps is held."""

    def add(self, rows: pa.Table) -> object:
        """Take one block."""
        ...


T = TypeVar("T", bound=Taker)


@dataclass(frozen=True, slots=True)
class Extent:
    """Whether all rows were read (`whole`), how many were, and about how many there are.

    `left_out` counts those of the read ones that do not fit: nothing else is known of them.
    """

    whole: bool
    rows: int
    rows_there: int
    left_out: int = 0


def sample_source(
    source: Source, start: Callable[[], T], *, most_bytes: int = SAMPLE_BYTES, places: int = PLACES
) -> tuple[list[T], Extent]:
    """Read rows of an input into takers, made by `start`, and say how many rows there are.

    All rows if they are no more than `most_bytes`, else some of at least so many places. Rows are texts of a CSV file,
    typed values of a Parquet file.
    """
    cut = max(1, most_bytes // places, -(-source.size // places))
    limits = replace(LIMITS, split_bytes=cut, block_bytes=min(BLOCK_BYTES, most_bytes))
    splits = splits_of(source, limits, cores=1)
    ratio = _text_ratio(spread(splits, places))
    there = sum(ratio * split.size for split in splits)
    chosen = spread(splits, max(places, int(most_bytes * len(splits) // max(1.0, there))))
    share = max(1, most_bytes // max(1, len(chosen)))
    taken = _read_all(chosen, sample_reader(source), share, start)
    parts = [part for _, part in taken]
    rows = sum(part.rows for part in parts)
    whole = len(chosen) == len(splits) and all(part.whole for part in parts)
    text = sum(min(part.blocks * limits.block_bytes, ratio * part.size) for part in parts)
    estimate = _rows_of(source) if source.kind == "parquet" else int(rows * there // max(1.0, text))
    left_out = sum(part.left_out for part in parts)
    return [taker for taker, _ in taken], Extent(whole, rows, rows if whole else max(rows, estimate), left_out)


def sample_reader(source: Source) -> Reader:
    """Return what reads an input as it is, and goes on after a row that does not fit."""
    return reader_of(source, source.schema if source.says_types else _as_text(source.schema), reject=True)


def _as_text(schema: TableSchema) -> TableSchema:
    return TableSchema(tuple(Column(column.name, null_rule=NullRule.UNQUOTED) for column in schema.columns))


def spread(items: Sequence[Any], count: int) -> list[Any]:
    """Return so many items, evenly spread from the first to the last; all when there are fewer."""
    if len(items) <= count or count < 2:
        return list(items[:count])
    return [items[round(number * (len(items) - 1) / (count - 1))] for number in range(count)]


@dataclass(frozen=True, slots=True)
class _Part:
    """How much was read of one split of that size in bytes."""

    whole: bool
    rows: int
    blocks: int
    size: int = 0
    left_out: int = 0


def _read_all(splits: Sequence[Split], reader: Reader, share: int, start: Callable[[], T]) -> list[tuple[T, _Part]]:
    """Read splits, of each up to `share` bytes; a slice that was cut where no record begins is read as one."""
    taken: dict[Location, list[tuple[T, _Part]]] = {}
    counts = Counter(split.location for split in splits)
    read_as_one: set[Location] = set()
    for split in splits:
        found = taken.setdefault(split.location, [])
        if split.location in read_as_one:
            continue
        try:
            found.append(_read_split(reader, split, share, start))
        except ReadAgainError as again:
            read_as_one.add(split.location)
            found[:] = [_read_until_sound(reader, again.split, share * counts[split.location], start)]
        if sum(part.left_out for found in taken.values() for _, part in found) >= MOST_LEFT_OUT:
            found.append((start(), _Part(whole=False, rows=0, blocks=0)))
            break
    return [one for found in taken.values() for one in found]


def _read_until_sound(reader: Reader, split: Split, share: int, start: Callable[[], T]) -> tuple[T, _Part]:
    while True:
        try:
            return _read_split(reader, split, share, start)
        except ReadAgainError as again:
            split = again.split


def _read_split(reader: Reader, split: Split, share: int, start: Callable[[], T]) -> tuple[T, _Part]:
    taker = start()
    return taker, replace(_bounded(read_split(reader, split), share, taker), size=split.size)


def read_split(reader: Reader, split: Split) -> Iterator[Parsed]:
    """Read a split with the reader of its source."""
    return reader.read(split)


def _bounded(blocks: Iterable[Parsed], most_bytes: int, taker: Taker) -> _Part:
    size = rows = count = left_out = 0
    for block in blocks:
        if size >= most_bytes or left_out >= MOST_LEFT_OUT:
            return _Part(whole=False, rows=rows, blocks=count, left_out=left_out)
        taker.add(block.rows)
        size += block.rows.nbytes
        rows += block.rows.num_rows
        left_out += len(block.bad)
        count += 1
    return _Part(whole=True, rows=rows, blocks=count, left_out=left_out)


def _text_ratio(splits: Sequence[Split]) -> float:
    """Return how many bytes of text a byte of the input stands for: more than one in gzip files."""
    packed = [split for split in splits if isinstance(split, CsvSplit) and split.gzip]
    size = sum(split.size for split in splits)
    return (size + sum(_text_bytes(split.location) - split.size for split in packed)) / size if size else 1.0


def _text_bytes(location: Location) -> int:
    """Return the size of a gzip file's text as its last four bytes say it: right for one member below 4 GiB."""
    size = size_of(location)
    with reading_at(location) as read_at:
        return max(size, int.from_bytes(read_at(max(0, size - 4), 4), "little"))


def _rows_of(source: Source) -> int:
    """Return how many rows Parquet files say they have."""
    return sum(parquet_rows(part.location, Place(source.file_name, part.name)) for part in source.slices)


def sample_dataset(dataset: Dataset, taker: Taker, *, most_bytes: int = SAMPLE_BYTES, places: int = PLACES) -> Extent:
    """Read rows of a dataset as its data files hold them, without the columns that are in their paths."""
    scans = plan_scan(dataset)
    chosen = spread(scans, places)
    names = [name for name in dataset.columns if name not in dataset.header.partition_keys]
    schema = pa.schema([dataset.schema.field(name) for name in names])
    parts = []
    for scan in chosen:
        with open_data(dataset.store, scan.key, dataset.schema) as file:
            blocks = (Parsed(rows, (), rows.num_rows) for rows in batches(open_parquet(file, scan.key), schema))
            parts.append(_bounded(blocks, most_bytes // len(chosen), taker))
    rows = sum(part.rows for part in parts)
    whole = len(chosen) == len(scans) and all(part.whole for part in parts)
    return Extent(whole, rows, rows if whole else _counted(dataset, scans))


def _counted(dataset: Dataset, scans: Sequence[FileScan]) -> int:
    """Return the rows of a dataset by the footers of its files; of many files by those of some."""
    looked_at = spread(scans, FOOTERS)
    counts = []
    for scan in looked_at:
        with open_data(dataset.store, scan.key, dataset.schema) as file:
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
