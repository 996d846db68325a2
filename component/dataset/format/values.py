"""Partition values: which types may be partition keys, and how their values read and write as text.

The text is Python's `str` of the value, as the original clients write it (reference kartothek 1.5). Types whose text
they read back wrong or not at all are refused: boolean, timestamps with a zone, binary, decimal, time.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import pyarrow as pa

from component.errors import Place, UserError


def check_partition_type(name: str, data_type: pa.DataType, *, table: str) -> None:
    """Raise UserError `column.type` for a type that cannot be a partition key."""
    if _reader(data_type) is None or pa.types.is_boolean(data_type):
        raise UserError(
            "column.type",
            f"The type {data_type} cannot be a partition key: Kartothek clients read its values back wrong",
            place=Place(table=table, column=name),
            remedy="Partition by a string, integer, float, date or timestamp column.",
        )


def value_text(value: Any) -> str:
    """Return the text of a partition value that is not null."""
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return str(value)


def parse_value(text: str, data_type: pa.DataType) -> Any:
    """Return the value that a text in a path stands for; UserError `dataset.format` when it fits not the type.

    Booleans are read by their text, which the original clients do not.
    """
    read = _reader(data_type)
    if read is None:
        raise UserError("dataset.format", f"Partition values of type {data_type} cannot be read")
    try:
        return pa.scalar(read(text), data_type).as_py()
    except (pa.ArrowInvalid, ValueError, OverflowError) as error:
        raise UserError("dataset.format", f"The partition value {text!r} is no {data_type}") from error


def _read_boolean(text: str) -> bool:
    words = {"true": True, "1": True, "false": False, "0": False}
    if text.lower() not in words:
        raise ValueError(text)
    return words[text.lower()]


def _read_timestamp(text: str) -> dt.datetime:
    value = dt.datetime.fromisoformat(text)
    return value.astimezone(dt.UTC).replace(tzinfo=None) if value.tzinfo else value


_READERS: Final[tuple[tuple[Callable[[pa.DataType], bool], Callable[[str], Any]], ...]] = (
    (pa.types.is_boolean, _read_boolean),
    (pa.types.is_integer, int),
    (pa.types.is_floating, float),
    (pa.types.is_date, dt.date.fromisoformat),
    (lambda data_type: pa.types.is_timestamp(data_type) and data_type.tz is None, _read_timestamp),
    (lambda data_type: pa.types.is_string(data_type) or pa.types.is_large_string(data_type), str),
)


@lru_cache  # asked once for each of many partitions
def _reader(data_type: pa.DataType) -> Callable[[str], Any] | None:
    return next((read for test, read in _READERS if test(data_type)), None)
