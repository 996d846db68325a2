"""One loss of one column of a file, and how many cells it takes (`losses` says which format has which)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


class LossKind(StrEnum):
    """What becomes of cells.

    - `empty_to_null`, `null_to_empty`: empty strings and nulls that a reader takes for the other.
    - `not_finite`: NaN and infinities become text.
    - `dropped_zone`: instants are kept in UTC; nothing says so, or the zone that they had is not said.
    - `other_type`: the type of the column is another one, with the same values.
    """

    EMPTY_TO_NULL = "empty_to_null"
    NULL_TO_EMPTY = "null_to_empty"
    NOT_FINITE = "not_finite"
    DROPPED_ZONE = "dropped_zone"
    OTHER_TYPE = "other_type"


@dataclass(frozen=True, slots=True)
class Loss:
    """One loss of one column; `text` is a sentence without its full stop."""

    column: str
    kind: LossKind
    text: str

    @property
    def is_foreseen(self) -> bool:
        """Whether the type alone decides it: every cell that is not null is lost."""
        return self.kind in {LossKind.DROPPED_ZONE, LossKind.OTHER_TYPE}

    @property
    def changes_values(self) -> bool:
        """Whether a reader gets other values, not only another type."""
        return self.kind is not LossKind.OTHER_TYPE

    def cells(self, rows: pa.Table) -> int:
        """Return how many cells of rows are lost."""
        values = rows[self.column]
        if self.is_foreseen:
            return len(values) - int(values.null_count)
        if self.kind is LossKind.NULL_TO_EMPTY:
            return int(values.null_count)
        if self.kind is LossKind.EMPTY_TO_NULL:
            return _count(pc.equal(pc.binary_length(values), 0))
        return _count(pc.invert(pc.is_finite(values)))


def _count(mask: Any) -> int:
    return pc.sum(mask).as_py() or 0


@dataclass(frozen=True, slots=True)
class LostCells:
    """How many cells of a column were lost in one way, never none."""

    loss: Loss
    cells: int

    @property
    def text(self) -> str:
        """The loss with the number of cells."""
        return f"{self.loss.text} ({self.cells:,} {'cell' if self.cells == 1 else 'cells'})"
