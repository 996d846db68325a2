import datetime as dt
import pickle
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.format.header import Header, encode_header, read_header
from component.dataset.format.schema import encode_schema
from component.dataset.reading.reader import open_dataset, plan_scan, read_dataset, read_scan
from component.errors import UserError
from component.store.local import LocalStore
from tests.dataset import oracle
from tests.dataset.making import bag, new_store, read_all, with_files, write_dataset
from tests.store.faults import FaultStore
from tests.strategies.typed_tables import tables

ROWS = pa.table(
    {
        "k": ["x", "y", "z", "x"],
        "v": [1, 2, 3, None],
        "w": ["a", "b", None, "a"],
        "d": [dt.date(2024, 1, day) for day in (1, 2, 3, 4)],
    }
)


@st.composite
def questions(draw):
    keys = draw(st.integers(0, 2))
    rows = draw(tables(keys=keys, max_rows=15))
    names = rows.column_names
    indices = draw(st.lists(st.sampled_from(names[keys:]), unique=True))
    columns = draw(st.none() | st.lists(st.sampled_from(names), min_size=1, unique=True))
    return rows, names[:keys], indices, draw(oracle.predicates(rows)), columns


@with_files
@given(questions(), st.integers(1, 3))
def test_any_question_is_answered_as_row_by_row_with_indices_or_without(question, splits):
    rows, keys, indices, predicates, columns = question
    with new_store() as store:
        write_dataset(store, rows, keys, indices, splits=splits)
        found = read_all(store, predicates=predicates, columns=columns)
    expected = oracle.filtered(rows, predicates)
    assert bag(found) == bag(expected, columns)
    assert found.column_names == (columns or rows.column_names)


@with_files
@given(questions(), st.integers(1, 3))
def test_planning_costs_a_bounded_number_of_store_calls(question, splits):
    rows, keys, indices, predicates, _ = question
    asked = {column for conjunction in predicates for column, *_ in conjunction} & set(indices)
    for storage_format, fixed in (("json", 2), ("msgpack.zstd", 3)):
        with new_store() as inner:
            write_dataset(inner, rows, keys, indices, splits=splits, storage_format=storage_format)
            store = FaultStore(inner)
            plan_scan(open_dataset(store, "sales"), predicates)
        assert len(store.calls) <= fixed + len(asked)
        assert {call for call, _ in store.calls} <= {"get", "get_versioned", "open"}


@pytest.mark.parametrize("partitions", [1, 40])
def test_planning_opens_each_index_once_whatever_the_partitions_and_conditions(tmp_path, partitions):
    rows = pa.table({"k": list(range(partitions)), "v": list(range(partitions)), "w": ["a"] * partitions})
    write_dataset(LocalStore(tmp_path), rows, ["k"], ["v", "w"])
    store = FaultStore(LocalStore(tmp_path))
    predicates = [
        [("v", "==", 0), ("v", "<", 9), ("w", "==", "a")],
        [("v", "in", [0, 7]), ("w", ">", "A")],
        [("v", "==", 0)],
    ]
    scans = plan_scan(open_dataset(store, "sales"), predicates)
    assert [scan.partition_values for scan in scans[:1]] == [{"k": 0}]
    assert [call for call, _ in store.calls] == ["get_versioned", "get", "open", "open"]


def _labels(store, predicates):
    return [scan.label.split("/")[0] for scan in plan_scan(open_dataset(store, "sales"), predicates)]


