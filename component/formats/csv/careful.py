"""Cells read as bytes and cast column by column: says which row, column and value does not fit, and goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import pyarrow as pa
import pyarrow.csv as pacsv

from component.formats.csv.dialect import Dialect
from component.formats.rows import BadRow, Parsed
from component.tables.cast import apply_null_rule, cast_text
from component.tables.types import Column, TableSchema, TypeName

_SENTINEL: Final = {
    TypeName.STRING: "x",
    TypeName.INTEGER: "0",
    TypeName.NUMERIC: "0",
    TypeName.FLOAT: "0",
    TypeName.BOOLEAN: "1",
    TypeName.DATE: "1970-01-01",
    TypeName.TIMESTAMP: "1970-01-01",
}


class SplitIsNotExactError(Exception):
    """The text ended inside an enclosed cell: its beginning or its end is no record boundary."""


class LongRecordError(Exception):
    """No record ends within a block after record `row`: the next is longer than the block, or never closed."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


class UnclosedError(Exception):
    """The last cell of the last record, number `row`, is never closed."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


# --- the sentinel record: where it comes back as the last row, the text before it ended outside of enclosures ---


def sentinel_text(column: Column) -> str:
    """Return a text that fits the column and is not empty."""
    return "x" if column.formats else _SENTINEL[column.type]


def sentinel_record(schema: TableSchema, dialect: Dialect) -> bytes:
    """Return a record with one cell that is not empty, the first; line end included."""
    return (sentinel_text(schema.columns[0]) + dialect.delimiter * (len(schema.columns) - 1) + "\n").encode()


def without_sentinel(table: pa.Table, first_value: Any) -> pa.Table:
    """Return the rows before the sentinel; SplitIsNotExactError when the last row is not the sentinel."""
    last = table.num_rows - 1
    if last < 0:
        raise SplitIsNotExactError
    values = [column[last].as_py() for column in table.columns]
    if values[0] != first_value or any(value is not None for value in values[1:]):
        raise SplitIsNotExactError
    return table.slice(0, last)


# --- cells as bytes ---


def bytes_options(schema: TableSchema) -> pacsv.ConvertOptions:
    """Return options that read every cell as bytes; unquoted empty cells are null."""
    return pacsv.ConvertOptions(
        column_types=dict.fromkeys(schema.names, pa.binary()),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )


def counting_options(schema: TableSchema, dialect: Dialect, wrong_count: list[Any]) -> pacsv.ParseOptions:
    """Return options that collect the records with too many or too few cells instead of failing."""
    options = dialect.parse_options(len(schema.columns))

    def note(row: Any) -> str:
        wrong_count.append(row)
        return "skip"

    options.invalid_row_handler = note
    return options


def cast_rows(
    cells: pa.Table, wrong_count: Sequence[Any], schema: TableSchema, dialect: Dialect, *, first_row: int = 1
) -> Parsed:
    """Cast cells that were read as bytes; `wrong_count` holds the records with too many or too few of them.

    `first_row` is the number of the first record here. A row with several faults is reported once, by its first column.
    """
    records = cells.num_rows + len(wrong_count)
    wrong = {row.number: _wrong_count(row) for row in wrong_count}
    numbers = [number for number in range(first_row, first_row + records) if number not in wrong]
    arrays: list[pa.Array] = []
    faults: dict[int, BadRow] = {}
    for column in schema.columns:
        values, misfits = _cast_cells(cells[column.name].combine_chunks(), column)
        arrays.append(values)
        for at, code, reason in misfits:
            if at not in faults:
                faults[at] = _bad_cell(cells, at, dialect, BadRow(numbers[at], code, reason, column.name, None, ""))
    table = pa.table(arrays, schema=schema.arrow)
    if faults:
        table = table.take(pa.array([at for at in range(table.num_rows) if at not in faults], pa.int64()))
    bad = sorted([*wrong.values(), *faults.values()], key=lambda row: row.row)
    return Parsed(table, tuple(bad), records)


def _wrong_count(row: Any) -> BadRow:
    reason = f"The row has {row.actual_columns} cells where {row.expected_columns} are expected"
    return BadRow(row.number, "row.cells", reason, None, None, row.text)


def _bad_cell(cells: pa.Table, at: int, dialect: Dialect, bad: BadRow) -> BadRow:
    """Return the bad row with the texts of its cells."""
    texts = [(values[at].as_py() or b"").decode(errors="replace") for values in cells.columns]
    value = texts[cells.schema.get_field_index(bad.column)]
    return replace(bad, value=value, record=dialect.delimiter.join(texts))


def _cast_cells(raw: pa.Array, column: Column) -> tuple[pa.Array, list[tuple[int, str, str]]]:
    """Return the typed values of one column, and position, code and reason of each cell that does not fit."""
    text, not_utf8 = _decode(raw)
    cast = cast_text(apply_null_rule(text, quoted_empty=True, column=column), column)
    misfits = [(at, "csv.encoding", "The cell is not valid UTF-8") for at in not_utf8]
    reason = f"The cell does not fit the type {column.type.value}"
    if column.type is TypeName.NUMERIC:
        reason += f"({column.arrow.precision},{column.arrow.scale})"
    if column.formats:
        reason += f" with the formats {', '.join(column.formats)}"
    return cast.values, misfits + [(at, "cell.type", reason) for at in cast.bad]


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


# --- text whose enclosures do not pair up ---


def parse_stream(stream: Any, schema: TableSchema, dialect: Dialect, *, block_bytes: int) -> Iterator[Parsed]:
    """Parse a stream that begins at a record and ends with the sentinel, with Arrow's own record boundaries.

    Row numbers count from 1 over the whole stream. Raises LongRecordError and UnclosedError.
    """
    wrong_count: list[Any] = []
    held = pa.schema([(name, pa.binary()) for name in schema.names]).empty_table()
    done = 0
    try:
        for batch in _stream_batches(stream, schema, dialect, wrong_count, block_bytes):
            if held.num_rows:
                taken = _taken(wrong_count, done + held.num_rows)
                parsed = cast_rows(held, taken, schema, dialect, first_row=done + 1)
                done += parsed.records
                yield parsed
            held = pa.Table.from_batches([batch])
    except pa.ArrowInvalid as error:
        if "straddling" not in str(error):
            raise
        raise LongRecordError(done + held.num_rows + len(wrong_count) + 1) from error
    try:
        rows = without_sentinel(held, sentinel_text(schema.columns[0]).encode())
    except SplitIsNotExactError:
        raise UnclosedError(done + held.num_rows + len(wrong_count)) from None
    yield cast_rows(rows, wrong_count, schema, dialect, first_row=done + 1)


def _stream_batches(
    stream: Any, schema: TableSchema, dialect: Dialect, wrong_count: list[Any], block_bytes: int
) -> Iterator[pa.RecordBatch]:
    yield from pacsv.open_csv(
        stream,
        read_options=pacsv.ReadOptions(use_threads=False, column_names=schema.names, block_size=block_bytes),
        parse_options=counting_options(schema, dialect, wrong_count),
        convert_options=bytes_options(schema),
    )


def _taken(wrong_count: list[Any], last_good: int) -> list[Any]:
    """Take the records that lie before the last good row of a batch: the reader is ahead of the batches it gives."""
    taken: list[Any] = []
    while wrong_count and wrong_count[0].number <= last_good + len(taken):
        taken.append(wrong_count.pop(0))
    return taken
