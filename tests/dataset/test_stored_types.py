"""Rows of any Arrow type that Parquet holds pass through a dataset unchanged, whatever is done with it."""

import contextlib
import datetime as dt
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tablemill
from component.dataset.format.layout import describe_columns, described_schema
from component.tables.logical import stored_column, stored_type
from tests.dataset.making import bag

ZONE = pa.timestamp("us", "Europe/Prague")
MOMENT = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
LOCAL = MOMENT.replace(tzinfo=None)
MOMENTS = st.integers(-(2**51), 2**51).map(lambda count: MOMENT + dt.timedelta(microseconds=count))
VALUES = {
    pa.int8(): st.integers(-(2**7), 2**7 - 1),
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.uint16(): st.integers(0, 2**16 - 1),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.float32(): st.floats(width=32, allow_nan=False),
    pa.binary(): st.binary(max_size=4),
    pa.binary(2): st.binary(min_size=2, max_size=2),
    pa.time64("us"): st.times(),
    ZONE: MOMENTS,
    pa.duration("us"): st.timedeltas(dt.timedelta(-9), dt.timedelta(9)),
    pa.list_(pa.int16()): st.lists(st.none() | st.integers(-9, 9), max_size=3),
    pa.list_(pa.list_(pa.string())): st.lists(st.lists(st.text("ab", max_size=2), max_size=2), max_size=2),
    pa.struct([("a", pa.int32()), ("b", pa.string())]): st.fixed_dictionaries(
        {"a": st.none() | st.integers(0, 9), "b": st.none() | st.text("xy", max_size=2)}
    ),
    pa.map_(pa.string(), pa.int32()): st.dictionaries(st.text("kl", max_size=2), st.integers(0, 9)).map(
        lambda pairs: list(pairs.items())
    ),
}
TYPES = st.sampled_from(list(VALUES))


@st.composite
def typed_rows(draw):
    data_type = draw(TYPES)
    cells = draw(st.lists(st.none() | VALUES[data_type], min_size=1, max_size=6))
    return pa.table(
        {
            "k": pa.array(range(len(cells)), pa.int64()),
            "p": pa.array([number % 2 for number in range(len(cells))], pa.int64()),
            "v": pa.array(cells, data_type),
        }
    )


def files_of(dataset):
    root = Path(dataset.address.removesuffix(f"/{dataset.uuid}").removeprefix("file://"))
    return sorted((root / dataset.uuid / dataset.table).rglob("*.parquet"))


@given(rows=typed_rows())
@settings(max_examples=20)  # each example is nine commits
def test_values_stay_what_they_are_through_every_operation(rows):
    with tempfile.TemporaryDirectory() as folder:
        address = f"{Path(folder).as_uri()}/d"
        dataset = tablemill.create(address, rows, partition_on=["p"], primary_key=["k"])
        read = dataset.read()
        assert bag(read.select(rows.column_names)) == bag(rows)
        assert {pq.read_schema(path).field("v").type for path in files_of(dataset)} == {
            pq_type(rows.schema.field("v").type)
        }
        with pytest.warns(UserWarning, match="already has") if rows.num_rows else contextlib.nullcontext():
            dataset.append(read)  # rows of a dataset are always taken by it
        assert dataset.rows == 2 * rows.num_rows
        dataset.upsert(rows)
        assert bag(dataset.read().select(rows.column_names)) == bag(rows)
        dataset.compact()
        dataset.delete_rows([[("k", "==", 0)]])
        left = bag(rows.slice(1))
        assert bag(dataset.read().select(rows.column_names)) == left
        assert bag(dataset.copy(f"{Path(folder).as_uri()}/e").read().select(rows.column_names)) == left
        assert dataset.read().schema == read.schema
        assert dataset.verify().sound


def pq_type(data_type):
    """The Arrow type as a Parquet file says it: lists name their items otherwise."""
    sink = pa.BufferOutputStream()
    pq.write_table(pa.schema([("v", data_type)]).empty_table(), sink)
    return pq.read_schema(pa.BufferReader(sink.getvalue())).field("v").type


def test_numbers_are_written_again_as_narrow_as_they_were(tmp_path):
    rows = pa.table({"k": [1, 2, 3], "i": pa.array([1, None, 3], pa.int32()), "f": pa.array([0.1] * 3, pa.float32())})
    dataset = tablemill.create(f"{tmp_path.as_uri()}/d", rows, primary_key=["k"])
    with pytest.warns(UserWarning, match="already has 3 primary keys"):
        dataset.append(rows)
    dataset.delete_rows([[("k", "==", 1)]])
    dataset.compact()
    live = [path for path in files_of(dataset) if pq.read_metadata(path).num_rows == 4]
    assert [pq.read_schema(path).field("i").type for path in live] == [pa.int32()]
    assert [pq.read_schema(path).field("f").type for path in live] == [pa.float32()]
    assert dataset.schema.field("i").type == pa.int64()  # the type of a dataset is the widest of its class


