"""What any reader of Kartothek datasets must do about headers, tables and store (reference kartothek D.1, D.2, D.6).

The datasets are put on disk object by object, by plain pyarrow, as clients of ten years may have left them.
"""

import datetime as dt

import pyarrow as pa
import pytest

from component.dataset.reading.reader import open_dataset, plan_scan, read_dataset
from component.dataset.verification.verify import verify
from component.store.local import LocalStore
from tests.dataset.hand_made import (
    ROWS,
    UUID,
    put_header,
    put_index,
    put_rows,
    put_schema,
    put_simple,
    refused,
    rows_of,
)
from tests.dataset.making import bag
from tests.store.faults import FaultStore

PANDAS = {"columns": [], "index_columns": [], "column_indexes": [], "pandas_version": "1.5.0"}


@pytest.fixture
def root(tmp_path):
    return tmp_path


@pytest.fixture
def store(tmp_path):
    return LocalStore(tmp_path)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    "content",
    [
        {},
        {"metadata": ...},
        {"metadata": None},
        {"indices": {}},
        {"indices": None},
        {"partition_keys": ...},
        {"partition_keys": None},
        {"metadata": ..., "indices": None, "partition_keys": None},
        {"metadata": {"nested": {"a": [1, None, {"b": 2.5}]}}, "another_key": [1]},
    ],
    ids=str,
)
def test_what_is_optional_may_be_missing(root, store, packed, content):
    put_simple(root, ROWS, files=2, packed=packed, **content)
    assert bag(rows_of(store)) == bag(ROWS)
    assert bag(rows_of(store, predicates=[[("i", ">=", 2)]])) == bag(ROWS.slice(1))


@pytest.mark.parametrize("keys", [..., None, []])
def test_partition_keys_are_those_of_the_paths_where_the_header_names_none(root, store, keys):
    labels = ["k=1/l=x%2Fy/a", "k=2/l=/b"]
    for label in labels:
        put_rows(root, label, ROWS)
    put_schema(root, pa.schema([("k", pa.int64()), ("l", pa.string()), *ROWS.schema]))
    put_header(root, labels, partition_keys=keys)
    found = rows_of(store, predicates=[[("k", "==", 1)]])
    assert set(zip(found["k"].to_pylist(), found["l"].to_pylist(), strict=True)) == {(1, "x/y")}
    assert set(rows_of(store)["l"].to_pylist()) == {"x/y", ""}


def test_json_wins_over_msgpack(root, store):
    put_simple(root, ROWS)
    put_header(root, [], packed=True)
    assert rows_of(store).num_rows == 3


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("version", [3, 5, "4", None, True, 4.0])
def test_another_version_is_refused_by_name(root, store, packed, version):
    put_simple(root, ROWS, packed=packed, dataset_metadata_version=version)
    assert f"version is {version!r}" in str(refused(store))


@pytest.mark.parametrize(
    ("data_type", "index", "value"),
    [
        (pa.int64(), {"1": ["A"], "3": ["A", "B"]}, 3),
        (pa.float64(), {"1.0": ["A"], "3": ["A", "B"]}, 3.0),
        (pa.string(), {"1": ["A"], "3": ["A", "B"]}, "3"),
        (pa.date32(), {"2024-01-01": ["A"], "2024-01-03": ["A", "B"]}, dt.date(2024, 1, 3)),
        (pa.bool_(), {"True": ["A"], "False": ["A", "B"]}, False),
    ],
)
def test_an_embedded_index_gets_its_type_back(root, store, data_type, index, value):
    rows = pa.table({"c": pa.array([value], data_type)})
    for label in ("A", "B", "C"):
        put_rows(root, label, rows)
    put_schema(root, rows.schema)
    put_header(root, ["A", "B", "C"], indices={"c": index})
    scans = plan_scan(open_dataset(store, UUID), [[("c", "==", value)]])
    assert [scan.label for scan in scans] == ["A", "B"]


def test_a_dataset_without_partitions_is_empty(root, store):
    put_schema(root, ROWS.schema)
    put_header(root, [])
    assert rows_of(store).schema.equals(ROWS.schema)
    assert rows_of(store).num_rows == 0


def test_a_header_that_names_no_partitions_has_all_that_are_there(root, store):
    """Reference kartothek 1.6."""
    for label in ("k=1/a", "k=1/b", "k=2/a"):
        put_rows(root, label, ROWS)
    put_schema(root, pa.schema([("k", pa.int64()), *ROWS.schema]))
    put_header(root, ..., partition_keys=["k"])
    assert sorted(rows_of(store)["k"].to_pylist()) == [1] * 6 + [2] * 3
    assert rows_of(store, predicates=[[("k", "==", 2), ("i", "==", 1)]]).num_rows == 1


def test_labels_are_nothing_but_names(root, store):
    """Reference kartothek 1.1: clients take paths from the header."""
    put_rows(root, "k=1/a", ROWS)
    put_schema(root, pa.schema([("k", pa.int64()), *ROWS.schema]))
    put_header(root, {"x/y z": {"table": f"{UUID}/table/k=1/a.parquet"}}, partition_keys=["k"])
    assert rows_of(store)["k"].to_pylist() == [1, 1, 1]


def test_several_tables_are_read_each_with_its_schema(root, store):
    other = pa.table({"x": [1.5], "i": [7]})
    put_rows(root, "A", ROWS, "core")
    put_rows(root, "A", other, "helper")
    put_schema(root, ROWS.schema, "core")
    put_schema(root, other.schema, "helper")
    put_header(root, {"A": {"core": f"{UUID}/core/A.parquet", "helper": f"{UUID}/helper/A.parquet"}})
    assert open_dataset(store, UUID).header.tables == ("core", "helper")
    for table, rows in (("core", ROWS), ("helper", other)):
        found = pa.concat_tables(read_dataset(open_dataset(store, UUID, table=table)))
        assert bag(found) == bag(rows)


