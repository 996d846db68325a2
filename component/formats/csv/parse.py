"""Record-aligned text to typed rows, fast: Arrow's CSV reader converts while it parses.

A block that it refuses is read carefully (`careful`), so that only blocks with a fault pay for finding it.
"""

from __future__ import annotations

from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from component import naming
from component.formats.csv.careful import as_latin, bytes_options, cast_rows, counting_options
from component.formats.csv.dialect import Dialect
from component.formats.csv.scan import Scanner, is_utf8
from component.formats.csv.sentinel import sentinel_record, sentinel_text, without_sentinel
from component.formats.csv.split import Bytes
from component.formats.rows import Parsed
from component.tables.cast import CALENDAR, FALSE_WORDS, TRUE_WORDS, cast_text, is_within_calendar
from component.tables.numeric import safe_digits
from component.tables.types import MAX_PRECISION, Column, NullRule, TableSchema, TypeName, numeric_length

_PARSE_BYTES: Final = 1 * naming.MIB
_LINE_ENDS: Final = b"\r\n"
_RETURN, _FEED = _LINE_ENDS


class Parser:
    """Parses blocks of one table. Keeps nothing between blocks but memory.

    `parse_bytes`: text is parsed and converted in pieces of this size, which stay in the processor's cache.
    """

    def __init__(self, schema: TableSchema, dialect: Dialect, *, parse_bytes: int = _PARSE_BYTES) -> None:
        self.schema = schema
        self.dialect = dialect
        self._arrow = schema.arrow
        self._parse_bytes = parse_bytes
        self._scanner = Scanner(dialect)
        self._frame = Frame(sentinel_record(schema, dialect))
        self._sentinel_text = sentinel_text(schema.columns[0], dialect)
        self._sentinel_value = _fast_value(self._sentinel_text, schema.columns[0])
        self._null_always = [column.name for column in schema.columns if column.nulls is NullRule.ALWAYS]
        self._null_unquoted = [column.name for column in schema.columns if column.nulls is not NullRule.ALWAYS]
        self._types = {column.type for column in schema.columns}

    def parse(self, data: Bytes) -> Parsed:
        """Parse whole records; rows are numbered from 1.

        Raises SplitIsNotExactError when the records end inside an enclosed cell.
        """
        text = self._frame.around(data)
        if not is_utf8(text):
            return self._parse_carefully(as_latin(bytes(text)), latin=True)
        if not self._is_doubtful(text):
            try:
                return self._parse_fast(text)
            except pa.ArrowInvalid:
                pass
        return self._parse_carefully(text, latin=False)

    def _is_doubtful(self, text: Bytes) -> bool:
        """Say whether Arrow's converters might accept what does not fit, or read it wrong."""
        numeric = TypeName.NUMERIC in self._types
        if (numeric or TypeName.INTEGER in self._types) and self._scanner.holds_hexadecimal(text):
            return True
        return numeric and self._scanner.holds_negative_exponent(text)

    def _parse_fast(self, text: Bytes) -> Parsed:
        both = self._null_always and self._null_unquoted
        if both and self._scanner.holds_enclosed_empty(text):
            table = self._convert(text, self._null_unquoted, quoted_null=False)
            for column in self._convert(text, self._null_always, quoted_null=True).itercolumns():
                table = table.append_column(self._null_always[table.num_columns - len(self._null_unquoted)], column)
            table = table.select(self.schema.names)
        else:
            table = self._convert(text, list(self.schema.names), quoted_null=not self._null_unquoted)
        rows = without_sentinel(table, self._sentinel_value)
        finished = [_finish(values, column) for values, column in zip(rows.columns, self.schema.columns, strict=True)]
        return Parsed(pa.table(finished, schema=self._arrow), (), rows.num_rows)

    def _convert(self, text: Bytes, names: list[str], *, quoted_null: bool) -> pa.Table:
        options = pacsv.ConvertOptions(
            check_utf8=False,  # it has been checked for the whole text, which takes a quarter of the time
            column_types={column.name: _reading_type(column) for column in self.schema.columns},
            include_columns=names,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=quoted_null,
            true_values=TRUE_WORDS,
            false_values=FALSE_WORDS,
        )
        return self._read(text, options, self.dialect.parse_options(len(self.schema.columns)))

    def _read(self, text: Bytes, convert: pacsv.ConvertOptions, parse: pacsv.ParseOptions) -> pa.Table:
        """Read in small pieces; in one when a record is longer than that."""
        try:
            return self._read_pieces(text, convert, parse, piece_size(text, self._parse_bytes))
        except pa.ArrowInvalid as error:
            if "straddling" not in str(error):
                raise
            return self._read_pieces(text, convert, parse, len(text) + 1)

    def _read_pieces(
        self, text: Bytes, convert: pacsv.ConvertOptions, parse: pacsv.ParseOptions, size: int
    ) -> pa.Table:
        read = pacsv.ReadOptions(use_threads=False, column_names=self.schema.names, block_size=size)
        return pacsv.read_csv(pa.BufferReader(text), read_options=read, parse_options=parse, convert_options=convert)

    def _parse_carefully(self, text: Bytes, *, latin: bool) -> Parsed:
        wrong_count: list[Any] = []
        parse = counting_options(self.schema, self.dialect, wrong_count)
        read = self._read_pieces(text, bytes_options(self.schema), parse, len(text) + 1)
        cells = without_sentinel(read, self._sentinel_text.encode(), wrong_count)
        return cast_rows(cells, wrong_count, self.schema, self.dialect, latin=latin)