@pytest.mark.parametrize(
    ("predicates", "labels"),
    [
        (None, ["k=x", "k=y", "k=z"]),
        ([[("k", "==", "x")]], ["k=x"]),
        ([[("k", ">=", "y")]], ["k=y", "k=z"]),
        ([[("v", "==", 2)]], ["k=y"]),
        ([[("v", "in", [1, 3])]], ["k=x", "k=z"]),
        ([[("v", ">", 1)]], ["k=y", "k=z"]),
        ([[("v", "<=", 1)]], ["k=x"]),
        ([[("v", ">", 1), ("w", "==", "b")]], ["k=y"]),
        ([[("v", "==", 2)], [("k", "==", "z"), ("v", "==", 3)]], ["k=y", "k=z"]),
        ([[("v", "==", 9)]], []),
        ([[("v", "==", 2)], [("d", "==", "2024-01-03")]], ["k=x", "k=y", "k=z"]),
        ([[("v", "==", 2), ("k", "==", "x")]], []),
        ([[("v", "!=", 2)]], ["k=x", "k=y", "k=z"]),
        ([[("v", "in", [])]], []),
    ],
)
def test_only_files_that_may_hold_rows_are_scanned(tmp_path, predicates, labels):
    store = LocalStore(tmp_path)
    write_dataset(store, ROWS, ["k"], ["v", "w"])
    assert _labels(store, predicates) == labels


def test_what_partition_values_decide_is_not_asked_again(tmp_path):
    store = LocalStore(tmp_path)
    write_dataset(store, ROWS, ["k"])
    scans = plan_scan(open_dataset(store, "sales"), [[("k", "==", "x")], [("k", "==", "y"), ("v", "==", 2)]])
    assert [(scan.partition_values["k"], len(scan.keep)) for scan in scans] == [("x", 0), ("y", 1)]


def test_a_scan_is_carried_out_by_a_worker(tmp_path):
    store = LocalStore(tmp_path)
    write_dataset(store, ROWS, ["k"], ["v"])
    dataset = open_dataset(store, "sales")
    (scan,) = plan_scan(dataset, [[("v", "==", 2), ("w", "in", ["b"])]])
    carried = pickle.loads(pickle.dumps((store, dataset.schema, scan, ["w", "k"])))
    assert read_scan(*carried).to_pylist() == [{"w": "b", "k": "y"}]


def test_columns_come_in_the_order_of_the_source_or_as_asked_for(tmp_path):
    store = LocalStore(tmp_path)
    write_dataset(store, ROWS.select(["v", "k", "d", "w"]), ["k"])
    assert open_dataset(store, "sales").columns == ("v", "k", "d", "w")
    assert read_all(store).column_names == ["v", "k", "d", "w"]
    assert read_all(store, columns=["w", "v"]).column_names == ["w", "v"]


def test_rows_that_are_not_partitioned_come_in_the_order_of_their_source(tmp_path):
    store = LocalStore(tmp_path)
    rows = pa.table({"v": range(40)})
    write_dataset(store, rows.slice(0, 30), splits=15)
    write_dataset(store, rows.slice(30), mode="append", splits=5)
    assert read_all(store)["v"].to_pylist() == list(range(40))


def test_an_open_dataset_stays_as_it_was(tmp_path):
    store = LocalStore(tmp_path)
    write_dataset(store, ROWS)
    before = open_dataset(store, "sales")
    write_dataset(store, ROWS, mode="append")
    assert bag(pa.concat_tables(read_dataset(before))) == bag(ROWS)


def test_a_dataset_that_is_not_there_is_missing(tmp_path):
    with pytest.raises(UserError) as caught:
        open_dataset(LocalStore(tmp_path), "sales")
    assert caught.value.code == "dataset.missing"


def test_a_uuid_that_no_dataset_can_have_is_refused(tmp_path):
    with pytest.raises(UserError) as caught:
        open_dataset(LocalStore(tmp_path), "../sales")
    assert caught.value.code == "store.key"


def test_a_data_file_that_is_gone_is_named(tmp_path):
    store = LocalStore(tmp_path)
    key = next(iter(write_dataset(store, ROWS).header.partitions.values()))["table"]
    store.delete(key)
    with pytest.raises(UserError, match=key.rsplit("/")[-1]) as caught:
        read_all(store)
    assert caught.value.code == "store.missing"
    assert "tablemill dataset verify" in caught.value.remedy


