"""Filters as Spark hands them to a data source, and what they mean in SQL."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st
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
    StringContains,
    StringEndsWith,
    StringStartsWith,
)

from tests.strategies.typed_tables import values

COMPARISONS = (EqualTo, LessThan, LessThanOrEqual, GreaterThan, GreaterThanOrEqual)
TEXTS = (StringStartsWith, StringEndsWith, StringContains)


@st.composite
def filters(draw: st.DrawFn, rows: pa.Table) -> list[Filter]:
    """Some filters, as Spark has them after its own simplifications and before; values of the rows and others."""
    return draw(st.lists(st.sampled_from(rows.column_names).flatmap(lambda name: one_filter(rows, name)), max_size=4))


@st.composite
def one_filter(draw: st.DrawFn, rows: pa.Table, column: str) -> Filter:
    data_type = rows.schema.field(column).type
    there = [value for value in rows[column].to_pylist() if value is not None]
    value = st.one_of(values(data_type), st.sampled_from(there)) if there else values(data_type)
    path = (column,)
    kinds: list[st.SearchStrategy[Filter]] = [
        *(st.builds(kind, st.just(path), value) for kind in COMPARISONS),
        st.builds(EqualNullSafe, st.just(path), st.none() | value),
        st.builds(In, st.just(path), st.lists(st.none() | value, min_size=1, max_size=4)),
        st.sampled_from([IsNull(path), IsNotNull(path)]),
    ]
    if pa.types.is_string(data_type):
        beginnings = value.flatmap(lambda text: st.integers(0, len(text)).map(lambda end: text[:end]))
        kinds.append(st.builds(draw(st.sampled_from(TEXTS)), st.just(path), st.one_of(beginnings, value)))
    found = draw(st.one_of(kinds))
    return Not(found) if draw(st.integers(0, 2)) == 2 else found


def kept(rows: Sequence[dict[str, Any]], asked: Sequence[Filter]) -> list[dict[str, Any]]:
    """The rows for which all filters are true."""
    return [row for row in rows if all(meaning(each, row) is True for each in asked)]


def meaning(each: Filter, row: dict[str, Any]) -> bool | None:
    """True, False or unknown, by the rules of Spark SQL."""
    if isinstance(each, Not):
        inner = meaning(each.child, row)
        return None if inner is None else not inner
    cell = row[each.attribute[0]]
    if isinstance(each, IsNull | IsNotNull):
        return (cell is None) == isinstance(each, IsNull)
    if isinstance(each, EqualNullSafe):
        return cell is each.value if cell is None or each.value is None else _order(cell, each.value) == 0
    if isinstance(each, In):
        return _is_in(cell, each.value)
    return None if cell is None else _compare(each, cell)


def _is_in(cell: Any, found: Sequence[Any]) -> bool | None:
    if cell is None:
        return None
    if any(value is not None and _order(cell, value) == 0 for value in found):
        return True
    return None if None in found else False


def _compare(each: Filter, cell: Any) -> bool:
    if isinstance(each, StringStartsWith):
        return cell.startswith(each.value)
    if isinstance(each, StringEndsWith):
        return cell.endswith(each.value)
    if isinstance(each, StringContains):
        return each.value in cell
    order = _order(cell, each.value)
    return {
        EqualTo: order == 0,
        LessThan: order < 0,
        LessThanOrEqual: order <= 0,
        GreaterThan: order > 0,
        GreaterThanOrEqual: order >= 0,
    }[type(each)]


def _order(left: Any, right: Any) -> int:
    """NaN equals itself and is larger than any other number."""
    if isinstance(left, float) and (math.isnan(left) or math.isnan(right)):
        return math.isnan(left) - math.isnan(right)
    return (left > right) - (left < right)
