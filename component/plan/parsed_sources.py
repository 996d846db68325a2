"""Sources that are parsed first, on the driver: any file, and text that stands in the configuration.

What was parsed is an Arrow file from there on, which tasks map into memory.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import pyarrow as pa

from component.config.reading import FileReading, TextOptions, TextTable
from component.errors import Place, Told, UserError
from component.folder.magic import first_bytes
from component.formats import arrow_ipc, parquet
from component.formats.losses import retyped
from component.formats.typed import TypedKind
from component.naming import MIB
from component.plan.asked import Asked
from component.plan.file_limits import file_limits
from component.plan.model import Source, SourceSlice
from component.plan.result_cache import open_cache, result_key
from component.plan.text_options import hold_usable
from component.plan.typed_sources import typed_source
from component.staging.scratch import scratch_path
from component.tables.types import TableSchema
from component.workbench.conversion.to_tablemill import cut_to_microseconds, rounded, tablemill_column, to_tablemill
from component.workbench.files.arrow_file import open_arrow, read_arrow_file, sidecar_of
from component.workbench.parse.any_file import TYPED, left_aside, parse_recognised, recognise
from component.workbench.parse.content import Content
from component.workbench.parse.delimited import parse_params_table
from component.workbench.parse.kind import ContentKind, kind_by_content
from component.workbench.parse.options import Numbers, ParsedFile, ParseOptions
from component.workbench.parse.packed import unpack
from component.workbench.render.messages import Message, RenderError, text_of
from component.workbench.render.rendered import Rendered
from component.workbench.rules.reading import ReadingMode

_BATCH_ROWS: Final = 131_072
_MOST_CACHED: Final = 256 * MIB
"""Bytes of a table that is kept; a larger one would fill the memory when it is packed."""
_HEAD: Final = 16
_TYPED_KINDS: Final[dict[ContentKind, TypedKind]] = {
    ContentKind.PARQUET: "parquet",
    ContentKind.AVRO: "avro",
    ContentKind.ARROW: "arrow",
    ContentKind.ARROW_STREAM: "arrow",
}

Found = tuple[Source, tuple[str, ...]]
"""A source, and what is to be said of it."""


def file_source(path: Path, name: str, own_name: str, names: tuple[str, ...], asked: Asked) -> Found:
    """Return the source of any file; errors as `recognise` and `parse_recognised`.

    What it was parsed to is taken from the cache, if there is one and neither file, options nor our code have changed.
    """
    place, scratch, said = Place(table=path.name), asked.scratch, asked.text(names)
    hold_usable(said, place)
    reading = with_text_options(asked.file(names), said)
    cache = open_cache(asked)
    options = replace(file_options(reading), delimiter=said.delimiter)
    key = "" if cache is None else result_key(path, name, reading, options.delimiter)
    if cache is not None and (found := cache.find(key).result) is not None:
        kept = ParsedFile(found.table, tuple(error.message for error in found.errors))
        return _arrow_source(kept, path.name, own_name, names, ReadingMode(reading.reading), scratch)
    file = recognise(_read(path, place), name, options, place)
    if file.kind in TYPED:
        target = scratch_path(scratch, f".{_TYPED_KINDS[file.kind]}")
        with file.content.open() as inside, target.open("wb") as copy:
            shutil.copyfileobj(inside, copy)
        kind, part = _TYPED_KINDS[file.kind], SourceSlice(path.name, target, file.content.size)
        aside = tuple(_told(path.name, message) for message in left_aside(file.kind, options))
        if options.reading is ReadingMode.LENIENT:
            source, doubts = _cut_source(kind, part, own_name, names, scratch)
            return source, (*aside, *doubts)
        return typed_source(kind, path.name, own_name, names, (part,)), aside
    found_in_it = parse_recognised(file, place)
    all_said = (*found_in_it.messages, *found_in_it.notes, *left_aside(file.kind, options))
    parsed = ParsedFile(found_in_it.table, all_said)
    if cache is not None and parsed.table.rows.nbytes <= _MOST_CACHED:
        cache.keep(key, Rendered(parsed.table, tuple(map(RenderError, parsed.messages))))
    return _arrow_source(parsed, path.name, own_name, names, ReadingMode(reading.reading), scratch)


def with_text_options(reading: FileReading, said: TextOptions) -> FileReading:
    """Return how a file is read, with what the options of text say too: the encoding, and that there is no header."""
    return reading.model_copy(
        update={
            "encoding": reading.encoding or said.encoding,
            "has_header": reading.has_header and said.header_rows != 0,
        }
    )


def unpacked(part: SourceSlice, place: Place, scratch: Path | None) -> SourceSlice:
    """Return a slice as it is read: bzip2 and zstd are unpacked first, gzip as it is read; objects are as they are.

    UserError `gzip.truncated`, `source.format` for a file that cannot be read.
    """
    if not isinstance(part.location, Path) or not part.size:
        return part
    kind = kind_by_content(Content.of(first_bytes(part.location, _HEAD)))
    if kind not in {ContentKind.BZIP2, ContentKind.ZSTD}:
        return part
    found = unpack(kind, _read(part.location, place), part.name, place)
    if found is None:
        raise AssertionError(kind)  # pragma: no cover - both kinds are packings
    target = scratch_path(scratch, ".csv")
    with found[0].open() as inside, target.open("wb") as copy:
        shutil.copyfileobj(inside, copy)
    return SourceSlice(part.name, target, found[0].size)


def arrow_file_source(
    path: Path, own_name: str, names: tuple[str, ...], reading: FileReading, scratch: Path | None
) -> Found:
    """Return the source of an Arrow file. One of Workbench, with sidecar or formats in its fields, is checked as such.

    UserError `source.format`, `column.type`, `column.duplicate`; of Workbench's those of `read_arrow_file`.
    """
    part = SourceSlice(path.name, path, path.stat().st_size)
    way = ReadingMode(reading.reading)
    if not is_workbench_file(path):
        if way is ReadingMode.LENIENT:
            return _cut_source("arrow", part, own_name, names, scratch)
        return typed_source("arrow", path.name, own_name, names, (part,)), ()
    limits = file_limits(reading.limits).table
    found = read_arrow_file(path, limits=limits, reading=way)
    if way is ReadingMode.LENIENT:
        parsed = ParsedFile(found.table, found.messages)
        source, told = _arrow_source(parsed, path.name, own_name, names, way, scratch)
        return _with_losses(source, found.table.rows.schema.types), told
    types = found.table.rows.schema.types
    fields = zip(found.table.columns, types, strict=True)
    schema = TableSchema(tuple(tablemill_column(column, data_type) for column, data_type in fields))
    source = Source(path.name, own_name, names, "arrow", (part,), schema, frozenset(schema.names))
    return _with_losses(source, types), ()


def _cut_source(
    kind: TypedKind, part: SourceSlice, own_name: str, names: tuple[str, ...], scratch: Path | None
) -> Found:
    """Return the source of a typed file whose nanoseconds are cut to the microsecond before, with what was cut."""
    target, counts = scratch_path(scratch, ".arrow"), Counter[str]()
    with _opened(kind, part) as (schema, batches):
        coarse = pa.schema([pa.field(field.name, _coarse(field.type)) for field in schema])
        if coarse.types == schema.types:
            return typed_source(kind, part.name, own_name, names, (part,)), ()
        with pa.ipc.new_file(target, coarse) as writer:
            for batch in batches:
                columns = []
                for cells, field in zip(batch.columns, coarse, strict=True):
                    same = cells.type.equals(field.type)
                    values, count = (cells, 0) if same else cut_to_microseconds(cells, field.type)
                    counts[field.name] += count
                    columns.append(values)
                writer.write_batch(pa.record_batch(columns, schema=coarse))
        types = schema.types
    cut = SourceSlice(part.name, target, target.stat().st_size)
    told = tuple(_told(part.name, rounded(name, count)) for name, count in counts.items() if count)
    return _with_losses(typed_source("arrow", part.name, own_name, names, (cut,)), types), told


def _with_losses(source: Source, types: Sequence[pa.DataType]) -> Source:
    """Return a source of one slice with what reading changes of columns that had these types in the file."""
    losses = tuple(retyped(source.schema.columns, types))
    return replace(source, slices=(replace(source.slices[0], losses=losses),))


@contextmanager
def _opened(kind: TypedKind, part: SourceSlice) -> Iterator[tuple[pa.Schema, Iterable[pa.RecordBatch]]]:
    """Open a typed file as schema and batches; an Avro file, which has no nanoseconds, as one without either."""
    place = Place(table=part.name)
    if kind == "parquet":
        with parquet.opened(part.location, place) as file:
            yield file.schema_arrow, file.iter_batches(_BATCH_ROWS)
    elif kind == "arrow":
        with arrow_ipc.opened(part.location, place) as source:
            yield source.schema, arrow_ipc.batches_of(source)
    else:
        yield pa.schema([]), ()


def _coarse(data_type: pa.DataType) -> pa.DataType:
    """Return the type in microseconds of one in nanoseconds; any other as it is."""
    if pa.types.is_time64(data_type):
        return pa.time64("us")
    is_fine = pa.types.is_timestamp(data_type) and data_type.unit == "ns"
    return pa.timestamp("us", data_type.tz) if is_fine else data_type


def is_workbench_file(path: Path) -> bool:
    """Say whether an Arrow file is one of Workbench: a sidecar is beside it, or fields state a format or a unit."""
    if sidecar_of(path).is_file():
        return True
    stated = [field.metadata or {} for field in open_arrow(path).schema]
    return any(key in known for known in stated for key in (b"format", b"unit"))


def text_source(table: TextTable, scratch: Path | None) -> Found:
    """Return the source of a table that stands in the configuration; errors as `parse_params_table`."""
    reading = ReadingMode(table.reading)
    options = ParseOptions(
        reading,
        delimiter=table.delimiter,
        has_header=table.has_header_row,
        numbers=Numbers(table.numbers),
        limits=file_limits(table.limits),
    )
    parsed = parse_params_table(table.csv, options, Place(table=table.name))
    return _arrow_source(parsed, table.name, table.name, (table.name,), reading, scratch)


def file_options(reading: FileReading) -> ParseOptions:
    """Return configured reading as the parsers take it."""
    return ParseOptions(
        ReadingMode(reading.reading),
        reading.encoding,
        None,
        reading.has_header,
        Numbers(reading.numbers),
        reading.mime_type,
        file_limits(reading.limits),
    )


def _read(path: Path, place: Place) -> Content:
    try:
        return Content.of_file(path)
    except OSError as error:
        raise UserError("source.format", f"The file cannot be read: {error.strerror}", place=place) from error


def _arrow_source(
    parsed: ParsedFile,
    file_name: str,
    own_name: str,
    names: tuple[str, ...],
    reading: ReadingMode,
    scratch: Path | None,
) -> Found:
    """Write what was parsed to an Arrow file, and return the source that reads it."""
    if not parsed.table.columns:
        said = "; ".join(text_of(message) for message in parsed.messages)
        raise UserError(
            "source.format",
            f"The file is no table: {said or 'it is empty'}",
            place=Place(table=file_name),
            remedy="Correct the file, or leave it out.",
        )
    plain = to_tablemill(parsed.table, reading)
    target = scratch_path(scratch, ".arrow")
    with pa.ipc.new_file(target, plain.rows.schema) as writer:
        writer.write_table(plain.rows, max_chunksize=_BATCH_ROWS)
    part = SourceSlice(file_name, target, target.stat().st_size)
    known = frozenset(column.name for column in plain.schema.columns)
    source = Source(file_name, own_name, names, "arrow", (part,), plain.schema, known)
    return source, tuple(_told(file_name, message) for message in (*parsed.messages, *parsed.notes, *plain.messages))


def _told(file_name: str, message: Message) -> Told:
    """Return a message as people read it, and as data: the input, and the message in Workbench's JSON form."""
    return Told(f"{file_name}: {text_of(message)}", {"input": file_name, "message": message.document})
