import datetime as dt
import json
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

from component.dataset.files.data_file import encode_rows, read_rows
from component.dataset.files.predicates import bind_predicates
from component.dataset.format.seal import MARK
from component.errors import UserError
from tests.dataset.making import with_files
from tests.strategies.typed_tables import tables


def _read(data, schema, columns=None, values=None, predicates=None):
    keep = bind_predicates(predicates, schema) if predicates else ()
    return read_rows(pa.BufferReader(data), schema, columns or schema.names, values or {}, keep)


@with_files
@given(tables(max_rows=20))
def test_rows_come_back_from_their_bytes_in_their_order(rows):
    found = _read(encode_rows(rows), rows.schema)
    assert found.schema.equals(rows.schema)
    assert repr(found.to_pylist()) == repr(rows.to_pylist())


@with_files
@given(tables(max_rows=20))
def test_every_column_has_statistics_that_plateau_can_ask(rows):
    metadata = pq.read_metadata(pa.BufferReader(encode_rows(rows)))
    chunks = [
        metadata.row_group(g).column(c) for g in range(metadata.num_row_groups) for c in range(metadata.num_columns)
    ]
    assert all(chunk.is_stats_set and chunk.compression == "SNAPPY" for chunk in chunks if rows.num_rows)


def test_a_file_of_5000_columns_is_read_with_a_predicate():
    rows = pa.table({f"c{number}": [number] for number in range(5_000)})
    assert _read(encode_rows(rows), rows.schema, predicates=[[("c0", "==", 0)]]).equals(rows)


def test_a_cell_too_long_for_statistics_still_has_a_statistics_object():
    chunk = pq.read_metadata(pa.BufferReader(encode_rows(pa.table({"s": ["x" * 5000]})))).row_group(0).column(0)
    assert (chunk.is_stats_set, chunk.statistics.has_min_max) == (True, False)


def test_timestamps_are_microseconds_not_adjusted_to_utc():
    rows = pa.table({"t": pa.array([dt.datetime.fromisoformat("0001-01-01")], pa.timestamp("us"))})
    column = pq.ParquetFile(pa.BufferReader(encode_rows(rows))).schema.column(0)
    logical = json.loads(column.logical_type.to_json())
    assert (column.physical_type, logical["isAdjustedToUTC"], logical["timeUnit"]) == ("INT64", False, "microseconds")


def test_columns_of_the_path_win_and_missing_ones_are_null():
    data = encode_rows(pa.table({"k": ["wrong"], "a": [1], "extra": [2]}))
    schema = pa.schema([("k", pa.string()), ("a", pa.int64()), ("m", pa.date32())])
    assert _read(data, schema, values={"k": "right"}).to_pylist() == [{"k": "right", "a": 1, "m": None}]


def test_partition_columns_alone_come_once_for_each_row():
    data = encode_rows(pa.table({"a": [1, 2, 3]}))
    schema = pa.schema([("k", pa.string()), ("a", pa.int64())])
    assert _read(data, schema, ["k"], {"k": "x"}).to_pylist() == [{"k": "x"}] * 3


def test_only_columns_that_are_asked_for_or_about_are_read():
    data = encode_rows(pa.table({"a": [1, 2], "b": ["x", "y"], "bad": [b"?", b"!"]}))
    schema = pa.schema([("a", pa.int64()), ("b", pa.string()), ("bad", pa.int64())])
    assert _read(data, schema, ["b"], predicates=[[("a", "==", 2)]]).to_pylist() == [{"b": "y"}]


def test_columns_come_in_the_order_asked_for():
    data = encode_rows(pa.table({"a": [1], "b": [2], "c": [3]}))
    schema = pa.schema([(name, pa.int64()) for name in "abc"])
    assert _read(data, schema, ["c", "a"]).column_names == ["c", "a"]


SUMMER = dt.datetime.fromisoformat("2024-07-01T12:00:00")


