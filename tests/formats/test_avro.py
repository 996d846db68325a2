"""Avro: what fastavro writes is read, what is written fastavro reads, and tables come back equal."""

from __future__ import annotations

import datetime as dt
import io
import uuid
from contextlib import closing
from decimal import Decimal

import fastavro
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.formats.avro import CODECS, AvroReader, AvroWriter, AvroWriting, avro_schema, avro_splits, is_avro
from component.formats.avro_schema import field_names
from component.tables.logical import Logical, logical_of
from component.tables.types import Column, TableSchema, TypeName
from tests.strategies.delimited_tables import same, typed_tables

PLACE = Place(table="t", slice="s")
UTC = dt.UTC
MOMENT = dt.datetime(2024, 2, 29, 10, 30, 15, 123456, tzinfo=UTC)
FIVE = dt.datetime(1970, 1, 1, 0, 0, 0, 5, tzinfo=UTC)
PLAIN = MOMENT.replace(tzinfo=None)
MILLIS = MOMENT.replace(microsecond=123000)
ENUM = {"type": "enum", "name": "colour", "symbols": ["RED", "BLUE"]}
FIXED = {"type": "fixed", "name": "eight", "size": 8, "logicalType": "decimal", "precision": 10, "scale": 3}


def logical(kind, word):
    return {"type": kind, "logicalType": word}


DECIMAL = {**logical("bytes", "decimal"), "precision": 10, "scale": 2}
TYPES = {
    "null": ("null", None, "string", None, None),
    "boolean": ("boolean", True, "boolean", None, True),
    "int": ("int", -5, "integer", None, -5),
    "long": ("long", -(2**63), "integer", None, -(2**63)),
    "float": ("float", 0.5, "float", None, 0.5),
    "double": ("double", 0.1, "float", None, 0.1),
    "string": ("string", "é", "string", None, "é"),
    "enum": (ENUM, "BLUE", "string", None, "BLUE"),
    "decimal": (DECIMAL, Decimal("-1.25"), "numeric", None, Decimal("-1.25")),
    "fixed decimal": (FIXED, Decimal("-1.250"), "numeric", None, Decimal("-1.250")),
    "date": (logical("int", "date"), dt.date(1, 1, 1), "date", None, dt.date(1, 1, 1)),
    "time-millis": (logical("int", "time-millis"), dt.time(1, 2, 3), "string", Logical.TIME, "01:02:03"),
    "time-micros": (logical("long", "time-micros"), dt.time(1, 2, 3, 456), "string", Logical.TIME, "01:02:03.000456"),
    "millis": (logical("long", "timestamp-millis"), MILLIS, "timestamp", Logical.TIMESTAMPTZ, MILLIS),
    "micros": (logical("long", "timestamp-micros"), MOMENT, "timestamp", Logical.TIMESTAMPTZ, MOMENT),
    "nanos": (logical("long", "timestamp-nanos"), 5000, "timestamp", Logical.TIMESTAMPTZ, FIVE),
    "local millis": (logical("long", "local-timestamp-millis"), MILLIS.replace(tzinfo=None), "timestamp", None, MILLIS),
    "local micros": (logical("long", "local-timestamp-micros"), PLAIN, "timestamp", None, MOMENT),
    "uuid": (logical("string", "uuid"), uuid.UUID(int=7), "string", None, str(uuid.UUID(int=7))),
    "unknown logical": (logical("string", "colour"), "x", "string", None, "x"),
    "logical of another type": (logical("string", "date"), "x", "string", None, "x"),
    "Java's string": ({"type": "string", "avro.java.string": "String"}, "x", "string", None, "x"),
}  # fmt: skip


def file_of(path, fields, rows, codec="null", **options):
    schema = fastavro.parse_schema({"type": "record", "name": "r", "fields": fields})
    with path.open("wb") as file:
        fastavro.writer(file, schema, rows, codec=codec, **options)
    return path


