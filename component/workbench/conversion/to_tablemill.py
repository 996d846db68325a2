"""Workbench columns as columns of a table of ours (docs/workbench.md, "Columns")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component.tables.types import Column, TableSchema, TypeName
from component.workbench.render.messages import Message
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.columns import ColumnKind, WorkbenchColumn, shown
from component.workbench.tables.faults import loss
from component.workbench.tables.table import WorkbenchTable

FORMAT: Final = "workbench.format"
UNIT: Final = "workbench.unit"
STORAGE: Final = "workbench.storage"
"""Keys of attributes: a number's format, a date's unit, and the Arrow type of a number where ours is wider."""

_TYPES: Final = {
    ColumnKind.TEXT: TypeName.STRING,
    ColumnKind.DATE: TypeName.DATE,
    ColumnKind.TIMESTAMP: TypeName.TIMESTAMP,
}
SOURCE: Final = "module"


@dataclass(frozen=True, slots=True)
class TablemillRows:
    """Rows in the types of their schema, and what was changed to get them."""

    schema: TableSchema
    rows: pa.Table
    messages: tuple[Message, ...] = ()


def tablemill_column(column: WorkbenchColumn, data_type: pa.DataType) -> Column:
    """Return the column that holds what a Workbench column of an Arrow type has, format, unit and width included."""
    if column.kind is not ColumnKind.NUMBER:
        unit = () if column.unit is None else ((UNIT, str(column.unit)),)
        return Column(column.name, _TYPES[column.kind], attributes=unit)
    attributes = {FORMAT: column.format or ""}
    if data_type not in (pa.int64(), pa.float64()):
        attributes[STORAGE] = str(data_type)
    length = "20,0" if pa.types.is_uint64(data_type) else None
    return Column(column.name, _number_type(data_type), length, attributes=tuple(sorted(attributes.items())))


def _number_type(data_type: pa.DataType) -> TypeName:
    if pa.types.is_uint64(data_type):
        return TypeName.NUMERIC
    return TypeName.FLOAT if pa.types.is_floating(data_type) else TypeName.INTEGER


def to_tablemill(table: WorkbenchTable, reading: ReadingMode) -> TablemillRows:
    """Return a table in our types, nothing lost but nanoseconds.

    Timestamps become microseconds: those that are no whole ones are refused (UserError `workbench.loss`, strict) or cut
    to the microsecond before with a message (lenient). The table may be a part of a larger one.
    """
    messages: list[Message] = []
    columns = [
        tablemill_column(column, field.type) for column, field in zip(table.columns, table.rows.schema, strict=True)
    ]
    values = [
        _values(column, cells, reading, messages) for column, cells in zip(columns, table.rows.columns, strict=True)
    ]
    schema = TableSchema(tuple(columns))
    return TablemillRows(schema, pa.table(values, schema=schema.arrow), tuple(messages))


def _values(column: Column, cells: Any, reading: ReadingMode, messages: list[Message]) -> Any:
    if column.type is not TypeName.TIMESTAMP:
        return cells.cast(column.arrow)
    values, count = cut_to_microseconds(cells, column.arrow)
    if count and reading is ReadingMode.STRICT:
        raise loss("a timestamp has nanoseconds that are not whole microseconds", column=shown(column.name))
    if count:
        messages.append(rounded(column.name, count))
    return values


def cut_to_microseconds(cells: Any, target: pa.DataType) -> tuple[Any, int]:
    """Return times or timestamps in a type of microseconds, cut to the microsecond before, and how many were cut."""
    towards_zero = cells.cast(target, safe=False)
    again = towards_zero.cast(cells.type)
    count = pc.sum(pc.not_equal(again, cells)).as_py() or 0
    if not count:
        return towards_zero, 0
    later = pc.greater(again, cells).cast(pa.int64())
    return pc.subtract(towards_zero.cast(pa.int64()), later).cast(target), count


def rounded(column: str, count: int) -> Message:
    """Return the message that values of a column were cut to microseconds."""
    reason = "timestamps have whole microseconds here"
    arguments: dict[str, str | int | float] = {"column": column, "n_values": count, "reason": reason}
    return Message("tablemill.rounded_values", arguments, SOURCE)
