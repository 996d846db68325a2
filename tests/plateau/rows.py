"""Rows that plateau can hold, and how to compare its rows with ours.

pandas has no null but NaN for floats, reads integers with nulls as floats, and knows nanoseconds between 1677 and 2262
only. Whatever is within that must come back exactly.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import strategies as st

from component.dataset.format.schema import normal_type
from tests.dataset.making import bag
from tests.strategies import typed_tables


def moment(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


NASTY_TEXTS = (
    "a/b",
    "é=%",
    " x ",
    "",
    "%2F",
    "__HIVE_DEFAULT_PARTITION__",
    "None",
    "nan",
    "..",
    "x\ny",
    "😀+",
    "a&b?c#d",
)

ROWS = pa.table(
    {
        "text": ["a", "a/b é=%", None, ""],
        "whole": pa.array([1, -(2**40), None, 3], pa.int64()),
        "exact": pa.array([2**63 - 1, -(2**63), 0, 5], pa.int64()),
        "amount": pa.array([Decimal("1.10"), None, Decimal("-0.01"), Decimal("9999999999.99")], pa.decimal128(12, 2)),
        "large": pa.array([Decimal("0.000000001"), None, Decimal(-1), Decimal(10) ** 28], pa.decimal128(38, 9)),
        "ratio": [1.5, None, float("inf"), -0.0],
        "flag": [True, False, None, True],
        "day": [dt.date(1, 1, 1), dt.date(9999, 12, 31), None, dt.date(2024, 2, 29)],
        "moment": pa.array(
            [moment("2024-01-01T12:34:56.123456"), None, moment("1700-01-01"), moment("2261-12-31")], pa.timestamp("us")
        ),
    }
)
"""Every column type, with nulls and values at the edges of what both sides can say."""

KEYS = {
    "text key": pa.array(["a/b", "é=% ", "", "a/b"]),
    "number key": pa.array([1, -(2**63), 2**63 - 1, 1], pa.int64()),
    "float key": pa.array([1.5, 1e300, float("-inf"), 1.5]),
    "day key": pa.array([dt.date(2024, 1, 1), dt.date(1700, 1, 1), dt.date(2200, 1, 1), dt.date(2024, 1, 1)]),
    "moment key": pa.array(
        [moment("2024-01-01"), moment("2024-01-01T12:34:56.000001"), moment("1700-01-01"), moment("2024-01-01")],
        pa.timestamp("us"),
    ),
}
"""A partition column of every type that may be one, for `ROWS`."""


def with_keys(*names: str) -> pa.Table:
    rows = ROWS
    for name in names:
        rows = rows.append_column(name, KEYS[name])
    return rows


def comparable(rows: pa.Table) -> pa.Table:
    """Rows in our types, NaN as null."""
    rows = rows.cast(pa.schema([pa.field(field.name, normal_type(field.type)) for field in rows.schema]))
    for number, field in enumerate(rows.schema):
        if pa.types.is_floating(field.type):
            cells = rows.column(number)
            rows = rows.set_column(number, field, pc.if_else(pc.is_nan(cells), pa.scalar(None, field.type), cells))
    return rows


def same_rows(left: pa.Table, right: pa.Table) -> bool:
    left, right = comparable(left), comparable(right)
    types = [{field.name: field.type for field in rows.schema} for rows in (left, right)]
    return types[0] == types[1] and bag(left) == bag(right)


def tables(*, keys: int) -> st.SearchStrategy[pa.Table]:
    """Tables of the seven types within what pandas can hold."""
    return typed_tables.tables(keys=keys, max_rows=8).map(_within_pandas)


def _within_pandas(rows: pa.Table) -> pa.Table:
    for number, field in enumerate(rows.schema):
        cells = rows.column(number)
        if pa.types.is_timestamp(field.type) or pa.types.is_date(field.type):
            cells = _clamped(cells, field.type)
        elif pa.types.is_integer(field.type) and cells.null_count:
            cells = pa.chunked_array(
                [[None if cell is None else cell % 2**53 for cell in cells.to_pylist()]], field.type
            )
        rows = rows.set_column(number, field.name, cells)
    return rows


def _clamped(cells: pa.ChunkedArray, data_type: pa.DataType) -> pa.ChunkedArray:
    first, last = (pa.scalar(moment(text), pa.timestamp("us")).cast(data_type) for text in ("1678-01-01", "2261-01-01"))
    return pc.if_else(pc.less(cells, first), first, pc.if_else(pc.greater(cells, last), last, cells))
