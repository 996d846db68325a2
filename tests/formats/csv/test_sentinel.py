from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.formats.csv.dialect import Dialect
from component.formats.csv.parse import Parser
from component.formats.csv.sentinel import SplitIsNotExactError, sentinel_record, sentinel_text, without_sentinel
from component.tables.cast import cast_text
from component.tables.types import BASE_TYPES, Column
from tests.formats.csv.reading import schema_of, text_schema
from tests.strategies.csv_text import ends_open, hostile_text, read_with_python

columns = st.builds(Column, st.just("c"), st.sampled_from(BASE_TYPES))


@given(columns, st.sampled_from(",;x0y1\t-"), st.sampled_from("\"'x0z-"))
def test_the_sentinel_fits_any_column_in_any_dialect(column, delimiter, enclosure):
    if delimiter == enclosure:
        return
    dialect = Dialect(delimiter, enclosure)
    text = sentinel_text(column, dialect)
    assert cast_text(pa.array([text]), column).bad == ()
    schema = schema_of(column, Column("d"), Column("e"))
    assert read_with_python(sentinel_record(schema, dialect).decode(), dialect) == [[text, "", ""]]
    assert Parser(schema, dialect).parse(b"").records == 0


@pytest.mark.parametrize("width", [1, 2, 3])
@given(text=hostile_text)
def test_a_text_that_ends_inside_a_cell_is_never_taken_for_one_that_does_not(width, text):
    parser = Parser(text_schema(width), Dialect())
    if ends_open(text):
        with pytest.raises(SplitIsNotExactError):
            parser.parse(text.encode())
    else:
        assert parser.parse(text.encode()).records >= 0


@pytest.mark.parametrize("text", ['x,\n"a', 'x,\n"', 'x,\n"a,b', 'x,\na,b,"c', 'x,\n"x,\n', '"x', 'x,"', 'x,\n\n"'])
@pytest.mark.parametrize("width", [1, 2])
def test_a_row_that_looks_like_the_sentinel_is_not_taken_for_it(width, text):
    with pytest.raises(SplitIsNotExactError):
        Parser(text_schema(width), Dialect()).parse(text.encode())


def test_rows_that_look_like_the_sentinel_are_rows():
    assert Parser(text_schema(2), Dialect()).parse(b"x,\nx,\n").rows.to_pylist() == [{"c0": "x", "c1": None}] * 2


def test_without_any_row_there_is_no_sentinel():
    with pytest.raises(SplitIsNotExactError):
        without_sentinel(pa.table({"c": pa.array([], pa.string())}), "x")
