"""What every reader of rows gives: rows that fit, and rows that do not."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from component.errors import Place, UserError


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
        what = "the row" if self.column is None else "the cell, change the column's type"
        remedy = f"Correct {what}, or set on_bad_row to reject."
        at = Place(place.table, place.slice, self.row, self.column, self.value)
        return UserError(self.code, self.reason, place=at, remedy=remedy)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The rows that fit, the rows that do not, and how many records there were."""

    rows: pa.Table
    bad: tuple[BadRow, ...]
    records: int
