"""CSV, TSV and TXT to a table (reference workbench 5, "Sniff", "CSV machine", "Header", "Numbers")."""

from __future__ import annotations

import csv
from typing import Final

import pyarrow as pa

from component.errors import Place, UserError
from component.workbench.limits import cut_text, too_large
from component.workbench.messages import Message
from component.workbench.parse.build import final_names, named_table
from component.workbench.parse.numbers import with_numbers
from component.workbench.parse.options import PARSER, FileOptions, ParsedFile
from component.workbench.parse.records import Records, columns_of, read_records
from component.workbench.parse.text import decode
from component.workbench.reading import Reading

DELIMITERS: Final = ",;\t"
_SNIFFED: Final = 1024 * 1024
"""Characters that a delimiter is looked for in."""

Cells = list[str | None]


def parse_delimited(data: bytes, options: FileOptions, place: Place) -> ParsedFile:
    """Return the table of delimited text; `options.delimiter` None: the one that the text looks like.

    Strict reading raises UserError `csv.encoding`, `csv.unclosed_quote`, `row.cells`, `column.duplicate`,
    `source.format` and `workbench.limit` where lenient reading repairs, fills up, renames or leaves out.
    """
    data, too_long = _within_bytes(data, options)
    decoded = decode(data, options.encoding, options.reading, place)
    delimiter = options.delimiter or sniff_delimiter(decoded.text)
    records = read_records(decoded.text, delimiter)
    if options.reading is Reading.STRICT:
        _hold_sound(records, place)
    columns, cut = _within_limits(records, options)
    names, renamed = _names(columns, options, place)
    cells = [pa.array(column[1:] if options.has_header else column, pa.string()) for column in columns]
    converted = [with_numbers(column, name, options.numbers) for name, column in zip(names, cells, strict=True)]
    kept = [message for _, message in converted if message is not None]
    table = named_table(names, (column for column, _ in converted))
    return ParsedFile(table, (*too_long, *decoded.messages, *cut, *_repairs(records), *renamed, *kept))


def sniff_delimiter(text: str) -> str:
    """Return the comma, semicolon or tab that a text looks to be delimited by; the comma when nothing tells."""
    try:
        found = csv.Sniffer().sniff(text[:_SNIFFED], DELIMITERS).delimiter
    except csv.Error:
        return ","
    return found if found in DELIMITERS else ","


def _within_bytes(data: bytes, options: FileOptions) -> tuple[bytes, tuple[Message, ...]]:
    most = options.limits.csv_bytes
    if most is None or len(data) <= most:
        return data, ()
    counts = {"n_bytes_truncated": len(data) - most, "max_n_bytes": most}
    if options.reading is Reading.STRICT:
        raise UserError(
            "workbench.limit",
            f"The text has {len(data):,} bytes, and the limit is {most:,}",
            remedy="Make it smaller, raise the limit, or set reading to lenient, which cuts it.",
        )
    return data[:most], (Message("csv.truncated_file", counts, PARSER),)


def _hold_sound(records: Records, place: Place) -> None:
    """Raise for the first thing that lenient reading would repair or fill up."""
    if records.closed_by_end:
        raise UserError(
            "csv.unclosed_quote",
            "A quoted cell is not closed before the end of the file",
            place=Place(place.table, place.slice, row=len(records.rows)),
            remedy="Close it, or set reading to lenient.",
        )
    if records.repaired:
        row, column = records.repaired[0]
        raise UserError(
            "source.format",
            f"Text follows the closing quote of cell {column}",
            place=Place(place.table, place.slice, row=row),
            remedy="Double a quote that belongs to a cell, or set reading to lenient.",
        )
    width = len(records.rows[0]) if records.rows else 0
    for number, row_cells in enumerate(records.rows, 1):
        if len(row_cells) != width:
            raise UserError(
                "row.cells",
                f"The record has {len(row_cells)} cells, and the first one has {width}",
                place=Place(place.table, place.slice, row=number),
                remedy="Correct the row, or set reading to lenient, which fills up with nulls.",
            )


def _repairs(records: Records) -> list[Message]:
    found = []
    if records.repaired:
        row, column = records.repaired[0]
        where = {"row_number": row, "column_number": column}
        found.append(Message("csv.repaired_quotes", {"n_values": len(records.repaired), **where}, PARSER))
    if records.closed_by_end:
        found.append(Message("csv.repaired_eof", {}, PARSER))
    return found


def _within_limits(records: Records, options: FileOptions) -> tuple[list[Cells], list[Message]]:
    """Return the columns within the limits; rows count with the row of names (reference workbench 5)."""
    limits, messages = options.limits.table, []
    rows = records.rows
    if limits.rows is not None and len(rows) > limits.rows:
        counts = {"n_rows": len(rows) - limits.rows, "max_n_rows": limits.rows}
        messages.append(Message("warning.skipped_rows", counts, PARSER))
        rows = rows[: limits.rows]
    columns = columns_of(rows)
    if limits.columns is not None and len(columns) > limits.columns:
        counts = {"n_columns": len(columns) - limits.columns, "max_n_columns": limits.columns}
        messages.append(Message("warning.skipped_columns", counts, PARSER))
        columns = columns[: limits.columns]
    if limits.cell_bytes is not None and (message := _cut_cells(columns, limits.cell_bytes)):
        messages.append(message)
    if messages and options.reading is Reading.STRICT:
        raise too_large(messages[0])
    return columns, messages


def _cut_cells(columns: list[Cells], most: int) -> Message | None:
    """Cut the cells that are too long, in place; the message names the first, by row."""
    found = []
    for number, column in enumerate(columns):
        for row, cell in enumerate(column):
            if cell is not None and 4 * len(cell) > most and len(cell.encode()) > most:
                column[row] = cut_text(cell, most)
                found.append((row + 1, number + 1))
    if not found:
        return None
    row, number = min(found)
    where = {"row_number": row, "column_number": number}
    return Message("warning.truncated_values", {"n_values": len(found), "max_n_bytes": most, **where}, PARSER)


def _names(columns: list[Cells], options: FileOptions, place: Place) -> tuple[list[str], tuple[Message, ...]]:
    most = options.limits.table.name_bytes
    if options.has_header:
        return final_names([column[0] if column else None for column in columns], most, options.reading, place)
    return [f"Column {number}" for number in range(1, len(columns) + 1)], ()
