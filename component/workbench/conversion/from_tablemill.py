"""Tables of ours as Workbench tables (docs/workbench.md, "Columns" lists what each type becomes)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component.errors import TablemillError
from component.tables.types import Column, TableSchema, TypeName
from component.workbench.conversion.to_tablemill import FORMAT, SOURCE, STORAGE, UNIT
from component.workbench.render.messages import Message
from component.workbench.rules.column_names import within_name_limit
from component.workbench.rules.limits import WORKBENCH_2021, TableSizes, within_limits
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.columns import (
    WorkbenchColumn,
    date_column,
    number_column,
    shown,
    text_column,
    timestamp_column,
)
from component.workbench.tables.date_unit import DateUnit, misfits, outside_calendar
from component.workbench.tables.faults import loss
from component.workbench.tables.number_format import DEFAULT_FORMAT, parse_number_format
from component.workbench.tables.table import NO_TABLE, WorkbenchTable

_NANOSECONDS: Final = 1000
_FLOAT_DIGITS: Final = 15
_FIRST, _LAST = -(2**63) // _NANOSECONDS + 1, (2**63 - 1) // _NANOSECONDS
"""The microseconds that nanoseconds can say: from the year 1677 to 2262."""


@dataclass(frozen=True, slots=True)
class WorkbenchRows:
    """A Workbench table, and what was changed to get it."""

    table: WorkbenchTable
    messages: tuple[Message, ...] = ()


@dataclass(slots=True)
class _Losses:
    """What is changed in one column: refused (strict), or noted (lenient)."""

    column: str
    reading: ReadingMode
    messages: list[Message]

    def note(self, change: str, count: int, reason: str) -> None:
        """Take note of values that were changed; UserError `workbench.loss` when nothing may be."""
        if count and self.reading is ReadingMode.STRICT:
            raise loss(f"{count} values would be changed: {reason}", column=shown(self.column))
        if count:
            arguments: dict[str, str | int | float] = {"column": self.column, "n_values": count, "reason": reason}
            self.messages.append(Message(f"tablemill.{change}", arguments, SOURCE))

    def retyped(self, old: str, new: str) -> None:
        """Say that a column has another type, with the same values."""
        arguments = {"column": self.column, "old": old, "new": new}
        self.messages.append(Message("tablemill.changed_type", arguments, SOURCE))


def from_tablemill(
    schema: TableSchema, rows: pa.Table, reading: ReadingMode, limits: TableSizes = WORKBENCH_2021
) -> WorkbenchRows:
    """Return our rows as a Workbench table, with formats and units of the columns' attributes where they still hold.

    Booleans become text, numerics the first of int64, uint64, float64 that holds them; both with a message. What
    Workbench cannot hold (NaN, infinities, timestamps before 1678 or after 2261, digits beyond a float64), names that
    are not valid, and sizes beyond the limits are refused (UserError `workbench.loss`, `workbench.invalid`,
    `workbench.limit`; strict), or left out, rounded, renamed and cut with a message (lenient).
    """
    if not schema.columns:
        return WorkbenchRows(NO_TABLE)
    messages: list[Message] = []
    columns, values = [], []
    for column in schema.columns:
        losses = _Losses(column.name, reading, messages)
        one, cells = _TURNED[column.type](column, rows.column(column.name), losses)
        columns.append(one)
        values.append(cells)
    table = WorkbenchTable(tuple(columns), pa.table(values, names=list(schema.names)))
    table, renamed = within_name_limit(table, limits, reading)
    table, cut = within_limits(table, limits, reading)
    return WorkbenchRows(table, (*messages, *renamed, *cut))


def _text(column: Column, cells: Any, _losses: _Losses) -> tuple[WorkbenchColumn, Any]:
    return text_column(column.name), cells.cast(pa.string())


def _boolean(column: Column, cells: Any, losses: _Losses) -> tuple[WorkbenchColumn, Any]:
    losses.retyped("boolean", "text")
    return text_column(column.name), cells.cast(pa.string())


def _integer(column: Column, cells: Any, _losses: _Losses) -> tuple[WorkbenchColumn, Any]:
    return _number(column), _narrowed(cells, column)


def _float(column: Column, cells: Any, losses: _Losses) -> tuple[WorkbenchColumn, Any]:
    finite = pc.is_finite(cells)
    losses.note("nulled_values", _count(pc.invert(finite)), "NaN and infinities are no numbers there")
    return _number(column), _narrowed(pc.if_else(finite, cells, pa.scalar(None, cells.type)), column)


def _numeric(column: Column, cells: Any, losses: _Losses) -> tuple[WorkbenchColumn, Any]:
    for data_type in (pa.int64(), pa.uint64()):
        if (exact := _exact(cells, data_type)) is not None:
            if column.attribute(STORAGE) == "uint64":
                return _number(column), cells.cast(pa.uint64()) if _exact(cells, pa.uint64()) is not None else exact
            losses.retyped("numeric", str(data_type))
            return _number(column), exact
    floats = cells.cast(pa.string()).cast(pa.float64())  # Arrow's own cast is off by the last bit now and then
    losses.note("rounded_values", _inexact(cells, floats), "floats have 15 digits")
    losses.retyped("numeric", "float64")
    return _number(column), floats


def _inexact(cells: Any, floats: Any) -> int:
    """Count the decimals of which a float does not give all digits back; all with 15 digits do."""
    if cells.type.precision <= _FLOAT_DIGITS:
        return 0
    pairs = zip(cells.to_pylist(), floats.to_pylist(), strict=True)
    return sum(one is not None and Decimal(repr(number)) != one for one, number in pairs)


def _date(column: Column, cells: Any, losses: _Losses) -> tuple[WorkbenchColumn, Any]:
    outside = outside_calendar(cells)
    losses.note("nulled_values", _count(outside), "dates lie in the years 1 to 9999 there")
    kept = pc.if_else(outside, pa.scalar(None, cells.type), cells)
    word = column.attribute(UNIT)
    unit = DateUnit(word) if word in set(DateUnit) else DateUnit.DAY
    wrong = _count(misfits(kept, unit))
    if not wrong:
        return date_column(column.name, unit), kept
    why = f"{wrong} are not the first day of a {unit}"
    if losses.reading is ReadingMode.STRICT:
        raise loss(f"the dates have the unit {unit}: {why}", column=shown(column.name))
    arguments = {"column": column.name, "old": str(unit), "reason": why}
    losses.messages.append(Message("tablemill.changed_unit", arguments, SOURCE))
    return date_column(column.name), kept


def _timestamp(column: Column, cells: Any, losses: _Losses) -> tuple[WorkbenchColumn, Any]:
    counts = cells.cast(pa.int64())
    outside = pc.or_(pc.less(counts, _FIRST), pc.greater(counts, _LAST))
    losses.note("nulled_values", _count(outside), "timestamps lie in the years 1678 to 2261 there")
    kept = pc.if_else(outside, pa.scalar(None, cells.type), cells)
    return timestamp_column(column.name), kept.cast(pa.timestamp("ns"))


_Turn = Callable[[Column, Any, _Losses], tuple[WorkbenchColumn, Any]]
_TURNED: Final[dict[TypeName, _Turn]] = {
    TypeName.STRING: _text,
    TypeName.BOOLEAN: _boolean,
    TypeName.INTEGER: _integer,
    TypeName.FLOAT: _float,
    TypeName.NUMERIC: _numeric,
    TypeName.DATE: _date,
    TypeName.TIMESTAMP: _timestamp,
}


def _number(column: Column) -> WorkbenchColumn:
    """Return a column of numbers with the format of the attributes, or the default where that is none."""
    known = column.attribute(FORMAT)
    try:
        parse_number_format(known or "")
    except TablemillError:
        known = None
    return number_column(column.name, known or DEFAULT_FORMAT)


def _narrowed(cells: Any, column: Column) -> Any:
    """Return numbers in the type they had in Workbench, if that still holds all of them."""
    word = column.attribute(STORAGE)
    wanted = _STORAGES.get(word or "")
    exact = None if wanted is None else _exact(cells, wanted)
    return cells if exact is None else exact


_STORAGES: Final = {
    str(one): one
    for one in (pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint16(), pa.uint32(), pa.float16(), pa.float32())
}


def _exact(cells: Any, data_type: pa.DataType) -> Any | None:
    """Return numbers in another type if none of them changes."""
    try:
        turned = cells.cast(data_type)
    except pa.ArrowInvalid:
        return None
    if not pa.types.is_floating(data_type):
        return turned  # to whole numbers Arrow casts exactly or not at all
    return turned if pc.all(pc.equal(turned.cast(cells.type), cells), min_count=0).as_py() else None


def _count(mask: Any) -> int:
    return int(pc.sum(mask).as_py() or 0)
