"""A Workbench table in memory: columns, and rows in Arrow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from component.workbench.tables.columns import ColumnKind, WorkbenchColumn


@dataclass(frozen=True, slots=True)
class WorkbenchTable:
    """Rows and what they mean. Fields of `rows` have the columns' names, types of `kind_of`, and no metadata.

    A table without columns has no rows.
    """

    columns: tuple[WorkbenchColumn, ...]
    rows: pa.Table

    @property
    def names(self) -> tuple[str, ...]:
        """The column names in order."""
        return tuple(column.name for column in self.columns)


NO_TABLE: Final = WorkbenchTable((), pa.table({}))
"""What a step gives that has no output: no columns, no rows."""


def kind_of(data_type: pa.DataType) -> ColumnKind | None:
    """Return the column type that an Arrow type may hold (reference workbench 1.1); None for those that hold none.

    A dictionary holds text only if its entries are text; units and zones of timestamps are not looked at.
    """
    if pa.types.is_dictionary(data_type):
        return ColumnKind.TEXT if pa.types.is_string(data_type.value_type) else None
    for test, kind in _KINDS:
        if test(data_type):
            return kind
    return None


_KINDS: Final = (
    (pa.types.is_string, ColumnKind.TEXT),
    (pa.types.is_integer, ColumnKind.NUMBER),
    (pa.types.is_floating, ColumnKind.NUMBER),
    (pa.types.is_date32, ColumnKind.DATE),
    (pa.types.is_timestamp, ColumnKind.TIMESTAMP),
)


def bare(rows: pa.Table) -> pa.Table:
    """Return rows without metadata of schema and fields."""
    return pa.table(rows.columns, schema=pa.schema([pa.field(field.name, field.type) for field in rows.schema]))


def stated(table: WorkbenchTable) -> pa.Table:
    """Return rows whose fields say format and unit, as files of 2021 do (reference workbench 1.1)."""
    fields = [
        pa.field(column.name, field.type, metadata=field_metadata(column))
        for column, field in zip(table.columns, table.rows.schema, strict=True)
    ]
    return pa.table(table.rows.columns, schema=pa.schema(fields))


def field_metadata(column: WorkbenchColumn) -> dict[str, str] | None:
    """Return the metadata that a column's field has in a file of 2021."""
    if column.format is not None:
        return {"format": column.format}
    return None if column.unit is None else {"unit": str(column.unit)}
