"""Columns and their JSON form, in both eras."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from component.errors import UserError
from component.workbench.tables.columns import (
    ColumnKind,
    Era,
    WorkbenchColumn,
    column_document,
    column_of_document,
    date_column,
    number_column,
    text_column,
    timestamp_column,
)
from component.workbench.tables.date_unit import DateUnit
from tests.strategies.workbench_tables import workbench_tables


@pytest.mark.parametrize(
    ("column", "document"),
    [
        (text_column("A"), {"name": "A", "type": "text"}),
        (number_column("A", "{:.1%}"), {"name": "A", "type": "number", "format": "{:.1%}"}),
        (date_column("A", DateUnit.WEEK), {"name": "A", "type": "date", "unit": "week"}),
        (timestamp_column("A"), {"name": "A", "type": "timestamp"}),
    ],
)
def test_a_column_has_the_form_that_workbench_gives_it(column, document):
    assert column_document(column) == document
    assert column_of_document(document) == column


def test_a_timestamp_was_a_datetime_in_2019():
    assert column_document(timestamp_column("A"), Era.E2019) == {"name": "A", "type": "datetime"}
    assert column_of_document({"name": "A", "type": "datetime"}) == timestamp_column("A")


def test_there_were_no_dates_in_2019():
    with pytest.raises(UserError, match="WrongColumnType"):
        column_document(date_column("A"), Era.E2019)


def test_a_number_without_format_has_the_default():
    assert column_of_document({"name": "A", "type": "number"}) == number_column("A", "{:,}")


@given(workbench_tables())
def test_columns_come_back_from_json(table):
    for column in table.columns:
        assert column_of_document(json.loads(json.dumps(column_document(column)))) == column


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {"name": "A"},
        {"type": "text"},
        {"name": "A", "type": "boolean"},
        {"name": "A", "type": "text", "format": "{}"},
        {"name": "A", "type": "number", "unit": "day"},
        {"name": "A", "type": "date"},
        {"name": 1, "type": "text"},
        {"name": "A", "type": "text", "extra": "x"},
    ],
)
def test_any_other_form_is_refused(document):
    with pytest.raises(UserError) as raised:
        column_of_document(document)
    assert raised.value.code == "workbench.metadata"


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        ({"name": "A", "type": "number", "format": "%d"}, "InvalidNumberFormat"),
        ({"name": "A", "type": "date", "unit": "decade"}, "InvalidDateUnit"),
    ],
)
def test_a_format_or_unit_that_is_none_is_refused(document, rule):
    with pytest.raises(UserError, match=rule) as raised:
        column_of_document(document)
    assert raised.value.code == "workbench.invalid"


@pytest.mark.parametrize(
    ("kind", "number_format", "unit"),
    [
        (ColumnKind.TEXT, "{}", None),
        (ColumnKind.NUMBER, None, None),
        (ColumnKind.DATE, None, None),
        (ColumnKind.TIMESTAMP, None, "day"),
    ],
)
def test_a_column_has_a_format_or_unit_exactly_where_its_type_has_one(kind, number_format, unit):
    with pytest.raises(UserError, match="Invalid"):
        WorkbenchColumn("A", kind, number_format, None if unit is None else DateUnit(unit))
