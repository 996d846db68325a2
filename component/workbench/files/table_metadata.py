"""What is said of a table beside its rows, and the rule that both agree (reference workbench 2)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from component.errors import UserError
from component.workbench.render.messages import json_text
from component.workbench.tables.columns import (
    ColumnKind,
    Era,
    WorkbenchColumn,
    column_document,
    column_of_document,
    shown,
)
from component.workbench.tables.faults import TableRule, invalid
from component.workbench.tables.table import WorkbenchTable, kind_of


@dataclass(frozen=True, slots=True)
class TableMetadata:
    """The number of rows, and the columns in file order."""

    n_rows: int
    columns: tuple[WorkbenchColumn, ...]


def metadata_of(table: WorkbenchTable) -> TableMetadata:
    """Return what is to be said of a table."""
    return TableMetadata(table.rows.num_rows, table.columns)


def metadata_document(metadata: TableMetadata, era: Era = Era.E2021) -> dict[str, Any]:
    """Return the JSON form, exactly `{"n_rows", "columns"}`; UserError `workbench.invalid` for a date in 2019."""
    return {"n_rows": metadata.n_rows, "columns": [column_document(column, era) for column in metadata.columns]}


def metadata_text(metadata: TableMetadata, era: Era = Era.E2021) -> str:
    """Return the JSON text of a sidecar."""
    return json_text(metadata_document(metadata, era))


def metadata_of_document(document: Any) -> TableMetadata:
    """Return what a JSON form says, of either era; UserError `workbench.metadata` for another form."""
    if not isinstance(document, dict) or document.keys() != {"n_rows", "columns"}:
        raise UserError("workbench.metadata", "Metadata of a table must be an object with n_rows and columns")
    n_rows, columns = document["n_rows"], document["columns"]
    if not isinstance(n_rows, int) or isinstance(n_rows, bool) or n_rows < 0 or not isinstance(columns, list):
        raise UserError("workbench.metadata", "n_rows must be a number of rows, and columns a list")
    return TableMetadata(n_rows, tuple(column_of_document(column) for column in columns))


def metadata_of_text(content: bytes) -> TableMetadata:
    """Return what a sidecar says; UserError `workbench.metadata` when it is not that."""
    try:
        document = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UserError("workbench.metadata", f"Metadata of a table is not readable as JSON: {error}") from error
    return metadata_of_document(document)


def require_agreement(
    metadata: TableMetadata, schema: pa.Schema, n_rows: int, said: tuple[WorkbenchColumn, ...] | None = None
) -> None:
    """Hold that a table is what its metadata says: the agreement rule, made total (reference workbench 2, 1.4).

    No columns are no table, and no rows either; the same number of columns, and of rows; at each position the same name
    and an Arrow type of the same class; the same format and unit where the file says them too (`said`). A difference is
    a fault of what wrote the table and is not mended: UserError `workbench.invalid` with the rule that is broken.
    """
    if not metadata.columns and len(schema):
        raise invalid(
            TableRule.TABLE_SHOULD_BE_NONE, "there is a table, and its metadata says that there are no columns"
        )
    if len(metadata.columns) != len(schema):
        counts = f"metadata says {len(metadata.columns)}, the table has {len(schema)}"
        raise invalid(TableRule.WRONG_COLUMN_COUNT, f"the number of columns differs: {counts}")
    if metadata.n_rows != n_rows:
        counts = f"metadata says {metadata.n_rows}, the table has {n_rows}"
        raise invalid(TableRule.WRONG_ROW_COUNT, f"the number of rows differs: {counts}")
    for position, (column, field) in enumerate(zip(metadata.columns, schema, strict=True)):
        _require_column(position, column, field)
        if said is not None:
            _require_said(column, said[position])


def _require_column(position: int, column: WorkbenchColumn, field: pa.Field) -> None:
    if column.name != field.name:
        names = f"metadata says {shown(column.name)!r}, the table has {shown(field.name)!r}"
        raise invalid(TableRule.WRONG_COLUMN_NAME, f"the name of column {position + 1} differs: {names}")
    if kind_of(field.type) is not column.kind:
        types = f"metadata says {column.kind}, the table has {field.type}"
        raise invalid(TableRule.WRONG_COLUMN_TYPE, f"the type differs: {types}", column=shown(column.name))


def _require_said(column: WorkbenchColumn, said: WorkbenchColumn) -> None:
    if column == said:
        return
    rule = TableRule.INVALID_NUMBER_FORMAT if column.kind is ColumnKind.NUMBER else TableRule.INVALID_DATE_UNIT
    ours, theirs = (column.format, said.format) if column.kind is ColumnKind.NUMBER else (column.unit, said.unit)
    raise invalid(rule, f"metadata says {str(ours)!r}, the file's own says {str(theirs)!r}", column=shown(column.name))
