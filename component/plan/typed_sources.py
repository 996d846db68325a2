"""Sources whose files say their columns and types themselves: Parquet, Avro, Arrow, JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from component.errors import Place, UserError
from component.formats.arrow_ipc import arrow_schema
from component.formats.avro import avro_schema
from component.formats.json_lines_read import json_lines_schema
from component.formats.parquet import parquet_schema
from component.plan.model import Source, SourceSlice
from component.staging.locations import Location
from component.tables.types import Column, TableSchema, TypeName

TypedKind = Literal["parquet", "avro", "arrow", "jsonl"]
_SCHEMA_OF: Final[Mapping[TypedKind, Callable[[Location, Place], TableSchema]]] = {
    "parquet": parquet_schema,
    "avro": avro_schema,
    "arrow": arrow_schema,
    "jsonl": json_lines_schema,
}


def typed_source(
    kind: TypedKind, file_name: str, own_name: str, names: tuple[str, ...], parts: tuple[SourceSlice, ...]
) -> Source:
    """Return the source of files that have the same columns, in the types of the first.

    UserError `column.sets_differ` when they have not, `source.format`, `column.type` and `column.duplicate` as reading
    their schemas does.
    """
    place = Place(table=file_name)
    parts = tuple(part for part in parts if part.size) or parts[:1]
    schemas = [_SCHEMA_OF[kind](part.location, replace(place, slice=part.name)) for part in parts]
    for part, schema in zip(parts, schemas, strict=True):
        if {_base(one) for one in schema.columns} != {_base(one) for one in schemas[0].columns}:
            raise UserError(
                "column.sets_differ",
                "The slices have different columns",
                place=replace(place, slice=part.name),
                remedy="Give all slices of a table the same columns and types.",
            )
    columns = tuple(one if _same_in_all(one, schemas) else _base(one) for one in schemas[0].columns)
    schema = replace(schemas[0], columns=columns)
    return Source(file_name, own_name, names, kind, parts, schema, frozenset(schema.names))


def _base(column: Column) -> Column:
    """Return a column in its base type where it has one: slices may hold it as int32 and as int64."""
    return column if column.type is TypeName.OTHER else replace(column, stored=None)


def _same_in_all(column: Column, schemas: Sequence[TableSchema]) -> bool:
    return all(column in schema.columns for schema in schemas)
