"""What a file cannot carry of the columns that it is written from, and what reading one changes: said by types alone.

A format declares its losses column by column (`Writing.losses`); only the cells of declared columns are looked at,
while they are written. Of typed files `retyped` says which types and zones do not survive reading; their cells are
counted while they are read. What types alone decide (`is_foreseen`) is known before a run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

import pyarrow as pa

from component.formats.columns import described_columns
from component.formats.contract import Attributes
from component.formats.loss import Loss, LossKind, LostCells
from component.tables.logical import Logical, full_type, is_moment, logical_of, zone_of
from component.tables.types import Column, is_text

__all__ = [
    "Loss",
    "LossKind",
    "LostCells",
    "dropped_zones",
    "empty_to_null",
    "lost_cells",
    "not_finite",
    "null_to_empty",
    "retyped",
    "rezoned",
    "widened",
]

_LAYOUT: Final = re.compile(r"large_|_view\b| not null")
_UTC: Final = frozenset({"UTC", "Etc/UTC", "Z", "+00:00"})


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
    for column in described_columns(schema, attributes).columns:
        zone = zone_of(column)
        if logical_of(column) is not Logical.TIMESTAMPTZ:
            continue
        if not says_utc:
            yield Loss(column.name, LossKind.DROPPED_ZONE, "instants are written in UTC, without a zone")
        elif zone not in _UTC:
            yield Loss(
                column.name, LossKind.DROPPED_ZONE, f"instants are written in UTC, their zone {zone} is not kept"
            )


def widened(schema: pa.Schema, attributes: Attributes) -> Iterator[Loss]:
    """Yield the losses of a typed format that has base types only: int32 becomes int64."""
    columns = described_columns(schema, attributes).columns
    for field, column in zip(schema, columns, strict=True):
        if not (is_moment(field.type) or is_text(field.type) or field.type.equals(column.arrow)):
            yield Loss(field.name, LossKind.OTHER_TYPE, f"the type {field.type} becomes {column.arrow}")


def retyped(columns: Iterable[Column], types: Iterable[pa.DataType]) -> Iterator[Loss]:
    """Yield what reading changes in columns that have these types in a file; how texts and lists are laid out is none.

    A column without any value has no type to lose.
    """
    for column, was in zip(columns, types, strict=True):
        becomes = full_type(column)
        if pa.types.is_null(was) or _plain(was) == _plain(becomes):
            continue
        zone, kept = (getattr(one, "tz", None) for one in (was, becomes))
        if zone is not None and zone != kept:
            text = f"instants are kept in {kept}, their zone {zone} is not" if kept else f"the zone {zone} is dropped"
            yield Loss(column.name, LossKind.DROPPED_ZONE, text)
        else:
            yield Loss(column.name, LossKind.OTHER_TYPE, f"the type {was} becomes {becomes}")


def rezoned(column: str, come: pa.DataType, there: pa.DataType, kept: pa.DataType) -> Iterator[Loss]:
    """Yield what becomes of the zone of instants that join those of a dataset, of which these are the types.

    Rows in UTC have no zone to lose, unless the column has none.
    """
    zone, old, now = (getattr(one, "tz", None) for one in (come, there, kept))
    zones = [one for one in (zone, old) if one not in {None, now, *(_UTC if now else ())}]
    if not zones or not pa.types.is_timestamp(kept):
        return
    if now is None:
        text = f"the zone {zone} is dropped: the dataset has timestamps without one, and keeps these in UTC"
    elif zone == zones[0] and old == zones[-1]:
        text = f"instants of {zone} join those of {old}: all are kept in {now}, and neither zone is"
    elif zone == zones[0]:
        text = f"instants are kept in {now} as the dataset has them, their zone {zone} is not"
    else:
        text = f"instants are kept in {now}, the zone {old} that the dataset had is not"
    yield Loss(column, LossKind.DROPPED_ZONE, text)


def _plain(data_type: pa.DataType) -> str:
    """Return the name of a type without how its values are laid out."""
    return _LAYOUT.sub("", str(data_type))
