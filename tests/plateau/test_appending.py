"""plateau and Tablemill write to the same dataset in turns."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from component.dataset.format.header import read_header
from component.dataset.reading.reader import open_dataset, plan_scan, read_scan
from component.store.local import LocalStore
from tests.dataset import oracle
from tests.dataset.making import bag, read_all, write_dataset
from tests.plateau.process import PlateauError
from tests.plateau.rows import KEYS, ROWS, comparable, same_rows, with_keys

pytestmark = pytest.mark.plateau
INDEXED = ["text", "exact", "ratio", "flag", "day", "moment"]


@pytest.fixture
def store(tmp_path):
    return LocalStore(tmp_path)


def check_indices(plateau, store):
    """Every index file holds exactly the values of the files that the header names, for plateau and for us."""
    dataset = open_dataset(store, "sales")
    for column, key in dataset.header.indices.items():
        scans = {scan.label: read_scan(store, dataset.schema, scan, [column]) for scan in plan_scan(dataset)}
        expected = oracle.index_of({label: rows[column].to_pylist() for label, rows in scans.items()})
        table = pq.read_table(store.open(key))
        found = dict(zip(table[column].to_pylist(), map(sorted, table["partition"].to_pylist()), strict=True))
        assert found == expected
        assert plateau.index(store, "sales", column) == expected
        for value in expected:
            assert bag(read_all(store, predicates=[[(column, "==", value)]])) == bag(
                oracle.filtered(read_all(store), [[(column, "==", value)]])
            )


def both_read(plateau, store, *tables):
    expected = pa.concat_tables([table.select(tables[0].column_names) for table in tables])
    return same_rows(read_all(store), expected) and same_rows(plateau.read(store, "sales"), expected)


@pytest.mark.parametrize("indices", [[], INDEXED], ids=["no indices", "indices"])
@pytest.mark.parametrize("key", [None, *KEYS])
def test_we_write_plateau_appends_we_append(plateau, store, key, indices):
    keys = [key] if key else []
    first, second, third = (with_keys(*keys).slice(*part) for part in ((0, 2), (1, 2), (2, 2)))
    write_dataset(store, first, keys, indices, metadata={"owner": "me"})
    plateau.append(store, "sales", second)
    assert both_read(plateau, store, first, second)
    check_indices(plateau, store)
    write_dataset(store, third, keys, indices, mode="append")
    assert both_read(plateau, store, first, second, third)
    check_indices(plateau, store)
    header = read_header(store, "sales").header
    assert header.metadata["owner"] == "me"
    assert open_dataset(store, "sales").columns == tuple(first.column_names)


@pytest.mark.parametrize("storage_format", ["json", "msgpack"])
@pytest.mark.parametrize("key", [None, *KEYS])
def test_plateau_writes_we_append_plateau_appends(plateau, store, key, storage_format):
    keys = [key] if key else []
    first, second, third = (with_keys(*keys).slice(*part) for part in ((1, 2), (0, 2), (1, 2)))
    plateau.create(
        store, "sales", first, partition_on=keys, secondary_indices=INDEXED, metadata_storage_format=storage_format
    )
    assert both_read(plateau, store, first)
    write_dataset(store, second, mode="append")
    assert both_read(plateau, store, first, second)
    check_indices(plateau, store)
    plateau.append(store, "sales", third)
    assert both_read(plateau, store, first, second, third)
    check_indices(plateau, store)


def test_appends_to_a_msgpack_dataset_leave_one_live_header_in_the_end(plateau, store):
    write_dataset(store, ROWS, storage_format="msgpack.zstd")
    plateau.append(store, "sales", ROWS)
    for _ in range(2):
        write_dataset(store, ROWS, mode="append")
    assert [stat.key for stat in store.list("sales.")] == ["sales.by-dataset-metadata.json"]
    assert both_read(plateau, store, *[ROWS] * 4)


def test_a_value_with_a_slash_that_plateau_wrote_is_read_whole_by_us(plateau, store):
    rows = pa.table({"k": ["a/b", "c"], "v": [1, 2]})
    plateau.create(store, "sales", rows, partition_on=["k"])
    assert plateau.read(store, "sales")["k"].to_pylist() != ["a/b", "c"]
    assert bag(read_all(store)) == bag(rows)
    assert read_all(store, predicates=[[("k", "==", "a/b")]])["v"].to_pylist() == [1]
    write_dataset(store, rows, mode="append")
    assert bag(read_all(store)) == bag(pa.concat_tables([rows, rows]))


def test_boolean_partitions_of_plateau_are_read_by_their_text(plateau, store):
    rows = pa.table({"k": [True, False], "v": [1, 2]})
    plateau.create(store, "sales", rows, partition_on=["k"])
    assert plateau.read(store, "sales")["k"].to_pylist() == [True, True]
    assert bag(read_all(store)) == bag(rows)


def test_a_column_that_had_no_values_gets_its_type_from_ours(plateau, store):
    empty = pa.table({"a": [1], "s": pa.nulls(1)})
    plateau.create(store, "sales", empty)
    assert read_all(store).to_pylist() == [{"a": 1, "s": None}]
    write_dataset(store, pa.table({"a": [2], "s": ["x"]}), mode="append")
    assert both_read(plateau, store, pa.table({"a": [1, 2], "s": [None, "x"]}))
    assert plateau.schema(store, "sales")["s"] == "large_string"


def test_a_dataset_without_partitions_in_its_header_is_read_and_appended_to(plateau, store):
    rows = with_keys("number key")
    plateau.create_implicit(store, "sales", rows.slice(0, 2), rows.slice(2, 2), partition_on=["number key"])
    assert not read_header(store, "sales").header.explicit
    assert both_read(plateau, store, rows)
    assert read_all(store, predicates=[[("number key", "==", 1)]]).num_rows == 2
    write_dataset(store, rows.slice(0, 1), mode="append")
    assert read_header(store, "sales").header.explicit
    assert both_read(plateau, store, rows, rows.slice(0, 1))


def test_partitions_that_plateau_replaces_are_gone_for_us(plateau, store):
    rows = pa.table({"k": ["x", "y"], "v": [1, 2]})
    write_dataset(store, rows, ["k"], ["v"])
    plateau.append(store, "sales", pa.table({"k": ["x"], "v": [3]}), delete_scope=[{"k": "x"}])
    assert both_read(plateau, store, pa.table({"k": ["y", "x"], "v": [2, 3]}))
    check_indices(plateau, store)


def test_what_plateau_overwrites_is_read_without_what_we_knew_of_it(plateau, store):
    write_dataset(store, ROWS, storage_format="json")
    plateau.create(store, "sales", pa.table({"other": ["a"], "b": [1]}), overwrite=True)
    assert both_read(plateau, store, pa.table({"other": ["a"], "b": [1]}))
    assert open_dataset(store, "sales").columns == ("b", "other")


def test_what_we_overwrite_plateau_appends_to(plateau, store):
    plateau.create(store, "sales", pa.table({"other": ["a"], "b": [1]}), secondary_indices=["b"])
    write_dataset(store, ROWS, [], INDEXED)
    plateau.append(store, "sales", ROWS)
    assert both_read(plateau, store, ROWS, ROWS)
    check_indices(plateau, store)


def test_rows_of_another_type_are_refused_by_plateau_and_leave_the_dataset_as_it_was(plateau, store):
    write_dataset(store, pa.table({"v": [1]}))
    with pytest.raises(PlateauError, match="Schema violation"):
        plateau.append(store, "sales", pa.table({"v": ["text"]}))
    assert both_read(plateau, store, pa.table({"v": [1]}))


def test_an_exact_number_of_another_length_is_no_number_of_the_dataset(plateau, store):
    write_dataset(store, ROWS)
    other = ROWS.set_column(3, "amount", ROWS["amount"].cast(pa.decimal128(14, 2)))
    with pytest.raises(PlateauError, match="Schema violation"):
        plateau.append(store, "sales", other)
    assert comparable(read_all(store)).num_rows == ROWS.num_rows
