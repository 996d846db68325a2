"""The cache's Parquet dialect: what Workbench's readers expect, and the same table back."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import UserError
from component.workbench.cache import parquet_cache
from component.workbench.cache.parquet_cache import decode_table, encode_table
from component.workbench.files.table_metadata import TableMetadata, metadata_of
from component.workbench.tables.columns import number_column, text_column, timestamp_column
from tests.strategies.workbench_tables import coded, same_tables, table_of, workbench_tables

with_columns = workbench_tables().filter(lambda table: table.columns)


@given(with_columns)
def test_a_table_comes_back(table):
    assert same_tables(decode_table(encode_table(table), metadata_of(table)), table)


@given(with_columns)
def test_a_file_has_the_dialect_that_workbench_reads(table):
    content = pa.BufferReader(encode_table(table))
    footer = pq.ParquetFile(content).metadata
    assert footer.format_version == "2.6"
    assert footer.num_row_groups == 1
    assert footer.metadata is None
    for number, field in enumerate(table.rows.schema):
        chunk = footer.row_group(0).column(number)
        assert chunk.compression == "SNAPPY"
        assert chunk.has_dictionary_page is pa.types.is_dictionary(field.type)
        if field.type == pa.timestamp("ns"):
            logical = chunk_type(content, number)
            assert '"isAdjustedToUTC":false' in logical
            assert '"timeUnit":"nanoseconds"' in logical


def chunk_type(content, number):
    content.seek(0)
    return pq.ParquetFile(content).schema.column(number).logical_type.to_json()


def test_dictionaries_are_whole_however_large():
    words = pa.array([f"{number:0100d}" for number in range(30_000)])
    table = table_of((text_column("A"), coded(words, pa.int32())))
    content = encode_table(table)
    read = decode_table(content, metadata_of(table)).rows.column("A")
    assert pa.types.is_dictionary(read.type)
    assert read.num_chunks == 1
    assert read.cast(pa.string()).combine_chunks().equals(words)


def test_row_groups_are_bounded_and_read_as_one_batch(monkeypatch):
    monkeypatch.setattr(parquet_cache, "ROW_GROUP_ROWS", 2)
    table = table_of(
        (number_column("A"), pa.array(range(5), pa.int8())),
        (text_column("B"), coded(pa.array(list("abcab")), pa.int8())),
    )
    content = encode_table(table)
    assert pq.read_metadata(pa.BufferReader(content)).num_row_groups == 3
    read = decode_table(content, metadata_of(table))
    assert same_tables(read, table)
    assert [column.num_chunks for column in read.rows.columns] == [1, 1]


def test_a_file_of_workbench_itself_is_read_with_formats_from_beside_it():
    rows = pa.table(
        [pa.array([1], pa.int8())], schema=pa.schema([pa.field("A", pa.int8(), metadata={"format": "{:x}"})])
    )
    sink = pa.BufferOutputStream()
    pq.write_table(rows, sink, version="2.6")
    column = number_column("A", "{:d}")
    read = decode_table(sink.getvalue(), TableMetadata(1, (column,)))
    assert read.columns == (column,)
    assert read.rows.schema.field("A").metadata is None


def test_a_file_without_row_groups_is_read():
    sink = pa.BufferOutputStream()
    pq.ParquetWriter(sink, pa.schema({"A": pa.string(), "B": pa.timestamp("ns")}), version="2.6").close()
    read = decode_table(sink.getvalue(), TableMetadata(0, (text_column("A"), timestamp_column("B"))))
    assert read.rows.num_rows == 0


def test_a_file_that_disagrees_with_what_is_said_is_refused():
    table = table_of((number_column("A"), pa.array([1])))
    with pytest.raises(UserError, match="WrongRowCount"):
        decode_table(encode_table(table), TableMetadata(2, table.columns))


@given(with_columns, st.data())
def test_a_cut_file_is_refused(table, data):
    content = encode_table(table).to_pybytes()
    cut = content[: data.draw(st.integers(0, len(content) - 1))]
    with pytest.raises(UserError) as raised:
        decode_table(pa.py_buffer(cut), metadata_of(table))
    assert raised.value.code == "workbench.invalid"