def test_a_data_file_that_cannot_be_read_is_named(tmp_path):
    store = LocalStore(tmp_path)
    key = next(iter(write_dataset(store, ROWS).header.partitions.values()))["table"]
    store.put(key, b"no parquet")
    with pytest.raises(UserError, match=key) as caught:
        read_all(store)
    assert caught.value.code == "dataset.format"
    assert "tablemill dataset verify" in caught.value.remedy


@pytest.mark.parametrize(
    "damage", [lambda store, key: store.delete(key), lambda store, key: store.put(key, b"no index")]
)
def test_an_index_that_cannot_be_used_is_refused_with_how_to_build_it_again(tmp_path, damage):
    store = LocalStore(tmp_path)
    column = ROWS.column_names[0]
    damage(store, write_dataset(store, ROWS, indices=[column]).header.indices[column])
    with pytest.raises(UserError, match=f"build-index --columns {column}") as caught:
        read_all(store, predicates=[[(column, "==", ROWS[column][0].as_py())]])
    assert caught.value.place.column == column


def test_one_table_of_several_is_read_by_its_name(tmp_path):
    store = LocalStore(tmp_path)
    write_dataset(store, ROWS, indices=["v"])
    header = read_header(store, "sales").header
    label, files = next(iter(header.partitions.items()))
    store.put("sales/side/_common_metadata", encode_schema(pa.schema([("v", pa.int64())])))
    store.put(f"sales/side/{label}.parquet", store.get(files["table"]))
    both = {label: {**files, "side": f"sales/side/{label}.parquet"}}
    store.put("sales.by-dataset-metadata.json", encode_header(Header("sales", both, indices=header.indices), "json"))
    dataset = open_dataset(store, "sales", table="side")
    assert [rows.to_pydict() for rows in read_dataset(dataset, predicates=[[("v", ">", 1)]])] == [{"v": [2, 3]}]
    assert bag(read_all(store)) == bag(ROWS)


def test_a_partition_of_another_table_is_refused(tmp_path):
    """As plateau leaves it where an append does not name the table (reference kartothek 1.7)."""
    store = LocalStore(tmp_path)
    header = write_dataset(store, ROWS).header
    partitions = {**header.partitions, "other": {"side": "sales/side/other.parquet"}}
    store.put("sales.by-dataset-metadata.json", encode_header(replace(header, partitions=partitions), "json"))
    with pytest.raises(UserError, match="'other' has no file of table 'table'"):
        plan_scan(open_dataset(store, "sales"))


def test_an_index_embedded_in_the_header_prunes(tmp_path):
    store = LocalStore(tmp_path)
    header = write_dataset(store, ROWS, ["k"]).header
    at = {label[2]: label for label in header.partitions}
    embedded = {"1": [at["x"]], "2": [at["y"]], "3": [at["z"]]}
    old = Header("sales", header.partitions, header.partition_keys, {"v": embedded}, header.metadata)
    store.put("sales.by-dataset-metadata.json", encode_header(old, "json"))
    assert _labels(store, [[("v", "==", 2)]]) == ["k=y"]
    assert bag(read_all(store, predicates=[[("v", ">=", 2)]])) == bag(ROWS.slice(1, 2))


def test_labels_that_an_index_names_and_the_dataset_has_not_are_ignored(tmp_path):
    store = LocalStore(tmp_path)
    write_dataset(store, ROWS, ["k"], ["v"])
    header = read_header(store, "sales").header
    left = {label: files for label, files in header.partitions.items() if not label.startswith("k=y")}
    fewer = Header("sales", left, header.partition_keys, header.indices, header.metadata)
    store.put("sales.by-dataset-metadata.json", encode_header(fewer, "json"))
    assert read_all(store, predicates=[[("v", "in", [2, 3])]])["v"].to_pylist() == [3]
