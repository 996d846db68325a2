"""Sources whose files say their columns and types themselves: Parquet, Avro, Arrow, JSON lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from component.errors import Place, UserError
from component.formats.columns import FileColumns
from component.formats.losses import Loss, retyped
from component.formats.typed import TypedKind, typed_format
from component.plan.model import Source, SourceSlice
from component.tables.logical import ZONE
from component.tables.types import Column, TableSchema, TypeName


def typed_source(
    kind: TypedKind, file_name: str, own_name: str, names: tuple[str, ...], parts: tuple[SourceSlice, ...]
) -> Source:
    """Return the source of files that have the same columns, in the types of the first.

    UserError `column.sets_differ` when they have not, `source.format`, `column.type` and `column.duplicate` as reading
    their schemas does.
    """
    place = Place(table=file_name)
    parts = tuple(part for part in parts if part.size) or parts[:1]
    columns_of = typed_format(kind).columns
    found = [columns_of(part.location, replace(place, slice=part.name)) for part in parts]
    schemas = [one.schema for one in found]
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
    slices = tuple(replace(part, losses=_losses(schema, one)) for part, one in zip(parts, found, strict=True))
    return Source(file_name, own_name, names, kind, slices, schema, frozenset(schema.names))


def _losses(schema: TableSchema, found: FileColumns) -> tuple[Loss, ...]:
    """Return what reading changes of a file in a source of these columns, which the file may have in another order."""
    if not found.types:
        return ()
    return tuple(retyped(schema.select(found.schema.names), found.types))


def _base(column: Column) -> Column:
    """Return a column in its base type where it has one: slices may hold it as int32 and as int64, or in two zones."""
    return column if column.type is TypeName.OTHER else replace(column.with_attribute(ZONE, None), stored=None)


def _same_in_all(column: Column, schemas: Sequence[TableSchema]) -> bool:
    return all(column in schema.columns for schema in schemas)
