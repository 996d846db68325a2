"""Workbench tables become tables of ours, and come back the same."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given

from component.errors import UserError
from component.tables.types import Column, TypeName
from component.workbench.conversion.from_tablemill import from_tablemill
from component.workbench.conversion.to_tablemill import tablemill_column, to_tablemill
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.columns import date_column, number_column, text_column, timestamp_column
from component.workbench.tables.date_unit import DateUnit
from tests.strategies.workbench_tables import moments, same_tables, table_of, workbench_tables


@given(workbench_tables(exact_moments=True))
def test_a_table_comes_back_with_its_formats_units_and_widths(table):
    ours = to_tablemill(table, ReadingMode.STRICT)
    assert ours.messages == ()
    assert ours.rows.schema == ours.schema.arrow
    back = from_tablemill(ours.schema, ours.rows, ReadingMode.STRICT)
    assert same_tables(back.table, table)
    assert back.messages == ()


@pytest.mark.parametrize(
    ("column", "data_type", "expected"),
    [
        (text_column("A"), pa.string(), Column("A")),
        (text_column("A"), pa.dictionary(pa.int8(), pa.string()), Column("A")),
        (number_column("A"), pa.int64(), Column("A", TypeName.INTEGER, attributes=(("workbench.format", "{:,}"),))),
        (
            number_column("A", "{:d}"),
            pa.int8(),
            Column("A", TypeName.INTEGER, attributes=(("workbench.format", "{:d}"), ("workbench.storage", "int8"))),
        ),
        (
            number_column("A"),
            pa.uint64(),
            Column(
                "A",
                TypeName.NUMERIC,
                "20,0",
                attributes=(("workbench.format", "{:,}"), ("workbench.storage", "uint64")),
            ),
        ),
        (number_column("A"), pa.float64(), Column("A", TypeName.FLOAT, attributes=(("workbench.format", "{:,}"),))),
        (
            date_column("A", DateUnit.WEEK),
            pa.date32(),
            Column("A", TypeName.DATE, attributes=(("workbench.unit", "week"),)),
        ),
        (timestamp_column("A"), pa.timestamp("ns"), Column("A", TypeName.TIMESTAMP)),
    ],
)
def test_a_column_keeps_what_our_types_do_not_say_in_attributes(column, data_type, expected):
    assert tablemill_column(column, data_type) == expected


@given(moments)
def test_nanoseconds_are_refused_or_cut_to_the_microsecond_before(nanoseconds):
    table = table_of((timestamp_column("A"), pa.array([nanoseconds, None], pa.timestamp("ns"))))
    lenient = to_tablemill(table, ReadingMode.LENIENT)
    assert lenient.rows.column("A").cast(pa.int64()).to_pylist() == [nanoseconds // 1000, None]
    assert [message.id for message in lenient.messages] == ["tablemill.rounded_values"] * (nanoseconds % 1000 > 0)
    if nanoseconds % 1000:
        with pytest.raises(UserError) as raised:
            to_tablemill(table, ReadingMode.STRICT)
        assert raised.value.code == "workbench.loss"
    else:
        assert to_tablemill(table, ReadingMode.STRICT) == lenient
