"""Kinds of values beyond the seven types: times, times with an offset, instants, and timestamps with their zone.

A dataset has no such types (reference records 3.2). A time is kept as text `HH:MM:SS[.ffffff]`, of six digits or none,
a time with an offset as text with it, an instant as a timestamp in UTC without zone, and a timestamp whose zone counts
as the text that came; the column says so by its attribute `logical`, and writers of formats that have the type turn the
values back. The attribute `zone` names the zone that instants had in the file they came from, where it is not UTC.

Datasets that other clients or Python wrote hold Arrow's own times and instants, and types with no text form at all
(`stored_column`). Such values stay as they are; writers of text ask for them as a run would have kept them
(`as_kept`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from component.errors import Place, UserError
from component.tables.numeric import cast_values
from component.tables.types import MAX_PRECISION, Column, NullRule, TypeName, column_of_arrow

LOGICAL: Final = "logical"
"""Key of the attribute."""
ZONE: Final = "zone"
"""Key of the attribute that names the zone of instants."""
RECORDS_FIELD: Final = "records.field"
"""Key of the attribute that holds the field of a records schema, without what belongs to one file only."""
UTC: Final = "UTC"
_NO_FRACTION: Final = r"\.0{6}$"
_ANY_DAY: Final = "1970-01-01 "


class Logical(StrEnum):
    """The kinds; each is kept in one of the seven types."""

    TIME = "time"
    TIMETZ = "timetz"
    TIMESTAMPTZ = "timestamptz"
    ZONED = "zoned"


_KEPT_AS: Final = {
    Logical.TIME: TypeName.STRING,
    Logical.TIMETZ: TypeName.STRING,
    Logical.TIMESTAMPTZ: TypeName.TIMESTAMP,
    Logical.ZONED: TypeName.STRING,
}


def logical_column(name: str, logical: Logical) -> Column:
    """Return a column of a kind."""
    return Column(name, _KEPT_AS[logical], attributes=((LOGICAL, str(logical)),))


def zoned(column: Column) -> Column:
    """Return a column of timestamps as one that keeps their zones; an empty cell is null, as it is of any timestamp."""
    kept = replace(column, type=_KEPT_AS[Logical.ZONED], length=None, null_rule=column.null_rule or NullRule.ALWAYS)
    return kept.with_attribute(LOGICAL, Logical.ZONED)


def logical_of(column: Column) -> Logical | None:
    """Return the kind of a column's values; None where it is its type, or its type has been changed since."""
    word = column.attribute(LOGICAL)
    if word not in set(Logical):
        return None
    logical = Logical(word)
    return logical if _KEPT_AS[logical] is column.type else None


def column_of_values(name: str, data_type: pa.DataType) -> Column:
    """Return the column that describes an Arrow type, its kind included; UserError as `column_of_arrow`."""
    if pa.types.is_time(data_type):
        return logical_column(name, Logical.TIME)
    if pa.types.is_timestamp(data_type) and data_type.tz is not None:
        zone = None if data_type.tz == UTC else data_type.tz
        return logical_column(name, Logical.TIMESTAMPTZ).with_attribute(ZONE, zone)
    return column_of_arrow(name, data_type)


def stored_column(name: str, data_type: pa.DataType) -> Column:
    """Return the column that keeps values in their own Arrow type, as Parquet can hold it.

    Dictionaries are decoded, 64-bit offsets and views become the plain type, times and timestamps microseconds; all
    else stays: int32, uint64, time zones, binary, lists, structs. UserError `column.type` for what Parquet cannot hold.
    """
    stored = stored_type(data_type)
    try:
        base = column_of_values(name, stored)
    except UserError:
        _check_parquet_holds(name, stored)
        return Column(name, TypeName.OTHER, stored=stored)
    if base.arrow.equals(stored):
        return base
    return replace(base.with_attribute(LOGICAL, None).with_attribute(ZONE, None), stored=stored)


def stored_type(data_type: pa.DataType) -> pa.DataType:
    """Return the Arrow type that `stored_column` keeps values of a type in."""
    if isinstance(data_type, pa.BaseExtensionType):
        return stored_type(data_type.storage_type)
    if pa.types.is_dictionary(data_type) or pa.types.is_run_end_encoded(data_type):
        return stored_type(data_type.value_type)
    plain = next((plain for test, plain in _PLAIN if test(data_type)), None)
    if plain is not None:
        return plain
    if pa.types.is_timestamp(data_type):
        return pa.timestamp("us", data_type.tz)
    return _stored_decimal(data_type) if pa.types.is_decimal(data_type) else _stored_nested(data_type)


def is_moment(data_type: pa.DataType) -> bool:
    """Say whether a type holds times of day, timestamps or instants."""
    return bool(pa.types.is_time(data_type) or pa.types.is_timestamp(data_type))


def _stored_decimal(data_type: pa.DataType) -> pa.DataType:
    unscaled = max(-data_type.scale, 0)  # a negative scale is digits before the point that Parquet does not know
    precision, scale = data_type.precision + unscaled, max(data_type.scale, 0)
    return pa.decimal128(precision, scale) if precision <= MAX_PRECISION else data_type


def _stored_nested(data_type: pa.DataType) -> pa.DataType:
    if any(test(data_type) for test in _LISTS):
        inner = data_type.value_field
        return pa.list_(pa.field(inner.name, _stored_inner(inner.type), inner.nullable))
    if pa.types.is_struct(data_type):
        return pa.struct([pa.field(one.name, _stored_inner(one.type), one.nullable) for one in data_type])
    if pa.types.is_map(data_type):
        return pa.map_(_stored_inner(data_type.key_type), _stored_inner(data_type.item_type))
    return data_type


