"""Kinds of values beyond the seven types: times, times with an offset, instants, and timestamps with their zone.

A dataset has no such types (reference records 3.2). A time is kept as text `HH:MM:SS[.ffffff]`, of six digits or none,
a time with an offset as text with it, an instant as a timestamp in UTC without zone, and a timestamp whose zone counts
as the text that came; the column says so by its attribute `logical`, and writers of formats that have the type turn the
values back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component.errors import Place, UserError
from component.tables.types import Column, NullRule, TypeName, column_of_arrow

LOGICAL: Final = "logical"
"""Key of the attribute."""
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
        return logical_column(name, Logical.TIMESTAMPTZ)
    return column_of_arrow(name, data_type)


def special_columns(schema: pa.Schema, attributes: Mapping[str, Mapping[str, str]]) -> dict[str, Column]:
    """Return the columns of a schema whose values are of a kind, by name."""
    found = {}
    for name in schema.names:
        word = attributes.get(name, {}).get(LOGICAL)
        if word is not None:
            column = replace(column_of_arrow(name, schema.field(name).type), attributes=((LOGICAL, word),))
            if logical_of(column) is not None:
                found[name] = column
    return found


def kept_values(values: Any, place: Place | None = None) -> Any:
    """Return values of an Arrow type as a dataset keeps them: times as text, instants in UTC, microseconds.

    Others come back as they are. UserError `cell.type` for nanoseconds that are no whole microseconds.
    """
    if pa.types.is_time(values.type):
        return _time_texts(_whole_microseconds(values, pa.time64("us"), place))
    if pa.types.is_timestamp(values.type):
        plain = _whole_microseconds(values, pa.timestamp("us", values.type.tz), place)
        return plain.cast(pa.timestamp("us"))
    return values


def _whole_microseconds(values: Any, target: pa.DataType, place: Place | None) -> Any:
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
    return pa.timestamp("us", "UTC") if logical is Logical.TIMESTAMPTZ else column.arrow


def full_values(values: Any, column: Column) -> Any:
    """Return kept values in `full_type`; UserError `cell.type` for a text that is no time."""
    logical = logical_of(column)
    if logical is Logical.TIMESTAMPTZ:
        return pc.assume_timezone(values, "UTC")
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
