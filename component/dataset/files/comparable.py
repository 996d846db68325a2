"""Values as plain Python numbers, texts and bytes, whose order and equality are those of their column.

So comparing costs no call to Arrow, and reaches beyond the dates that Python has: dates are days and timestamps
microseconds since 1970, texts are UTF-8, whose bytes are ordered as its characters are.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context
from typing import Any, Final

import pyarrow as pa

_EXACT: Final = Context(prec=100)
_PER_SECOND: Final = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_MICROSECONDS: Final = _PER_SECOND["us"]


def family(data_type: pa.DataType) -> str | None:
    """Return which values compare with those of the type; None where their order is not known here."""
    return next((name for test, name in _FAMILIES if test(data_type)), None)


_FAMILIES: Final[tuple[tuple[Callable[[pa.DataType], bool], str], ...]] = (
    (pa.types.is_integer, "integer"),
    (lambda data_type: pa.types.is_float32(data_type) or pa.types.is_float64(data_type), "float"),
    (lambda data_type: pa.types.is_decimal128(data_type) or pa.types.is_decimal256(data_type), "decimal"),
    (lambda data_type: pa.types.is_string(data_type) or pa.types.is_large_string(data_type), "text"),
    (lambda data_type: pa.types.is_binary(data_type) or pa.types.is_large_binary(data_type), "bytes"),
    (pa.types.is_boolean, "boolean"),
    (pa.types.is_date32, "date"),
    (pa.types.is_timestamp, "timestamp"),
    (pa.types.is_dictionary, "dictionary"),
)


def compares(stored: pa.DataType, asked: pa.DataType) -> bool:
    """Say whether statistics of one type answer for a question of another: none of the values changes its order."""
    left, right = family(stored), family(asked)
    if left == "dictionary":
        return compares(stored.value_type, asked)
    return left is not None and (left == right or (left == "integer" and right in {"float", "decimal"}))


def comparable(scalar: pa.Scalar) -> Any:
    """Return a value that is not null; of a type that has no family, as Arrow gives it."""
    kind = family(scalar.type)
    if kind == "text":
        return scalar.as_py().encode()
    if kind == "timestamp":
        return microseconds(scalar.value, scalar.type.unit)
    return scalar.value if kind == "date" else scalar.as_py()


def microseconds(number: int, unit: str, *, up: bool = False) -> int:
    """Return a point in time in microseconds; where it lies between two, the one before, or after it (`up`)."""
    scaled = number * _MICROSECONDS
    return -(-scaled // _PER_SECOND[unit]) if up else scaled // _PER_SECOND[unit]


def from_statistics(raw: Any, data_type: pa.DataType, *, up: bool) -> Any:
    """Return a bound as Parquet stores it (`min_raw`, `max_raw`) for values of a type; None for what bounds nothing."""
    if pa.types.is_dictionary(data_type):
        return from_statistics(raw, data_type.value_type, up=up)
    kind = family(data_type)
    if kind == "integer" and pa.types.is_unsigned_integer(data_type):
        return raw & (2**data_type.bit_width - 1)
    if kind == "timestamp":
        return microseconds(raw, data_type.unit, up=up)
    if kind == "decimal":
        number = raw if isinstance(raw, int) else int.from_bytes(raw, "big", signed=True)
        return _EXACT.create_decimal(number).scaleb(-data_type.scale, _EXACT)
    if kind == "float" and raw != raw:  # noqa: PLR0124 - NaN is what differs from itself
        return None
    return raw