def _stored_inner(data_type: pa.DataType) -> pa.DataType:
    return data_type if pa.types.is_null(data_type) else stored_type(data_type)


def _check_parquet_holds(name: str, data_type: pa.DataType) -> None:
    try:
        pq.write_table(pa.schema([(name, data_type)]).empty_table(), pa.BufferOutputStream(), version="2.4")
    except (pa.ArrowException, OSError) as error:
        raise UserError(
            "column.type",
            f"The type {data_type} cannot be kept in Parquet",
            place=Place(column=name),
            remedy="Leave the column out, or give it as text.",
        ) from error


_PLAIN: Final = (
    (pa.types.is_null, pa.string()),
    (pa.types.is_large_string, pa.string()),
    (pa.types.is_string_view, pa.string()),
    (pa.types.is_large_binary, pa.binary()),
    (pa.types.is_binary_view, pa.binary()),
    (pa.types.is_float16, pa.float32()),
    (pa.types.is_date, pa.date32()),
    (pa.types.is_time, pa.time64("us")),
)
_LISTS: Final = (
    pa.types.is_list,
    pa.types.is_large_list,
    pa.types.is_fixed_size_list,
    pa.types.is_list_view,
    pa.types.is_large_list_view,
)


def kept_values(values: Any, place: Place | None = None) -> Any:
    """Return values of an Arrow type as a dataset keeps them: times as text, instants in UTC, microseconds.

    Others come back as they are. UserError `cell.type` for nanoseconds that are no whole microseconds.
    """
    if pa.types.is_time(values.type):
        return _time_texts(whole_microseconds(values, pa.time64("us"), place))
    if pa.types.is_timestamp(values.type):
        plain = whole_microseconds(values, pa.timestamp("us", values.type.tz), place)
        return plain.cast(pa.timestamp("us"))
    return values


def whole_microseconds(values: Any, target: pa.DataType, place: Place | None) -> Any:
    """Return times or timestamps in a type of microseconds; UserError `cell.type` where nanoseconds would be lost."""
    try:
        return values.cast(target)
    except pa.ArrowInvalid as error:
        raise UserError(
            "cell.type",
            f"A value does not fit microseconds, the finest a dataset has: {error}",
            place=place,
            remedy="Round the column to microseconds, or give it as text.",
        ) from error


def _time_texts(times: Any) -> Any:
    return pc.replace_substring_regex(times.cast(pa.string()), _NO_FRACTION, "")


def full_type(column: Column) -> pa.DataType:
    """Return the Arrow type of a column's values with their kind; a time with an offset stays text."""
    logical = logical_of(column)
    if logical is Logical.TIME:
        return pa.time64("us")
    return pa.timestamp("us", zone_of(column)) if logical is Logical.TIMESTAMPTZ else column.arrow


def zone_of(column: Column) -> str:
    """Return the zone of a column of instants: UTC unless its file had another."""
    return column.attribute(ZONE) or UTC


def full_values(values: Any, column: Column) -> Any:
    """Return kept values in `full_type`; UserError `cell.type` for a text that is no time."""
    logical = logical_of(column)
    if values.type.equals(full_type(column)):
        return values
    if logical is Logical.TIMESTAMPTZ:
        return pc.assume_timezone(values, UTC).cast(full_type(column))
    if logical is not Logical.TIME:
        return values
    try:
        # Arrow has no cast from text to time: the time of a day that does not matter is taken.
        return pc.binary_join_element_wise(_ANY_DAY, values, "").cast(pa.timestamp("us")).cast(pa.time64("us"))
    except pa.ArrowInvalid as error:
        raise UserError(
            "cell.type",
            f"A cell of a column of times is none: {error}",
            place=Place(column=column.name),
            remedy="Correct the cell, or give the column as text.",
        ) from error


def as_kept(values: Any, column: Column) -> Any:
    """Return values of any stored type in the type of a base column, as a run keeps them: for writers of text."""
    return cast_values(kept_values(values, Place(column=column.name)), column.arrow)


class FullRows:
    """Rows for formats that have times, instants and every Arrow type: values of a kind turn back into its type."""

    def __init__(self, schema: pa.Schema, attributes: Mapping[str, Mapping[str, str]]) -> None:
        self._special = _special_columns(schema, attributes)
        self.schema = pa.schema(
            [pa.field(f.name, full_type(self._special[f.name])) if f.name in self._special else f for f in schema]
        )

    def of(self, rows: pa.Table) -> pa.Table:
        """Return rows in `schema`; UserError `cell.type` for a text in a column of times that is none."""
        arrays = [
            full_values(rows[name], self._special[name]) if name in self._special else rows[name]
            for name in self.schema.names
        ]
        return pa.table(arrays, schema=self.schema)


def _special_columns(schema: pa.Schema, attributes: Mapping[str, Mapping[str, str]]) -> dict[str, Column]:
    """Return the columns whose values are of a kind that their type does not say, by name."""
    found = {}
    for field in schema:
        word = attributes.get(field.name, {}).get(LOGICAL)
        if word is None:
            continue
        column = stored_column(field.name, field.type).with_attribute(LOGICAL, word)
        column = column.with_attribute(ZONE, attributes[field.name].get(ZONE))
        if column.stored is None and logical_of(column) is not None:
            found[field.name] = column
    return found


def is_of_records(column: Column) -> bool:
    """Say whether a column came from a records schema."""
    return column.attribute(RECORDS_FIELD) is not None
