"""Columns between files and tables: what a file's types mean, and its values in the types that were asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import pyarrow as pa

from component.errors import Place, UserError
from component.formats.contract import Attributes
from component.tables.cast import CALENDAR, apply_null_rule, cast_text, is_within_calendar
from component.tables.logical import (
    as_kept,
    column_of_values,
    is_moment,
    kept_values,
    stored_column,
    whole_microseconds,
)
from component.tables.numeric import cast_values
from component.tables.types import Column, TableSchema, TypeName, is_text


@dataclass(frozen=True, slots=True)
class FileColumns:
    """The columns that a file describes, and the Arrow type that each has in the file; no types: it says none."""

    schema: TableSchema
    types: tuple[pa.DataType, ...] = ()


def file_columns(fields: Iterable[pa.Field], place: Place) -> FileColumns:
    """Return the columns that the fields of a file describe; their values keep their Arrow types (`column_in_file`).

    UserError `column.type` for types that Parquet cannot hold, `column.duplicate` for a name that is there twice.
    """
    found = list(fields)
    check_names((field.name for field in found), place)
    schema = TableSchema(tuple(column_in_file(field.name, field.type, place) for field in found))
    return FileColumns(schema, tuple(field.type for field in found))


def column_in_file(name: str, data_type: pa.DataType, place: Place) -> Column:
    """Return the column that a field describes; UserError `column.type` with the place of the file.

    Values keep their Arrow type, but for times and instants: all families of formats meet in their kinds.
    """
    try:
        column = stored_column(name, data_type)
        return column_of_values(name, data_type) if is_moment(column.arrow) else column
    except UserError as error:
        raise error.at(table=place.table, slice=place.slice, column=name) from None


def check_names(names: Iterable[str], place: Place) -> None:
    """Refuse a name that is there twice: UserError `column.duplicate`."""
    for name, count in Counter(names).items():
        if count > 1:
            raise UserError("column.duplicate", "The file has a column twice", place=replace(place, column=name))


def described_columns(schema: pa.Schema, attributes: Attributes) -> TableSchema:
    """Return the base columns that rows are written as, with all that is known of them.

    UserError `column.type` for types that have no form in a table.
    """
    return TableSchema(tuple(_described(field, attributes.get(field.name, {})) for field in schema))


def _described(field: pa.Field, known: Mapping[str, str]) -> Column:
    column = column_of_values(field.name, field.type)
    return replace(column, attributes=tuple(sorted({**known, **dict(column.attributes)}.items())))


def described_rows(rows: pa.Table, columns: TableSchema) -> pa.Table:
    """Return rows of any stored types in those of their base columns; UserError `cell.type` for lost nanoseconds."""
    if rows.schema.equals(columns.arrow):
        return rows
    kept = (as_kept(rows[column.name], column) for column in columns.columns)
    return pa.table(list(kept), schema=columns.arrow)


def fitted_column(values: pa.Array, column: Column, place: Place) -> pa.Array:
    """Return a file's values in the type of a column; text is read as a CSV cell is.

    UserError `cell.type` for what does not fit.
    """
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    try:
        if is_text(values.type) and column.type is not TypeName.STRING:
            return _cast_texts(values.cast(pa.string()), column, place)
        cast = _cast(values, column, replace(place, column=column.name))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise _misfit(column, place, f": {error}") from error
    if column.type in CALENDAR and not is_within_calendar(cast, column.type):
        raise _misfit(column, place, ", which has the years 1 to 9999")
    return cast


def _cast(values: pa.Array, column: Column, place: Place) -> pa.Array:
    if column.stored is None:
        return cast_values(kept_values(values, place), column.arrow)
    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    if is_moment(column.stored):
        return whole_microseconds(values, column.stored, place)
    return cast_values(values, column.stored)


def _cast_texts(texts: pa.Array, column: Column, place: Place) -> pa.Array:
    ruled = apply_null_rule(texts, quoted_empty=True, column=column)
    cast = cast_text(ruled, column)
    if cast.bad:
        raise _misfit(column, replace(place, value=ruled[cast.bad[0]].as_py()), "")
    return cast.values


def _misfit(column: Column, place: Place, why: str) -> UserError:
    return UserError(
        "cell.type",
        f"A cell does not fit the type {column.type.value}{why}",
        place=replace(place, column=column.name),
        remedy="Change the column's type.",
    )
