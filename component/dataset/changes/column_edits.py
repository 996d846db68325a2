"""Rows with other columns: renamed, of a wider type, new ones, without some. Nothing of a value is lost on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from component.dataset.files.predicates import bind_predicates
from component.errors import Place, UserError
from component.tables.numeric import cast_values


@dataclass(frozen=True, slots=True)
class NewColumn:
    """A column as it will be: its field, and the old column its values come from, or else the `value` of every row."""

    field: pa.Field
    source: str | None
    value: Any = None


def edited_rows(rows: pa.Table, columns: Sequence[NewColumn]) -> pa.Table:
    """Return rows in the new columns; UserError `cell.type` for a value that the new type does not hold exactly."""
    arrays = [
        pa.repeat(pa.scalar(column.value, column.field.type), rows.num_rows)
        if column.source is None
        else widened(rows[column.source], column.field)
        for column in columns
    ]
    return pa.table(arrays, schema=pa.schema([column.field for column in columns]))


def widened(values: Any, field: pa.Field) -> Any:
    """Return values in a wider type, as text in the form that a CSV output has; errors as `edited_rows`."""
    if values.type.equals(field.type):
        return values
    try:
        return cast_values(values, field.type)
    except pa.ArrowInvalid as error:
        raise UserError(
            "cell.type",
            f"A value cannot be kept exactly as {field.type}: {error}",
            place=Place(column=field.name),
            remedy="Give it a type that holds every value: numeric with more digits, or string.",
        ) from error


def check_widening(name: str, old: pa.DataType, new: pa.DataType) -> None:
    """Raise UserError `column.type` for a change of type that could lose something of a value.

    A whole number becomes numeric or float, which each value must fit (a float holds those up to 2^53); numeric grows
    in digits before and after the point; a date becomes a timestamp; all become text; a column without values anything.
    """
    if not widens(old, new):
        raise UserError(
            "column.type",
            f"A column of {old} cannot become {new} without a loss",
            place=Place(column=name),
            remedy="Widen integer to numeric or float, numeric to more digits, date to timestamp, or any to string.",
        )


def widens(old: pa.DataType, new: pa.DataType) -> bool:
    """Say whether a change of type is one of those that `check_widening` allows."""
    return bool(
        pa.types.is_null(old)
        or (pa.types.is_integer(old) and (pa.types.is_decimal(new) or pa.types.is_float64(new)))
        or (pa.types.is_decimal(old) and pa.types.is_decimal(new) and _grows(old, new))
        or (pa.types.is_date(old) and pa.types.is_timestamp(new))
        or (pa.types.is_string(new) and not pa.types.is_nested(old) and not pa.types.is_binary(old))
    )


def _grows(old: pa.DataType, new: pa.DataType) -> bool:
    return bool(new.scale >= old.scale and new.precision - new.scale >= old.precision - old.scale)


def constant(name: str, data_type: pa.DataType, value: Any) -> Any:
    """Return a value as one of a column's type, or None; text is read as the type.

    UserError `cell.type` when it is none of the type's.
    """
    if value is None:
        return None
    try:
        bound = bind_predicates([[[name, "==", value]]], pa.schema([pa.field(name, data_type)]))
    except UserError as error:
        raise UserError(
            "cell.type",
            f"The value {value!r} is none of type {data_type}",
            place=Place(column=name),
            remedy="Give a value of the column's type, or none.",
        ) from error
    return bound[0][0].value.as_py()


def renamed(names: Sequence[str], old: str, new: str) -> tuple[str, ...]:
    """Return names with one of them changed."""
    return tuple(new if name == old else name for name in names)


_OF_TYPE = frozenset({"logical", "records.field", "workbench.format"})


def kept_attributes(known: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return what stays known of a column whose type changes: nothing that speaks of its type."""
    return tuple(sorted((key, text) for key, text in known.items() if key not in _OF_TYPE))
