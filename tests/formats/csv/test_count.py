from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.formats.csv.count import count_records
from component.formats.csv.dialect import Dialect
from component.formats.csv.read import CsvReader
from component.formats.csv.sentinel import SplitIsNotExactError
from component.formats.csv.source import CsvSplit
from component.formats.csv.split import ByteRange
from tests.formats.csv.reading import Cut, splits_of, text_schema
from tests.strategies.csv_text import dialects, one_file, tables, terminators, write_rfc4180


@one_file
@given(tables(), dialects, terminators, st.integers(1, 3), st.integers(1, 60), st.integers(1, 60), st.booleans())
def test_a_split_holds_as_many_records_as_the_reader_numbers(
    tmp_path, rows, dialect, terminator, width, split_bytes, block_bytes, packed
):
    data = write_rfc4180(rows, dialect=dialect, terminator=terminator).encode()
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(data) if packed else data)
    reader = CsvReader(text_schema(width), dialect, reject=True)
    for split in splits_of(path, dialect, Cut(split_bytes, block_bytes), gzip=packed):
        expected = sum(parsed.records for parsed in reader.read(split))
        assert count_records(split, reader.schema, dialect) == expected


def test_records_that_are_not_utf8_count(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,\xff\nb\xfe\nc,d,\xe9\ne,f\n")
    split = CsvSplit("t", "s", path, False, ByteRange(0, path.stat().st_size))
    assert count_records(split, text_schema(2), Dialect()) == 4


@pytest.mark.parametrize("text", ['a,"b\n', 'x,\n"a', 'x,"', '"x'])
def test_a_split_that_ends_inside_a_cell_is_not_counted(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    split = CsvSplit("t", "s", path, False, ByteRange(0, path.stat().st_size))
    with pytest.raises(SplitIsNotExactError):
        count_records(split, text_schema(2), Dialect())
