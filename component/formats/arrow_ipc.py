"""Arrow's own files and streams: as input in splits of record batches, mapped into memory; and as output."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, ClassVar, Final

import pyarrow as pa

from component.errors import Place, UserError
from component.file_types import ARROW, ARROW_STREAM
from component.formats.columns import FileColumns, file_columns, fitted_column
from component.formats.contract import Attributes
from component.formats.losses import Loss
from component.formats.rows import Parsed
from component.staging.locations import Location, open_seekable, reading_at, size_of
from component.tables.logical import FullRows
from component.tables.types import TableSchema

_MAGIC: Final = ARROW.magic.rstrip(b"\0")
_CONTINUED: Final = ARROW_STREAM.magic


@dataclass(frozen=True, slots=True)
class ArrowSplit:
    """Record batches of one file, `start` up to but not including `stop`; None: up to the end, as of a stream."""

    table: str
    slice: str
    location: Location
    start: int
    stop: int | None
    size: int

    @property
    def place(self) -> Place:
        """Where errors of this split are."""
        return Place(table=self.table, slice=self.slice)


@dataclass(frozen=True, slots=True)
class ArrowReader:
    """Reads splits of one table into its schema; columns are found by name."""

    schema: TableSchema

    def read(self, split: ArrowSplit) -> Iterator[Parsed]:
        """Yield batches of rows. UserError `source.format` for a damaged file, `column.missing`, `cell.type`."""
        with opened(split.location, split.place) as source:
            for batch in batches_of(source, split.start, split.stop):
                there = set(batch.schema.names)
                for column in self.schema.columns:
                    if column.name not in there:
                        at = replace(split.place, column=column.name)
                        raise UserError("column.missing", "The column is not in the file", place=at)
                columns = [fitted_column(batch.column(one.name), one, split.place) for one in self.schema.columns]
                yield Parsed(pa.table(columns, schema=self.schema.arrow), (), batch.num_rows)


def batches_of(source: Any, start: int = 0, stop: int | None = None) -> Iterator[pa.RecordBatch]:
    """Yield record batches of an opened file or stream."""
    if isinstance(source, pa.ipc.RecordBatchFileReader):
        for number in range(start, source.num_record_batches if stop is None else stop):
            yield source.get_batch(number)
    else:
        yield from islice(source, start, stop)


def arrow_columns(location: Location, place: Place) -> FileColumns:
    """Return the columns of a file, and their types; UserError `column.type`, `column.duplicate`, `source.format`."""
    with opened(location, place) as source:
        return file_columns(source.schema, place)


def arrow_schema(location: Location, place: Place) -> TableSchema:
    """Return the columns of a file; UserError as `arrow_columns`."""
    return arrow_columns(location, place).schema


def arrow_splits(location: Location, place: Place, *, split_bytes: int) -> tuple[ArrowSplit, ...]:
    """Cut a file into runs of batches of about `split_bytes` each, taken to be of one size; a stream is one split."""
    table, slice_name, size = place.table or "", place.slice or "", size_of(location)
    with opened(location, place) as source:
        if not isinstance(source, pa.ipc.RecordBatchFileReader):
            return (ArrowSplit(table, slice_name, location, 0, None, size),)
        batches = source.num_record_batches
    count = max(1, min(batches, round(size / split_bytes)))
    cuts = [batches * number // count for number in range(count + 1)]
    return tuple(ArrowSplit(table, slice_name, location, first, stop, size // count) for first, stop in pairwise(cuts))


def is_arrow(location: Location) -> bool:
    """Say whether a file begins as one of Arrow's."""
    with reading_at(location) as read:
        start = read(0, 8)
    return start.startswith((_MAGIC, _CONTINUED))


@contextmanager
def opened(location: Location, place: Place) -> Iterator[Any]:
    """Open a file or a stream, whichever it is; what pyarrow says of a damaged one becomes `source.format`."""
    try:
        source = pa.memory_map(str(location)) if isinstance(location, Path) else open_seekable(location)
        with reading_at(location) as read:
            is_file = read(0, len(_MAGIC)) == _MAGIC
        with source, pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source) as reader:
            yield reader
    except (pa.ArrowException, OSError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError("source.format", f"The Arrow file cannot be read: {first}", place=place) from error


@dataclass(frozen=True, slots=True)
class ArrowWriting:
    """Arrow's files, or streams; `compression` is `lz4`, `zstd` or None."""

    keeps_arrow_types: ClassVar = True

    stream: bool = False
    compression: str | None = None

    def losses(self, schema: pa.Schema, attributes: Attributes) -> tuple[Loss, ...]:
        """Say that everything is kept."""
        del schema, attributes
        return ()

    def open(self, target: Path, schema: pa.Schema, attributes: Attributes) -> ArrowWriter:
        """Begin a file."""
        return ArrowWriter(target, schema, attributes, self)


class ArrowWriter:
    """Writes one file; times and instants in their own types."""

    def __init__(self, target: Path, schema: pa.Schema, attributes: Attributes, writing: ArrowWriting) -> None:
        self._full = FullRows(schema, attributes)
        options = pa.ipc.IpcWriteOptions(compression=writing.compression)
        begin = pa.ipc.new_stream if writing.stream else pa.ipc.new_file
        self._file = target.open("wb")
        self._writer = begin(self._file, self._full.schema, options=options)

    def write(self, table: pa.Table) -> None:
        """Write rows. UserError `cell.type` for a text in a column of times that is none."""
        self._writer.write_table(self._full.of(table))

    def close(self) -> None:
        """End the file."""
        self._writer.close()
        self._file.close()
