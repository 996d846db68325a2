"""Types of Arrow and Spark as fields of a records schema, and back: no value is lost (docs/records-types.md).

Spark's types are given and taken as text (`bigint`, `decimal(10,2)`), so that nothing here needs Spark.
"""

from __future__ import annotations

import re
from typing import Any, Final

import pyarrow as pa

from component.errors import Place, UserError
from component.records.schema_models import Constraints, Field, FieldType
from component.records.types import FIELD, column_of_field, is_described
from component.tables.logical import Logical, full_type, logical_of
from component.tables.types import Column, TypeName, is_text, numeric_length

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
    if not is_number or is_described(column):
        return column
    return column.with_attribute(FIELD, column_of_field(field_of_arrow(column.name, data_type)).attribute(FIELD))


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


def _no_type(name: str, said: str) -> UserError:
    return UserError(
        "column.type",
        f"A records schema has no type for {said}",
        place=Place(column=name),
        remedy="Cast the column to a type of docs/records-types.md, or leave it out.",
    )
