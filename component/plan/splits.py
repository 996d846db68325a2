"""The splits of a source: what one task reads each. Done while Spark starts, at the speed of memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from component import naming
from component.errors import Place
from component.formats.contract import Reader, Split
from component.formats.csv.guess import guess_splits
from component.formats.csv.read import CsvReader
from component.formats.csv.source import CsvSplit
from component.formats.csv.split import ByteRange, plan_splits
from component.formats.typed import typed_format
from component.plan.model import Limits, Source, SourceSlice
from component.tables.types import TableSchema

LEAST_SPLIT_BYTES = 4 * naming.MIB
SPLITS_PER_CORE = 4
MOST_SPLITS = 10_000
"""More tasks than this cost more than they help, however small a split is asked for."""


def split_size(source: Source, limits: Limits, cores: int) -> int:
    """Return the bytes of a split: small sources are cut so that every core has work, large ones at the limit."""
    even = -(-source.size // (cores * SPLITS_PER_CORE))
    least = -(-source.size // MOST_SPLITS)
    return max(1, least, min(limits.split_bytes, max(LEAST_SPLIT_BYTES, even)))


def splits_of(source: Source, limits: Limits, cores: int, *, counted: bool = False) -> tuple[Split, ...]:
    """Return the splits of a source in its order. A gzip slice is one split.

    The cuts of a plain CSV slice are guessed, and proven by reading; `counted` ones are right if enclosures pair up.
    Those of an object are always guessed: to count would take all of it through the driver.
    """
    size = split_size(source, limits, cores)
    return tuple(split for part in source.slices for split in _cut(source, part, size, limits, cores, counted=counted))


def _cut(source: Source, part: SourceSlice, size: int, limits: Limits, cores: int, *, counted: bool) -> Iterable[Split]:
    """Return the splits of a slice; formats other than CSV are loaded when a source is of them."""
    if source.kind == "csv":
        return _csv_splits(source, part, size, limits, cores, counted=counted)
    place = Place(table=source.file_name, slice=part.name)
    if source.kind == "delimited":
        from component.formats.delimited import cut, dialect  # noqa: PLC0415 - only records directories need it

        chosen = source.delimited or dialect.DelimitedDialect()
        return cut.plan_splits(part.location, chosen, table=source.file_name, name=part.name, split_bytes=size)
    return typed_format(source.kind).splits(part.location, place, split_bytes=size)


def _csv_splits(
    source: Source, part: SourceSlice, size: int, limits: Limits, cores: int, *, counted: bool
) -> Iterator[CsvSplit]:
    if part.gzip:
        yield _csv_split(source, part, ByteRange(0, part.size), limits)
        return
    guessed = not (counted and isinstance(part.location, Path))
    for found in _ranges(source, part, size, cores, counted=counted):
        yield _csv_split(source, part, found, limits, guessed=guessed)


def _ranges(source: Source, part: SourceSlice, size: int, cores: int, *, counted: bool) -> tuple[ByteRange, ...]:
    if counted and isinstance(part.location, Path):
        return plan_splits(part.location, source.dialect, start=part.data_start, split_bytes=size, threads=cores)
    return guess_splits(part.location, source.dialect, start=part.data_start, split_bytes=size)


def _csv_split(
    source: Source, part: SourceSlice, found: ByteRange, limits: Limits, *, guessed: bool = False
) -> CsvSplit:
    return CsvSplit(
        table=source.file_name,
        slice=part.name,
        location=part.location,
        gzip=part.gzip,
        range=found,
        data_start=part.data_start,
        skip_header=part.skip_header,
        guessed=guessed,
        block_bytes=limits.block_bytes,
    )


def reader_of(source: Source, schema: TableSchema, *, reject: bool) -> Reader:
    """Return what reads the splits of a source as the columns of a schema."""
    if source.kind == "csv":
        return CsvReader(schema, source.dialect, reject)
    if source.kind == "delimited":
        from component.formats.delimited import dialect, read  # noqa: PLC0415 - only records directories need it

        return read.DelimitedReader(
            schema,
            source.delimited or dialect.DelimitedDialect(),
            reject,
            keep_quoted_empty=source.keep_quoted_empty,
            assume_tz=source.assume_tz,
        )
    return typed_format(source.kind).reader(schema)
