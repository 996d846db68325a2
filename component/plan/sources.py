"""What there is to read: tables and readable files of the folder, with columns and types by their manifests.

Sources other than CSV with a manifest have modules of their own, each loaded by the first source of its kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from component import file_types, naming
from component.config.reading import HeaderWord, TextOptions, TextTable
from component.errors import Place, UserError, in_one
from component.folder.files import FileKind, InputFile, input_files, is_text, left_out, stored_name
from component.folder.layout import DataFolder
from component.folder.magic import is_gzip, is_packed, is_parquet, mark_size
from component.folder.manifest import TableManifest
from component.folder.tables import HeaderMode, InputTable, header_mode, input_tables
from component.formats.csv.dialect import Dialect
from component.formats.csv.source import read_header
from component.formats.typed import TypedKind
from component.plan.asked import NOTHING_ASKED, Asked
from component.plan.first_record import agreed_columns, first_record, header_mode_seen
from component.plan.model import Source, SourceSlice, StorageFile, Text
from component.plan.text_options import beside_types
from component.plan.typed_sources import typed_source
from component.plan.zoned import with_zones
from component.staging.sliced import find_parts
from component.tables.types import Column, TableSchema


def find_sources(
    folder: DataFolder,
    asked: Asked = NOTHING_ASKED,
    *,
    called: str | None = None,
    damaged: list[UserError] | None = None,
) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    """Return the sources of a folder, tables first, then files, then those of the configuration; and the warnings.

    With `called` only the sources that have this name are looked into. Reads manifests and the first record of each
    slice that has a header; of what lies in a bucket also the lists of parts and the first bytes of each part. Archives
    are unpacked, and files that say neither columns nor types are parsed whole. All inputs that cannot be read are
    named at once (`in_one`), or put into `damaged` and left out. UserError `source.manifest`,
    `source.format`, `csv.encoding`, `column.duplicate`, `column.sets_differ`, `staged.credentials`, `staged.missing`,
    those of `records.directory` and of `workbench.parse`; RetryError `staged.changed`, `staged.failed`.
    """
    tables = [table for table in input_tables(folder) if called is None or called in _table_names(table)]
    files = [file for file in input_files(folder) if called is None or called in _file_names(file)]
    texts = [table for table in asked.texts if called in {None, table.name}]
    urls = [url for url in asked.urls if called in {None, url}]
    failed: list[UserError] = [] if damaged is None else damaged
    found = _each(failed, lambda table: _table_source(table, asked), tables)
    readable = [file for file in files if _is_source(file, asked)]
    lying = _each(failed, lambda file: _lying_source(file, asked), readable)
    found += [source for source in lying if not isinstance(source, str)]
    found += _each(failed, lambda table: _configured_source(table, asked), texts)
    found += _each(failed, lambda url: _url_source(url, asked), urls)
    if failed and damaged is None:
        raise in_one(failed)
    warnings = [warning for table in tables for warning in table.warnings]
    warnings += [*left_out(folder), *(text for text in lying if isinstance(text, str))]
    warnings += [warning for file in files if _is_told_of(file, asked) for warning in file.warnings]
    warnings += [warning for _, more in found for warning in more]
    return tuple(source for source, _ in found), tuple(warnings)


Input = TypeVar("Input")
Made = TypeVar("Made")


def _each(failed: list[UserError], make: Callable[[Input], Made], inputs: Iterable[Input]) -> list[Made]:
    """Return what is made of each input; the errors of those that cannot be read are added to `failed`."""
    made = []
    for one in inputs:
        try:
            made.append(make(one))
        except UserError as error:
            failed.append(error)
    return made


_ALWAYS: Final = frozenset({FileKind.CSV, FileKind.PARQUET, FileKind.AVRO, FileKind.ARROW, FileKind.RECORDS})
"""Kinds of files that say themselves what they are; others are read only if the configuration names them."""


def _is_source(file: InputFile, asked: Asked) -> bool:
    if file.kind is FileKind.OTHER:
        return file.staged is None and not file.sliced and (file.lying or asked.names_any(_file_names(file)))
    return file.kind in _ALWAYS


def _lying_source(file: InputFile, asked: Asked) -> Found | str:
    """Return the source of a file; of one that nobody asked for, and that turns out to be no table, why it is none."""
    unasked = file.kind is FileKind.OTHER and not asked.names_any(_file_names(file))
    try:
        source, warnings = _file_source(file, asked)
        return replace(source, lying=file.lying, file=_facts(file)), warnings
    except UserError as error:
        if not unasked:
            raise
        return f"The file {file.file_name!r} is left out: {error.text.rstrip('.')}. {error.remedy}".rstrip()


def _facts(file: InputFile) -> StorageFile:
    number = file.file_name.partition("_")[0]
    of_name = int(number) if number.isdecimal() and file.name != file.file_name else None
    number_known = of_name if file.id is None else file.id
    return StorageFile(file.name, number_known, file.manifest.created if file.manifest else None)


def _configured_source(table: TextTable, asked: Asked) -> Found:
    from component.plan.parsed_sources import text_source  # noqa: PLC0415 - as said above

    return text_source(table, asked.scratch)


def _url_source(url: str, asked: Asked) -> Found:
    from component.plan.records_sources import records_source  # noqa: PLC0415 - as said above

    name = url.rstrip("/").rpartition("/")[2]
    unused = beside_types("a records directory", asked.text((url,)), Place(table=url))
    source, told = records_source(url, url, name, (url, name), asked.directory((url,)), asked.scratch)
    return source, (*unused, *told)


def _is_told_of(file: InputFile, asked: Asked) -> bool:
    """Tell whether warnings of a file are of use: of what nobody reads only that it is not read."""
    return _is_source(file, asked) or file.staged is not None


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


def _table_source(table: InputTable, asked: Asked) -> Found:
    manifest = table.manifest
    names = _table_names(table)
    parts, warnings = _parts_of(table, table.name)
    if _packed(parts):
        parts = _unpacked(parts, table.name, asked)
    if _are_parquet(parts):
        unused = beside_types("parquet", asked.text(names), Place(table=table.name))
        typed = typed_source("parquet", table.name, bare_name(table.name), names, parts)
        key, lost = _primary_key(table, typed.schema.names)
        return replace(typed, schema=_as_promised(typed.schema, key, table)), (*warnings, *unused, *lost)
    if manifest is None:
        header_mode(table)  # refuses slices, whose columns nobody names
        # the platform writes a header into every table
        source, more = _detected_source(table.name, bare_name(table.name), names, parts, asked, expects_header=True)
        return source, (*warnings, *more)
    enclosure = naming.ENCLOSURE if manifest.enclosure is None else manifest.enclosure
    default, options = Dialect(manifest.delimiter or naming.DELIMITER, enclosure), asked.text(names)
    if options.says_more:
        text, mode, doubts = _told_text(table, manifest, parts, options, default, asked)
    else:
        dialect, header = asked.dialect(names).over(default), asked.header(names)
        mode, seen = header_mode_seen(table, lambda: first_record(table, parts, dialect), header)
        columns, slices, disagreed = _columns_and_slices(table.name, parts, mode, dialect, manifest.columns, header)
        text, doubts = Text(columns, slices, dialect), (*seen, *disagreed)
    columns, unnamed = _named(text.names, table.name)
    known = {column.name: column for column in manifest.typed}
    key, lost = _primary_key(table, columns)
    source = Source(
        file_name=table.name,
        own_name=bare_name(table.name),
        names=names,
        kind="csv",
        slices=text.slices,
        schema=TableSchema(tuple(known.get(name, Column(name)) for name in columns), key),
        typed=frozenset(known) & frozenset(columns),
        dialect=text.dialect,
        table_id=manifest.id,
        header=mode,
    )
    return with_zones(source), (*warnings, *doubts, *unnamed, *lost)


def _unpacked(parts: Iterable[SourceSlice], table: str, asked: Asked) -> tuple[SourceSlice, ...]:
    from component.plan.parsed_sources import unpacked  # noqa: PLC0415 - as said above

    return tuple(unpacked(part, Place(table=table, slice=part.name), asked.scratch) for part in parts)


def _named(columns: Sequence[str], table: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return columns that all have a name, and what is to be said of those that had none.

    R and pandas write an index as a first column without a name.
    """
    names, warnings = list(columns), []
    for at, name in enumerate(columns):
        if name:
            continue
        wanted = f"column_{at + 1}" if at else "index"
        numbered = (f"{wanted}_{number}" for number in range(2, len(names) + 2))
        names[at] = wanted if wanted not in names else next(one for one in numbered if one not in names)
        which = f"Column {at + 1}" if at else "The first column"
        called = f"{which} of {table!r} has no name in the header; it is called {names[at]!r}"
        warnings.append(f'{called}. Name it there, or with "names".')
    return tuple(names), tuple(warnings)


