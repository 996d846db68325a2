"""Tables to files of delimited text in any dialect; a value that a dialect cannot carry is refused, never mangled."""

from __future__ import annotations

import bz2
import codecs
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final

import pyarrow as pa
import pyarrow.compute as pc
from isal import igzip

from component.errors import Place
from component.formats.columns import described_columns
from component.formats.contract import Attributes
from component.formats.delimited.cells import format_of
from component.formats.delimited.dialect import BZIP, GZIP, DelimitedDialect
from component.formats.delimited.escape import escaped, rules_of
from component.formats.delimited.time_tokens import Kind, Token, compiled
from component.formats.delimited.unwritable import (
    Cells,
    Unwritable,
    cells_of,
    check_dialect,
    is_invertible,
    losses,
    pieces,
    unwritable,
)
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

GZIP_LEVEL: Final = 2
"""Of isal's 0 to 3: about the size of zlib's 3, several times faster."""
_MARKS: Final = {"UTF8BOM": codecs.BOM_UTF8, "UTF16": codecs.BOM_UTF16_LE, "UTF16BOM": codecs.BOM_UTF16_LE}
"""What files begin with."""
_LITTLE_ENDIAN: Final = {"utf-16": "utf-16-le"}
_NUMBERS: Final = (TypeName.INTEGER, TypeName.FLOAT, TypeName.NUMERIC)


@dataclass(frozen=True, slots=True)
class DelimitedWriting:
    """Files of delimited text in one dialect."""

    keeps_arrow_types: ClassVar = False

    dialect: DelimitedDialect

    def losses(self, schema: pa.Schema, attributes: Attributes) -> tuple[Loss, ...]:
        """Say what readers of records take for null, and which zones the format of instants does not say."""
        zones = tuple(dropped_zones(schema, attributes, says_utc=False))
        kind = Kind.DATETIMETZ
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
