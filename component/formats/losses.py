"""What a file cannot carry of the columns that it is written from: said by the format, counted while it is written.

A format declares its losses column by column (`Writing.losses`), from types alone; only the cells of declared columns
are looked at. What types alone decide (`is_foreseen`) is known before a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component.formats.columns import described_columns
from component.formats.contract import Attributes
from component.tables.logical import Logical, is_moment, logical_of
from component.tables.types import Column, is_text

_UTC: Final = frozenset({"UTC", "Etc/UTC", "Z", "+00:00"})


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


def lost_cells(counts: Iterable[LostCells]) -> tuple[LostCells, ...]:
    """Return one count for each loss, in the order in which they first appear."""
    sums: dict[Loss, int] = {}
    for one in counts:
        sums[one.loss] = sums.get(one.loss, 0) + one.cells
    return tuple(LostCells(loss, cells) for loss, cells in sums.items() if cells)


def empty_to_null(schema: pa.Schema) -> Iterator[Loss]:
    """Yield the losses of a format in which an empty cell is null, quoted or not."""
    for field in schema:
        if is_text(field.type):
            yield Loss(field.name, LossKind.EMPTY_TO_NULL, "an empty string is written as a cell that reads as null")


def null_to_empty(schema: pa.Schema) -> Iterator[Loss]:
    """Yield the losses of a format in which a null is written as an empty string."""
    for field in schema:
        yield Loss(field.name, LossKind.NULL_TO_EMPTY, "null is written as an empty string")


def not_finite(schema: pa.Schema) -> Iterator[Loss]:
    """Yield the losses of a format whose numbers are finite."""
    for field in schema:
        if pa.types.is_floating(field.type):
            yield Loss(field.name, LossKind.NOT_FINITE, "NaN and infinities are written as text")


def dropped_zones(schema: pa.Schema, attributes: Attributes, *, says_utc: bool) -> Iterator[Loss]:
    """Yield the losses of a format that has instants in UTC only; not `says_utc`: it has timestamps without zone."""
    for field, column in _described(schema, attributes):
        zone = getattr(field.type, "tz", None) or "UTC"
        if logical_of(column) is not Logical.TIMESTAMPTZ:
            continue
        if not says_utc:
            yield Loss(field.name, LossKind.DROPPED_ZONE, "instants are written in UTC, without a zone")
        elif zone not in _UTC:
            yield Loss(field.name, LossKind.DROPPED_ZONE, f"instants are written in UTC, their zone {zone} is not kept")


def widened(schema: pa.Schema, attributes: Attributes) -> Iterator[Loss]:
    """Yield the losses of a typed format that has base types only: int32 becomes int64."""
    for field, column in _described(schema, attributes):
        if not (is_moment(field.type) or is_text(field.type) or field.type.equals(column.arrow)):
            yield Loss(field.name, LossKind.OTHER_TYPE, f"the type {field.type} becomes {column.arrow}")


def _described(schema: pa.Schema, attributes: Attributes) -> Iterator[tuple[pa.Field, Column]]:
    return zip(schema, described_columns(schema, attributes).columns, strict=True)
