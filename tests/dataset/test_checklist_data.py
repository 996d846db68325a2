"""What any reader of Kartothek datasets must do about data files (reference kartothek D.5).

The schema's normal type, or an error; what a file lacks is null, what it has more is not seen; zones stay.
"""

import datetime as dt
import math
from decimal import Decimal
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from component.store.local import LocalStore
from tests.dataset import oracle
from tests.dataset.hand_made import ROWS, put_header, put_index, put_rows, put_schema, refused, rows_of
from tests.dataset.making import bag

BERLIN = dt.datetime(2024, 1, 1, 12, 34, 56, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.fixture
def root(tmp_path):
    return tmp_path


@pytest.fixture
def store(tmp_path):
    return LocalStore(tmp_path)


def put(root, schema, *files, **options):
    labels = [f"f{number}" for number in range(len(files))]
    for label, rows in zip(labels, files, strict=True):
        put_rows(root, label, rows, **options)
    put_schema(root, schema)
    put_header(root, labels)


@pytest.mark.parametrize(
    ("data_type", "file", "cells"),
    [
        (pa.int64(), pa.int8(), [1, None, -128]),
        (pa.int64(), pa.int16(), [1, None, -128]),
        (pa.int64(), pa.int32(), [1, None, -128]),
        (pa.int64(), pa.uint8(), [1, None, 255]),
        (pa.uint64(), pa.uint8(), [1, None, 255]),
        (pa.uint64(), pa.uint64(), [2**64 - 1, None, 0]),
        (pa.float64(), pa.float32(), [1.5, None, math.inf]),
        (pa.float64(), pa.float16(), [1.5, None, -2.0]),
        (pa.int64(), pa.float64(), [1.0, None, -2.0]),
        (pa.float64(), pa.int64(), [1, None, 2]),
        (pa.int64(), pa.dictionary(pa.int32(), pa.int64()), [1, None, 1]),
        (pa.decimal128(5, 2), pa.decimal128(3, 2), [Decimal("1.10"), None, Decimal("-9.99")]),
        (pa.binary(), pa.large_binary(), [b"a", None, b"\xff"]),
        (pa.timestamp("us", "Europe/Berlin"), pa.timestamp("us", "UTC"), [BERLIN, None, BERLIN]),
        (pa.timestamp("us", "Europe/Berlin"), pa.timestamp("us", "Europe/Berlin"), [BERLIN, None, BERLIN]),
        (pa.date32(), pa.date32(), [dt.date(1, 1, 1), None, dt.date(9999, 12, 31)]),
        (pa.time64("us"), pa.time64("us"), [dt.time(12, 34, 56, 1), None, dt.time(0)]),
    ],
    ids=str,
)
def test_a_narrow_or_kindred_type_is_read_as_the_schemas(root, store, data_type, file, cells):
    column = pa.array(cells).dictionary_encode() if pa.types.is_dictionary(file) else pa.array(cells, file)
    assert column.type == file
    wanted = pa.array(cells, data_type).to_pylist()
    put(root, pa.schema([("c", data_type)]), pa.table({"c": column}))
    assert rows_of(store).schema.field("c").type == data_type
    assert rows_of(store)["c"].to_pylist() == wanted
    found = rows_of(store, predicates=[[("c", "==", wanted[0])]])
    assert found["c"].to_pylist() == [cell for cell in wanted if cell == wanted[0]]
    assert rows_of(store, predicates=[[("c", "is null", None)]]).num_rows == 1


@pytest.mark.parametrize(
    ("data_type", "file"),
    [
        (pa.int64(), pa.array(["x"])),
        (pa.int64(), pa.array(["1"])),
        (pa.string(), pa.array([1])),
        (pa.int64(), pa.array([1.5])),
        (pa.int64(), pa.array([2**64 - 1], pa.uint64())),
        (pa.bool_(), pa.array([1])),
        (pa.date32(), pa.array(["2024-01-01"])),
        (pa.decimal128(3, 2), pa.array([Decimal("123.45")])),
    ],
    ids=str,
)
def test_values_of_another_type_are_refused_by_column(root, store, data_type, file):
    put(root, pa.schema([("c", data_type)]), pa.table({"c": file}))
    assert refused(store).place.column == "c"
    assert (
        refused(store, predicates=[[("c", "!=", None if data_type == pa.null() else _any(data_type))]]).place.column
        == "c"
    )


def _any(data_type):
    return {
        pa.int64(): 5,
        pa.string(): "q",
        pa.bool_(): False,
        pa.date32(): dt.date(1999, 1, 1),
        pa.decimal128(3, 2): Decimal("7.77"),
    }[data_type]


def test_a_column_without_values_in_a_file_is_null_there(root, store):
    schema = pa.schema([("i", pa.int64()), ("s", pa.string())])
    put(root, schema, pa.table({"i": [1], "s": pa.nulls(1)}), pa.table({"i": pa.nulls(1), "s": ["x"]}))
    assert bag(rows_of(store)) == bag(pa.table({"i": [1, None], "s": [None, "x"]}))
    assert rows_of(store, predicates=[[("i", "==", 1)]]).num_rows == 1
    assert rows_of(store, predicates=[[("i", "is null", None)]])["s"].to_pylist() == ["x"]
    assert rows_of(store, predicates=[[("s", "!=", "y")]])["s"].to_pylist() == ["x"]


def test_a_column_without_values_anywhere_is_null(root, store):
    put(root, pa.schema([("n", pa.null()), ("i", pa.int64())]), pa.table({"n": pa.nulls(2), "i": [1, 2]}))
    assert rows_of(store).to_pylist() == [{"n": None, "i": 1}, {"n": None, "i": 2}]
    assert rows_of(store, predicates=[[("n", "is null", None), ("i", ">", 1)]]).num_rows == 1


@pytest.mark.parametrize("columns", [None, ["s"], ["s", "i"]], ids=str)
def test_a_file_that_lacks_a_column_has_nulls_there(root, store, columns):
    put(root, ROWS.schema, ROWS, ROWS.select(["i"]))
    assert rows_of(store, columns=columns)["s"].to_pylist() == ["a", None, "ü", None, None, None]
    assert rows_of(store, columns=columns, predicates=[[("s", "is null", None)]]).num_rows == 4
    assert rows_of(store, columns=columns, predicates=[[("s", "==", "a")]]).num_rows == 1


def test_a_column_that_only_a_file_has_is_not_seen(root, store):
    put(root, ROWS.schema, ROWS.append_column("more", pa.array([1, 2, 3])))
    assert rows_of(store).column_names == ["i", "s"]
    refused(store, "column.missing", predicates=[[("more", "==", 1)]])


def test_columns_stand_in_any_order(root, store):
    put(root, pa.schema([("s", pa.string()), ("i", pa.int64())]), ROWS, ROWS.select(["s", "i"]))
    assert bag(rows_of(store)) == bag(pa.concat_tables([ROWS, ROWS]))


def test_the_value_of_the_path_wins_over_the_file(root, store):
    put_rows(root, "i=9/A", ROWS)
    put_schema(root, ROWS.schema)
    put_header(root, ["i=9/A"], partition_keys=["i"])
    assert rows_of(store)["i"].to_pylist() == [9] * 3
    assert rows_of(store, predicates=[[("i", "==", 1)]]).num_rows == 0
    assert rows_of(store, predicates=[[("i", "==", 9)]]).num_rows == 3


@pytest.mark.parametrize("compression", ["snappy", "zstd", "gzip", "none", "lz4", "brotli"])
def test_any_codec_is_read(root, store, compression):
    put(root, ROWS.schema, ROWS, compression=compression)
    assert bag(rows_of(store)) == bag(ROWS)


@pytest.mark.parametrize(
    "options",
    [{"write_statistics": False}, {"store_schema": False}, {"row_group_size": 1}, {"version": "1.0"}],
    ids=str,
)
def test_files_of_other_writers_are_asked_all_the_same(root, store, options):
    put(root, ROWS.schema, ROWS, **options)
    for predicates in ([[("i", ">", 1)]], [[("s", "is null", None)]], [[("s", "!=", "a")]]):
        assert bag(rows_of(store, predicates=predicates)) == bag(oracle.filtered(ROWS, predicates))


def test_a_nested_column_before_the_one_that_is_asked_about_is_no_matter(root, store):
    """The original clients then look at another column (reference kartothek 1.4)."""
    nested = pa.array([{"x": 5, "y": [1]}, None, {"x": 6, "y": []}])
    rows = pa.table({"a": nested, "i": [1, 2, 3]})
    put(root, rows.schema, rows)
    found = rows_of(store, predicates=[[("i", ">=", 3)]])
    assert found.to_pylist() == [{"a": {"x": 6, "y": []}, "i": 3}]


def test_a_file_without_rows_is_no_matter(root, store):
    put(root, ROWS.schema, ROWS.slice(0, 0), ROWS)
    assert bag(rows_of(store)) == bag(ROWS)
    assert rows_of(store, predicates=[[("i", "==", 2)]]).num_rows == 1


def test_a_zone_stays(root, store):
    rows = pa.table({"z": pa.array([BERLIN, None], pa.timestamp("us", "Europe/Berlin")), "i": [1, 2]})
    put(root, rows.schema, rows)
    assert rows_of(store)["z"].to_pylist() == [BERLIN, None]
    assert rows_of(store).schema.field("z").type.tz == "Europe/Berlin"
    assert rows_of(store, predicates=[[("z", ">=", BERLIN)]])["i"].to_pylist() == [1]


# What predicates give in the original clients other than a user expects (reference kartothek C.6), and give here

ODDITIES = pa.table({"i": [0, 1, 2, 3], "s": ["a", None, "b", "c"], "f": [1.0, math.nan, 3.0, 4.0]})


@pytest.mark.parametrize("indices", [(), ("i", "s", "f")], ids=["no index", "indices"])
@pytest.mark.parametrize(
    ("predicates", "rows"),
    [
        ([[("s", "is null", None)]], [1]),
        ([[("s", "is not null", None)]], [0, 2, 3]),
        ([[("s", "!=", "a")]], [2, 3]),
        ([[("s", "!=", "a")], [("s", "is null", None)]], [1, 2, 3]),
        ([[("f", "!=", 1.0)]], [1, 2, 3]),
        ([[("f", "==", math.nan)]], []),
        ([[("i", "not in", [0, 3])]], [1, 2]),
        ([[("f", ">", 1)]], [2, 3]),
        ([[("i", "==", 1.0)]], [1]),
        ([[("i", "in", {0})]], [0]),
        ([[("i", "in", [])]], []),
        ([[("s", "in", ["a", "c"]), ("i", ">", 0)], [("f", "==", 1.0)]], [0, 3]),
    ],
    ids=str,
)
def test_questions_have_the_same_sane_answer_with_an_index_and_without(root, store, indices, predicates, rows):
    labels = ["f0", "f1", "f2", "f3"]
    for number, label in enumerate(labels):
        put_rows(root, label, ODDITIES.slice(number, 1))
    put_schema(root, ODDITIES.schema)
    keys = {}
    for name in indices:
        cells = zip(ODDITIES[name].to_pylist(), labels, strict=True)
        entries = [(cell, [label]) for cell, label in cells if cell is not None and cell == cell]  # noqa: PLR0124 - NaN
        keys[name] = put_index(root, name, entries, ODDITIES.schema.field(name).type)
    put_header(root, labels, indices=keys)
    assert sorted(rows_of(store, predicates=predicates)["i"].to_pylist()) == rows


@pytest.mark.parametrize(
    ("predicates", "code"),
    [
        ([], "dataset.predicate"),
        ([[]], "dataset.predicate"),
        ([[("s", "==", None)]], "dataset.predicate"),
        ([[("s", "in", ["a", None])]], "dataset.predicate"),
        ([[("s", "is distinct from", "a")]], "dataset.predicate"),
        ([[("s", "==", 1)]], "dataset.predicate"),
        ([[("i", "==", 1.5)]], "dataset.predicate"),
        ([[("zz", "==", 1)]], "column.missing"),
    ],
    ids=str,
)
def test_questions_that_mean_nothing_are_refused_with_what_would(root, store, predicates, code):
    put(root, ODDITIES.schema, ODDITIES)
    assert refused(store, code, predicates=predicates).remedy