def test_several_tables_of_a_header_that_names_no_partitions_are_read(root, store):
    for table in ("core", "helper"):
        put_rows(root, "k=1/A", ROWS, table)
        put_schema(root, pa.schema([("k", pa.int64()), *ROWS.schema]), table)
    put_header(root, ...)
    assert open_dataset(store, UUID).header.tables == ("core", "helper")
    assert pa.concat_tables(read_dataset(open_dataset(store, UUID, table="helper"))).num_rows == 3


def test_one_table_of_another_name_is_read_without_naming_it(root, store):
    put_rows(root, "A", ROWS, "core")
    put_schema(root, ROWS.schema, "core")
    put_header(root, {"A": {"core": f"{UUID}/core/A.parquet"}})
    assert bag(rows_of(store)) == bag(ROWS)


@pytest.mark.parametrize(
    ("schema", "file", "read"),
    [
        (pa.string(), pa.large_string(), pa.string()),
        (pa.large_string(), pa.string(), pa.string()),
        (pa.large_string(), pa.dictionary(pa.int8(), pa.string()), pa.string()),
        (pa.dictionary(pa.int8(), pa.string()), pa.string(), pa.string()),
        (pa.dictionary(pa.int32(), pa.large_string()), pa.dictionary(pa.int8(), pa.string()), pa.string()),
        (pa.string(), pa.string_view(), pa.string()),
    ],
    ids=str,
)
def test_texts_are_the_same_in_any_dress(root, store, schema, file, read):
    put_rows(root, "A", pa.table({"s": pa.array(["x", None, "x"]).cast(file)}))
    put_schema(root, pa.schema([("s", schema)]))
    put_header(root, ["A"])
    found = rows_of(store)
    assert found.schema.field("s").type == read
    assert found["s"].to_pylist() == ["x", None, "x"]
    assert rows_of(store, predicates=[[("s", "==", "x")]]).num_rows == 2


@pytest.mark.parametrize("schema", ["item", "element"])
@pytest.mark.parametrize("file", ["item", "element"])
def test_lists_are_the_same_whatever_their_child_is_called(root, store, schema, file):
    def listed(name, data_type):
        return pa.list_(pa.field(name, data_type))

    put_rows(root, "A", pa.table({"l": pa.array([[1, 2], None, []], listed(file, pa.int32())), "i": [1, 2, 3]}))
    put_schema(root, pa.schema([("l", listed(schema, pa.int64())), ("i", pa.int64())]))
    put_header(root, ["A"])
    assert rows_of(store, predicates=[[("i", "!=", 2)]])["l"].to_pylist() == [[1, 2], []]


@pytest.mark.parametrize("schema", ["us", "ns", "ms", "s"])
@pytest.mark.parametrize("file", ["us", "ns", "ms"])
def test_moments_are_the_same_in_any_unit(root, store, schema, file):
    moment = dt.datetime.fromisoformat("2024-01-01T12:34:56.123000")
    put_rows(root, "A", pa.table({"t": pa.array([moment, None], pa.timestamp(file))}), version="2.6")
    put_schema(root, pa.schema([("t", pa.timestamp(schema))]))
    put_header(root, ["A"])
    assert rows_of(store).schema.field("t").type == pa.timestamp("us")
    assert rows_of(store, predicates=[[("t", "==", moment)]])["t"].to_pylist() == [moment]


def test_moments_as_spark_writes_them_by_default_are_read_and_asked(root, store):
    """INT96, which has no statistics (reference kartothek A)."""
    moments = [dt.datetime.fromisoformat(text) for text in ("2024-01-01T12:34:56.123456", "1700-01-01")]
    put_rows(root, "A", pa.table({"t": pa.array(moments)}), use_deprecated_int96_timestamps=True)
    put_schema(root, pa.schema([("t", pa.timestamp("us"))]))
    put_header(root, ["A"])
    assert rows_of(store)["t"].to_pylist() == moments
    assert rows_of(store, predicates=[[("t", "<", dt.datetime.fromisoformat("1800-01-01"))]]).num_rows == 1


@pytest.mark.parametrize("pandas", [None, PANDAS, {**PANDAS, "index_columns": [{"kind": "range", "name": None}]}])
def test_pandas_metadata_is_not_needed(root, store, pandas):
    put_simple(root, ROWS)
    put_schema(root, ROWS.schema, pandas=pandas)
    assert bag(rows_of(store)) == bag(ROWS)


def test_a_stored_pandas_index_is_no_column(root, store):
    rows = ROWS.append_column("__index_level_0__", pa.array([5, 6, 7]))
    put_simple(root, rows)
    put_schema(root, rows.schema, pandas={**PANDAS, "index_columns": ["__index_level_0__"]})
    assert rows_of(store).column_names == ["i", "s"]


def test_reading_writes_nothing(root, store):
    labels = put_simple(root, ROWS, files=3)
    key = put_index(root, "i", [(1, labels[:1]), (2, labels[1:2]), (3, labels[2:])], pa.int64())
    put_header(root, labels, indices={"i": key}, packed=False)
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    watched = FaultStore(store)
    rows_of(watched, predicates=[[("i", "==", 2)]])
    rows_of(watched)
    verify(watched, UUID)
    assert watched.writes == []
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_a_dataset_that_names_its_partitions_is_not_listed(root, store):
    put_simple(root, ROWS)
    put_rows(root, "not-named", ROWS)
    watched = FaultStore(store)
    assert rows_of(watched).num_rows == 3
    assert "list" not in {call for call, _ in watched.calls}