def _primary_key(table: InputTable, columns: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the primary key that the manifest names, and a warning: a part of a key names no row, so it is none."""
    key = table.manifest.primary_key if table.manifest else ()
    missing = [name for name in key if name not in columns]
    if not missing:
        return key, ()
    text = f"The table {table.name!r} lacks {', '.join(map(repr, missing))} of its primary key, so it has none here"
    return (), (f'{text}; outputs have one if "primary_key" names it.',)


def _as_promised(schema: TableSchema, key: tuple[str, ...], table: InputTable) -> TableSchema:
    """Return the columns of a file, with the key and without nulls where the manifest says so."""
    filled = {column.name for column in (table.manifest.typed if table.manifest else ()) if not column.nullable}
    columns = tuple(replace(one, nullable=False) if one.name in filled else one for one in schema.columns)
    return TableSchema(columns, key)


def _told_text(
    table: InputTable,
    manifest: TableManifest,
    parts: tuple[SourceSlice, ...],
    options: TextOptions,
    default: Dialect,
    asked: Asked,
) -> tuple[Text, HeaderMode, tuple[str, ...]]:
    """Return the text of a table of which the configuration says more than a manifest can, and warnings.

    Its header is held to the manifest like any other. Names that are configured stand above both.
    """
    from component.plan.text_sources import read_text, stated  # noqa: PLC0415 - as said above

    first = next((part for part in parts if part.size), None)
    header = asked.header(_table_names(table))

    def read(mode: HeaderMode) -> Text:
        header_rows = 0 if mode is HeaderMode.MANIFEST else 1
        dialect = stated(options, default, header_rows=header_rows, part=first)
        return read_text(table.name, parts, dialect, options, manifest.columns, asked)

    mode = header_mode(table)
    text, doubts = read(mode), tuple[str, ...]()
    if options.header_rows is not None:
        mode = HeaderMode.FIRST_LINE if options.header_rows else HeaderMode.MANIFEST
    else:
        stands, (mode, doubts) = mode, header_mode_seen(table, lambda: text.first, header)
        text = text if mode is stands else read(mode)
    if options.names:
        text, more = replace(text, names=_distinct(options.names, table.name)), _renamed(table.name, options, manifest)
    elif mode is HeaderMode.MANIFEST:
        text, more = replace(text, names=_distinct(text.names, table.name)), ()
    else:
        columns, more = agreed_columns(text.names, manifest.columns, header, Place(table=table.name))
        text = replace(text, names=_distinct(columns, table.name))
    return text, mode, (*doubts, *more)


def _renamed(table: str, options: TextOptions, manifest: TableManifest) -> tuple[str, ...]:
    """Return a warning where configured names leave out columns of the manifest, whose types and keys then go."""
    gone = [name for name in manifest.columns if name not in options.names]
    if not gone:
        return ()
    text = f"The configured names of {table!r} leave out {', '.join(gone)} of the manifest"
    return (f"{text}: what the manifest says of {'it' if len(gone) == 1 else 'them'} is not used.",)


def _columns_and_slices(
    table: str,
    parts: tuple[SourceSlice, ...],
    mode: HeaderMode,
    dialect: Dialect,
    listed: tuple[str, ...] = (),
    header: HeaderWord = "error",
) -> tuple[tuple[str, ...], tuple[SourceSlice, ...], tuple[str, ...]]:
    """Return the column names, the slices with where their records begin, and warnings.

    `listed` are the columns that the manifest names, `header` says what becomes of a header that disagrees with them.
    """
    read = [_read_slice(table, part, dialect, mode) for part in parts]
    slices = tuple(part for _, part in read)
    if mode is HeaderMode.MANIFEST:
        return _distinct(listed, table), slices, ()
    headers = [names for names, _ in read if names]
    for names, (found, part) in zip([headers[0]] * len(read) if headers else [], read, strict=False):
        if found and found != names:
            raise UserError(
                "column.sets_differ",
                f"The slices have different columns: {', '.join(names)}; and {', '.join(found)}",
                place=Place(table=table, slice=part.name),
                remedy="Give all slices of a table the same columns.",
            )
    columns, warnings = agreed_columns(headers[0] if headers else (), listed, header, Place(table=table))
    return _distinct(columns, table), slices, warnings


def _read_slice(
    table: str, part: SourceSlice, dialect: Dialect, mode: HeaderMode
) -> tuple[tuple[str, ...], SourceSlice]:
    place = Place(table=table, slice=part.name)
    gzip = is_gzip(part.location)
    if mode is HeaderMode.MANIFEST:
        return (), replace(part, gzip=gzip, data_start=0 if gzip else mark_size(part.location))
    names, end = read_header(part.location, dialect, gzip=gzip, place=place)
    if not names and end not in {0, len(naming.UTF8_BOM)}:
        raise UserError(
            "source.format",
            "The first line is blank, and should name the columns",
            place=place,
            remedy="Remove the blank lines before the header.",
        )
    return names, replace(part, gzip=gzip, data_start=0 if gzip else end, skip_header=gzip)


def _distinct(columns: Iterable[str], table: str) -> tuple[str, ...]:
    names = tuple(columns)
    for name, count in Counter(names).items():
        if name and count > 1:
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


def _file_source(file: InputFile, asked: Asked) -> Found:
    names, own_name = _file_names(file), bare_name(file.name)
    place = Place(table=file.file_name)
    if file.kind is FileKind.RECORDS:
        from component.plan.records_sources import records_source  # noqa: PLC0415 - as said above

        unused = beside_types("a records directory", asked.text(names), place)
        options = asked.directory(names)
        source, told = records_source(file.path, file.file_name, own_name, names, options, asked.scratch)
        return source, (*unused, *told)
    if asked.asks_of_file(names) or (
        file.kind is FileKind.OTHER and not _are_json_lines(file) and not is_text(file.name)
    ):
        from component.plan.parsed_sources import file_source  # noqa: PLC0415 - as said above

        return file_source(file.path, file.name, own_name, names, asked)
    parts, warnings = _parts_of(file, file.file_name)
    kind: TypedKind | None = "parquet" if _are_parquet(parts) else _TYPED.get(file.kind)
    if file.kind is FileKind.OTHER and not is_text(file.name):
        kind = "jsonl"
    if kind is not None:
        warnings = (*warnings, *beside_types(kind, asked.text(names), place))
    if kind == "arrow" and not file.sliced and file.staged is None:
        from component.plan.parsed_sources import arrow_file_source  # noqa: PLC0415 - as said above

        source, told = arrow_file_source(file.path, own_name, names, asked.file(names), asked.scratch)
        return source, (*warnings, *told)
    if kind is not None:
        return typed_source(kind, file.file_name, own_name, names, parts), warnings
    source, more = _detected_source(file.file_name, own_name, names, parts, asked, infer_types=file.manifest is None)
    return source, (*warnings, *more)


def _detected_source(
    name: str,
    own_name: str,
    names: tuple[str, ...],
    parts: tuple[SourceSlice, ...],
    asked: Asked,
    *,
    infer_types: bool = True,
    expects_header: bool = False,
) -> Found:
    """Return the source of text of which no manifest says how it is delimited: what is not configured is found out."""
    from component.plan.text_sources import detected, read_text  # noqa: PLC0415 - as said above

    options, default = asked.text(names), Dialect("\t" if _are_tabs(name) else naming.DELIMITER)
    found, doubts = detected(name, parts, options, default, asked, expects_header=expects_header)
    as_it_lies = found.is_plain and not found.skip_rows and found.header_rows == 1
    if as_it_lies and not options.says_more and not _packed(parts):
        dialect = Dialect(found.delimiter, found.enclosure, options.is_strict)
        columns, slices, _ = _columns_and_slices(name, parts, HeaderMode.FIRST_LINE, dialect)
        columns = ("", *columns) if found.row_names else columns
    else:
        text = read_text(name, parts, found, options, (), asked)
        columns, slices, dialect = _distinct(text.names, name), text.slices, text.dialect
    columns, unnamed = _named(columns, name)
    schema = TableSchema(tuple(Column(column) for column in columns))
    mode = HeaderMode.FIRST_LINE if found.header_rows else HeaderMode.NONE
    source = Source(name, own_name, names, "csv", slices, schema, dialect=dialect, infer_types=infer_types, header=mode)
    return source, (*doubts, *unnamed)


def _are_tabs(name: str) -> bool:
    return name.lower().endswith((file_types.TSV.suffix, file_types.TSV.suffix + file_types.GZIP.suffix))


def _packed(parts: Iterable[SourceSlice]) -> bool:
    """Tell whether parts are compressed other than by gzip, which the CSV reader unpacks."""
    return any(is_packed(part.location) and not is_gzip(part.location) for part in parts if part.size)


def _are_json_lines(file: InputFile) -> bool:
    """Tell by the name: a document a line is read in splits, where nobody asks for more."""
    return file.name.lower().removesuffix(file_types.GZIP.suffix).endswith(file_types.JSON_LINES.suffixes)


_TYPED: Final[Mapping[FileKind, TypedKind]] = {
    FileKind.PARQUET: "parquet",
    FileKind.AVRO: "avro",
    FileKind.ARROW: "arrow",
}


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
    """Return what a configuration may call a file: by its names, its id, and each of its tags."""
    known = () if file.id is None else (str(file.id), f"id:{file.id}")
    return tuple(
        dict.fromkeys([*_names(file.file_name, file.name, None), *known, *(f"tag:{tag}" for tag in file.tags)])
    )


_SUFFIXES = (
    *(
        ".csv.gz",
        ".tsv.gz",
        ".tar.gz",
        ".tar.bz2",
        ".tar.xz",
        ".csv",
        ".tsv",
        ".parquet",
        ".gz",
        ".avro",
        ".arrow",
        ".json",
        ".jsonl.gz",
        ".jsonl",
        ".ndjson",
        ".xlsx",
        ".xls",
    ),
    *(".txt", ".httpfile", ".zip", ".tar", ".tgz"),
)


def bare_name(name: str) -> str:
    """Return a name without the suffix that says its format."""
    return next(
        (name[: -len(suffix)] for suffix in _SUFFIXES if name.lower().endswith(suffix) and name != suffix), name
    )
