"""A records directory as it is found: its data files, their format, and the schema of its rows.

In this order: the manifest, which is waited for and without which a directory is not whole; the files that it names;
the format, with the terminator sniffed from the bytes where no hint gives it; the schema (reference records 1).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from component import naming
from component.errors import Place, UserError
from component.findings import Finding, warning
from component.formats.avro import avro_schema
from component.formats.csv.split import ByteRange
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.read import open_text, read_header
from component.formats.delimited.source import DelimitedSplit
from component.formats.parquet import parquet_schema
from component.records.archives import is_archive, unpack
from component.records.data_files import DataFile, SearchRules, find_files
from component.records.format_file import PREFIX, FormatType, RecordsFormat, format_name, read_hints
from component.records.hint_values import Defaults
from component.records.hints import dialect_of
from component.records.manifest import MANIFEST, UNFINISHED, parse_manifest
from component.records.places import Listing, open_listing
from component.records.schema import EXTRA, SCHEMA, header_conflict, parse_schema
from component.records.schema_models import SCHEMA_JSON
from component.records.types import table_schema
from component.records.waiting import NO_PATIENCE, OF_BUCKETS, Patience, wait_for
from component.staging.sliced import AT_ONCE
from component.tables.types import Column, TableSchema


@dataclass(frozen=True, slots=True)
class DirectoryOptions:
    """How a directory is read.

    - `lax`: go on with a remark where it is safe, instead of refusing.
    - `outside`: allow the manifest to name files outside of the directory.
    - `hints`: stand above those of the format file.
    - `defaults`: whose defaults count where the spec and the client differ.
    - `patience`: how long the manifest and its files are waited for; None is a minute for buckets, else not at all.
    """

    lax: bool = False
    outside: bool = False
    hints: Mapping[str, Any] = field(default_factory=dict)
    defaults: Defaults = "tablemill"
    patience: Patience | None = None


@dataclass(frozen=True, slots=True)
class RecordsDirectory:
    """A directory that can be read; `dialect` is that of delimited files and None otherwise.

    `findings` are to be shown: each tells of something that was ignored, moved or in conflict.
    """

    url: str
    files: tuple[DataFile, ...]
    format: FormatType
    dialect: DelimitedDialect | None
    schema: TableSchema
    findings: tuple[Finding, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of the data files as stored."""
        return sum(file.size for file in self.files)


def read_directory(
    listing: Listing, options: DirectoryOptions | None = None, name: str | None = None
) -> RecordsDirectory:
    """Return what a directory holds, without reading its rows; `name` is what errors call it.

    UserError `records.incomplete` when there is no manifest by the end of the wait, `records.manifest`,
    `records.file`, `records.format`, `records.hint` and `records.schema` as the functions of these parts say.
    """
    chosen = options or DirectoryOptions()
    place = Place(table=name or listing.url.rstrip("/").rpartition("/")[2] or listing.url)
    patience = chosen.patience or (OF_BUCKETS if listing.waits else NO_PATIENCE)
    entries = parse_manifest(_manifest(listing, patience, place), place)
    rules = SearchRules(chosen.outside, chosen.lax, patience)
    files, said = find_files(entries, listing, rules, place)
    format_, about_format = _format(listing, chosen, place)
    dialect = None if format_.hints is None else dialect_of(format_.hints, _terminator(format_, files))
    schema, about_schema = _schema(listing, files, format_.type, dialect, chosen, place)
    everything = (*said, *about_format, *about_schema, *_about_headers(files, dialect, schema, place))
    return RecordsDirectory(listing.url, files, format_.type, dialect, schema, everything)


def open_directory(
    where: str | Path,
    scratch: Path,
    options: DirectoryOptions | None = None,
    variables: Mapping[str, str] | None = None,
) -> RecordsDirectory:
    """Return what a folder, a ZIP or tar of one, or a URL holds; `scratch` is made for what an archive holds."""
    listing = open_listing(where, os.environ if variables is None else variables)
    root = getattr(listing, "root", None)
    if root is None or not root.is_file():
        return read_directory(listing, options)
    if not is_archive(root):
        text = f"{str(root)!r} is neither a folder nor a ZIP or tar of one"
        raise UserError("records.archive", text, remedy="Name a records directory, or an archive of its files.")
    inside = open_listing(unpack(root, scratch), {})
    return read_directory(inside, options, name=root.name)


def is_records(names: Iterable[str]) -> bool:
    """Say whether files of these names are, or should be, a records directory: a manifest and a format file."""
    known = set(names)
    return MANIFEST in known and any(name.startswith(PREFIX) for name in known)


def _manifest(listing: Listing, patience: Patience, place: Place) -> bytes:
    data = wait_for(lambda: listing.read(MANIFEST), patience)
    if data is not None:
        return data
    where = f" in {listing.url}" if listing.waits else ""  # a folder is known by its name, and may be scratch
    waited = f" after {patience.seconds:g} seconds" if patience.seconds else ""
    remedy = "Wait until its writer has ended, and read it again."
    if UNFINISHED in listing.names():
        remedy = "There is a file manifest: its writer stopped before the end, or it is UNLOAD's and must be renamed."
    raise UserError("records.incomplete", f"There is no _manifest{where}{waited}", place=place, remedy=remedy)


