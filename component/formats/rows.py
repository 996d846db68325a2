"""What every reader of rows gives: rows that fit, and rows that do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from component.errors import Place, UserError

_REMEDIES: Final = {
    "cell.type": "Correct the cell, change the column's type",
    "csv.encoding": "Save the file as UTF-8",
}


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
        remedy = f"{_REMEDIES.get(self.code, 'Correct the row')}, or set on_bad_row to reject."
        at = Place(place.table, place.slice, self.row, self.column, self.value)
        return UserError(self.code, self.reason, place=at, remedy=remedy)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The rows that fit, the rows that do not, and how many records there were."""

    rows: pa.Table
    bad: tuple[BadRow, ...]
    records: int
