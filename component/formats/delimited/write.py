"""Tables to files of delimited text in any dialect; a value that a dialect cannot carry is refused, never mangled.

What a dialect cannot carry is known before anything is written (reference records 9.4).
"""

from __future__ import annotations

import bz2
import codecs
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final

import pyarrow as pa
import pyarrow.compute as pc
from isal import igzip

from component import naming
from component.errors import Place, UserError
from component.formats.columns import described_columns
from component.formats.contract import Attributes
from component.formats.csv.write import GZIP_LEVEL
from component.formats.delimited.cells import format_of, kind_of
from component.formats.delimited.dialect import BZIP, GZIP, LZO, DelimitedDialect
from component.formats.delimited.escape import escaped, first_refused, rules_of
from component.formats.delimited.plain_text import cell_texts, kind_of_values
from component.formats.delimited.time_tokens import TemporalKind, Token, compiled
from component.formats.delimited.time_tokens import losses as time_losses
from component.formats.losses import Loss, dropped_zones, empty_to_null
from component.tables.types import Column, TableSchema, TypeName

__all__ = [
    "DelimitedWriter",
    "DelimitedWriting",
    "Unwritable",
    "check_dialect",
    "is_invertible",
    "losses",
    "unwritable",
]

_MARKS: Final = {"UTF8BOM": codecs.BOM_UTF8, "UTF16": codecs.BOM_UTF16_LE, "UTF16BOM": codecs.BOM_UTF16_LE}
"""What files begin with."""
_LITTLE_ENDIAN: Final = {"utf-16": "utf-16-le"}
_NUMBERS: Final = (TypeName.INTEGER, TypeName.FLOAT, TypeName.NUMERIC)
_PIECE_ROWS: Final = 131_072
_PIECE_BYTES: Final = 32 * naming.MIB
_SAY_REMEDY: Final = "Choose quoting with doublequote, an escape, or another encoding."
_FORMAT_REMEDY: Final = "Choose a format that has it, for example YYYY-MM-DD HH24:MI:SS, or change the value."
_BLANK: Final = "an empty cell in a table of one column would be an empty record"


@dataclass(frozen=True, slots=True)
class DelimitedWriting:
    """Files of delimited text in one dialect."""

    keeps_arrow_types: ClassVar = False

    dialect: DelimitedDialect

    def losses(self, schema: pa.Schema, attributes: Attributes) -> tuple[Loss, ...]:
        """Say what readers of records take for null, and which zones the format of instants does not say."""
        zones = tuple(dropped_zones(schema, attributes, says_utc=False))
        kind = TemporalKind.DATETIMETZ
        if zones and compiled(format_of(kind, self.dialect), kind).has(Token.OFFSET):
            zones = tuple(dropped_zones(schema, attributes, says_utc=True))
        return (*empty_to_null(schema), *zones)

    def open(self, target: Path, schema: pa.Schema, attributes: Attributes) -> DelimitedWriter:
        """Begin a file; UserError `records.hint`, `cell.unwritable` for a name in the header."""
        return DelimitedWriter(target, described_columns(schema, attributes), self.dialect)


class DelimitedWriter:
    """Writes tables to one file; equal tables give equal bytes.

    Raises UserError `cell.unwritable` before anything of a table is written, `records.hint` for a dialect that cannot
    be written (LZO, formats that are none), `column.missing` for a table without one of the columns.
    """

    def __init__(
        self, target: Path, columns: TableSchema, dialect: DelimitedDialect, *, place: Place | None = None
    ) -> None:
        check_dialect(dialect, columns)
        self._columns = columns.columns
        self._dialect = dialect
        self._place = place
        self._rows = 0
        header = _header(columns, dialect, place) if dialect.header_row else b""
        self._raw = target.open("wb")
        self._sink = _compressed(self._raw, dialect.compression)
        self._sink.write(_MARKS.get(dialect.encoding, b"") + header)

    def write(self, table: pa.Table) -> None:
        """Write rows; the columns are found by name."""
        parts = []
        before = self._rows
        for piece in pieces(table):
            part = cells_of(piece, self._columns, self._dialect)
            if part.fault is not None:
                raise part.fault.after(before).error(self._place)
            parts.append(part)
            before += part.rows
        for part in parts:
            self._sink.write(_records(part, self._columns, self._dialect))
        self._rows = before

    def close(self) -> None:
        """Finish the file."""
        if self._sink is not self._raw:
            self._sink.close()
        self._raw.close()


