"""What there is to read: tables and readable files of the folder, with columns and types by their manifests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from component import naming
from component.errors import Place, UserError
from component.folder.files import FileKind, InputFile, input_files
from component.folder.layout import DataFolder
from component.folder.magic import is_gzip, is_parquet
from component.folder.slices import Slice
from component.folder.tables import HeaderMode, InputTable, header_mode, input_tables
from component.formats.csv.dialect import Dialect
from component.formats.csv.source import read_header
from component.formats.parquet import parquet_schema
from component.plan.model import GivenDialect, Source, SourceSlice
from component.tables.types import Column, TableSchema


def find_sources(
    folder: DataFolder, dialects: Mapping[str, GivenDialect] | None = None
) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    """Return the sources of a folder, tables first, and the warnings about them.

    `dialects` are delimiters and enclosures that the configuration gives a source, by any of its names. Reads manifests
    and the first record of each slice that has a header. UserError `source.manifest`, `source.format`, `csv.encoding`,
    `column.duplicate`, `column.sets_differ`.
    """
    given = dialects or {}
    tables = input_tables(folder)
    files = [file for file in input_files(folder) if file.kind in {FileKind.CSV, FileKind.PARQUET}]
    sources = [_table_source(table, given) for table in tables] + [_file_source(file, given) for file in files]
    warnings = [warning for table in tables for warning in table.warnings]
    warnings += [warning for file in files for warning in file.warnings]
    return tuple(sources), tuple(warnings)


def _given(names: Iterable[str], dialects: Mapping[str, GivenDialect]) -> GivenDialect:
    return next((dialects[name] for name in names if name in dialects), GivenDialect())


def _table_source(table: InputTable, dialects: Mapping[str, GivenDialect]) -> Source:
    manifest = table.manifest
    names = _names(table.name, manifest.name if manifest else None, manifest.id if manifest else None)
    if table.slices and is_parquet(table.slices[0].path):
        return _parquet_source(table.name, bare_name(table.name), names, table.slices)
    delimiter = (manifest.delimiter if manifest else None) or naming.DELIMITER
    enclosure = naming.ENCLOSURE if manifest is None or manifest.enclosure is None else manifest.enclosure
    dialect = _given(names, dialects).over(Dialect(delimiter, enclosure))
    mode = header_mode(table)
    columns, slices = _columns_and_slices(table, mode, dialect)
    known = {column.name: column for column in manifest.typed} if manifest else {}
    schema = TableSchema(
        tuple(known.get(name, Column(name)) for name in columns),
        tuple(key for key in (manifest.primary_key if manifest else ()) if key in columns),
    )
    return Source(
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


def _columns_and_slices(
    table: InputTable, mode: HeaderMode, dialect: Dialect
) -> tuple[tuple[str, ...], tuple[SourceSlice, ...]]:
    """Return the column names, and the slices with where their records begin."""
    manifest_columns = table.manifest.columns if table.manifest else ()
    read = [_read_slice(table.name, part, dialect, mode) for part in table.slices]
    if mode is not HeaderMode.FIRST_LINE:
        return _distinct(manifest_columns, table.name), tuple(part for _, part in read)
    headers = [names for names, _ in read if names]
    for names, (found, part) in zip([headers[0]] * len(read) if headers else [], read, strict=False):
        if found and found != names:
            raise UserError(
                "column.sets_differ",
                f"The slices have different columns: {', '.join(names)}; and {', '.join(found)}",
                place=Place(table=table.name, slice=part.name),
                remedy="Give all slices of a table the same columns.",
            )
    columns = headers[0] if headers else manifest_columns
    return _distinct(columns, table.name), tuple(part for _, part in read)


def _read_slice(table: str, part: Slice, dialect: Dialect, mode: HeaderMode) -> tuple[tuple[str, ...], SourceSlice]:
    place = Place(table=table, slice=part.name)
    gzip = is_gzip(part.path)
    if mode is HeaderMode.MANIFEST:
        start = 0 if gzip else _mark_size(part)
        return (), SourceSlice(part.name, part.path, part.size, gzip, start)
    names, end = read_header(part.path, dialect, gzip=gzip, place=place)
    return names, SourceSlice(part.name, part.path, part.size, gzip, 0 if gzip else end, skip_header=gzip)


def _mark_size(part: Slice) -> int:
    with part.path.open("rb") as file:
        return len(naming.UTF8_BOM) if file.read(len(naming.UTF8_BOM)) == naming.UTF8_BOM else 0


def _distinct(columns: Iterable[str], table: str) -> tuple[str, ...]:
    names = tuple(columns)
    for name in names:
        if names.count(name) > 1:
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


def _file_source(file: InputFile, dialects: Mapping[str, GivenDialect]) -> Source:
    names = _names(file.file_name, file.name, None)
    if file.kind is FileKind.PARQUET:
        return _parquet_source(file.file_name, bare_name(file.name), names, file.slices)
    tabs = file.name.lower().endswith((".tsv", ".tsv.gz"))
    dialect = _given(names, dialects).over(Dialect("\t" if tabs else naming.DELIMITER))
    as_table = InputTable(file.file_name, file.path, sliced=False, slices=file.slices)
    columns, slices = _columns_and_slices(as_table, HeaderMode.FIRST_LINE, dialect)
    schema = TableSchema(tuple(Column(name) for name in columns))
    return Source(file.file_name, bare_name(file.name), names, "csv", slices, schema, dialect=dialect)


def _parquet_source(file_name: str, own_name: str, names: tuple[str, ...], slices: tuple[Slice, ...]) -> Source:
    place = Place(table=file_name)
    schemas = [parquet_schema(part.path, replace(place, slice=part.name)) for part in slices]
    for part, schema in zip(slices, schemas, strict=True):
        if set(schema.columns) != set(schemas[0].columns):
            raise UserError(
                "column.sets_differ",
                "The slices have different columns",
                place=replace(place, slice=part.name),
                remedy="Give all slices of a table the same columns and types.",
            )
    found = tuple(SourceSlice(part.name, part.path, part.size) for part in slices)
    return Source(file_name, own_name, names, "parquet", found, schemas[0], frozenset(schemas[0].names))


def _names(file_name: str, name: str | None, table_id: str | None) -> tuple[str, ...]:
    """Return what a configuration may call a source: its name in the folder first, with and without suffix."""
    return tuple(
        dict.fromkeys(
            word for word in (file_name, bare_name(file_name), name, name and bare_name(name), table_id) if word
        )
    )


_SUFFIXES = (".csv.gz", ".tsv.gz", ".csv", ".tsv", ".parquet", ".gz")


def bare_name(name: str) -> str:
    """Return a name without the suffix that says its format."""
    return next(
        (name[: -len(suffix)] for suffix in _SUFFIXES if name.lower().endswith(suffix) and name != suffix), name
    )
