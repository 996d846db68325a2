"""XLSX and XLS to a table: the first sheet (reference workbench 5, "Excel")."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from component.errors import Place, UserError
from component.workbench.parse.build import final_names, named_table
from component.workbench.parse.content import Content
from component.workbench.parse.excel_cells import EMPTY, SheetCell, TooLargeError, sheet_rows
from component.workbench.parse.options import PARSER, ParsedFile, ParseOptions
from component.workbench.render.messages import Message, plain_message
from component.workbench.rules.limits import cut_text, too_large
from component.workbench.rules.reading import ReadingMode

_FIRST_NS: Final = dt.datetime(1677, 9, 21, 0, 12, 44)  # noqa: DTZ001 - a sheet has no zones
_LAST_NS: Final = dt.datetime(2262, 4, 11, 23, 47, 16)  # noqa: DTZ001 - the same


def parse_excel(data: bytes | Content, options: ParseOptions, place: Place) -> ParsedFile:
    """Return the first sheet: numbers as doubles, moments as timestamps, a mixed column as texts as they are shown.

    A file that is no workbook is an empty table with a message (lenient) or UserError `source.format` (strict), which
    also raises `workbench.limit` and `workbench.loss` where lenient reading cuts or leaves out.
    """
    whole = Content.of(data).whole(place)
    try:
        rows = list(sheet_rows(whole))
    except TooLargeError as error:
        raise UserError(
            "workbench.limit",
            f"The workbook is too large: {error}",
            place=place,
            remedy="Save the sheet as CSV.",
        ) from error
    except Exception as error:  # the libraries raise nearly anything for a damaged file
        if options.reading is ReadingMode.STRICT:
            raise UserError(
                "source.format",
                f"The Excel file cannot be read: {error}",
                place=place,
                remedy="Open it in a spreadsheet program and save it again.",
            ) from error
        return ParsedFile(messages=(Message("excel.invalid_file", {}, PARSER),))
    return _table(_without_empty_tail(rows), options, place)


def _without_empty_tail(rows: list[list[SheetCell]]) -> list[list[SheetCell]]:
    while rows and all(cell.value is None for cell in rows[-1]):
        rows.pop()
    return rows


def _table(rows: Sequence[Sequence[SheetCell]], options: ParseOptions, place: Place) -> ParsedFile:
    header, body = (rows[:1], rows[1:]) if options.has_header else ((), rows)
    limits, messages = options.limits.table, []
    width = max((len(row) for row in rows), default=0)
    if limits.rows is not None and len(body) > limits.rows:
        counts = {"n_rows": len(body) - limits.rows, "max_n_rows": limits.rows}
        messages.append(Message("warning.skipped_rows", counts, PARSER))
        body = body[: limits.rows]
    if limits.columns is not None and width > limits.columns:
        counts = {"n_columns": width - limits.columns, "max_n_columns": limits.columns}
        messages.append(Message("warning.skipped_columns", counts, PARSER))
        width = limits.columns
    if messages and options.reading is ReadingMode.STRICT:
        raise too_large(messages[0])
    found = [_column([row[at] if at < len(row) else EMPTY for row in body], limits.cell_bytes) for at in range(width)]
    names, renamed = _names(header, width, options, place)
    said = [message for name, column in zip(names, found, strict=True) for message in column.messages(name)]
    if said and options.reading is ReadingMode.STRICT:
        raise UserError("workbench.loss", str(said[0].arguments["text"]), place=place, remedy="Set reading to lenient.")
    return ParsedFile(named_table(names, (column.values for column in found)), (*messages, *renamed, *said))


def _names(
    header: Sequence[Sequence[SheetCell]], width: int, options: ParseOptions, place: Place
) -> tuple[list[str], tuple[Message, ...]]:
    if not header:
        return [letters(number) for number in range(width)], ()
    cells = [*header[0], *[EMPTY] * width][:width]
    return final_names([cell.text for cell in cells], options.limits.table.name_bytes, options.reading, place)


def letters(number: int) -> str:
    """Return the letters of a column by its number from 0: A to Z, then AA."""
    before, last = divmod(number, 26)
    return (letters(before - 1) if before else "") + chr(ord("A") + last)


@dataclass(frozen=True, slots=True)
class _SheetColumn:
    values: pa.Array
    out_of_range: int = 0
    cut: int = 0

    def messages(self, name: str) -> list[Message]:
        said = []
        if self.out_of_range:
            said.append(f"replaced {self.out_of_range} out-of-range timestamps with null in column {name}")
        if self.cut:
            said.append(f"truncated {self.cut} values in column {name}")
        return [plain_message(text) for text in said]


def _column(cells: Sequence[SheetCell], most: int | None) -> _SheetColumn:
    """Return a column by the types of its cells: all numbers, all moments, or texts."""
    kinds = {type(cell.value) for cell in cells if cell.value is not None}
    if kinds == {float}:
        return _SheetColumn(pa.array([cell.value for cell in cells], pa.float64()))
    if kinds == {dt.datetime}:
        return _moments([cell.value for cell in cells])
    texts = [cell.text for cell in cells]
    cut = 0
    if most is not None:
        shorter = [text if text is None else cut_text(text, most) for text in texts]
        cut = sum(before != after for before, after in zip(texts, shorter, strict=True))
        texts = shorter
    return _SheetColumn(pa.array(texts, pa.string()), cut=cut)


def _moments(values: Sequence[Any]) -> _SheetColumn:
    inside = [value if value is not None and _FIRST_NS <= value <= _LAST_NS else None for value in values]
    lost = sum(value is not None for value in values) - sum(value is not None for value in inside)
    return _SheetColumn(pa.array(inside, pa.timestamp("us")).cast(pa.timestamp("ns")), out_of_range=lost)