def read(path, schema=None, split_bytes=1 << 20):
    schema = schema or avro_schema(path, PLACE)
    splits = avro_splits(path, PLACE, split_bytes=split_bytes)
    parsed = [one for split in splits for one in AvroReader(schema).read(split)]
    assert all(one.records == one.rows.num_rows and one.bad == () for one in parsed)
    return pa.concat_tables([schema.arrow.empty_table(), *(one.rows for one in parsed)])


@pytest.mark.parametrize(("avro", "value", "type_name", "kind", "expected"), TYPES.values(), ids=TYPES)
def test_types_are_read(tmp_path, avro, value, type_name, kind, expected):
    fields = [{"name": "c", "type": avro}]
    rows = [{"c": value}]
    if avro != "null":
        fields.append({"name": "d", "type": ["null", avro if avro is not ENUM and avro is not FIXED else avro["name"]]})
        rows = [{"c": value, "d": value}, {"c": value, "d": None}]
    path = file_of(tmp_path / "t.avro", fields, rows)
    column = avro_schema(path, PLACE).column("c")
    assert (column.type.value, logical_of(column)) == (type_name, kind)
    expected = expected.replace(tzinfo=None) if isinstance(expected, dt.datetime) else expected
    cells = read(path).to_pylist()
    assert [row["c"] for row in cells] == [expected] * len(rows)
    assert [row.get("d") for row in cells] == [expected, None][: len(rows)]


@pytest.mark.parametrize(
    "avro",
    [
        {"type": "array", "items": "int"},
        {"type": "map", "values": "int"},
        {"type": "record", "name": "inner", "fields": []},
        "bytes",
        ["null", "int", "string"],
        {"type": "fixed", "name": "raw", "size": 3},
        {**logical("bytes", "decimal"), "precision": 39},
    ],
    ids=str,
)
def test_types_without_a_form_in_a_table_are_refused_with_their_column(tmp_path, avro):
    path = file_of(tmp_path / "t.avro", [{"name": "c", "type": avro}], [])
    with pytest.raises(UserError) as refused:
        avro_schema(path, PLACE)
    assert refused.value.code == "column.type"
    assert "c" in str(refused.value)


def test_a_file_of_other_than_records_is_refused(tmp_path):
    with (tmp_path / "t.avro").open("wb") as file:
        fastavro.writer(file, {"type": "long"}, [1])
    with pytest.raises(UserError) as refused:
        avro_schema(tmp_path / "t.avro", PLACE)
    assert refused.value.code == "column.type"


@pytest.mark.parametrize("codec", [*CODECS, "bzip2", "xz"])
def test_codecs_are_read_and_files_are_cut_between_blocks(tmp_path, codec):
    rows = [{"n": n, "s": str(n) * 20} for n in range(3000)]
    fields = [{"name": "n", "type": "long"}, {"name": "s", "type": "string"}]
    path = file_of(tmp_path / "t.avro", fields, rows, codec=codec, sync_interval=1000)
    splits = avro_splits(path, PLACE, split_bytes=1500)
    assert len(splits) > 2
    assert [split.stop for split in splits[:-1]] == [split.start for split in splits[1:]]
    assert splits[-1].stop == path.stat().st_size
    assert read(path, split_bytes=1500).to_pylist() == rows


def test_columns_are_found_by_name_and_cast(tmp_path):
    path = file_of(
        tmp_path / "t.avro", [{"name": "a", "type": "string"}, {"name": "b", "type": "int"}], [{"a": "1", "b": 2}]
    )
    schema = TableSchema((Column("b", TypeName.FLOAT), Column("a", TypeName.INTEGER)))
    assert read(path, schema).to_pylist() == [{"b": 2.0, "a": 1}]
    with pytest.raises(UserError) as refused:
        read(path, TableSchema((Column("c"),)))
    assert (refused.value.code, refused.value.place.column) == ("column.missing", "c")