def _format(listing: Listing, options: DirectoryOptions, place: Place) -> tuple[RecordsFormat, tuple[Finding, ...]]:
    name, kind = format_name(listing.names(), place)
    if kind is not FormatType.DELIMITED:
        return RecordsFormat(kind), ()
    hints, said = read_hints(
        listing.read(name) or b"", given=options.hints, lax=options.lax, defaults=options.defaults, place=place
    )
    return RecordsFormat(kind, hints), said


def _terminator(format_: RecordsFormat, files: tuple[DataFile, ...]) -> str | None:
    """Return the terminator by the first file that has any bytes, where the hint leaves it open."""
    if format_.hints is None or format_.hints.record_terminator is not None:
        return None
    first = next((file for file in files if file.size), None)
    return None if first is None else terminator_of(first, dialect_of(format_.hints))


def _schema(
    listing: Listing,
    files: tuple[DataFile, ...],
    kind: FormatType,
    dialect: DelimitedDialect | None,
    options: DirectoryOptions,
    place: Place,
) -> tuple[TableSchema, tuple[Finding, ...]]:
    for name in (SCHEMA_JSON, SCHEMA):
        data = listing.read(name)
        if data is None or (name == SCHEMA and not data.lstrip().startswith(b"{")):
            continue  # `_schema` of older clients is SQL
        found, said = parse_schema(name, data, extra=listing.read(EXTRA), lax=options.lax, place=place)
        if not found.fields:
            text = f"The schema {name} has no fields, and a table without columns holds nothing"
            raise UserError("records.schema", text, place=place, remedy="Name the columns of the data files in it.")
        return table_schema(found), said
    if not options.lax:
        remedy = "With lax the columns are those of the first file; those of delimited text are strings."
        raise UserError("records.schema", _NO_SCHEMA, place=place, remedy=remedy)
    return _schema_by_file(files, kind, dialect, place)


def _about_headers(
    files: tuple[DataFile, ...], dialect: DelimitedDialect | None, schema: TableSchema, place: Place
) -> tuple[Finding, ...]:
    """Return a remark where headers differ from the schema; of objects, many are read at once."""
    if dialect is None or not dialect.header_row:
        return ()
    known = dialect

    def conflict(file: DataFile) -> Finding | None:
        return header_conflict(schema.names, _header(file, known, place), file.name)

    there = [file for file in files if file.size]
    if all(isinstance(file.location, Path) for file in there):
        found = list(map(conflict, there))
    else:
        with ThreadPoolExecutor(AT_ONCE, "headers") as pool:
            found = list(pool.map(conflict, there))
    conflicts = [one for one in found if one is not None]
    if len(conflicts) < 2:
        return tuple(conflicts)
    others = f"Headers of {len(conflicts) - 1} more files differ too."
    return (replace(conflicts[0], text=f"{conflicts[0].text} {others}"),)


def _header(file: DataFile, dialect: DelimitedDialect, place: Place) -> tuple[str, ...]:
    return read_header(file.location, dialect, place=replace(place, slice=file.name))


def _schema_by_file(
    files: tuple[DataFile, ...], kind: FormatType, dialect: DelimitedDialect | None, place: Place
) -> tuple[TableSchema, tuple[Finding, ...]]:
    """Return the columns that the first file with any bytes says it has, which is less than the spec demands."""
    first = next((file for file in files if file.size), None)
    if first is None or (dialect is not None and not dialect.header_row):
        what = "no file has a header" if dialect is not None else "there is no file"
        raise UserError("records.schema", f"{_NO_SCHEMA}, and {what} to take columns from", place=place)
    at = replace(place, slice=first.name)
    if dialect is not None:
        schema = TableSchema(tuple(Column(name) for name in _header(first, dialect, place)))
    else:
        schema = parquet_schema(first.location, at) if kind is FormatType.PARQUET else avro_schema(first.location, at)
    types = ", all of them strings" if dialect is not None else ""
    said = warning("schema.missing", SCHEMA_JSON, f"There is no schema: the columns are those of {first.name}{types}.")
    return schema, (said,)


_NO_SCHEMA: Final = "There is no _schema.json and no _schema"


LINE_ENDS: Final = ("\r\n", "\n", "\r")
_FIRST_PIECE: Final = 64 * naming.KIB


def terminator_of(file: DataFile, dialect: DelimitedDialect) -> str | None:
    """Return the first terminator in a file that is neither quoted nor escaped, None when there is none.

    Candidates are the dialect's own and the three line ends (reference records 2.2).
    """
    own = dialect.record_terminator
    text = _beginning(file, dialect, _FIRST_PIECE)
    candidates = LINE_ENDS if own in LINE_ENDS or own not in text else (own,)
    at, in_quotes = 0, False
    while at < len(text):
        if text[at] == dialect.escape:
            at += 1
        elif text[at] == dialect.quote:
            in_quotes = not in_quotes
        elif not in_quotes:
            found = next((one for one in candidates if text.startswith(one, at)), None)
            if found is not None:
                return found
        at += 1
    return None


def _beginning(file: DataFile, dialect: DelimitedDialect, size: int) -> str:
    """Return at least as many characters of a file, fewer only when it has no more."""
    split = DelimitedSplit("", file.name, file.location, ByteRange(0, file.size))
    pieces: list[str] = []
    with open_text(split, dialect) as text:
        while sum(map(len, pieces)) < size and (piece := text.read(size)):
            pieces.append(piece.decode(errors="replace"))
    return "".join(pieces)