def piece_size(text: Bytes, most: int) -> int:
    """Return the largest size of pieces that does not part a CR from its LF.

    Arrow drops an LF at the beginning of a piece after a CR at the end of one, also inside an enclosed cell.
    """
    for size in range(most, 1, -1):
        starts = range(size, len(text), size)
        if not any(text[at - 1] == _RETURN and text[at] == _FEED for at in starts):
            return size
    return len(text) + 1


class Frame:
    """Puts what parsing needs around a text, in memory that is used again for the next one.

    Before it: a byte order mark if it begins with U+FEFF, which Arrow takes for one. After it: a line end where it has
    none, and the sentinel record.
    """

    def __init__(self, sentinel: bytes) -> None:
        self._sentinel = sentinel
        self._memory = bytearray()

    def around(self, data: Bytes) -> memoryview:
        """Return the text with its frame; valid until the next call."""
        mark = naming.UTF8_BOM if data[: len(naming.UTF8_BOM)] == naming.UTF8_BOM else b""
        end = b"" if not data or data[-1] in _LINE_ENDS else b"\n"
        size = 0
        needed = len(mark) + len(data) + len(end) + len(self._sentinel)
        if needed > len(self._memory):
            self._memory = bytearray(needed)
        view = memoryview(self._memory)
        for part in (mark, data, end, self._sentinel):
            view[size : size + len(part)] = part
            size += len(part)
        return view[:size]


def _reading_type(column: Column) -> pa.DataType:
    """Return the type that Arrow's converter reads a column as; text where it cannot do it right."""
    if column.formats:
        return pa.string()
    if column.type is not TypeName.NUMERIC:
        return column.arrow
    precision, scale = numeric_length(column)
    digits = min(precision, safe_digits(scale))
    return pa.decimal128(digits, scale) if digits >= scale and digits > 0 else pa.string()


def _finish(values: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
    """Do for a column what Arrow's converters cannot; ArrowInvalid when a cell does not fit after all."""
    if column.type is TypeName.STRING:
        return pc.fill_null(values, "") if column.nulls is NullRule.NEVER else values
    if column.nulls is NullRule.NEVER and values.null_count:
        raise pa.ArrowInvalid("an empty cell does not fit")
    if values.type == pa.string():
        cast = cast_text(values.combine_chunks(), column)
        if cast.bad:
            raise pa.ArrowInvalid("a cell does not fit")
        return pa.chunked_array([cast.values])
    if column.type is TypeName.NUMERIC:
        return _within_precision(values, column)
    if column.type in CALENDAR and not is_within_calendar(values, column.type):
        raise pa.ArrowInvalid("a date lies before the year 1")
    return values


def _within_precision(values: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
    """Check what Arrow does not: that numbers brought to the scale still fit the precision."""
    precision, scale = numeric_length(column)
    if scale and precision < MAX_PRECISION:
        ends = pc.min_max(values).as_py()
        if any(end is not None and end.copy_abs() >= 10 ** (precision - scale) for end in ends.values()):
            raise pa.ArrowInvalid("a number does not fit the precision")
    if values.type == column.arrow:
        return values
    return pa.chunked_array([chunk.view(column.arrow) for chunk in values.chunks], column.arrow)


def _fast_value(text: str, column: Column) -> Any:
    """Return what the fast path reads from a cell."""
    return text if _reading_type(column) == pa.string() else cast_text(pa.array([text]), column).values[0].as_py()
