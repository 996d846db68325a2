"""How large a table may be: rows, columns, bytes of a cell, bytes of a column name (reference workbench 1.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from component.errors import UserError
from component.workbench.render.messages import Message
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.columns import ColumnKind
from component.workbench.tables.dictionaries import one_batch
from component.workbench.tables.table import WorkbenchTable

_SOURCE: Final = "cjwparse"


@dataclass(frozen=True, slots=True)
class TableSizes:
    """The most of each that a table may have; None: any number. Sizes are bytes of UTF-8."""

    rows: int | None = None
    columns: int | None = None
    cell_bytes: int | None = None
    name_bytes: int | None = None


WORKBENCH_2021: Final = TableSizes(rows=1_000_000, columns=600, cell_bytes=32_768, name_bytes=120)
WORKBENCH_2019: Final = TableSizes(rows=1_000_000, columns=500, cell_bytes=32_768, name_bytes=120)
UNLIMITED: Final = TableSizes()


def within_limits(
    table: WorkbenchTable, limits: TableSizes, reading: ReadingMode
) -> tuple[WorkbenchTable, tuple[Message, ...]]:
    """Return the table within limits of rows, columns and cells, and a message for each that was cut (lenient).

    A cell is cut at the end of a character. `row_number` and `column_number` of a message count from 1, the row of
    names included. Names are left alone (`renaming`). UserError `workbench.limit` for what exceeds a limit (strict).
    """
    messages: list[Message] = []
    for cut in (_within_columns, _within_rows, _within_cells):
        table, message = cut(table, limits)
        if message is not None:
            if reading is ReadingMode.STRICT:
                raise too_large(message)
            messages.append(message)
    return table, tuple(messages)


def too_large(message: Message) -> UserError:
    """Return the error for a table that exceeds a limit; `message` is what would be said if it were cut."""
    what, limit = _WHAT[message.id]
    return UserError(
        "workbench.limit",
        f"A table has {message.arguments[what]} {_NOUNS[what]} more than the limit of {message.arguments[limit]} allows"
        if what != "n_values"
        else f"A table has cells longer than the limit of {message.arguments[limit]} bytes"
        f" (the first in row {message.arguments['row_number']}, column {message.arguments['column_number']})",
        remedy="Make the table smaller, raise the limit, or set reading to lenient, which cuts it.",
    )


_WHAT: Final = {
    "warning.skipped_columns": ("n_columns", "max_n_columns"),
    "warning.skipped_rows": ("n_rows", "max_n_rows"),
    "warning.truncated_values": ("n_values", "max_n_bytes"),
}
_NOUNS: Final = {"n_columns": "columns", "n_rows": "rows"}


def _within_columns(table: WorkbenchTable, limits: TableSizes) -> tuple[WorkbenchTable, Message | None]:
    over = len(table.columns) - (len(table.columns) if limits.columns is None else limits.columns)
    if limits.columns is None or over <= 0:
        return table, None
    cut = WorkbenchTable(table.columns[: limits.columns], table.rows.select(range(limits.columns)))
    counts = {"n_columns": over, "max_n_columns": limits.columns}
    return cut, Message("warning.skipped_columns", counts, _SOURCE)


def _within_rows(table: WorkbenchTable, limits: TableSizes) -> tuple[WorkbenchTable, Message | None]:
    if limits.rows is None or table.rows.num_rows <= limits.rows:
        return table, None
    counts = {"n_rows": table.rows.num_rows - limits.rows, "max_n_rows": limits.rows}
    cut = one_batch(table.rows.slice(0, limits.rows))
    return WorkbenchTable(table.columns, cut), Message("warning.skipped_rows", counts, _SOURCE)


def _within_cells(table: WorkbenchTable, limits: TableSizes) -> tuple[WorkbenchTable, Message | None]:
    most = limits.cell_bytes
    if most is None:
        return table, None
    rows, found = table.rows, []
    for number, column in enumerate(table.columns):
        if column.kind is ColumnKind.TEXT and (long := long_cells(rows.column(number), most)):
            found += [(row, number) for row in long]
            rows = rows.set_column(number, column.name, shortened(rows.column(number), most))
    if not found:
        return table, None
    row, number = min(found)
    place = {"row_number": row + 2, "column_number": number + 1}
    message = Message("warning.truncated_values", {"n_values": len(found), "max_n_bytes": most, **place}, _SOURCE)
    return WorkbenchTable(table.columns, rows), message


def long_cells(cells: pa.ChunkedArray, most: int) -> list[int]:
    """Return the rows whose text has more bytes than `most`."""
    found, start = [], 0
    for chunk in cells.chunks:
        is_coded = pa.types.is_dictionary(chunk.type)
        long = pc.greater(pc.binary_length(chunk.dictionary if is_coded else chunk), most)
        if pc.any(long).as_py():
            found += [
                start + row for row in pc.indices_nonzero(long.take(chunk.indices) if is_coded else long).to_pylist()
            ]
        start += len(chunk)
    return found


def shortened(cells: pa.ChunkedArray, most: int) -> pa.ChunkedArray:
    """Return text with each cell cut to `most` bytes at the end of a character; a dictionary becomes plain text."""
    plain = cells.cast(pa.string())
    long = pc.greater(pc.binary_length(plain), most)
    cut = [cut_text(text, most) for text in plain.filter(long).to_pylist()]
    return pc.replace_with_mask(plain.combine_chunks(), long.combine_chunks(), pa.array(cut, pa.string()))


def cut_text(text: str, most: int) -> str:
    """Return the longest beginning of a text that has at most `most` bytes of UTF-8."""
    return text.encode()[:most].decode(errors="ignore")
