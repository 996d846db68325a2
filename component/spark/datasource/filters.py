"""Spark's filters as predicates of ours: those that mean exactly the same are taken, Spark keeps the others.

Both leave out rows for which a filter is null. They differ in NaN: to Spark it equals itself and is larger than any
other number, to a predicate it is neither. So on floats `==` and `in` are taken for other values than NaN only, and a
lower bound only beside something that leaves NaN out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringStartsWith,
)

from component.dataset.files.predicates import OF_NULLS, bind_predicates
from component.errors import UserError

RawCondition = list[Any]
"""`[column, operator, value]`, as `bind_predicates` takes it."""

_COMPARE: Final[dict[type[Filter], str]] = {
    EqualTo: "==",
    LessThan: "<",
    LessThanOrEqual: "<=",
    GreaterThan: ">",
    GreaterThanOrEqual: ">=",
}
_LOWER: Final = (">", ">=")
_WITHOUT_NAN: Final = ("==", "in", "<", "<=")
_WILDCARDS: Final = "%_"
_SURROGATES: Final = (0xD800, 0xE000)
_LAST: Final = 0x10FFFF


@dataclass(frozen=True, slots=True)
class Taken:
    """Conditions that must all hold of a row, and the filters that Spark still has to ask."""

    conditions: tuple[RawCondition, ...]
    left: tuple[Filter, ...]


def take_filters(filters: Iterable[Filter], schema: pa.Schema) -> Taken:
    """Take the filters, which must all hold, that predicates on the schema can express exactly."""
    found = [(each, _conditions(each, schema)) for each in filters]
    finite = {condition[0] for _, conditions in found for condition in conditions if condition[1] in _WITHOUT_NAN}
    taken: list[RawCondition] = []
    left: list[Filter] = []
    for each, conditions in found:
        if conditions and all(_is_exact(condition, schema, finite) for condition in conditions):
            taken.extend(conditions)
        else:
            left.append(each)
    return Taken(tuple(taken), tuple(left))


def _is_exact(condition: RawCondition, schema: pa.Schema, finite: set[str]) -> bool:
    column, operator, _ = condition
    is_float = pa.types.is_floating(schema.field(column).type)
    return not is_float or operator not in _LOWER or column in finite


def _conditions(each: Filter, schema: pa.Schema) -> list[RawCondition]:
    """Return the conditions that together mean a filter; none when Spark must ask it."""
    raw = _negated(each.child) if isinstance(each, Not) else _plain(each)
    conditions = []
    for column, operator, value in raw:
        if column not in schema.names:
            return []
        data_type = schema.field(column).type
        if operator in OF_NULLS:
            conditions.append([column, operator, None])
            continue
        if pa.types.is_null(data_type) or _holds_nan(value):
            return []
        condition = [column, operator, _as_type(value, data_type)]
        try:
            bind_predicates([[condition]], schema)
        except UserError:
            return []
        conditions.append(condition)
    return conditions


def _plain(each: Filter) -> list[RawCondition]:
    column = _column(each)
    if isinstance(each, IsNull | IsNotNull):
        return [[column, "is null" if isinstance(each, IsNull) else "is not null", None]]
    if isinstance(each, EqualNullSafe):
        return [[column, "is null", None]] if each.value is None else [[column, "==", each.value]]
    if isinstance(each, In):
        values = [value for value in each.value if value is not None]
        return [[column, "in", values]] if values else []
    if isinstance(each, StringStartsWith):
        return _begins(column, each.value)
    operator = _COMPARE.get(type(each))
    value = getattr(each, "value", None)
    return [] if operator is None or value is None else [[column, operator, value]]


def _negated(child: Filter) -> list[RawCondition]:
    """Return what means that a filter is false; where it is null, its negation is null too."""
    column = _column(child)
    if isinstance(child, EqualTo) and child.value is not None:
        return [[column, "!=", child.value]]
    if isinstance(child, EqualNullSafe) and child.value is None:
        return [[column, "is not null", None]]
    if isinstance(child, In) and None not in child.value:
        return [[column, "not in", list(child.value)]]
    return []


def _column(each: Filter) -> str | None:
    """Return the name of the column; None for a field within one."""
    path: Sequence[str] = getattr(each, "attribute", ())
    return path[0] if len(path) == 1 else None


def _begins(column: str | None, prefix: str) -> list[RawCondition]:
    """Return what finds texts by their beginning: `like`, or a range where the beginning holds its wildcards."""
    if not any(wildcard in prefix for wildcard in _WILDCARDS):
        return [[column, "like", f"{prefix}%"]]
    end = _after(prefix)
    return [[column, ">=", prefix], *([[column, "<", end]] if end else [])]


def _after(prefix: str) -> str:
    """Return the smallest text above all that begin so; empty when there is none."""
    kept = prefix.rstrip(chr(_LAST))
    if not kept:
        return ""
    following = ord(kept[-1]) + 1
    return kept[:-1] + chr(_SURROGATES[1] if following == _SURROGATES[0] else following)


def _as_type(value: Any, data_type: pa.DataType) -> Any:
    """Return whole decimals as the unsigned numbers that Spark holds as decimals."""
    if isinstance(value, list):
        return [_as_type(each, data_type) for each in value]
    if pa.types.is_uint64(data_type) and isinstance(value, Decimal) and value == value.to_integral_value():
        return int(value)
    return value


def _holds_nan(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return any(isinstance(each, float) and each != each for each in values)  # noqa: PLR0124 - NaN is what differs
