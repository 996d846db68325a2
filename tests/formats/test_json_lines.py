"""JSON lines: what is written is exact, and reads back equal."""

from __future__ import annotations

import gzip
import json
import math
from contextlib import closing

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.formats.json_lines import (
    JsonLinesReader,
    JsonLinesWriter,
    JsonLinesWriting,
    json_lines_schema,
    json_lines_splits,
)
from component.tables.logical import Logical, logical_column
from component.tables.types import Column, TableSchema, TypeName
from tests.strategies.delimited_tables import same, typed_tables

PLACE = Place(table="t", slice="s")


def written(path, table, schema, **options):
    with closing(JsonLinesWriter(path, schema, **options)) as writer:
        writer.write(table)
    return path


def read(path, schema, split_bytes=1 << 20):
    splits = json_lines_splits(path, PLACE, split_bytes=split_bytes)
    return [parsed for split in splits for parsed in JsonLinesReader(schema).read(split)]


def test_values_are_exact(tmp_path):
    columns = {
        "n": (pa.array([2**63 - 1, None]), Column("n", TypeName.INTEGER), 2**63 - 1),
        "f": (pa.array([0.1, None]), Column("f", TypeName.FLOAT), 0.1),
        "b": (pa.array([True, None]), Column("b", TypeName.BOOLEAN), True),
        "s": (pa.array(['a"\\\n\x01é€', None]), Column("s"), 'a"\\\n\x01é€'),
        "t": (pa.array(["13:04:05.5", None]), logical_column("t", Logical.TIME), "13:04:05.5"),
        "d": (pa.array([0, None], pa.int32()).cast(pa.date32()), Column("d", TypeName.DATE), "1970-01-01"),
        "ts": (
            pa.array([1, None]).cast(pa.timestamp("us")),
            Column("ts", TypeName.TIMESTAMP),
            "1970-01-01T00:00:00.000001",
        ),
        "tz": (
            pa.array([1, None]).cast(pa.timestamp("us")),
            logical_column("tz", Logical.TIMESTAMPTZ),
            "1970-01-01T00:00:00.000001Z",
        ),
        "x": (pa.array([0, None]).cast(pa.decimal128(38, 9)), Column("x", TypeName.NUMERIC, "38,9"), "0"),
    }
    table = pa.table({name: values for name, (values, _, _) in columns.items()})
    schema = TableSchema(tuple(column for _, column, _ in columns.values()))
    first, second = written(tmp_path / "t.jsonl", table, schema).read_text().splitlines()
    assert json.loads(first) == {name: expected for name, (_, _, expected) in columns.items()}
    assert list(json.loads(first)) == list(columns)
    assert json.loads(second) == dict.fromkeys(columns)


def test_numbers_that_json_lacks_are_strings(tmp_path):
    table = pa.table({"f": [math.nan, math.inf, -math.inf, None, -0.0]})
    schema = TableSchema((Column("f", TypeName.FLOAT),))
    path = written(tmp_path / "t.jsonl", table, schema)
    cells = [json.loads(line)["f"] for line in path.read_text().splitlines()]
    assert cells[:4] == ["NaN", "Infinity", "-Infinity", None]
    assert repr(cells[4]) == "-0.0"
    (parsed,) = read(path, schema)
    assert same(parsed.rows, table)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=typed_tables(), gz=st.booleans(), split_bytes=st.integers(1, 200))
def test_tables_come_back_equal_however_they_are_cut(tmp_path, drawn, gz, split_bytes):
    table, schema = drawn
    path = written(tmp_path / "t.jsonl", table, schema, gzip=gz)
    lines = (gzip.decompress(path.read_bytes()) if gz else path.read_bytes()).splitlines()
    assert all(list(json.loads(line)) == list(schema.names) for line in lines)
    parsed = read(path, schema, split_bytes)
    assert all(not one.bad for one in parsed)
    assert same(pa.concat_tables([schema.arrow.empty_table(), *(one.rows for one in parsed)]), table)


def test_types_are_those_of_all_values_of_a_key(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"a": 1, "b": 1, "c": true, "d": "x", "e": null, "f": 18446744073709551616}\n\n{"b": 1.5, "g": 1}\n'
    )
    schema = json_lines_schema(path, PLACE)
    assert {column.name: column.type.value for column in schema.columns} == {
        "a": "integer",
        "b": "float",
        "c": "boolean",
        "d": "string",
        "e": "string",
        "f": "string",
        "g": "integer",
    }
    (parsed,) = read(path, schema)
    assert parsed.rows.to_pylist() == [
        {"a": 1, "b": 1.0, "c": True, "d": "x", "e": None, "f": "18446744073709551616", "g": None},
        {"a": None, "b": 1.5, "c": None, "d": None, "e": None, "f": None, "g": 1},
    ]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("[1]", "source.format"),
        ("{", "source.format"),
        ('{"a": NaN}', "source.format"),
        ('{"a": 1, "a": 2}', "source.format"),
        ('{"a": "\\ud800"}', "source.format"),
        ("[" * 100_000, "source.format"),
        ('{"a": [1]}', "cell.type"),
        ('{"a": "x"}', "cell.type"),
        ('{"a": 1.5}', "cell.type"),
    ],
)
def test_a_bad_line_is_reported_with_its_row_and_left_out(tmp_path, line, code):
    path = tmp_path / "t.jsonl"
    path.write_text(f'{{"a": 1}}\n{line}\n{{"a": 3, "other": {{}}}}')
    (parsed,) = read(path, TableSchema((Column("a", TypeName.INTEGER),)))
    assert parsed.rows.to_pylist() == [{"a": 1}, {"a": 3}]
    assert [(bad.row, bad.code, bad.record) for bad in parsed.bad] == [(2, code, line)]
    assert parsed.records == 3


@pytest.mark.parametrize(("line", "code"), [("[1]", "source.format"), ('{"a": {}}', "column.type")])
def test_a_file_whose_types_cannot_be_told_is_refused_with_the_row(tmp_path, line, code):
    path = tmp_path / "t.jsonl"
    path.write_text(f'{{"a": 1}}\n{line}\n')
    with pytest.raises(UserError) as refused:
        json_lines_schema(path, PLACE)
    assert (refused.value.code, refused.value.place.row) == (code, 2)


def test_a_damaged_gzip_file_is_named(tmp_path):
    schema = TableSchema((Column("a", TypeName.INTEGER),))
    path = written(tmp_path / "t.jsonl.gz", pa.table({"a": list(range(10_000))}), schema, gzip=True)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UserError) as refused:
        read(path, schema)
    assert (refused.value.code, refused.value.place.slice) == ("gzip.truncated", "s")


def test_writing_by_a_schema_of_arrow_and_what_else_is_known(tmp_path):
    table = pa.table({"t": pa.array([0]).cast(pa.timestamp("us"))})
    with closing(JsonLinesWriting().open(tmp_path / "x", table.schema, {"t": {"logical": "timestamptz"}})) as writer:
        writer.write(table)
    assert (tmp_path / "x").read_text() == '{"t":"1970-01-01T00:00:00.000000Z"}\n'
