"""What is written in a dialect is read back equal, types and kinds too; only an empty string comes back as a null."""

from __future__ import annotations

from contextlib import closing

import pyarrow as pa
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from component.formats.csv.split import ByteRange
from component.formats.delimited.read import DelimitedReader
from component.formats.delimited.source import DelimitedSplit
from component.formats.delimited.write import DelimitedWriter, is_invertible, unwritable
from component.tables.types import Column, TableSchema
from tests.strategies.delimited_tables import VARIANTS, changed, dialects, same, typed_tables

INVERTIBLE = [dialect for dialect in VARIANTS.values() if is_invertible(dialect)]


def read_back(path, table, schema, dialect, **options):
    with closing(DelimitedWriter(path, schema, dialect)) as writer:
        writer.write(table)
    split = DelimitedSplit("t", "s", path, ByteRange(0, path.stat().st_size))
    parsed = list(DelimitedReader(schema, dialect, **options).read(split))
    return pa.concat_tables([schema.arrow.empty_table(), *(one.rows for one in parsed)])


def without_empty_text(table):
    columns = [
        pa.array([cell or None for cell in column.to_pylist()], column.type)
        if pa.types.is_string(column.type)
        else column
        for column in table.columns
    ]
    return pa.table(columns, table.column_names)


def is_writable(table, schema, dialect):
    titles = TableSchema(tuple(Column(name) for name in schema.names))
    names = pa.table([pa.array([name]) for name in schema.names], list(schema.names))
    return unwritable(table, schema, dialect) is None and (
        not dialect.header_row or unwritable(names, titles, dialect) is None
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much], max_examples=60)
@given(drawn=typed_tables(), dialect=dialects)
def test_every_dialect_gives_back_what_it_takes(tmp_path, drawn, dialect):
    table, schema = drawn
    assume(is_writable(table, schema, dialect))
    assert same(read_back(tmp_path / "out", table, schema, dialect), without_empty_text(table))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    drawn=typed_tables(),
    dialect=st.sampled_from(INVERTIBLE),
    compression=st.sampled_from([None, "GZIP", "BZIP"]),
)
def test_dialects_that_are_said_to_be_invertible_take_every_table(tmp_path, drawn, dialect, compression):
    table, schema = drawn
    assume(table.num_columns > 1)
    dialect = changed(dialect, compression=compression)
    assert same(read_back(tmp_path / "out", table, schema, dialect), without_empty_text(table))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(drawn=typed_tables())
def test_minimal_quoting_tells_empty_text_from_null_to_who_looks_at_it(tmp_path, drawn):
    table, schema = drawn
    assume(table.num_columns > 1)
    dialect = VARIANTS["bigquery"]
    assert same(read_back(tmp_path / "out", table, schema, dialect, keep_quoted_empty=True), table)
