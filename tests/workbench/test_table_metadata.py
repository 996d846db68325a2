"""Metadata of tables: its JSON form, and the agreement with the table, made total."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given

from component.errors import UserError
from component.workbench.files.table_metadata import (
    TableMetadata,
    metadata_of,
    metadata_of_text,
    metadata_text,
    require_agreement,
)
from component.workbench.tables.columns import Era, date_column, number_column, text_column, timestamp_column
from component.workbench.tables.date_unit import DateUnit
from tests.strategies.workbench_tables import workbench_tables

COLUMNS = (text_column("A"), number_column("B"), date_column("C"), timestamp_column("D"))
SCHEMA = pa.schema({"A": pa.string(), "B": pa.int8(), "C": pa.date32(), "D": pa.timestamp("ns")})
METADATA = TableMetadata(2, COLUMNS)


def test_metadata_has_exactly_two_keys():
    document = json.loads(metadata_text(TableMetadata(2, (text_column("ä"),))))
    assert document == {"n_rows": 2, "columns": [{"name": "ä", "type": "text"}]}


@given(workbench_tables(era_2019=True))
def test_metadata_comes_back_in_both_eras(table):
    metadata = metadata_of(table)
    for era in Era:
        assert metadata_of_text(metadata_text(metadata, era).encode()) == metadata


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b'{"n_rows":1}',
        b'{"n_rows":1,"columns":[],"more":1}',
        b'{"n_rows":-1,"columns":[]}',
        b'{"n_rows":true,"columns":[]}',
        b'{"n_rows":1.5,"columns":[]}',
        b'{"n_rows":1,"columns":{}}',
        b'{"n_rows":1,"columns":["A"]}',
        b"[" * 100_000,
    ],
)
def test_metadata_of_another_form_is_refused(content):
    with pytest.raises(UserError) as raised:
        metadata_of_text(content)
    assert raised.value.code == "workbench.metadata"


@given(workbench_tables())
def test_a_table_agrees_with_its_own_metadata(table):
    require_agreement(metadata_of(table), table.rows.schema, table.rows.num_rows, table.columns)


@pytest.mark.parametrize(
    ("metadata", "schema", "n_rows", "rule"),
    [
        (METADATA, SCHEMA, 3, "WrongRowCount"),
        (METADATA, SCHEMA.remove(3), 2, "WrongColumnCount"),
        (METADATA, SCHEMA.append(pa.field("E", pa.string())), 2, "WrongColumnCount"),
        (METADATA, pa.schema([]), 2, "WrongColumnCount"),
        (TableMetadata(2, ()), SCHEMA, 2, "TableShouldBeNone"),
        (TableMetadata(2, ()), pa.schema([]), 0, "WrongRowCount"),
        (METADATA, SCHEMA.set(0, pa.field("a", pa.string())), 2, "WrongColumnName"),
        (METADATA, SCHEMA.set(0, pa.field("A", pa.int8())), 2, "WrongColumnType"),
        (METADATA, SCHEMA.set(0, pa.field("A", pa.dictionary(pa.int8(), pa.int8()))), 2, "WrongColumnType"),
        (METADATA, SCHEMA.set(1, pa.field("B", pa.bool_())), 2, "WrongColumnType"),
        (METADATA, SCHEMA.set(2, pa.field("C", pa.date64())), 2, "WrongColumnType"),
    ],
)
def test_a_difference_is_refused_by_its_rule(metadata, schema, n_rows, rule):
    with pytest.raises(UserError, match=rule) as raised:
        require_agreement(metadata, schema, n_rows)
    assert raised.value.code == "workbench.invalid"


@pytest.mark.parametrize(
    ("position", "said", "rule"),
    [
        (1, number_column("B", "{:d}"), "InvalidNumberFormat"),
        (2, date_column("C", DateUnit.YEAR), "InvalidDateUnit"),
    ],
)
def test_a_format_or_unit_that_the_file_says_otherwise_is_refused(position, said, rule):
    columns = (*COLUMNS[:position], said, *COLUMNS[position + 1 :])
    with pytest.raises(UserError, match=rule):
        require_agreement(METADATA, SCHEMA, 2, columns)
