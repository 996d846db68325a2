"""Avro's object container files: as input in splits of blocks, and as output.

The records are decoded by fastavro, one by one; what they hold becomes columns in Arrow. Codecs: null, deflate, snappy,
zstandard; bzip2 and xz are read too. A split is read as a file of its own: the header, then its blocks.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Final

import fastavro
import fastavro.write
import pyarrow as pa
import pyarrow.compute as pc

from component.errors import Place, TablemillError, UserError
from component.file_types import AVRO
from component.formats.avro_schema import AvroField, as_stored, fields_of, schema_for
from component.formats.columns import FileColumns, described_columns, fitted_column
from component.formats.contract import Attributes
from component.formats.losses import Loss, dropped_zones, widened
from component.formats.rows import Parsed
from component.staging.locations import Location, open_seekable, size_of
from component.tables.logical import full_values
from component.tables.types import TableSchema

CODECS: Final = ("null", "deflate", "snappy", "zstandard")
_BATCH_ROWS: Final = 16_384
_BLOCK_BYTES: Final = 256 * 1024
_DAY: Final = {pa.time32("ms"): 86_400_000, pa.time64("us"): 86_400_000_000}
_MAGIC: Final = AVRO.magic
_SYNC_BYTES: Final = 16
_HEADER: Final[dict[str, Any]] = {
    "type": "record",
    "name": "header",
    "fields": [
        {"name": "magic", "type": {"type": "fixed", "name": "magic", "size": len(_MAGIC)}},
        {"name": "meta", "type": {"type": "map", "values": "bytes"}},
        {"name": "sync", "type": {"type": "fixed", "name": "sync", "size": _SYNC_BYTES}},
    ],
}
"""The header of a file as Avro's specification describes it, in Avro's own terms."""


@dataclass(frozen=True, slots=True)
class AvroSplit:
    """Blocks of one file, by the bytes they take in it."""

    table: str
    slice: str
    location: Location
    start: int
    stop: int

    @property
    def place(self) -> Place:
        """Where errors of this split are."""
        return Place(table=self.table, slice=self.slice)

    @property
    def size(self) -> int:
        """Bytes of the file that are read."""
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class AvroReader:
    """Reads splits of one table into its schema; columns are found by name."""

    schema: TableSchema

    def read(self, split: AvroSplit) -> Iterator[Parsed]:
        """Yield batches of rows. UserError `source.format` for a damaged file, `column.missing`, `cell.type`."""
        with opened(split.location, split.place) as file:
            header = read_header(file, split.place)
            with decoding(split.place):
                fields = self._fields(fields_of(header.schema, split.place), split.place)
            part: Any = _BlockRange(header.as_stored, file, split.start, split.stop)
            with decoding(split.place):
                records = iter(fastavro.reader(part))
            while True:
                with decoding(split.place):
                    rows = list(islice(records, _BATCH_ROWS))
                if not rows:
                    return
                columns = [
                    fitted_column(_values(rows, field, split.place), column, split.place)
                    for field, column in zip(fields, self.schema.columns, strict=True)
                ]
                yield Parsed(pa.table(columns, schema=self.schema.arrow), (), len(rows))

    def _fields(self, fields: Sequence[AvroField], place: Place) -> list[AvroField]:
        there = {field.column.name: field for field in fields}
        for name in self.schema.names:
            if name not in there:
                raise UserError("column.missing", "The column is not in the file", place=replace(place, column=name))
        return [there[name] for name in self.schema.names]


def _values(rows: Sequence[Any], field: AvroField, place: Place) -> pa.Array:
    """Return one field of records as Arrow values."""
    cells = [row[field.name] for row in rows]
    target = field.arrow
    try:
        if pa.types.is_temporal(target):
            whole = pa.int32() if target.bit_width == 32 else pa.int64()
            numbers = pa.array(cells, whole)
            if target in _DAY:
                _check_time(numbers, _DAY[target])
            return numbers.cast(target)
        if pa.types.is_string(target):
            cells = [cell if cell is None else str(cell) for cell in cells]
        return pa.array(cells, target)
    except (pa.ArrowInvalid, ValueError) as error:
        at = replace(place, column=field.column.name)
        raise UserError("cell.type", f"A value does not fit the type of its field: {error}", place=at) from error


def _check_time(numbers: pa.Array, day: int) -> None:
    ends = pc.min_max(numbers).as_py()
    if ends["min"] is not None and (ends["min"] < 0 or ends["max"] >= day):
        raise ValueError("a time is outside of the day")


def avro_schema(location: Location, place: Place) -> TableSchema:
    """Return the columns of a file; UserError as `avro_columns`."""
    return avro_columns(location, place).schema


def avro_columns(location: Location, place: Place) -> FileColumns:
    """Return the columns of a file, and the Arrow types that are what theirs are in Avro.

    UserError `column.type` for arrays, maps, records in records, bytes and unions of several types;
    `column.duplicate`, `source.format`.
    """
    with opened(location, place) as file, decoding(place):
        fields = fields_of(read_header(file, place).schema, place)
    return FileColumns(TableSchema(tuple(field.column for field in fields)), tuple(field.was for field in fields))


def avro_splits(location: Location, place: Place, *, split_bytes: int) -> tuple[AvroSplit, ...]:
    """Cut a file between blocks into parts of at least `split_bytes`; an object of a bucket is one split."""
    table, slice_name = place.table or "", place.slice or ""
    with opened(location, place) as file:
        header = read_header(file, place)
        whole = (header.length, size_of(location))
        blocks = block_starts(file, header, place) if isinstance(location, Path) else iter([whole])
        cuts: list[int] = []
        first = stop = header.length
        for _, stop in blocks:
            if stop - first >= split_bytes:
                cuts.append(stop)
                first = stop
    ends = cuts if cuts and stop == cuts[-1] else [*cuts, stop]
    starts = [header.length, *ends[:-1]]
    return tuple(AvroSplit(table, slice_name, location, start, end) for start, end in zip(starts, ends, strict=True))


@dataclass(frozen=True, slots=True)
class AvroWriting:
    """Avro files in one of `CODECS`."""

    keeps_arrow_types: ClassVar = False

    codec: str = "deflate"

    def losses(self, schema: pa.Schema, attributes: Attributes) -> tuple[Loss, ...]:
        """Say which zones and narrower types Avro does not have."""
        return (*dropped_zones(schema, attributes, says_utc=True), *widened(schema, attributes))

    def open(self, target: Path, schema: pa.Schema, attributes: Attributes) -> AvroWriter:
        """Begin a file."""
        return AvroWriter(target, described_columns(schema, attributes), self.codec)


class AvroWriter:
    """Writes one file; times and instants in Avro's types for them. Equal tables give equal bytes.

    Timestamps are `local-timestamp-micros`, instants `timestamp-micros`, decimals are bytes; a column name that Avro
    forbids is another in the file, and noted in the field (`avro_schema.NAME`), where our reader finds it.
    """

    def __init__(self, target: Path, columns: TableSchema, codec: str = "deflate") -> None:
        schema = schema_for(columns)
        self._columns = columns.columns
        self._names = [field["name"] for field in schema["fields"]]
        self._file = target.open("wb")
        marker = hashlib.blake2b(json.dumps(schema).encode(), digest_size=_SYNC_BYTES).digest()
        self._writer = fastavro.write.Writer(
            self._file, fastavro.parse_schema(schema), codec, _BLOCK_BYTES, sync_marker=marker
        )

    def write(self, table: pa.Table) -> None:
        """Write rows. UserError `cell.type` for a text in a column of times that is none."""
        columns = [_stored(full_values(table[column.name], column)) for column in self._columns]
        for batch in pa.table(columns, self._names).to_batches(_BATCH_ROWS):
            for row in _rows(batch):
                self._writer.write(row)

    def close(self) -> None:
        """End the file."""
        self._writer.flush()
        self._file.close()


def _stored(values: Any) -> Any:
    """Return dates and times as the numbers that Avro stores."""
    if not pa.types.is_temporal(values.type):
        return values
    return values.cast(pa.int32() if values.type.bit_width == 32 else pa.int64())


def _rows(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    names = batch.schema.names
    for cells in zip(*(column.to_pylist() for column in batch.columns), strict=True):
        yield dict(zip(names, cells, strict=True))


@dataclass(frozen=True, slots=True)
class AvroHeader:
    """The schema of a file, the length of its header, and a header for reading its values as they are stored."""

    schema: Any
    as_stored: bytes
    length: int


def read_header(file: BinaryIO, place: Place) -> AvroHeader:
    """Return the header of a file that stands at its beginning; UserError `source.format`."""
    with decoding(place):
        if file.read(len(_MAGIC)) != _MAGIC:
            raise UserError("source.format", "The file is no Avro file", place=place)
        file.seek(0)
        found: Any = fastavro.schemaless_reader(file, _HEADER, None)
        length = file.tell()
        schema = json.loads(found["meta"]["avro.schema"])
        found["meta"]["avro.schema"] = json.dumps(as_stored(schema)).encode()
        written = io.BytesIO()
        fastavro.schemaless_writer(written, _HEADER, found)
    return AvroHeader(schema, written.getvalue(), length)


def block_starts(file: BinaryIO, header: AvroHeader, place: Place) -> Iterator[tuple[int, int]]:
    """Yield where each block begins and ends; UserError `source.format`."""
    file.seek(0, io.SEEK_END)
    end = file.tell()
    start = header.length
    while start < end:
        file.seek(start)
        with decoding(place):
            fastavro.schemaless_reader(file, "long", None)
            size: Any = fastavro.schemaless_reader(file, "long", None)
            stop = file.tell() + size + _SYNC_BYTES
            if size < 0 or stop > end:
                raise EOFError("a block is longer than the file")
        yield start, stop
        start = stop


class _BlockRange:
    """Some blocks of a file with a header before them: a whole file for who reads it."""

    def __init__(self, header: bytes, file: BinaryIO, start: int, stop: int) -> None:
        self._header = io.BytesIO(header)
        self._file = file
        self._left = stop - start
        file.seek(start)

    def read(self, size: int) -> bytes:
        """Return as many bytes, fewer only at the end."""
        first = self._header.read(size)
        rest = self._file.read(min(size - len(first), self._left))
        self._left -= len(rest)
        return first + rest


@contextmanager
def opened(location: Location, place: Place) -> Iterator[BinaryIO]:
    """Open a file that is read here and there; UserError `source.format` where that cannot be done."""
    try:
        raw = open_seekable(location)
    except OSError as error:
        raise UserError("source.format", f"The Avro file cannot be read: {error.strerror}", place=place) from error
    with io.BufferedReader(raw) as file:
        yield file


@contextmanager
def decoding(place: Place) -> Iterator[None]:
    """Turn whatever the decoder says of bytes that are no Avro into UserError `source.format`."""
    try:
        yield
    except TablemillError:
        raise
    except Exception as error:  # the decoder has no error of its own: any may come from bytes at random
        reason = str(error).splitlines()[:1] or [type(error).__name__]
        raise UserError("source.format", f"The Avro file cannot be read: {reason[0]}", place=place) from error


def is_avro(location: Location) -> bool:
    """Say whether a file begins as an Avro file."""
    with open_seekable(location) as file:
        return size_of(location) > len(_MAGIC) and file.read(len(_MAGIC)) == _MAGIC