@pytest.mark.parametrize(
    ("avro", "value"),
    [
        (logical("long", "timestamp-nanos"), 1),
        (logical("long", "time-micros"), -1),
        (logical("int", "date"), 2_932_897),
    ],
)
def test_values_that_do_not_fit_name_their_column(tmp_path, avro, value):
    path = file_of(tmp_path / "t.avro", [{"name": "c", "type": avro}], [{"c": value}])
    with pytest.raises(UserError) as refused:
        read(path)
    assert (refused.value.code, refused.value.place.column, refused.value.place.slice) == ("cell.type", "c", "s")


@given(data=st.binary(max_size=20), cut=st.integers(0, 400), at=st.integers(0, 400))
def test_damaged_files_are_an_error_and_never_a_crash(tmp_path_factory, data, cut, at):
    path = tmp_path_factory.mktemp("avro") / "t.avro"
    file_of(path, [{"name": "n", "type": "long"}, {"name": "s", "type": "string"}], [{"n": 1, "s": "x" * 100}] * 3)
    whole = path.read_bytes()
    path.write_bytes((whole[:at] + data + whole[at + len(data) :])[: min(len(whole), cut)])
    try:
        read(path)
    except UserError as error:
        assert error.code in {"source.format", "column.type", "column.duplicate", "cell.type"}  # noqa: PT017 - or none


@pytest.mark.parametrize("content", [b"", b"Obj", b"PAR1 something"])
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "t").write_bytes(content)
    assert not is_avro(tmp_path / "t")
    with pytest.raises(UserError) as refused:
        avro_schema(tmp_path / "t", PLACE)
    assert (refused.value.code, refused.value.place.slice) == ("source.format", "s")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=typed_tables(), codec=st.sampled_from(CODECS), split_bytes=st.sampled_from([1, 1 << 20]))
def test_tables_come_back_equal_with_their_names_types_and_kinds(tmp_path, drawn, codec, split_bytes):
    table, schema = drawn
    with closing(AvroWriter(tmp_path / "t.avro", schema, codec)) as writer:
        writer.write(table.slice(0, 2))
        writer.write(table.slice(2))
    assert is_avro(tmp_path / "t.avro")
    assert avro_schema(tmp_path / "t.avro", PLACE) == schema
    assert same(read(tmp_path / "t.avro", split_bytes=split_bytes), table)


def test_fastavro_reads_values_with_their_logical_types(tmp_path):
    table = pa.table(
        {
            "d": [dt.date(2024, 2, 29)],
            "t": ["01:02:03.5"],
            "ts": pa.array([PLAIN], pa.timestamp("us")),
            "tz": pa.array([PLAIN], pa.timestamp("us")),
            "x": pa.array([Decimal("1.25")], pa.decimal128(5, 2)),
            "a b": [1],
        }
    )
    attributes = {"t": {"logical": "time"}, "tz": {"logical": "timestamptz"}}
    with closing(AvroWriting().open(tmp_path / "t.avro", table.schema, attributes)) as writer:
        writer.write(table)
    (row,) = fastavro.reader(io.BytesIO((tmp_path / "t.avro").read_bytes()))
    assert row == {
        "d": dt.date(2024, 2, 29),
        "t": dt.time(1, 2, 3, 500_000),
        "ts": PLAIN,
        "tz": MOMENT,
        "x": Decimal("1.25"),
        "a_b": 1,
    }


def test_equal_tables_give_equal_bytes(tmp_path):
    for name in ("one", "two"):
        with closing(AvroWriter(tmp_path / name, TableSchema((Column("a"),)))) as writer:
            writer.write(pa.table({"a": ["x"]}))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_names_that_avro_forbids_become_others_and_never_twice_the_same():
    assert field_names(["a", "a b", "a_b", "a-b", "", "1", "é"]) == ("a", "a_b_2", "a_b", "a_b_3", "_", "_1", "__2")


def test_a_text_that_is_no_time_is_refused(tmp_path):
    schema = TableSchema((Column("t", attributes=(("logical", "time"),)),))
    with closing(AvroWriter(tmp_path / "t.avro", schema)) as writer, pytest.raises(UserError) as refused:
        writer.write(pa.table({"t": ["x"]}))
    assert (refused.value.code, refused.value.place.column) == ("cell.type", "t")
