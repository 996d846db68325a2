"""Tables of ours become Workbench tables; what these cannot hold is refused, or changed with a message."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings

from component.errors import UserError
from component.tables.types import Column, TableSchema, TypeName, column_of_arrow
from component.workbench.conversion.from_tablemill import from_tablemill
from component.workbench.files.arrow_file import read_arrow_file
from component.workbench.files.arrow_writing import write_arrow_file
from component.workbench.rules.limits import UNLIMITED, TableSizes
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.columns import ColumnKind, number_column, text_column
from component.workbench.tables.date_unit import DateUnit
from component.workbench.tables.table import NO_TABLE
from tests.strategies.typed_tables import tables
from tests.strategies.workbench_tables import same_tables

EARLIEST = dt.datetime.fromisoformat("1677-09-21T00:12:43.145225")
LATEST = dt.datetime.fromisoformat("2262-04-11T23:47:16.854775")


def schema_of(rows):
    return TableSchema(tuple(column_of_arrow(field.name, field.type) for field in rows.schema))


def turn(values, column=None, reading=ReadingMode.LENIENT):
    column = column or column_of_arrow("A", values.type)
    return from_tablemill(TableSchema((column,)), pa.table([values], names=["A"]), reading)


def oracle(value, data_type):
    """What becomes of one value in a lenient reading."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dt.datetime):
        return value if EARLIEST <= value <= LATEST else None
    return float(value) if isinstance(value, Decimal) and data_type == pa.float64() else value


@given(tables(least=0))
def test_every_value_is_kept_or_said_to_be_changed(rows):
    turned = from_tablemill(schema_of(rows), rows, ReadingMode.LENIENT, UNLIMITED)
    for name in rows.column_names:
        data_type = turned.table.rows.schema.field(name).type
        expected = [oracle(value, data_type) for value in rows.column(name).to_pylist()]
        found = turned.table.rows.column(name)
        found = found.cast(pa.timestamp("us")) if pa.types.is_timestamp(data_type) else found
        assert found.to_pylist() == expected
        lost = any(
            one is None and two is not None for one, two in zip(expected, rows.column(name).to_pylist(), strict=True)
        )
        said = [message for message in turned.messages if message.arguments["column"] == name]
        assert lost <= bool([message for message in said if message.id == "tablemill.nulled_values"])


@given(tables(least=0))
def test_what_strict_reading_lets_through_is_what_lenient_reading_gives_without_loss(rows):
    lenient = from_tablemill(schema_of(rows), rows, ReadingMode.LENIENT, UNLIMITED)
    if all(message.id == "tablemill.changed_type" for message in lenient.messages):
        assert same_tables(from_tablemill(schema_of(rows), rows, ReadingMode.STRICT, UNLIMITED).table, lenient.table)
    else:
        with pytest.raises(UserError) as raised:
            from_tablemill(schema_of(rows), rows, ReadingMode.STRICT, UNLIMITED)
        assert raised.value.code == "workbench.loss"


@settings(max_examples=40)  # each is forced to disk
@given(rows=tables(least=0))
def test_what_comes_out_can_be_written_as_an_arrow_file(tmp_path_factory, rows):
    table = from_tablemill(schema_of(rows), rows, ReadingMode.LENIENT).table
    path = tmp_path_factory.mktemp("a") / "X.arrow"
    write_arrow_file(path, table)
    assert same_tables(read_arrow_file(path).table, table)


@pytest.mark.parametrize(
    ("values", "data_type"),
    [
        (pa.array([Decimal("1.00"), None], pa.decimal128(5, 2)), pa.int64()),
        (pa.array([Decimal(2**63)], pa.decimal128(20, 0)), pa.uint64()),
        (pa.array([Decimal("12.34")], pa.decimal128(12, 2)), pa.float64()),
    ],
)
def test_a_numeric_becomes_the_first_number_that_holds_it(values, data_type):
    turned = turn(values, reading=ReadingMode.STRICT)
    assert turned.table.rows.schema.field("A").type == data_type
    assert [message.id for message in turned.messages] == ["tablemill.changed_type"]


def test_digits_beyond_a_float_are_refused_or_rounded():
    values = pa.array([Decimal("0.12345678901234567890")], pa.decimal128(38, 20))
    with pytest.raises(UserError) as raised:
        turn(values, reading=ReadingMode.STRICT)
    assert raised.value.code == "workbench.loss"
    turned = turn(values)
    assert turned.table.rows.column("A").to_pylist() == [0.12345678901234568]
    assert [message.id for message in turned.messages] == ["tablemill.rounded_values", "tablemill.changed_type"]


def test_a_unit_that_does_not_fit_any_more_is_refused_or_becomes_day():
    column = Column("A", TypeName.DATE, attributes=(("workbench.unit", "month"),))
    values = pa.array([dt.date(2020, 1, 2)])
    with pytest.raises(UserError) as raised:
        turn(values, column, ReadingMode.STRICT)
    assert raised.value.code == "workbench.loss"
    turned = turn(values, column)
    assert turned.table.columns[0].unit is DateUnit.DAY
    assert [message.id for message in turned.messages] == ["tablemill.changed_unit"]


@pytest.mark.parametrize(
    ("storage", "number", "data_type"), [("int8", 1000, "int64"), ("int8", 1, "int8"), ("x", 1, "int64")]
)
def test_a_width_holds_as_long_as_the_numbers_fit(storage, number, data_type):
    column = Column("A", TypeName.INTEGER, attributes=(("workbench.storage", storage),))
    assert str(turn(pa.array([number]), column).table.rows.schema.field("A").type) == data_type


def test_a_format_that_is_none_is_not_taken_over():
    column = Column("A", TypeName.INTEGER, attributes=(("workbench.format", "%d"),))
    assert turn(pa.array([1]), column).table.columns == (number_column("A"),)


def test_an_instant_is_a_timestamp():
    column = Column("A", TypeName.TIMESTAMP, attributes=(("logical", "timestamptz"),))
    assert turn(pa.array([EARLIEST]), column).table.columns[0].kind is ColumnKind.TIMESTAMP


def test_names_and_sizes_are_brought_within_the_limits_or_refused():
    rows = pa.table({"a\n": ["abc"], "a": ["b"]})
    limits = TableSizes(rows=1, columns=2, cell_bytes=2, name_bytes=12)
    with pytest.raises(UserError):
        from_tablemill(schema_of(rows), rows, ReadingMode.STRICT, limits)
    turned = from_tablemill(schema_of(rows), rows, ReadingMode.LENIENT, limits)
    assert turned.table.columns == (text_column("a"), text_column("a 2"))
    assert turned.table.rows.to_pylist() == [{"a": "ab", "a 2": "b"}]
    assert len(turned.messages) == 3


def test_no_columns_are_no_table():
    assert from_tablemill(TableSchema(()), pa.table({}), ReadingMode.STRICT).table == NO_TABLE
