"""Record-aligned text to typed rows, fast: Arrow's CSV reader cuts out the cells, and whole columns are cast at once.

A block that does not go through is read as bytes and cast column by column (`cast_rows`), which says the row, column
and value that does not fit and goes on: only blocks with a fault pay for finding it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from component import naming
from component.formats.csv.blocks import LINE_ENDS
from component.formats.csv.dialect import Dialect
from component.formats.csv.faults import RecordFault, find_records, is_strict
from component.formats.csv.sentinel import SplitIsNotExactError, sentinel_record, sentinel_text, without_sentinel
from component.formats.csv.split import Bytes, is_utf8
from component.formats.csv.typed import typed
from component.formats.rows import REASONS, BadRow, Parsed
from component.tables.cast import apply_null_rule, cast_text
from component.tables.logical import Logical, logical_of
from component.tables.types import Column, TableSchema, TypeName


class Parser:
    """Parses blocks of one table. Keeps nothing between blocks but memory.

    `tail` is what must follow a text for `parse_framed`: a record that shows where the text ended.
    """

    def __init__(self, schema: TableSchema, dialect: Dialect) -> None:
        self.schema = schema
        self.dialect = dialect
        self.tail = sentinel_record(schema, dialect)
        self._arrow = schema.arrow
        self._width = len(schema.columns)
        self._sentinel_text = sentinel_text(schema.columns[0], dialect)
        self._parse_options = dialect.parse_options(len(schema.columns))
        self._text_options = pacsv.ConvertOptions(
            check_utf8=False,  # it has been checked for the whole text, which takes a quarter of the time
            column_types=dict.fromkeys(schema.names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        )

    def parse(self, data: Bytes) -> Parsed:
        """Parse whole records; rows are numbered from 1.

        Raises SplitIsNotExactError when the records end inside an enclosed cell.
        """
        return self.parse_framed(framed(data, self.tail))

    def parse_framed(self, text: Bytes) -> Parsed:
        """Parse whole records that are followed by a line end and `tail`."""
        body = memoryview(text)[: -len(self.tail)]
        if is_strict(body, self.dialect):
            return self._parse_sound(text)
        found = find_records(body, self.dialect, final=True)
        if found.open:
            raise SplitIsNotExactError
        if not self.dialect.strict:
            return _mended(self._parse_sound(text), found.faults)
        return self._parse_around(body, found.faults)

    def _parse_sound(self, text: Bytes) -> Parsed:
        """Parse records without regard to what is strict."""
        text = with_mark(text)
        if not is_utf8(text):
            return self._parse_carefully(as_latin(bytes(text)), latin=True)
        try:
            return self._parse_fast(text)
        except pa.ArrowInvalid:
            return self._parse_carefully(text, latin=False)

    def _parse_around(self, body: memoryview, faults: Sequence[RecordFault]) -> Parsed:
        """Parse records of which some have faults: in their place stands one that no row can be mistaken for."""
        instead = _record_absent_from(bytes(body), self._width, self.dialect)
        pieces: list[Bytes] = []
        at = 0
        for fault in faults:
            pieces += [body[at : fault.start], instead]
            at = fault.stop
        parsed = self._parse_sound(framed(b"".join([*pieces, body[at:]]), self.tail))
        marked = instead[:-1].decode()
        left = iter(faults)
        bad = (self._bad_row(row.row, next(left), body) if row.record == marked else row for row in parsed.bad)
        return replace(parsed, bad=tuple(bad))

    def _bad_row(self, row: int, fault: RecordFault, body: memoryview) -> BadRow:
        return bad_row(row, fault, bytes(body[fault.start : fault.stop]), self.schema, self.dialect)

    def _parse_fast(self, text: Bytes) -> Parsed:
        rows = without_sentinel(self._read(text, self._text_options, self._parse_options), self._sentinel_text)
        records, texts = rows.num_rows, rows.columns[::-1]
        del rows  # so that the text of each column is let go as soon as it is typed
        columns = [typed(self.dialect.cells(_joined(texts.pop())), column) for column in self.schema.columns]
        return Parsed(pa.table(columns, schema=self._arrow), (), records)

    def _read(self, text: Bytes, convert: pacsv.ConvertOptions, parse: pacsv.ParseOptions) -> pa.Table:
        """Read in one piece: Arrow drops an LF at the beginning of a piece after a CR, also inside an enclosed cell."""
        read = pacsv.ReadOptions(use_threads=False, column_names=self.schema.names, block_size=len(text) + 1)
        return pacsv.read_csv(pa.BufferReader(text), read_options=read, parse_options=parse, convert_options=convert)

    def _parse_carefully(self, text: Bytes, *, latin: bool) -> Parsed:
        wrong_count: list[Any] = []
        parse = counting_options(self.schema, self.dialect, wrong_count)
        read = self._read(text, bytes_options(self.schema), parse)
        cells = without_sentinel(read, self._sentinel_text.encode(), wrong_count)
        return cast_rows(cells, wrong_count, self.schema, self.dialect, latin=latin)


def _joined(cells: pa.ChunkedArray) -> pa.Array:
    return cells.chunk(0) if cells.num_chunks == 1 else cells.combine_chunks()


def bad_row(row: int, fault: RecordFault, text: bytes, schema: TableSchema, dialect: Dialect) -> BadRow:
    """Return the row of a record with a fault; `text` is all of it."""
    column = schema.names[fault.cell] if fault.cell < len(schema.names) else None
    value, record = (dialect.in_file(data.decode(errors="replace")) for data in (fault.value, text.rstrip(LINE_ENDS)))
    return BadRow(row, fault.code, REASONS[fault.code], column, value, record)


def _mended(parsed: Parsed, faults: Sequence[RecordFault]) -> Parsed:
    return replace(parsed, mended=len(faults))


def _record_absent_from(body: bytes, width: int, dialect: Dialect) -> bytes:
    """Return a record, line end included, that has the wrong number of cells and a text that is nowhere in a body."""
    letter = next(letter for letter in "xyz" if letter not in {dialect.delimiter, dialect.enclosure})
    mark = letter
    while mark.encode() in body:
        mark += letter
    return f"{mark if width > 1 else mark + dialect.delimiter + mark}\n".encode()


def framed(data: Bytes, tail: bytes) -> bytes:
    """Return a copy of a text with a line end where it has none, and the tail."""
    end = b"" if not data or data[-1] in LINE_ENDS else b"\n"
    return bytes(data) + end + tail


def with_mark(text: Bytes) -> Bytes:
    """Return a text with a byte order mark before it if it begins with U+FEFF, which Arrow takes for one."""
    begins = text[: len(naming.UTF8_BOM)] == naming.UTF8_BOM
    return naming.UTF8_BOM + bytes(text) if begins else text


def bytes_options(schema: TableSchema) -> pacsv.ConvertOptions:
    """Return options that read every cell as bytes; unquoted empty cells are null."""
    return pacsv.ConvertOptions(
        column_types=dict.fromkeys(schema.names, pa.binary()),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )


def counting_options(schema: TableSchema, dialect: Dialect, wrong_count: list[Any]) -> pacsv.ParseOptions:
    """Return options that collect the records with too many or too few cells instead of failing.

    Only for text that is UTF-8: of other text Arrow cannot give the record (see `as_latin`).
    """
    options = dialect.parse_options(len(schema.columns))

    def note(row: Any) -> str:
        wrong_count.append(row)
        return "skip"

    options.invalid_row_handler = note
    return options


def as_latin(text: bytes) -> bytes:
    """Return bytes as the UTF-8 text in which each of them is one character; what is ASCII stays the same."""
    return text if text.isascii() else text.decode("latin-1").encode()


def cast_rows(
    cells: pa.Table,
    wrong_count: Sequence[Any],
    schema: TableSchema,
    dialect: Dialect,
    *,
    latin: bool = False,
) -> Parsed:
    """Cast cells that were read as bytes; `wrong_count` holds the records with too many or too few of them.

    A row with several faults is reported once, by its first column.
    `latin`: the text went through `as_latin`.
    """
    records = cells.num_rows + len(wrong_count)
    wrong = [row.number for row in wrong_count]
    numbers = np.setdiff1d(np.arange(1, records + 1), wrong, assume_unique=True)
    columns = [_raw(cells[name].combine_chunks(), latin=latin) for name in schema.names]
    arrays: list[pa.Array] = []
    faults: dict[int, BadRow] = {}
    for column, raw in zip(schema.columns, columns, strict=True):
        values, misfits = _cast_cells(raw, column, dialect)
        arrays.append(values)
        for at, code, reason in misfits:
            if at not in faults:
                text, record = _text(raw[at]), dialect.join([_text(cell[at]) for cell in columns])
                value = None if text is None else dialect.cell(text)
                faults[at] = BadRow(int(numbers[at]), code, reason, column.name, value, dialect.in_file(record))
    table = pa.table(arrays, schema=schema.arrow)
    if faults:
        kept = np.ones(table.num_rows, np.bool_)
        kept[list(faults)] = False
        table = table.filter(pa.array(kept))
    bad_rows = sorted(
        [*(_wrong_count(row, dialect, latin=latin) for row in wrong_count), *faults.values()], key=_number
    )
    return Parsed(table, tuple(bad_rows), records)


def _number(bad: BadRow) -> int:
    return bad.row


def _wrong_count(row: Any, dialect: Dialect, *, latin: bool) -> BadRow:
    reason = f"The row has {row.actual_columns} cells where {row.expected_columns} are expected"
    record = row.text.encode("latin-1").decode(errors="replace") if latin else row.text
    return BadRow(row.number, "row.cells", reason, None, None, dialect.in_file(record))


def _text(cell: Any) -> str | None:
    value = cell.as_py()
    return None if value is None else value.decode(errors="replace")


def _raw(cells: pa.Array, *, latin: bool) -> pa.Array:
    """Return the bytes of cells as they are in the file."""
    if not latin:
        return cells
    texts = cells.cast(pa.string())
    odd = pc.fill_null(pc.invert(pc.string_is_ascii(texts)), False)
    originals = [text.encode("latin-1") for text in texts.filter(odd).to_pylist()]
    return pc.replace_with_mask(cells, odd, pa.array(originals, pa.binary()))


def _cast_cells(raw: pa.Array, column: Column, dialect: Dialect) -> tuple[pa.Array, list[tuple[int, str, str]]]:
    """Return the typed values of one column, and position, code and reason of each cell that does not fit."""
    text, not_utf8 = _decode(raw)
    cast = cast_text(apply_null_rule(dialect.cells(text), quoted_empty=True, column=column), column)
    misfits = {at: ("cell.type", _reason(column)) for at in cast.bad}
    misfits |= dict.fromkeys(not_utf8, ("csv.encoding", f"The cell is not valid {dialect.encoding}"))
    return cast.values, [(at, code, reason) for at, (code, reason) in misfits.items()]


def _reason(column: Column) -> str:
    if logical_of(column) is Logical.ZONED:
        return "The cell is no timestamp"
    reason = f"The cell does not fit the type {column.type.value}"
    if column.type is TypeName.NUMERIC:
        reason += f"({column.arrow.precision},{column.arrow.scale})"
    if column.formats:
        reason += f" with the formats {', '.join(column.formats)}"
    return reason


def _decode(raw: pa.Array) -> tuple[pa.Array, list[int]]:
    try:
        return raw.cast(pa.string()), []
    except pa.ArrowInvalid:
        texts: list[str | None] = []
        bad: list[int] = []
        for at, cell in enumerate(raw.to_pylist()):
            try:
                texts.append(None if cell is None else cell.decode())
            except UnicodeDecodeError:
                texts.append(None)
                bad.append(at)
        return pa.array(texts, pa.string()), bad