@pytest.mark.parametrize(
    ("stored", "wanted", "values"),
    [
        (pa.int8(), pa.int64(), [1, None]),
        (pa.uint8(), pa.uint64(), [255]),
        (pa.float32(), pa.float64(), [1.5, float("inf")]),
        (pa.large_string(), pa.string(), ["a", None]),
        (pa.dictionary(pa.int8(), pa.string()), pa.string(), ["a", None, "a"]),
        (pa.dictionary(pa.int32(), pa.large_string()), pa.string(), ["a"]),
        (pa.null(), pa.string(), [None, None]),
        (pa.timestamp("ms"), pa.timestamp("us"), [SUMMER]),
        (pa.timestamp("ns"), pa.timestamp("us"), [SUMMER]),
        (pa.list_(pa.int8()), pa.list_(pa.int64()), [[1, 2], [], None]),
        (pa.decimal128(3, 2), pa.decimal128(38, 9), [Decimal("1.10")]),
        (pa.float64(), pa.int64(), [1.0, None, 3.0]),
        (pa.large_binary(), pa.binary(), [b"\xff"]),
    ],
)
def test_narrower_and_equal_types_are_read_as_the_type_of_the_dataset(stored, wanted, values):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"c": pa.array(values, stored)}), sink)
    found = _read(sink.getvalue(), pa.schema([("c", wanted)]))
    assert found["c"].type.equals(wanted)
    assert found["c"].to_pylist() == values


def test_a_utc_timestamp_is_read_as_utc_where_the_dataset_has_none():
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"c": pa.array([SUMMER], pa.timestamp("us", "Europe/Berlin"))}), sink)
    assert _read(sink.getvalue(), pa.schema([("c", pa.timestamp("us"))]))["c"].to_pylist() == [SUMMER]


@pytest.mark.parametrize(
    ("stored", "wanted", "value"),
    [
        (pa.string(), pa.int64(), "1"),
        (pa.int64(), pa.string(), 1),
        (pa.int64(), pa.bool_(), 5),
        (pa.float64(), pa.int64(), 1.5),
        (pa.int64(), pa.uint64(), -1),
        (pa.string(), pa.date32(), "2024-01-01"),
        (pa.binary(), pa.string(), b"\xff"),
        (pa.timestamp("ns"), pa.timestamp("us"), 1),
        (pa.int64(), pa.list_(pa.int64()), 1),
    ],
)
def test_a_type_that_does_not_fit_is_refused_with_its_column(stored, wanted, value):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"c": pa.array([value], stored)}), sink)
    with pytest.raises(UserError) as caught:
        _read(sink.getvalue(), pa.schema([("c", wanted)]))
    assert (caught.value.code, caught.value.place.column) == ("dataset.format", "c")


@pytest.mark.parametrize("data", [b"", b"a;b\n1;2\n", b"PAR1 but no Parquet PAR1"])
def test_a_file_that_is_no_parquet_is_refused(data):
    with pytest.raises(UserError) as caught:
        _read(data, pa.schema([("c", pa.int64())]))
    assert caught.value.code == "dataset.format"


def test_a_file_that_lost_its_middle_is_refused():
    rows = pa.table({"c": [str(number) * 20 for number in range(1000)]})
    data = bytearray(encode_rows(rows).to_pybytes())
    data[100:4000] = bytes(3900)
    with pytest.raises(UserError) as caught:
        _read(bytes(data), rows.schema)
    assert caught.value.code == "dataset.damaged"


def read_or_refused(data, rows):
    try:
        return read_rows(pa.BufferReader(data), rows.schema, rows.column_names, {})
    except UserError as error:
        return error.code


@pytest.mark.parametrize("pattern", [0x01, 0x10, 0xFF])
def test_a_flipped_byte_is_found_before_a_wrong_answer_wherever_it_is(pattern):
    rows = pa.table({"v": [number**5 for number in range(50)], "t": [str(number**7) for number in range(50)]})
    data = encode_rows(rows).to_pybytes()
    found = [
        read_or_refused(data[:place] + bytes([data[place] ^ pattern]) + data[place + 1 :], rows)
        for place in range(len(data))
    ]
    harmless = {place for place, one in enumerate(found) if one == rows}
    mark = data.rindex(MARK)
    assert harmless == {*range(4), *range(mark, mark + len(MARK))}
    assert {one for one in found if isinstance(one, str)} == {"dataset.damaged", "dataset.format"}
