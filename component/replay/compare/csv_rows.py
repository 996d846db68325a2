"""Rows of a table of CSV: a file or slices, plain or gzip, with a header or with columns named elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from component import naming
from component.errors import Place, UserError
from component.folder.magic import is_gzip
from component.folder.manifest import TableManifest, manifest_path
from component.folder.slices import Slice, slices_of
from component.formats.csv.dialect import Dialect
from component.formats.csv.read import CsvReader, ReadAgainError
from component.formats.csv.source import CsvSplit, read_header
from component.formats.csv.split import ByteRange
from component.formats.rows import Parsed
from component.replay.compare.rows import Batch, Restart
from component.tables.types import Column, TableSchema

_COUNTED: Final = "column {number}"


@dataclass(frozen=True, slots=True)
class CsvRows:
    """A table of CSV; `header` says that every slice begins with the names."""

    table: str
    slices: tuple[Slice, ...]
    names: tuple[str, ...]
    types: Mapping[str, Column]
    key: tuple[str, ...]
    dialect: Dialect
    header: bool
    _known: dict[str, CsvSplit] = field(default_factory=dict)
    """How a slice is read, once it is known that its first reading must be dropped."""

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(part.size for part in self.slices)

    def batches(self, restart: Restart) -> Iterator[Batch]:
        """Yield rows; UserError for a damaged gzip file or a cell that is never closed."""
        if not self.names:
            return
        for part in self.slices:
            yield from self._slice(part, restart)

    def _slice(self, part: Slice, restart: Restart) -> Iterator[Batch]:
        reader = CsvReader(self._schema(), self.dialect, reject=True)
        while True:
            done = 0
            try:
                for parsed in reader.read(self._known.get(part.name) or self._split(part)):
                    yield self._batch(part.name, parsed, done)
                    done += parsed.records
            except ReadAgainError as again:
                self._known[part.name] = again.split
                if done:
                    restart()
                continue
            return

    def _batch(self, name: str, parsed: Parsed, done: int) -> Batch:
        named = dict(zip(self._schema().names, self.names, strict=True))
        for row in parsed.bad:
            if row.code in {"csv.encoding", "csv.unclosed_quote"}:  # nothing could be said about what is not whole
                place = Place(slice=name, row=row.row, column=named.get(row.column or ""), value=row.value)
                raise UserError(row.code, row.reason, place=place)
        broken = [(row.row, row.record) for row in parsed.bad]
        missing = {number for number, _ in broken}
        numbers: Sequence[int] = range(done + 1, done + parsed.records + 1)
        if missing:
            numbers = [number for number in numbers if number not in missing]
        columns = [column.combine_chunks() for column in parsed.rows.itercolumns()]
        return Batch(name, columns, numbers, broken)

    def _schema(self) -> TableSchema:
        # By position: a header may name a column twice, and tables of Arrow find columns by name.
        return TableSchema(tuple(Column(f"c{number}") for number in range(len(self.names))))

    def _split(self, part: Slice) -> CsvSplit:
        whole = ByteRange(0, part.size)
        return CsvSplit(
            self.table, part.name, part.path, is_gzip(part.path), whole, skip_header=self.header, exact=False
        )


def open_csv(path: Path, fallback: Sequence[str] = ()) -> CsvRows:
    """Open an output table by its own manifest; `fallback` are the columns that the mapping names, if any.

    UserError `source.manifest` and what reading a header can raise. Slices whose columns nobody names have numbered
    ones. Where only `schema` names the columns and the first record is just that, it is a header: on projects without
    native types `schema` takes no part in the load (reference keboola 4.3).
    """
    beside = manifest_path(path)
    manifest = TableManifest.read(beside) if beside.is_file() else TableManifest()
    if not manifest.columns and fallback:
        manifest = replace(manifest, columns=tuple(fallback), raw={**manifest.raw, "columns": list(fallback)})
    enclosure = naming.ENCLOSURE if manifest.enclosure is None else manifest.enclosure
    dialect = Dialect(manifest.delimiter or naming.DELIMITER, enclosure, strict=False)
    slices, _ = slices_of(path)
    filled = tuple(part for part in slices if part.size)
    names, header = _names(path.name, filled, manifest, dialect, sliced=path.is_dir())
    types = {column.name: column for column in manifest.typed}
    return CsvRows(path.name, filled, names, types, manifest.primary_key, dialect, header)


def _names(
    table: str, slices: tuple[Slice, ...], manifest: TableManifest, dialect: Dialect, *, sliced: bool
) -> tuple[tuple[str, ...], bool]:
    """Return the names of the columns, and whether the slices begin with them."""
    if manifest.columns and not slices:
        return manifest.columns, False
    first = _first_record(table, slices, dialect)
    if manifest.columns:
        by_schema = not manifest.raw.get("columns") and not sliced and first == manifest.columns
        return manifest.columns, manifest.has_header is True or by_schema
    if sliced and manifest.has_header is not True:
        return tuple(_COUNTED.format(number=number + 1) for number in range(len(first))), False
    return first, True


def _first_record(table: str, slices: tuple[Slice, ...], dialect: Dialect) -> tuple[str, ...]:
    if not slices:
        return ()
    part = slices[0]
    return read_header(part.path, dialect, gzip=is_gzip(part.path), place=Place(table=table, slice=part.name))[0]
