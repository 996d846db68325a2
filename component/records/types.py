"""Fields of a records schema as columns of Tablemill and back (reference records 3.2; docs/records-types.md).

So are types of Arrow and Spark, without losing a value. Spark's are given and taken as text (`bigint`,
`decimal(10,2)`), so that nothing here needs Spark. `scripts/write_records_types.py` states the mapping of every type
once, for the page and for a test of each cell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import pyarrow as pa

from component.errors import Place, UserError
from component.records.schema_fields import parse_field
from component.records.schema_models import Constraints, Field, FieldType, RecordsSchema
from component.tables.logical import RECORDS_FIELD, Logical, full_type, is_of_records, logical_column, logical_of
from component.tables.types import MAX_PRECISION, Column, TableSchema, TypeName, is_text, numeric_length

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
    return plain.with_attribute(RECORDS_FIELD, _json(carried.to_json()))


def field_of_column(column: Column) -> Field:
    """Return the field that describes a column: the one that it carries while its type is still that, else by type."""
    carried = _carried(column)
    if carried is not None and _same_type(_plain_column(carried), column):
        required = carried.constraints.required or not column.nullable
        return replace(carried, constraints=replace(carried.constraints, required=required))
    field = _field_by_type(column)
    return replace(field, constraints=replace(field.constraints, required=not column.nullable))


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
    text = column.attribute(RECORDS_FIELD)
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


_FLOATS: Final = {16: 11, 32: 23, 64: 53}
"""Bits of the significand by all bits, as the client counts them."""


def arrow_of_field(field: Field) -> pa.DataType:
    """Return the Arrow type that a column has in Parquet and Avro files of a records directory."""
    return full_type(column_of_field(field))


def field_of_arrow(name: str, data_type: pa.DataType) -> Field:
    """Return the field of an Arrow type; UserError `column.type` for binary and nested types and for durations."""
    if pa.types.is_dictionary(data_type):
        return field_of_arrow(name, data_type.value_type)
    if pa.types.is_integer(data_type):
        return _of_bits(name, data_type.bit_width, signed=pa.types.is_signed_integer(data_type))
    if pa.types.is_floating(data_type):
        return Field(name, FieldType.DECIMAL, constraints=_floating(data_type.bit_width))
    if pa.types.is_decimal(data_type):
        return _fixed(name, data_type.precision + max(-data_type.scale, 0), max(data_type.scale, 0))
    if pa.types.is_timestamp(data_type):
        return Field(name, FieldType.DATETIME if data_type.tz is None else FieldType.DATETIMETZ)
    for test, kind in _OF_ARROW:
        if test(data_type):
            return Field(name, kind)
    raise _no_type(name, str(data_type))


_OF_ARROW: Final[tuple[tuple[Any, FieldType], ...]] = (
    (pa.types.is_boolean, FieldType.BOOLEAN),
    (pa.types.is_date, FieldType.DATE),
    (pa.types.is_time, FieldType.TIME),
    (is_text, FieldType.STRING),
    (pa.types.is_null, FieldType.STRING),
)


def described_by_type(column: Column, data_type: pa.DataType) -> Column:
    """Return a column of numbers with the field of the Arrow type that they are stored in, unless it has one.

    So the bounds of an `int8` or a `uint64` are those of the schema that is written.
    """
    is_number = pa.types.is_integer(data_type) or pa.types.is_floating(data_type)
    if not is_number or is_of_records(column):
        return column
    described = column_of_field(field_of_arrow(column.name, data_type))
    return column.with_attribute(RECORDS_FIELD, described.attribute(RECORDS_FIELD))


def spark_of_field(field: Field) -> str:
    """Return the Spark type of a field's values: times are text there, instants `timestamp`."""
    column = column_of_field(field)
    if column.type is TypeName.NUMERIC:
        return "decimal({},{})".format(*numeric_length(column))
    return "timestamp" if logical_of(column) is Logical.TIMESTAMPTZ else _TO_SPARK[column.type]


def field_of_spark(name: str, spark_type: str) -> Field:
    """Return the field of a Spark type, written as Spark does; UserError `column.type` for one that has none."""
    found = _SPARK.fullmatch(spark_type.strip().lower())
    word, length = (found[1], found[2]) if found else ("", None)
    if word in _SPARK_BITS:
        return _of_bits(name, _SPARK_BITS[word], signed=True)
    if word == "decimal":
        precision, _, scale = (length or "10,0").partition(",")
        return _fixed(name, int(precision), int(scale or 0))
    if word in {"varchar", "char"} and length and length.isdecimal():
        return Field(name, FieldType.STRING, constraints=Constraints(max_length_chars=int(length)))
    if word in _OF_SPARK:
        kind, constraints = _OF_SPARK[word]
        return Field(name, kind, constraints=constraints)
    raise _no_type(name, spark_type)


_SPARK: Final = re.compile(r"([a-z_]+)(?:\(\s*(\d+(?:\s*,\s*\d+)?)\s*\))?")
_SPARK_BITS: Final = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_TO_SPARK: Final = {
    TypeName.STRING: "string",
    TypeName.INTEGER: "bigint",
    TypeName.FLOAT: "double",
    TypeName.BOOLEAN: "boolean",
    TypeName.DATE: "date",
    TypeName.TIMESTAMP: "timestamp_ntz",
}


def _floating(bits: int) -> Constraints:
    return Constraints(fp_total_bits=bits, fp_significand_bits=_FLOATS[bits])


_OF_SPARK: Final = {
    "float": (FieldType.DECIMAL, _floating(32)),
    "double": (FieldType.DECIMAL, _floating(64)),
    "string": (FieldType.STRING, Constraints()),
    "boolean": (FieldType.BOOLEAN, Constraints()),
    "date": (FieldType.DATE, Constraints()),
    "time": (FieldType.TIME, Constraints()),
    "timestamp_ntz": (FieldType.DATETIME, Constraints()),
    "timestamp": (FieldType.DATETIMETZ, Constraints()),
}


def _of_bits(name: str, bits: int, *, signed: bool) -> Field:
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return Field(name, FieldType.INTEGER, constraints=Constraints(min=low, max=high))


def _fixed(name: str, precision: int, scale: int) -> Field:
    fixed = Constraints(fixed_precision=precision, fixed_scale=scale)
    return Field(name, FieldType.DECIMAL, constraints=fixed)


def _no_type(name: str, data_type: str) -> UserError:
    return UserError(
        "column.type",
        f"A records schema has no type for {data_type}",
        place=Place(column=name),
        remedy="Cast the column to a type of docs/records-types.md, or leave it out.",
    )
