"""Typed columns to the plain text of cells, before anything is quoted or escaped.

Whole numbers and decimals plain, floats as Python's `repr` (NaN is `nan`), booleans `True` and `False`, dates and times
by the hints' formats; nulls stay null.
"""

from __future__ import annotations

from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component.formats.delimited.cells import format_of, kind_of
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.temporal import format_or_lost
from component.formats.delimited.time_tokens import TemporalKind
from component.tables.numeric import decimal_texts
from component.tables.types import Column

_PLAIN_FLOATS: Final = (1e-4, 1e10)
"""Between these, Arrow and Python agree on where an exponent is written."""


def kind_of_values(values: Any, column: Column) -> TemporalKind | None:
    """Return what kind of date or time values are, by their own type where it says more than the column."""
    if pa.types.is_time(values.type):
        return TemporalKind.TIME
    if pa.types.is_timestamp(values.type) and values.type.tz is not None:
        return TemporalKind.DATETIMETZ
    return kind_of(column)


def cell_texts(values: Any, column: Column, dialect: DelimitedDialect) -> tuple[pa.Array, int | None]:
    """Return the text of each cell, and the position of the first date or time that its format cannot carry."""
    kind = kind_of_values(values, column)
    if kind is not None:
        return format_or_lost(values, format_of(kind, dialect), kind)
    return _plain_texts(values), None


def _plain_texts(values: Any) -> pa.Array:
    if pa.types.is_boolean(values.type):
        return pc.if_else(values, "True", "False")
    if pa.types.is_decimal(values.type):
        return decimal_texts(values)
    if pa.types.is_floating(values.type):
        return float_texts(values)
    return values if pa.types.is_string(values.type) else values.cast(pa.string())


def float_texts(values: Any) -> pa.Array:
    """Return floats as Python's `repr` writes them: the shortest text that reads back the same."""
    values = values.cast(pa.float64())
    texts = values.cast(pa.string())
    size = pc.abs(values)
    small, large = _PLAIN_FLOATS
    plain = pc.or_(pc.equal(values, 0.0), pc.and_(pc.greater_equal(size, small), pc.less(size, large)))
    whole = pc.and_(plain, pc.invert(pc.match_substring(texts, ".")))
    if pc.any(whole).as_py():
        texts = pc.if_else(whole, pc.binary_join_element_wise(texts, "0", "."), texts)
    other = pc.and_(pc.invert(plain), values.is_valid())
    return _replaced(texts, other, [repr(value) for value in values.filter(other).to_pylist()])


def _replaced(texts: pa.Array, mask: pa.Array, others: list[str]) -> pa.Array:
    return pc.replace_with_mask(texts, pc.fill_null(mask, False), pa.array(others, pa.string())) if others else texts
