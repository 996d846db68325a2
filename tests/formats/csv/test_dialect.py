from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import UserError
from component.formats.csv.dialect import Dialect
from tests.strategies.csv_text import cells, dialects, read_with_python


@pytest.mark.parametrize("delimiter", ["", ",,", "é", "\n", "\r", "\0", '"'])
def test_a_delimiter_is_one_character_that_is_neither_line_end_nor_enclosure(delimiter):
    with pytest.raises(UserError) as caught:
        Dialect(delimiter)
    assert caught.value.code == "source.manifest"
    assert repr(delimiter) in str(caught.value)


@pytest.mark.parametrize("enclosure", ["''", "”", "\n", "\r", "\0", ","])
def test_an_enclosure_is_one_character_that_is_neither_line_end_nor_delimiter(enclosure):
    with pytest.raises(UserError) as caught:
        Dialect(",", enclosure)
    assert caught.value.code == "source.manifest"


def test_there_may_be_no_enclosure():
    assert Dialect(enclosure="").quote == b""


def test_a_dialect_travels():
    assert pickle.loads(pickle.dumps(Dialect(";", "'"))) == Dialect(";", "'")


@given(st.lists(cells, min_size=2, max_size=5), dialects)
def test_joined_cells_are_a_record_that_reads_back(row, dialect):
    assert read_with_python(dialect.join(row), dialect) == [row]


def test_joined_cells_keep_null_and_empty_apart():
    assert Dialect().join([None, "", 'say "hi"', "a,b", "plain"]) == ',"","say ""hi""","a,b",plain'
    assert Dialect(enclosure="").join([None, "", 'say "hi"']) == ',,say "hi"'
