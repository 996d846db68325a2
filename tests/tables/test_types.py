from __future__ import annotations

import pyarrow as pa
import pytest

from component.errors import UserError
from component.tables.types import (
    BASE_TYPES,
    Column,
    TableSchema,
    TypeName,
    arrow_type,
    column_of_arrow,
    numeric_length,
)


@pytest.mark.parametrize(
    ("length", "expected"),
    [(None, (38, 9)), ("", (38, 9)), ("10", (10, 0)), ("10,2", (10, 2)), (" 38 , 38 ", (38, 38)), ("1,0", (1, 0))],
)
def test_the_length_of_a_numeric_is_precision_and_scale(length, expected):
    assert numeric_length(Column("n", TypeName.NUMERIC, length)) == expected


@pytest.mark.parametrize("length", ["39", "0", "5,6", "-1", "a", "10,", "10;2", "10,2,3", "38,39", "1.5"])
def test_a_length_that_cannot_be_exact_is_refused(length):
    with pytest.raises(UserError) as caught:
        arrow_type(Column("price", TypeName.NUMERIC, length))
    assert caught.value.code == "column.type"
    assert "'price'" in str(caught.value)
    assert repr(length) in str(caught.value)


def test_the_length_of_other_types_says_nothing():
    assert arrow_type(Column("s", TypeName.STRING, "255")) == pa.string()
    assert arrow_type(Column("i", TypeName.INTEGER, "38,0")) == pa.int64()


@pytest.mark.parametrize("type_name", BASE_TYPES)
def test_the_arrow_type_of_a_column_leads_back_to_it(type_name):
    column = column_of_arrow("c", Column("c", type_name).arrow)
    assert column.type is type_name
    assert column.arrow == Column("c", type_name).arrow


def test_a_decimal_with_negative_scale_keeps_all_its_digits():
    assert column_of_arrow("n", pa.decimal128(5, -2)) == Column("n", TypeName.NUMERIC, "7,0")


def test_a_dictionary_is_what_its_values_are():
    assert column_of_arrow("c", pa.dictionary(pa.int8(), pa.large_string())).type is TypeName.STRING
    assert column_of_arrow("c", pa.dictionary(pa.int8(), pa.int32())).type is TypeName.INTEGER


def test_a_type_without_text_form_says_what_to_do():
    with pytest.raises(UserError) as caught:
        column_of_arrow("blob", pa.binary())
    assert "The type binary has no form in a table (column 'blob')" in str(caught.value)
    assert caught.value.remedy


def test_a_schema_knows_its_columns():
    schema = TableSchema((Column("a"), Column("b", TypeName.DATE)), ("a",))
    assert schema.names == ("a", "b")
    assert schema.arrow == pa.schema([("a", pa.string()), ("b", pa.date32())])
    assert schema.column("b").type is TypeName.DATE
    with pytest.raises(KeyError):
        schema.column("c")
    assert schema.select(["b", "a", "b"]) == (schema.columns[1], schema.columns[0], schema.columns[1])
    with pytest.raises(KeyError):
        schema.select(["c"])
