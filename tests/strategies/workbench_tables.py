"""Workbench tables of all types, widths, formats and units, nulls and the edges of each type included."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from component.workbench.tables.columns import ColumnKind, WorkbenchColumn, date_column, default_column, number_column
from component.workbench.tables.date_unit import DateUnit
from component.workbench.tables.table import NO_TABLE, WorkbenchTable
from tests.strategies.typed_tables import NAMES, texts

FORMATS = ("{:,}", "{}", "{:d}", "${:,.2f}", "€{:,.2f}", "{:.1%}", "{:,d} cows", "{:x}", "{:+,}", "{:>10}", "{:e}")
INTEGERS = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())
FLOATS = (pa.float16(), pa.float32(), pa.float64())
INDICES = (pa.int8(), pa.int16(), pa.int32())


def integers(data_type):
    bits = data_type.bit_width
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if str(data_type)[0] == "i" else (0, 2**bits - 1)
    return st.one_of(st.integers(least, most), st.sampled_from([least, most, 0, 1]))


def floats(data_type):
    numbers = st.floats(allow_nan=False, allow_infinity=False, width=data_type.bit_width)
    return st.one_of(numbers, st.sampled_from([0.0, -0.0, 1.0, 1.5])).map(
        lambda one: np.float16(one) if data_type == pa.float16() else one
    )


def first_day(date, unit):
    """The first day of the unit that a date lies in, found the slow way."""
    while unit is DateUnit.WEEK and date.weekday():
        date -= dt.timedelta(days=1)
    months = {DateUnit.MONTH: date.month, DateUnit.QUARTER: (date.month - 1) // 3 * 3 + 1, DateUnit.YEAR: 1}
    return date.replace(month=months[unit], day=1) if unit in months else date


def dates(unit):
    edges = st.sampled_from([dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(1970, 1, 1), dt.date(2024, 2, 29)])
    return st.one_of(st.dates(), edges).map(lambda date: first_day(date, unit))


moments = st.one_of(
    st.integers(-(2**63) + 1, 2**63 - 1), st.sampled_from([0, 1, -1, 10**9, -(2**63) + 1, 2**63 - 1, 86_400 * 10**9])
)
whole_microseconds = st.integers(-(2**63) // 1000 + 1, (2**63 - 1) // 1000).map(lambda count: count * 1000)


@st.composite
def cells(draw, one, rows, *, nulls=True):
    few = draw(st.lists(one, min_size=1, max_size=4))
    return draw(st.lists(st.sampled_from([None, *few] if nulls else few), min_size=rows, max_size=rows))


@st.composite
def columns(draw, name, rows, *, era_2019=False, nulls=True, exact_moments=False):
    """A column and its values."""
    kind = draw(st.sampled_from([kind for kind in ColumnKind if kind is not ColumnKind.DATE or not era_2019]))
    if kind is ColumnKind.TEXT:
        values = pa.array(draw(cells(texts, rows, nulls=nulls)), pa.string())
        index = draw(st.sampled_from([None, *INDICES]))
        return default_column(name, kind), values if index is None else coded(values, index)
    if kind is ColumnKind.TIMESTAMP:
        counts = draw(cells(whole_microseconds if exact_moments else moments, rows, nulls=nulls))
        return default_column(name, kind), pa.array(counts, pa.int64()).cast(pa.timestamp("ns"))
    if kind is ColumnKind.DATE:
        unit = draw(st.sampled_from(DateUnit))
        return date_column(name, unit), pa.array(draw(cells(dates(unit), rows, nulls=nulls)), pa.date32())
    data_type = draw(st.sampled_from([*INTEGERS, *FLOATS]))
    one = floats(data_type) if data_type in FLOATS else integers(data_type)
    column = number_column(name, draw(st.sampled_from(FORMATS)))
    return column, pa.array(draw(cells(one, rows, nulls=nulls)), data_type)


def coded(values, index):
    found = values.dictionary_encode()
    return pa.DictionaryArray.from_arrays(found.indices.cast(index), found.dictionary)


@st.composite
def workbench_tables(draw, *, era_2019=False, nulls=True, exact_moments=False):
    """A table of none to four columns."""
    names = draw(st.permutations(NAMES))[: draw(st.integers(0, 4))]
    rows = draw(st.integers(0, 8))
    found = [draw(columns(name, rows, era_2019=era_2019, nulls=nulls, exact_moments=exact_moments)) for name in names]
    return table_of(*found)


def table_of(*found: tuple[WorkbenchColumn, pa.Array]) -> WorkbenchTable:
    """A table of columns and their values."""
    if not found:
        return NO_TABLE
    names = [column.name for column, _ in found]
    return WorkbenchTable(tuple(column for column, _ in found), pa.table([one for _, one in found], names=names))


def plain(table: WorkbenchTable) -> WorkbenchTable:
    """The table with dictionaries as plain text: which of the two a column has is no part of its meaning."""
    rows = table.rows
    for number, field in enumerate(rows.schema):
        if pa.types.is_dictionary(field.type):
            rows = rows.set_column(number, field.name, rows.column(number).cast(pa.string()))
    return replace(table, rows=rows.combine_chunks())


def same_tables(one: WorkbenchTable, other: WorkbenchTable) -> bool:
    """Whether two tables have the same columns, types and values."""
    first, second = plain(one), plain(other)
    return first.columns == second.columns and first.rows.equals(second.rows)
