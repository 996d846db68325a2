"""Fields of a records schema as columns of Tablemill, and back (reference records 3.2; docs/records-types.md).

The mapping of every type is stated once, in `type_table`; a test per cell holds that these functions do what it says.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from component.records.schema_fields import parse_field
from component.records.schema_models import Constraints, Field, FieldType, RecordsSchema
from component.tables.logical import Logical, logical_column, logical_of
from component.tables.types import MAX_PRECISION, Column, TableSchema, TypeName, numeric_length

FIELD: Final = "records.field"
"""Attribute of a column: the field as it was read, without what belongs to one file only (index, statistics)."""
KNOWN: Final = "records.known_representations"
"""Attribute of the first column: what the schema says of all representations."""
INT64: Final = (-(2**63), 2**63 - 1)
DOUBLE: Final = Constraints(fp_total_bits=64, fp_significand_bits=53)
_LOGICAL: Final = {
    FieldType.TIME: Logical.TIME,
    FieldType.TIMETZ: Logical.TIMETZ,
    FieldType.DATETIMETZ: Logical.TIMESTAMPTZ,
}
_PLAIN: Final = {
    FieldType.BOOLEAN: TypeName.BOOLEAN,
    FieldType.DATE: TypeName.DATE,
    FieldType.DATETIME: TypeName.TIMESTAMP,
}


def table_schema(schema: RecordsSchema) -> TableSchema:
    """Return the columns of a records schema; each carries its field, so that a rewrite loses nothing of it."""
    columns = [column_of_field(field) for field in schema.fields]
    if columns and schema.known_representations:
        columns[0] = columns[0].with_attribute(KNOWN, _json(dict(schema.known_representations)))
    return TableSchema(tuple(columns))


def records_schema(columns: Sequence[Column]) -> RecordsSchema:
    """Return the records schema of columns, with what they carry of the one that they came from."""
    known: dict[str, Any] = {}
    for column in columns:
        known |= json.loads(column.attribute(KNOWN) or "{}")
    return RecordsSchema(tuple(field_of_column(column) for column in columns), known)


def column_of_field(field: Field) -> Column:
    """Return the column that holds every value of a field.

    Whole numbers beyond 64 bits are numeric, and text beyond 38 digits; so are fixed decimals of more. A decimal of
    which nothing is known is a float.
    """
    plain = replace(_plain_column(field), nullable=not field.constraints.required)
    carried = replace(field, index=None, statistics=None)
    return plain.with_attribute(FIELD, _json(carried.to_json()))


def field_of_column(column: Column) -> Field:
    """Return the field that describes a column: the one that it carries while its type is still that, else by type."""
    carried = _carried(column)
    if carried is not None and _same_type(_plain_column(carried), column):
        required = carried.constraints.required or not column.nullable
        return replace(carried, constraints=replace(carried.constraints, required=required))
    field = _field_by_type(column)
    return replace(field, constraints=replace(field.constraints, required=not column.nullable))


def is_described(column: Column) -> bool:
    """Say whether a column came from a records schema."""
    return column.attribute(FIELD) is not None


def _plain_column(field: Field) -> Column:
    if field.type is FieldType.INTEGER:
        return _integer(field)
    if field.type is FieldType.DECIMAL:
        return _decimal(field)
    if field.type is FieldType.STRING:
        longest = field.constraints.max_length_chars or field.constraints.max_length_bytes
        return Column(field.name, TypeName.STRING, str(longest) if longest else None)
    logical = _LOGICAL.get(field.type)
    return logical_column(field.name, logical) if logical else Column(field.name, _PLAIN[field.type])


def _integer(field: Field) -> Column:
    bounds = [bound for bound in (field.constraints.min, field.constraints.max) if bound is not None]
    if all(INT64[0] <= bound <= INT64[1] for bound in bounds):
        return Column(field.name, TypeName.INTEGER)
    return _exact(field.name, max(len(str(abs(bound))) for bound in bounds), 0)


def _decimal(field: Field) -> Column:
    precision, scale = field.constraints.fixed_precision, field.constraints.fixed_scale or 0
    if precision is None:
        return Column(field.name, TypeName.FLOAT)
    return _exact(field.name, max(precision, scale, 1), scale)


def _exact(name: str, precision: int, scale: int) -> Column:
    if precision > MAX_PRECISION:
        return Column(name, TypeName.STRING)
    return Column(name, TypeName.NUMERIC, f"{precision},{scale}")


def _carried(column: Column) -> Field | None:
    text = column.attribute(FIELD)
    return None if text is None else parse_field(column.name, json.loads(text), lax=True)[0]


def _same_type(one: Column, other: Column) -> bool:
    if one.type is not other.type or logical_of(one) != logical_of(other):
        return False
    return one.type is not TypeName.NUMERIC or numeric_length(one) == numeric_length(other)


def _field_by_type(column: Column) -> Field:
    logical = logical_of(column)
    if logical in _LOGICAL.values():
        return Field(column.name, next(kind for kind, one in _LOGICAL.items() if one is logical))
    if column.type is TypeName.INTEGER:
        return Field(column.name, FieldType.INTEGER, constraints=Constraints(min=INT64[0], max=INT64[1]))
    if column.type is TypeName.FLOAT:
        return Field(column.name, FieldType.DECIMAL, constraints=DOUBLE)
    if column.type is TypeName.NUMERIC:
        precision, scale = numeric_length(column)
        fixed = Constraints(fixed_precision=precision, fixed_scale=scale)
        return Field(column.name, FieldType.DECIMAL, constraints=fixed)
    if column.type is TypeName.STRING:
        length = int(column.length) if column.length and column.length.isdecimal() else None
        return Field(column.name, FieldType.STRING, constraints=Constraints(max_length_chars=length))
    return Field(column.name, next(kind for kind, one in _PLAIN.items() if one is column.type))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
