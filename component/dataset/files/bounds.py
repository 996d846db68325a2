"""What the statistics of a row group say of one column, and which conditions that rules out (reference kartothek C.6).

Statistics bound the values; they need not be among them, since writers cut long texts. They say nothing of nulls beyond
their number, and nothing of NaN, which writers leave out. Where they are missing or unclear nothing is ruled out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from component.dataset.files.comparable import comparable, compares, family, from_statistics
from component.dataset.files.predicates import Condition


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of one column in some rows: the number of nulls, and values that none is below or above; None: not known."""

    rows: int
    nulls: int | None
    low: Any
    high: Any

    @property
    def all_null(self) -> bool:
        """Whether it is known that there is no value."""
        return self.nulls == self.rows


UNKNOWN: Final = Bounds(-1, None, None, None)
Check = Callable[[Bounds], bool]
"""Says whether a condition may be true of a row within bounds."""


def bounds_of(chunk: Any, rows: int, stored: pa.DataType, asked: pa.DataType) -> Bounds:
    """Return the bounds of a column chunk (pyarrow's ColumnChunkMetaData, not nested) for questions of a type."""
    if pa.types.is_null(stored):
        return Bounds(rows, rows, None, None)
    is_ordered = compares(stored, asked) and chunk.physical_type != "INT96"
    statistics = chunk.statistics if is_ordered else None
    if statistics is None:
        return UNKNOWN
    nulls = statistics.null_count if statistics.has_null_count else None
    if not statistics.has_min_max:
        return Bounds(rows, nulls, None, None)
    low = from_statistics(statistics.min_raw, stored, up=False)
    high = from_statistics(statistics.max_raw, stored, up=True)
    if low is None or high is None or low > high:
        return Bounds(rows, nulls, None, None)
    return Bounds(rows, nulls, low, high)


def check_of(condition: Condition) -> Check:
    """Return how to tell whether a condition may be true of a row; what it compares with is made ready once."""
    if condition.operator == "is null":
        return lambda bounds: bounds.nulls != 0
    if condition.operator == "is not null":
        return lambda bounds: not bounds.all_null
    if pa.types.is_null(condition.value.type):
        return lambda _: False
    if family(condition.value.type) is None:
        return lambda bounds: not bounds.all_null
    within = _within(condition)
    return lambda bounds: not bounds.all_null and (bounds.low is None or within(bounds))


def _within(condition: Condition) -> Check:
    operator, is_float = condition.operator, family(condition.value.type) == "float"
    if operator in {"in", "not in"}:
        values = sorted(comparable(value) for value in condition.value)
        return _among(values) if operator == "in" else _beside(values, is_float=is_float)
    value = comparable(condition.value)
    if operator == "like":
        return lambda bounds: bounds.high >= value and bounds.low[: len(value)] <= value
    if operator == "!=":
        return _beside([value], is_float=is_float)
    return _COMPARE[operator](value)


_COMPARE: Final[dict[str, Callable[[Any], Check]]] = {
    "==": lambda value: lambda bounds: bounds.low <= value <= bounds.high,
    "<": lambda value: lambda bounds: bounds.low < value,
    "<=": lambda value: lambda bounds: bounds.low <= value,
    ">": lambda value: lambda bounds: bounds.high > value,
    ">=": lambda value: lambda bounds: bounds.high >= value,
}


def _among(values: list[Any]) -> Check:
    """One of sorted values may be there: the least that is not below the low bound is not above the high one."""

    def holds(bounds: Bounds) -> bool:
        place = bisect_left(values, bounds.low)
        return place < len(values) and bool(values[place] <= bounds.high)

    return holds


def _beside(values: list[Any], *, is_float: bool) -> Check:
    """Another value may be there, unless all are one and the same, and no null or NaN is left to doubt."""
    return lambda bounds: bool(is_float or bounds.nulls != 0 or bounds.low != bounds.high or bounds.low not in values)
