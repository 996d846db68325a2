"""Types of datasets as Spark's, and back: no value is lost on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pyarrow as pa
from pyspark.errors import PySparkTypeError
from pyspark.sql.pandas.types import from_arrow_type, to_arrow_type
from pyspark.sql.types import ArrayType, DataType, DecimalType, StructField, StructType

from component.dataset.format.schema import normal_type
from component.errors import Place, UserError

UINT64_AS: Final = DecimalType(20, 0)
"""Spark has no unsigned numbers; this decimal holds all of 64 bits."""
_ZONE: Final = "UTC"


def spark_schema(schema: pa.Schema) -> StructType:
    """Return a dataset's schema as Spark's; UserError `column.type` for a column that Spark cannot hold."""
    return StructType([StructField(field.name, _spark_type(field.name, field.type)) for field in schema])


def _spark_type(column: str, data_type: pa.DataType) -> DataType:
    if pa.types.is_uint64(data_type):
        return UINT64_AS
    if pa.types.is_list(data_type):
        return ArrayType(_spark_type(column, data_type.value_type))
    if pa.types.is_struct(data_type):
        return StructType([StructField(one.name, _spark_type(column, one.type), one.nullable) for one in data_type])
    if not _is_known(data_type):
        raise UserError(
            "column.type",
            f"Spark has no type for {data_type}",
            place=Place(column=column),
            remedy="Read the other columns with the option columns.",
        )
    return from_arrow_type(data_type)


def dataset_schema(schema: StructType) -> pa.Schema:
    """Return a Spark schema as that of a dataset, types normalised.

    UserError `column.type` for a type that datasets do not have, `column.duplicate` for a name that stands twice.
    """
    names = [field.name for field in schema.fields]
    for name in names:
        if names.count(name) > 1:
            raise UserError("column.duplicate", "A column stands twice in the rows", place=Place(column=name))
    return pa.schema([pa.field(field.name, _dataset_type(field)) for field in schema.fields])


def _dataset_type(field: StructField) -> pa.DataType:
    try:
        data_type: Any = normal_type(to_arrow_type(field.dataType, timezone=_ZONE))
    except PySparkTypeError:
        data_type = None
    if data_type is None or not all(_is_known(inner) for inner in _inner_types(data_type)):
        raise UserError(
            "column.type",
            f"A dataset has no type for Spark's {field.dataType.simpleString()}",
            place=Place(column=field.name),
            remedy="Cast the column, or drop it.",
        )
    return data_type


def _inner_types(data_type: pa.DataType) -> Iterator[pa.DataType]:
    """Yield the types of the values within lists and structs, or the type itself."""
    if pa.types.is_list(data_type):
        yield from _inner_types(data_type.value_type)
    elif pa.types.is_struct(data_type) and data_type.num_fields:
        for field in data_type:
            yield from _inner_types(field.type)
    else:
        yield data_type


def _is_known(data_type: pa.DataType) -> bool:
    return any(test(data_type) for test in _KNOWN) and getattr(data_type, "scale", 0) >= 0


_KNOWN: Final = (
    pa.types.is_boolean,
    pa.types.is_signed_integer,
    pa.types.is_uint64,
    pa.types.is_float32,
    pa.types.is_float64,
    pa.types.is_decimal128,
    pa.types.is_string,
    pa.types.is_binary,
    pa.types.is_date32,
    pa.types.is_timestamp,
    pa.types.is_null,
)


def same_type(left: DataType, right: DataType) -> bool:
    """Say whether two types hold the same values; whether they allow nulls is no difference."""
    if isinstance(left, ArrayType) and isinstance(right, ArrayType):
        return same_type(left.elementType, right.elementType)
    if isinstance(left, StructType) and isinstance(right, StructType):
        same_names = left.names == right.names
        return same_names and all(
            same_type(one.dataType, other.dataType) for one, other in zip(left, right, strict=True)
        )
    return left == right


def known_types(new: pa.Schema, existing: pa.Schema) -> pa.Schema:
    """Return new rows' schema with the dataset's own type where it is one that Spark cannot name: uint64."""
    wanted = pa.decimal128(UINT64_AS.precision, UINT64_AS.scale)
    uint64 = {field.name for field in existing if pa.types.is_uint64(field.type)}
    return pa.schema([pa.field(f.name, pa.uint64()) if f.name in uint64 and f.type == wanted else f for f in new])