def _header(columns: TableSchema, dialect: DelimitedDialect, place: Place | None) -> bytes:
    titles = tuple(Column(name) for name in columns.names)
    row = pa.table([pa.array([name]) for name in columns.names], list(columns.names))
    names = cells_of(row, titles, dialect)
    if names.fault is not None:
        raise replace(names.fault, row=None).error(place)
    return _records(names, titles, dialect)


def _records(cells: Cells, columns: tuple[Column, ...], dialect: DelimitedDialect) -> bytes:
    """Return the bytes of rows."""
    done: list[Any] = [_cells(texts, number, columns, dialect) for number, texts in enumerate(cells.texts)]
    done[-1] = pc.binary_join_element_wise(done[-1], "", dialect.record_terminator)
    lines = pc.binary_join_element_wise(*done, dialect.field_delimiter) if len(done) > 1 else done[0]
    text: bytes = lines.buffers()[2].to_pybytes()[: pc.sum(pc.binary_length(lines)).as_py()]
    codec = _LITTLE_ENDIAN.get(dialect.codec, dialect.codec)
    return text if codec == "utf-8" else text.decode().encode(codec)


def _cells(texts: pa.Array, number: int, columns: tuple[Column, ...], dialect: DelimitedDialect) -> pa.Array:
    """Return one column in the text of the dialect, nulls included.

    With quoting a null is an empty cell, quoted where every cell of its kind is; an empty string is always quoted, so
    that who looks at it can tell them apart.
    """
    rules = rules_of(dialect)
    is_number = columns[number].type in _NUMBERS
    always = dialect.quoting == "all" or (dialect.quoting == "nonnumeric" and not is_number)
    done = escaped(texts, rules, always=always, first=number == 0)
    empty = rules.quote * 2
    if rules.quote and not always:
        blank = pc.equal(texts, "")
        done = pc.if_else(blank, empty, done) if pc.any(blank).as_py() else done
    null = empty if dialect.quoting in {"all", "nonnumeric"} or len(columns) == 1 else ""
    return pc.fill_null(done, null) if done.null_count else done


def _compressed(raw: Any, compression: str | None) -> Any:
    if compression == GZIP:
        return igzip.IGzipFile("", "wb", GZIP_LEVEL, raw, 0)  # type: ignore[no-untyped-call]
    return bz2.BZ2File(raw, "wb") if compression == BZIP else raw


@dataclass(frozen=True, slots=True)
class Unwritable:
    """A value that a dialect cannot carry: its row in the table from 1 (None for a name), column, text, and why."""

    row: int | None
    column: str
    value: str
    why: str
    remedy: str

    def after(self, rows: int) -> Unwritable:
        """Return the same with the row counted from `rows` rows earlier."""
        return self if self.row is None else replace(self, row=self.row + rows)

    def error(self, place: Place | None = None) -> UserError:
        """Return the error that refuses the table."""
        at = place or Place()
        return UserError(
            "cell.unwritable",
            f"The value cannot be written: {self.why}",
            place=Place(at.table, at.slice, self.row, self.column, self.value),
            remedy=self.remedy,
        )


@dataclass(frozen=True, slots=True)
class Cells:
    """The plain texts of some rows, column by column; `fault` is the first that cannot be written."""

    texts: tuple[pa.Array, ...]
    rows: int
    fault: Unwritable | None


def check_dialect(dialect: DelimitedDialect, columns: TableSchema | None = None) -> None:
    """Refuse what cannot be written: UserError `records.hint`. Formats are looked at where a column needs them."""
    if dialect.compression == LZO:
        raise UserError(
            "records.hint",
            "Files with the compression LZO are not written",
            remedy="Choose GZIP or BZIP, or no compression.",
        )
    kinds = list(TemporalKind) if columns is None else [kind_of(column) for column in columns.columns]
    for kind in kinds:
        if kind is not None:
            compiled(format_of(kind, dialect), kind)


