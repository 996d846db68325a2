"""Arrow's files and streams: read batch by batch as typed as they are, written with their own types."""

from __future__ import annotations

import datetime as dt
from contextlib import closing

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.formats.arrow_ipc import ArrowReader, ArrowWriting, arrow_schema, arrow_splits, is_arrow
from component.tables.logical import Logical, logical_of
from component.tables.types import Column, TableSchema, TypeName
from tests.strategies.delimited_tables import same, typed_tables

PLACE = Place(table="t", slice="s")


def file_of(path, table, *, stream=False, rows=None):
    begin = pa.ipc.new_stream if stream else pa.ipc.new_file
    with path.open("wb") as file, begin(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)
    return path


def read(path, schema=None, split_bytes=1 << 20):
    schema = schema or arrow_schema(path, PLACE)
    splits = arrow_splits(path, PLACE, split_bytes=split_bytes)
    parsed = [one for split in splits for one in ArrowReader(schema).read(split)]
    return pa.concat_tables([schema.arrow.empty_table(), *(one.rows for one in parsed)])


@pytest.mark.parametrize("stream", [False, True])
def test_every_batch_is_read_once_however_the_file_is_cut(tmp_path, stream):
    table = pa.table({"n": list(range(100))})
    path = file_of(tmp_path / "t", table, stream=stream, rows=7)
    assert is_arrow(path)
    for split_bytes in (1, 500, 1000, 1 << 20):
        splits = arrow_splits(path, PLACE, split_bytes=split_bytes)
        assert (len(splits) > 1) == (not stream and split_bytes < path.stat().st_size // 2)
        assert read(path, split_bytes=split_bytes).equals(table)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=typed_tables(), stream=st.booleans(), compression=st.sampled_from([None, "lz4", "zstd"]))
def test_tables_come_back_equal_with_types_and_kinds(tmp_path, drawn, stream, compression):
    table, schema = drawn
    attributes = {column.name: dict(column.attributes) for column in schema.columns}
    with closing(ArrowWriting(stream, compression).open(tmp_path / "t", table.schema, attributes)) as writer:
        writer.write(table.slice(0, 2))
        writer.write(table.slice(2))
    found = arrow_schema(tmp_path / "t", PLACE)
    assert [column.type for column in found.columns] == [column.type for column in schema.columns]
    kept = {Logical.TIME, Logical.TIMESTAMPTZ, None}
    assert [logical_of(one) for one in found.columns if logical_of(one) in kept] == [
        logical_of(one) if logical_of(one) in kept else None for one in schema.columns
    ]
    assert same(read(tmp_path / "t"), table)


def test_times_and_instants_have_arrows_types(tmp_path):
    table = pa.table({"t": ["01:02:03"], "z": pa.array([0]).cast(pa.timestamp("us"))})
    attributes = {"t": {"logical": "time"}, "z": {"logical": "timestamptz"}}
    with closing(ArrowWriting().open(tmp_path / "t", table.schema, attributes)) as writer:
        writer.write(table)
    found = pa.ipc.open_file(tmp_path / "t").read_all()
    assert found.schema.types == [pa.time64("us"), pa.timestamp("us", "UTC")]
    assert found.to_pylist()[0]["t"] == dt.time(1, 2, 3)


@pytest.mark.parametrize(
    ("values", "type_name", "kind", "expected"),
    [
        (pa.array([1], pa.time32("s")), TypeName.STRING, Logical.TIME, "00:00:01"),
        (pa.array([1000], pa.time64("ns")), TypeName.STRING, Logical.TIME, "00:00:00.000001"),
        (
            pa.array([1000], pa.timestamp("ns", "US/Eastern")),
            TypeName.TIMESTAMP,
            Logical.TIMESTAMPTZ,
            dt.datetime(1970, 1, 1, 0, 0, 0, 1),  # noqa: DTZ001 - instants are kept without zone
        ),
        (pa.array(["a"]).dictionary_encode(), TypeName.STRING, None, "a"),
    ],
)
def test_types_beyond_the_seven(tmp_path, values, type_name, kind, expected):
    path = file_of(tmp_path / "t", pa.table({"c": values}))
    column = arrow_schema(path, PLACE).column("c")
    assert (column.type, logical_of(column)) == (type_name, kind)
    assert read(path).to_pylist() == [{"c": expected}]


def test_a_memory_mapped_column_is_not_copied(tmp_path):
    path = file_of(tmp_path / "t", pa.table({"n": pa.array(range(100_000), pa.int64())}))
    before = pa.total_allocated_bytes()
    (split,) = arrow_splits(path, PLACE, split_bytes=1 << 30)
    for parsed in ArrowReader(arrow_schema(path, PLACE)).read(split):
        assert pa.total_allocated_bytes() - before < 100_000
        assert parsed.rows.num_rows == 100_000


def test_a_part_of_a_microsecond_is_refused(tmp_path):
    path = file_of(tmp_path / "t", pa.table({"c": pa.array([1], pa.timestamp("ns"))}))
    with pytest.raises(UserError) as refused:
        read(path)
    assert (refused.value.code, refused.value.place.column) == ("cell.type", "c")


@pytest.mark.parametrize(
    ("table", "code"),
    [
        (pa.schema([("c", pa.month_day_nano_interval())]).empty_table(), "column.type"),
        (pa.table([[1], [2]], ["c", "c"]), "column.duplicate"),
    ],
)
def test_what_no_dataset_can_hold_is_refused(tmp_path, table, code):
    with pytest.raises(UserError) as refused:
        arrow_schema(file_of(tmp_path / "t", table), PLACE)
    assert (refused.value.code, refused.value.place.column) == (code, "c")


def test_a_column_that_is_missing_is_named(tmp_path):
    path = file_of(tmp_path / "t", pa.table({"c": [1]}))
    with pytest.raises(UserError) as refused:
        read(path, TableSchema((Column("d"),)))
    assert (refused.value.code, refused.value.place.column) == ("column.missing", "d")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("cut", [0, 3, 100, -30])
def test_damaged_files_are_refused(tmp_path, stream, cut):
    path = file_of(tmp_path / "t", pa.table({"n": list(range(1000))}), stream=stream)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(UserError) as refused:
        read(path)
    assert (refused.value.code, refused.value.place.slice) == ("source.format", "s")
