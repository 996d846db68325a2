"""What Avro's types mean in a table, and which of them a table's columns become.

Values are read as they are stored: all logical types but decimals are taken off the schema, so that dates and times
come as numbers, which Arrow turns whole columns at a time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import fastavro
import pyarrow as pa

from component.errors import Place, UserError
from component.formats.columns import check_names, column_in_file
from component.tables.logical import LOGICAL, Logical, logical_column, logical_of
from component.tables.types import MAX_PRECISION, Column, TableSchema, TypeName, numeric_length

NAME: Final = "tablemill_name"
"""Attribute of a field: the column's name where Avro's rules forbid it."""
KIND: Final = "tablemill_logical"
"""Attribute of a field: the kind of a text that Avro has no type for."""
_PLAIN: Final[Mapping[str, pa.DataType]] = {
    "null": pa.null(),
    "boolean": pa.bool_(),
    "int": pa.int64(),
    "long": pa.int64(),
    "float": pa.float64(),
    "double": pa.float64(),
    "string": pa.string(),
    "enum": pa.string(),
}
_LOGICAL: Final[Mapping[tuple[str, str], pa.DataType]] = {
    ("int", "date"): pa.date32(),
    ("int", "time-millis"): pa.time32("ms"),
    ("long", "time-micros"): pa.time64("us"),
    ("long", "timestamp-millis"): pa.timestamp("ms", "UTC"),
    ("long", "timestamp-micros"): pa.timestamp("us", "UTC"),
    ("long", "timestamp-nanos"): pa.timestamp("ns", "UTC"),
    ("long", "local-timestamp-millis"): pa.timestamp("ms"),
    ("long", "local-timestamp-micros"): pa.timestamp("us"),
    ("long", "local-timestamp-nanos"): pa.timestamp("ns"),
}
_WRITTEN: Final[Mapping[TypeName, Any]] = {
    TypeName.STRING: "string",
    TypeName.INTEGER: "long",
    TypeName.FLOAT: "double",
    TypeName.BOOLEAN: "boolean",
    TypeName.DATE: {"type": "int", "logicalType": "date"},
    TypeName.TIMESTAMP: {"type": "long", "logicalType": "local-timestamp-micros"},
}
_KINDS: Final[Mapping[Logical, Any]] = {
    Logical.TIME: {"type": "long", "logicalType": "time-micros"},
    Logical.TIMETZ: "string",
    Logical.TIMESTAMPTZ: {"type": "long", "logicalType": "timestamp-micros"},
    Logical.ZONED: "string",
}
_UUID_BYTES: Final = 16
_OWN: Final[Mapping[str, pa.DataType]] = {
    "int": pa.int32(),
    "float": pa.float32(),
    "enum": pa.dictionary(pa.int32(), pa.string()),
    "fixed": pa.binary(_UUID_BYTES),
}
_FORBIDDEN: Final = re.compile(r"[^A-Za-z0-9_]")


@dataclass(frozen=True, slots=True)
class AvroField:
    """A field of the file: its name there, the Arrow type that its values are read in, and the column it is.

    `was` is the Arrow type that says what the field is in Avro, which may be narrower.
    """

    name: str
    arrow: pa.DataType
    column: Column
    was: pa.DataType


def fields_of(schema: Any, place: Place) -> tuple[AvroField, ...]:
    """Return the fields of a file; UserError `column.type` for what has no form in a table, `column.duplicate`."""
    named: dict[str, Any] = {}
    parsed = fastavro.parse_schema(schema, named)
    if not isinstance(parsed, dict) or parsed.get("type") != "record":
        raise _no_form("The file's values are no records", place)
    fields = tuple(_field(field, named, place) for field in parsed["fields"])
    check_names((field.column.name for field in fields), place)
    return fields


def _field(field: Mapping[str, Any], named: Mapping[str, Any], place: Place) -> AvroField:
    name = field.get(NAME, field["name"])
    at = replace(place, column=name)
    arrow = _arrow_type(field["type"], named, at)
    column = column_in_file(name, arrow, place)
    kind = field.get(KIND)
    if kind in set(Logical) and logical_column(name, Logical(kind)).type is column.type:
        column = column.with_attribute(LOGICAL, kind)
    return AvroField(field["name"], arrow, column, _own_type(field["type"], named) or arrow)


def _own_type(schema: Any, named: Mapping[str, Any]) -> pa.DataType | None:
    """Return the Arrow type of a field that is read in another one; None where it is read as it is."""
    if isinstance(schema, list):
        return next((_own_type(branch, named) for branch in schema if branch != "null"), None)
    if isinstance(schema, str):
        schema = named.get(schema, {"type": schema})
    if isinstance(schema["type"], (list, dict)):
        return _own_type(schema["type"], named)
    logical = schema.get("logicalType")
    return None if logical == "decimal" or (schema["type"], logical) in _LOGICAL else _OWN.get(schema["type"])


def _arrow_type(schema: Any, named: Mapping[str, Any], place: Place) -> pa.DataType:
    if isinstance(schema, list):
        return _of_union(schema, named, place)
    if isinstance(schema, str):
        schema = named.get(schema, {"type": schema})
    kind, logical = schema["type"], schema.get("logicalType")
    if isinstance(kind, (list, dict)):
        return _arrow_type(kind, named, place)
    if kind in {"bytes", "fixed"} and logical == "decimal":
        return _decimal(schema, place)
    if kind == "fixed" and logical == "uuid" and schema.get("size") == _UUID_BYTES:
        return pa.string()
    found = _LOGICAL.get((kind, logical)) or _PLAIN.get(kind)
    if found is None:
        raise _no_form(f"The type {kind} has no form in a table", place)
    return found


def _of_union(schema: Sequence[Any], named: Mapping[str, Any], place: Place) -> pa.DataType:
    branches = [branch for branch in schema if branch != "null"]
    if len(branches) > 1:
        raise _no_form("A union of several types has no form in a table", place)
    return _arrow_type(branches[0], named, place) if branches else pa.null()


def _decimal(schema: Mapping[str, Any], place: Place) -> pa.DataType:
    precision, scale = schema.get("precision"), schema.get("scale", 0)
    if not isinstance(precision, int) or not isinstance(scale, int) or not 0 <= scale <= precision <= MAX_PRECISION:
        raise _no_form(f"A decimal of {precision} digits has no form in a table", place)
    return pa.decimal128(precision, scale)


def _no_form(text: str, place: Place) -> UserError:
    return UserError("column.type", text, place=place, remedy="Leave the column out with `columns`, or flatten it.")


def as_stored(schema: Any) -> Any:
    """Return a schema without its logical types, but for decimals and identifiers, which are more than numbers."""
    if isinstance(schema, list):
        return [as_stored(branch) for branch in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in {"type", "fields", "logicalType"}}
    if schema.get("logicalType") == "decimal" or (schema.get("logicalType"), schema["type"]) == ("uuid", "fixed"):
        kept["logicalType"] = schema["logicalType"]
    if "fields" in schema:
        kept["fields"] = [{**field, "type": as_stored(field["type"])} for field in schema["fields"]]
    return {**kept, "type": as_stored(schema["type"])}


def schema_for(columns: TableSchema) -> dict[str, Any]:
    """Return the schema of a file: every column may be null; names that Avro forbids become others, and are noted."""
    names = field_names(columns.names)
    fields = []
    for column, name in zip(columns.columns, names, strict=True):
        field: dict[str, Any] = {"name": name, "type": ["null", _written_type(column)], "default": None}
        if name != column.name:
            field[NAME] = column.name
        logical = logical_of(column)
        if logical in {Logical.TIMETZ, Logical.ZONED}:
            field[KIND] = str(logical)
        fields.append(field)
    return {"type": "record", "name": "row", "namespace": "tablemill", "fields": fields}


def _written_type(column: Column) -> Any:
    logical = logical_of(column)
    if logical is not None:
        return _KINDS[logical]
    if column.type is TypeName.NUMERIC:
        precision, scale = numeric_length(column)
        return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}
    return _WRITTEN[column.type]


def field_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of letters, digits and `_`, each once: others become `_`, with a number where two would be one."""
    taken = {name for name in names if _is_allowed(name)}
    found = []
    for name in names:
        plain = name
        if not _is_allowed(name):
            stem = _FORBIDDEN.sub("_", name)
            stem = f"_{stem}" if not stem or stem[0].isdigit() else stem
            plain, number = stem, 1
            while plain in taken:
                number += 1
                plain = f"{stem}_{number}"
            taken.add(plain)
        found.append(plain)
    return tuple(found)


def _is_allowed(name: str) -> bool:
    return bool(name) and not _FORBIDDEN.search(name) and not name[0].isdigit()
