"""Record-aligned text to typed rows, fast: Arrow's CSV reader converts while it parses.

A block that it refuses is read carefully (`careful`), so that only blocks with a fault pay for finding it.
"""

from __future__ import annotations

from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from component import naming
from component.formats.csv.careful import (
    bytes_options,
    cast_rows,
    counting_options,
    sentinel_record,
    sentinel_text,
    without_sentinel,
)
from component.formats.csv.dialect import Dialect
from component.formats.rows import Parsed
from component.tables.cast import FALSE_WORDS, TRUE_WORDS, cast_text
from component.tables.types import Column, NullRule, TableSchema, TypeName

_PARSE_BYTES: Final = 1 * naming.MIB
_HEXADECIMAL: Final = (b"0x", b"0X")


class Parser:
    """Parses blocks of one table; keeps no state between blocks."""

    def __init__(self, schema: TableSchema, dialect: Dialect) -> None:
        self.schema = schema
        self.dialect = dialect
        self._sentinel = sentinel_record(schema, dialect)
        self._null_always = [column.name for column in schema.columns if column.nulls is NullRule.ALWAYS]
        self._null_unquoted = [column.name for column in schema.columns if column.nulls is not NullRule.ALWAYS]
        self._has_integer = any(column.type is TypeName.INTEGER for column in schema.columns)
        self._sentinel_value = _sentinel_value(schema.columns[0])

    def parse(self, data: bytes) -> Parsed:
        """Parse whole records; rows are numbered from 1.

        Raises SplitIsNotExactError when the records end inside an enclosed cell.
        """
        end = b"" if data.endswith((b"\n", b"\r")) or not data else b"\n"
        text = b"".join((keep_mark(data), data, end, self._sentinel))
        if not (self._has_integer and any(mark in data for mark in _HEXADECIMAL)):
            try:
                return self._parse_fast(text)
            except pa.ArrowInvalid:
                pass
        return self._parse_carefully(text)

    def _parse_fast(self, text: bytes) -> Parsed:
        quoted_empty = bool(self.dialect.quote) and self.dialect.quote * 2 in text
        if quoted_empty and self._null_always and self._null_unquoted:
            table = self._convert(text, self._null_unquoted, quoted_null=False)
            for column in self._convert(text, self._null_always, quoted_null=True).itercolumns():
                table = table.append_column(self._null_always[table.num_columns - len(self._null_unquoted)], column)
            table = table.select(self.schema.names)
        else:
            table = self._convert(text, list(self.schema.names), quoted_null=not self._null_unquoted)
        rows = self._convert_rest(without_sentinel(table, self._sentinel_value))
        return Parsed(rows, (), rows.num_rows)

    def _convert(self, text: bytes, names: list[str], *, quoted_null: bool) -> pa.Table:
        options = pacsv.ConvertOptions(
            column_types={column.name: _reading_type(column) for column in self.schema.columns},
            include_columns=names,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=quoted_null,
            true_values=TRUE_WORDS,
            false_values=FALSE_WORDS,
        )
        return self._read(text, options, self.dialect.parse_options(len(self.schema.columns)))

    def _read(self, text: bytes, convert: pacsv.ConvertOptions, parse: pacsv.ParseOptions) -> pa.Table:
        """Read in small blocks, which stay in the processor's cache; in one when a record is longer than that."""
        try:
            return self._read_blocks(text, convert, parse, _PARSE_BYTES)
        except pa.ArrowInvalid as error:
            if "straddling" not in str(error):
                raise
            return self._read_blocks(text, convert, parse, len(text) + 1)

    def _read_blocks(
        self, text: bytes, convert: pacsv.ConvertOptions, parse: pacsv.ParseOptions, block_size: int
    ) -> pa.Table:
        read = pacsv.ReadOptions(use_threads=False, column_names=self.schema.names, block_size=block_size)
        return pacsv.read_csv(pa.BufferReader(text), read_options=read, parse_options=parse, convert_options=convert)

    def _convert_rest(self, rows: pa.Table) -> pa.Table:
        """Do what Arrow's converters cannot: the null rule `never`, and strptime formats."""
        for position, column in enumerate(self.schema.columns):
            if column.formats:
                cast = cast_text(rows[column.name].combine_chunks(), column)
                if cast.bad:
                    raise pa.ArrowInvalid("a cell fits none of the formats")
                rows = rows.set_column(position, column.name, cast.values)
            elif column.nulls is NullRule.NEVER:
                if column.type is not TypeName.STRING and rows[column.name].null_count:
                    raise pa.ArrowInvalid("an empty cell does not fit")
                if column.type is TypeName.STRING:
                    rows = rows.set_column(position, column.name, pc.fill_null(rows[column.name], ""))
        return rows

    def _parse_carefully(self, text: bytes) -> Parsed:
        wrong_count: list[Any] = []
        parse = counting_options(self.schema, self.dialect, wrong_count)
        read = self._read_blocks(text, bytes_options(self.schema), parse, len(text) + 1)
        cells = without_sentinel(read, sentinel_text(self.schema.columns[0]).encode())
        return cast_rows(cells, wrong_count, self.schema, self.dialect)


def keep_mark(data: bytes) -> bytes:
    """Return what must stand before text that begins with U+FEFF, which Arrow takes for a byte order mark."""
    return naming.UTF8_BOM if data.startswith(naming.UTF8_BOM) else b""


def _reading_type(column: Column) -> pa.DataType:
    return pa.string() if column.formats else column.arrow


def _sentinel_value(column: Column) -> Any:
    """Return what the fast path reads from the sentinel's first cell."""
    text = sentinel_text(column)
    return text if column.formats else cast_text(pa.array([text]), column).values[0].as_py()
