"""What there is to read: tables and readable files of the folder, with columns and types by their manifests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from component import naming
from component.errors import Place, UserError
from component.folder.files import FileKind, InputFile, input_files, stored_name
from component.folder.layout import DataFolder
from component.folder.magic import is_gzip, is_parquet, mark_size
from component.folder.tables import HeaderMode, InputTable, input_tables
from component.formats.csv.dialect import Dialect
from component.formats.csv.source import read_header
from component.formats.parquet import parquet_schema
from component.plan.first_record import header_mode_seen
from component.plan.model import GivenDialect, Source, SourceSlice
from component.staging.sliced import find_parts
from component.tables.types import Column, TableSchema


def find_sources(
    folder: DataFolder, dialects: Mapping[str, GivenDialect] | None = None, *, called: str | None = None
) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    """Return the sources of a folder, tables first, and the warnings about them.

    `dialects` are delimiters and enclosures that the configuration gives a source, by any of its names. With `called`
    only the sources that have this name are looked into. Reads manifests and the first record of each slice that has a
    header; of what lies in a bucket also the lists of parts and the first bytes of each part. UserError
    `source.manifest`, `source.format`, `csv.encoding`, `column.duplicate`, `column.sets_differ`, `staged.credentials`,
    `staged.missing`; RetryError `staged.changed`, `staged.failed`.
    """
    given = dialects or {}
    tables = [table for table in input_tables(folder) if called is None or called in _table_names(table)]
    files = [file for file in input_files(folder) if called is None or called in _file_names(file)]
    found = [_table_source(table, given) for table in tables]
    found += [_file_source(file, given) for file in files if file.kind in {FileKind.CSV, FileKind.PARQUET}]
    warnings = [warning for table in tables for warning in table.warnings]
    warnings += [warning for file in files if _is_told_of(file) for warning in file.warnings]
    warnings += [warning for _, more in found for warning in more]
    return tuple(source for source, _ in found), tuple(warnings)


def _is_told_of(file: InputFile) -> bool:
    """Tell whether warnings of a file are of use: of what nobody reads only that it is not read."""
    return file.kind in {FileKind.CSV, FileKind.PARQUET} or file.staged is not None


Found = tuple[Source, tuple[str, ...]]
"""A source, and warnings that came up while its parts were looked for."""


def _parts_of(item: InputTable | InputFile, name: str) -> tuple[tuple[SourceSlice, ...], tuple[str, ...]]:
    """Return the files or objects of an input, of which nothing is known yet but their size, and warnings."""
    if item.staged is None:
        return tuple(SourceSlice(part.name, part.path, part.size) for part in item.slices), ()
    parts, warnings = find_parts(item.staged, name)
    return tuple(SourceSlice(part.name, part.object, part.object.size) for part in parts), warnings


def _are_parquet(parts: Iterable[SourceSlice]) -> bool:
    """Tell by the first part that has bytes: one of no rows may have none."""
    return next((is_parquet(part.location) for part in parts if part.size), False)


def _given(names: Iterable[str], dialects: Mapping[str, GivenDialect]) -> GivenDialect:
    return next((dialects[name] for name in names if name in dialects), GivenDialect())


def _table_source(table: InputTable, dialects: Mapping[str, GivenDialect]) -> Found:
    manifest = table.manifest
    names = _table_names(table)
    parts, warnings = _parts_of(table, table.name)
    if _are_parquet(parts):
        return _parquet_source(table.name, bare_name(table.name), names, parts), warnings
    delimiter = (manifest.delimiter if manifest else None) or naming.DELIMITER
    enclosure = naming.ENCLOSURE if manifest is None or manifest.enclosure is None else manifest.enclosure
    dialect = _given(names, dialects).over(Dialect(delimiter, enclosure))
    mode, doubts = header_mode_seen(table, parts, dialect)
    columns, slices = _columns_and_slices(table.name, parts, mode, dialect, manifest.columns if manifest else ())
    known = {column.name: column for column in manifest.typed} if manifest else {}
    schema = TableSchema(
        tuple(known.get(name, Column(name)) for name in columns),
        tuple(key for key in (manifest.primary_key if manifest else ()) if key in columns),
    )
    source = Source(
        file_name=table.name,
        own_name=bare_name(table.name),
        names=names,
        kind="csv",
        slices=slices,
        schema=schema,
        typed=frozenset(known),
        dialect=dialect,
        table_id=manifest.id if manifest else None,
    )
    return source, (*warnings, *doubts)


def _columns_and_slices(
    table: str, parts: tuple[SourceSlice, ...], mode: HeaderMode, dialect: Dialect, manifest_columns: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[SourceSlice, ...]]:
    """Return the column names, and the slices with where their records begin."""
    read = [_read_slice(table, part, dialect, mode) for part in parts]
    if mode is not HeaderMode.FIRST_LINE:
        return _distinct(manifest_columns, table), tuple(part for _, part in read)
    headers = [names for names, _ in read if names]
    for names, (found, part) in zip([headers[0]] * len(read) if headers else [], read, strict=False):
        if found and found != names:
            raise UserError(
                "column.sets_differ",
                f"The slices have different columns: {', '.join(names)}; and {', '.join(found)}",
                place=Place(table=table, slice=part.name),
                remedy="Give all slices of a table the same columns.",
            )
    columns = headers[0] if headers else manifest_columns
    return _distinct(columns, table), tuple(part for _, part in read)


def _read_slice(
    table: str, part: SourceSlice, dialect: Dialect, mode: HeaderMode
) -> tuple[tuple[str, ...], SourceSlice]:
    place = Place(table=table, slice=part.name)
    gzip = is_gzip(part.location)
    if mode is HeaderMode.MANIFEST:
        return (), replace(part, gzip=gzip, data_start=0 if gzip else mark_size(part.location))
    names, end = read_header(part.location, dialect, gzip=gzip, place=place)
    return names, replace(part, gzip=gzip, data_start=0 if gzip else end, skip_header=gzip)


def _distinct(columns: Iterable[str], table: str) -> tuple[str, ...]:
    names = tuple(columns)
    for name, count in Counter(names).items():
        if count > 1:
            raise UserError(
                "column.duplicate",
                "The table has a column twice",
                place=Place(table=table, column=name),
                remedy="Give each column its own name.",
            )
    if not names:
        raise UserError(
            "source.format",
            "The table has no columns: it is empty, and no manifest names any",
            place=Place(table=table),
            remedy="Add a header row, or columns to the manifest.",
        )
    return names


def _file_source(file: InputFile, dialects: Mapping[str, GivenDialect]) -> Found:
    names = _file_names(file)
    parts, warnings = _parts_of(file, file.file_name)
    if file.kind is FileKind.PARQUET or _are_parquet(parts):
        return _parquet_source(file.file_name, bare_name(file.name), names, parts), warnings
    tabs = file.name.lower().endswith((".tsv", ".tsv.gz"))
    dialect = _given(names, dialects).over(Dialect("\t" if tabs else naming.DELIMITER))
    columns, slices = _columns_and_slices(file.file_name, parts, HeaderMode.FIRST_LINE, dialect, ())
    schema = TableSchema(tuple(Column(name) for name in columns))
    return Source(file.file_name, bare_name(file.name), names, "csv", slices, schema, dialect=dialect), warnings


def _parquet_source(file_name: str, own_name: str, names: tuple[str, ...], parts: tuple[SourceSlice, ...]) -> Source:
    place = Place(table=file_name)
    parts = tuple(part for part in parts if part.size) or parts[:1]
    schemas = [parquet_schema(part.location, replace(place, slice=part.name)) for part in parts]
    for part, schema in zip(parts, schemas, strict=True):
        if set(schema.columns) != set(schemas[0].columns):
            raise UserError(
                "column.sets_differ",
                "The slices have different columns",
                place=replace(place, slice=part.name),
                remedy="Give all slices of a table the same columns and types.",
            )
    return Source(file_name, own_name, names, "parquet", parts, schemas[0], frozenset(schemas[0].names))


def _names(file_name: str, name: str | None, table_id: str | None) -> tuple[str, ...]:
    """Return what a configuration may call a source: its name in the folder first, with and without suffix."""
    return tuple(
        dict.fromkeys(
            word for word in (file_name, bare_name(file_name), name, name and bare_name(name), table_id) if word
        )
    )


def _table_names(table: InputTable) -> tuple[str, ...]:
    """Return what a configuration may call a table; a file that became one keeps the id in front of its name."""
    manifest = table.manifest
    if manifest is not None and manifest.id is not None:
        return _names(table.name, manifest.name, manifest.id)
    return _names(table.name, (manifest.name if manifest else None) or stored_name(table.name), None)


def _file_names(file: InputFile) -> tuple[str, ...]:
    """Return what a configuration may call a file."""
    return _names(file.file_name, file.name, None)


_SUFFIXES = (".csv.gz", ".tsv.gz", ".csv", ".tsv", ".parquet", ".gz")


def bare_name(name: str) -> str:
    """Return a name without the suffix that says its format."""
    return next(
        (name[: -len(suffix)] for suffix in _SUFFIXES if name.lower().endswith(suffix) and name != suffix), name
    )