def test_files_of_different_widths_become_one_of_the_wider(tmp_path):
    dataset = tablemill.create(f"{tmp_path.as_uri()}/d", pa.table({"i": pa.array([1], pa.int32())}))
    dataset.append(pa.table({"i": pa.array([2**40], pa.int64())}))
    dataset.compact()
    assert sorted(dataset.read()["i"].to_pylist()) == [1, 2**40]


@pytest.mark.parametrize(
    ("existing", "given", "cells", "kept"),
    [
        (pa.uint64(), pa.int64(), [5], [5]),
        (pa.uint64(), pa.decimal128(20, 0), [2**64 - 1], [2**64 - 1]),
        (ZONE, pa.timestamp("ns", "UTC"), [MOMENT], [LOCAL]),
        (pa.timestamp("us"), ZONE, [MOMENT], [LOCAL]),
        (pa.string(), pa.time64("us"), [dt.time(1, 2)], ["01:02:00"]),
        (pa.struct([("a", pa.float64())]), pa.struct([("a", pa.null())]), [{"a": None}], [{"a": None}]),
    ],
    ids=str,
)
def test_rows_of_a_kindred_type_are_taken(tmp_path, existing, given, cells, kept):
    dataset = tablemill.create(f"{tmp_path.as_uri()}/d", pa.schema([("v", existing)]).empty_table())
    is_lost = pa.types.is_timestamp(existing) and existing.tz is None
    with pytest.warns(UserWarning, match="zone Europe/Prague is dropped") if is_lost else contextlib.nullcontext():
        dataset.append(pa.table({"v": pa.array(cells, given)}))
    found = dataset.read()["v"]
    assert found.type == existing
    moments = pa.types.is_timestamp(existing)
    assert (found.cast(pa.timestamp("us")) if moments else found).to_pylist() == kept


@pytest.mark.parametrize(
    ("existing", "given", "cell", "code"),
    [
        (pa.uint64(), pa.int64(), -1, "cell.type"),
        (ZONE, pa.timestamp("us"), LOCAL, "dataset.schema"),
        (pa.binary(), pa.string(), "x", "dataset.schema"),
        (pa.list_(pa.int64()), pa.list_(pa.string()), ["x"], "dataset.schema"),
        (pa.struct([("a", pa.int64())]), pa.struct([("b", pa.int64())]), {"b": 1}, "dataset.schema"),
        (pa.time64("us"), pa.string(), "01:00", "dataset.schema"),
    ],
    ids=str,
)
def test_rows_of_another_type_are_refused(tmp_path, existing, given, cell, code):
    dataset = tablemill.create(f"{tmp_path.as_uri()}/d", pa.schema([("v", existing)]).empty_table())
    with pytest.raises(tablemill.UserError) as refused:
        dataset.append(pa.table({"v": pa.array([cell], given)}))
    assert (refused.value.code, refused.value.place.column) == (code, "v")
    assert dataset.refresh() is None
    assert dataset.rows == 0


@given(data_type=TYPES)
def test_the_header_says_every_type_exactly(data_type):
    schema = pa.schema([("v", stored_type(data_type)), ("n", pa.int64())])
    assert described_schema({"columns": describe_columns(schema)}) == schema
    assert stored_column("v", data_type).arrow == schema.field("v").type


@pytest.mark.parametrize("text", ["arrow:", "arrow:x", "arrow:AAAA", "list<item: int64>"])
def test_a_type_that_is_not_understood_is_not_guessed(text):
    assert described_schema({"columns": [["v", text]]}) is None


def test_a_type_that_parquet_cannot_hold_is_refused():
    with pytest.raises(tablemill.UserError) as refused:
        stored_column("v", pa.month_day_nano_interval())
    assert (refused.value.code, refused.value.place.column) == ("column.type", "v")


def test_instants_are_found_by_value_and_by_index(tmp_path):
    moment = dt.datetime(2020, 1, 2, 3, tzinfo=dt.UTC)
    rows = pa.table({"z": pa.array([moment, None], ZONE), "b": [b"\x00", b""], "t": [dt.time(1), None]})
    dataset = tablemill.create(f"{tmp_path.as_uri()}/d", rows, secondary_indices=["z", "b", "t"])
    for column, value in (("z", moment), ("b", b"\x00"), ("t", dt.time(1))):
        assert dataset.read([column], [[(column, "==", value)]]).num_rows == 1