def unwritable(table: pa.Table, columns: TableSchema, dialect: DelimitedDialect) -> Unwritable | None:
    """Return the first value, by row, that the dialect cannot carry, or None."""
    before = 0
    for piece in pieces(table):
        fault = cells_of(piece, columns.columns, dialect).fault
        if fault is not None:
            return fault.after(before)
        before += piece.num_rows
    return None


def losses(dialect: DelimitedDialect, *, one_column: bool = False) -> tuple[str, ...]:
    """Say which values are refused, because they could not come back; `one_column`: in a table of one column.

    That an empty string comes back as a null, in any dialect, is not among them: nothing is refused for it.
    """
    rules = rules_of(dialect)
    found = []
    if rules.refused:
        found.append(f"text that holds one of {' '.join(map(repr, rules.refused))}")
    if one_column and not rules.quote:
        found.append("nulls and empty text")
    if not rules.can_hide and rules.guards_start:
        found.append("text in the first column that begins with a byte order mark")
    if dialect.encoding in {"LATIN1", "CP1252"}:
        found.append(f"text with characters that {dialect.encoding} does not have")
    for kind in (TemporalKind.DATE, TemporalKind.TIME, TemporalKind.DATETIME, TemporalKind.DATETIMETZ):
        text = format_of(kind, dialect)
        found += [f"{kind} with {loss} ({text})" for loss in time_losses(text, kind)]
    return tuple(found)


def is_invertible(dialect: DelimitedDialect, *, one_column: bool = False) -> bool:
    """Say whether every value of every type comes back, but for empty strings."""
    return not losses(dialect, one_column=one_column)


def cells_of(table: pa.Table, columns: tuple[Column, ...], dialect: DelimitedDialect) -> Cells:
    """Return the texts of a table that is small enough to be written at once."""
    texts, faults = [], []
    for number, column in enumerate(columns):
        values = _values(table, column)
        text, lost = cell_texts(values, column, dialect)
        texts.append(text)
        if lost is not None:
            faults.append(_lost(values, lost, column, dialect))
        elif (refused := _refused(text, number, len(columns), dialect)) is not None:
            position, why = refused
            faults.append(Unwritable(position + 1, column.name, text[position].as_py() or "", why, _SAY_REMEDY))
    return Cells(tuple(texts), table.num_rows, min(faults, key=lambda fault: fault.row or 0, default=None))


def _lost(values: Any, position: int, column: Column, dialect: DelimitedDialect) -> Unwritable:
    kind = kind_of_values(values, column)
    shown = format_of(kind, dialect) if kind else ""
    return Unwritable(
        position + 1, column.name, str(values[position]), f"the format {shown!r} cannot carry it", _FORMAT_REMEDY
    )


def _refused(texts: pa.Array, number: int, columns: int, dialect: DelimitedDialect) -> tuple[int, str] | None:
    rules = rules_of(dialect)
    refused = first_refused(texts, rules, dialect.encoding, first=number == 0)
    if columns == 1 and not rules.quote:
        blank = pc.index(pc.fill_null(pc.equal(texts, ""), True), True).as_py()
        if blank >= 0 and (refused is None or blank < refused[0]):
            return blank, _BLANK
    return refused


def _values(table: pa.Table, column: Column) -> pa.Array:
    place = table.schema.get_field_index(column.name)
    if place < 0:
        raise UserError("column.missing", "The column is not in the table", place=Place(column=column.name))
    values = table.column(place).combine_chunks()
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def pieces(table: pa.Table) -> Iterator[pa.Table]:
    """Yield parts of a table, small enough that their text fits Arrow's arrays."""
    rows = table.num_rows
    if rows > _PIECE_ROWS or (rows > 1 and table.nbytes > _PIECE_BYTES):
        yield from pieces(table.slice(0, rows // 2))
        yield from pieces(table.slice(rows // 2))
    elif rows:
        yield table
