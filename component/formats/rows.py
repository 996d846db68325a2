"""What every reader of rows gives: rows that fit, and rows that do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from component.errors import Place, UserError

REASONS: Final[Mapping[str, str]] = {
    "csv.unclosed_quote": "An enclosed cell is not closed before the file ends",
    "csv.after_quote": "Text follows the closing enclosure of a cell",
    "csv.quote_in_cell": "A cell that is not enclosed holds an enclosure",
    "csv.nul": "A cell holds a NUL character",
    "csv.escape": "The file ends after an escape",
}
"""What is wrong with text that breaks RFC 4180, by the code of the error."""
REMEDIES: Final[Mapping[str, str]] = {
    "cell.type": "Correct the cell, change the column's type",
    "csv.encoding": "Save the file as UTF-8, name its encoding",
    "csv.unclosed_quote": "Close the cell with the enclosure, and double an enclosure that belongs to its text",
    "csv.after_quote": "Double an enclosure that belongs to the text of a cell",
    "csv.quote_in_cell": "Enclose the cell, and double the enclosure in it",
    "csv.nul": "Remove the NUL, or save the file as UTF-8 if it is UTF-16",
    "csv.escape": "Transfer the file again if it was cut off, and write an escape that is data twice",
}


class RecordTooLongError(Exception):
    """No record ends within `naming.RECORD_LIMIT`."""


def taken_in(text: str) -> str:
    """Say how many lines a record takes in that is never closed; nothing where it is the last line."""
    lines = len(text.splitlines()) - 1
    return f", and takes in what follows, {lines:,} {'line' if lines == 1 else 'lines'}" if lines else ""


def mended_text(name: str, count: int) -> str:
    """Say how many rows of an input a lenient reading mended."""
    return (
        f"{name!r}: {count:,} {'row' if count == 1 else 'rows'} with text after a closing enclosure, an enclosure in a"
        ' cell that is not enclosed, or a NUL, taken as they stand because "quotes" is lenient.'
    )


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that was not taken: its number from 1, why, and its text.

    `column` and `value` say which cell did not fit; both are None when the count of cells was wrong.
    """

    row: int
    code: str
    reason: str
    column: str | None
    value: str | None
    record: str

    def error(self, place: Place) -> UserError:
        """Return the error that stops the run; `place` says table and slice."""
        remedy = f"{REMEDIES.get(self.code, 'Correct the row')}, or set on_bad_row to reject."
        at = Place(place.table, place.slice, self.row, self.column, self.value)
        return UserError(self.code, self.reason, place=at, remedy=remedy)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The rows that fit, the rows that do not, and how many records there were.

    `mended`: how many of the records had a fault that a lenient reading mends. `bytes` of the split were read for them,
    as far as the format knows before the split's end.
    """

    rows: pa.Table
    bad: tuple[BadRow, ...]
    records: int
    mended: int = 0
    bytes: int = 0
