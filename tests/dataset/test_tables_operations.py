"""What becomes of a dataset of several tables: operations treat all of them alike, or are refused."""

import datetime as dt

import pyarrow as pa
import pytest

from component.dataset.changes.columns import add_column
from component.dataset.changes.copying import copy_dataset, rename_dataset
from component.dataset.changes.operations import (
    build_indices,
    delete_partitions,
    delete_rows,
    drop_indices,
    replace_partitions,
    set_metadata,
)
from component.dataset.changes.restore import restore
from component.dataset.changes.upsert import upsert
from component.dataset.commits.garbage import Retention, collect, delete_dataset, find_garbage
from component.dataset.format.header import read_header
from component.dataset.format.history import history
from component.dataset.format.keys import header_key, history_key, referenced, schema_key
from component.dataset.reading.reader import open_dataset
from component.dataset.verification.verify import verify
from component.errors import UserError
from component.store.local import LocalStore
from tests.dataset.making import bag, new_store
from tests.dataset.several import FLIGHTS, SEATS, TABLES, UUID, commit_tables, read_table

AT_ONCE = dt.timedelta(0)


@pytest.fixture
def store():
    with new_store() as made:
        commit_tables(made, TABLES, ("day",), ("flight", "seat"))
        yield made


def assert_sound(store, uuid=UUID):
    """Nothing is wrong with any file, schema or index of any table."""
    verdict = verify(store, uuid)
    assert verdict.faults == ()
    assert verdict.files == sum(len(files) for files in read_header(store, uuid).header.partitions.values())


def assert_holds(store, expected, uuid=UUID):
    assert_sound(store, uuid)
    for table, rows in expected.items():
        found = [open_dataset(store, uuid, table=table)]
        assert found[0].columns == tuple(rows.column_names)
        if uuid == UUID:
            assert bag(read_table(store, table)) == bag(rows)


def test_all_of_it_is_verified(store):
    assert_holds(store, TABLES)
    (label, files), *_ = read_header(store, UUID).header.partitions.items()
    store.delete(files["seats"])
    assert [(fault.code, fault.label) for fault in verify(store, UUID).faults] == [("verify.file", label)]


def test_metadata_is_set(store):
    set_metadata(store, UUID, {"owner": "me"})
    assert read_header(store, UUID).header.metadata["owner"] == "me"
    assert_holds(store, TABLES)


def test_indices_are_built_over_all_tables_and_dropped(store):
    build_indices(store, UUID, ["origin", "flight"])
    assert set(read_header(store, UUID).header.indices) == {"flight", "seat", "origin"}
    assert_holds(store, TABLES)
    assert read_table(store, "flights", predicates=[[("origin", "==", "BRU")]])["flight"].to_pylist() == [1]
    drop_indices(store, UUID, ["flight"])
    assert set(read_header(store, UUID).header.indices) == {"seat", "origin"}
    assert_holds(store, TABLES)


def test_an_index_on_a_column_of_no_table_is_refused(store):
    with pytest.raises(UserError) as caught:
        build_indices(store, UUID, ["crew"])
    assert caught.value.code == "column.missing"


def test_partitions_go_from_all_tables(store):
    delete_partitions(store, UUID, [{"day": "mon"}])
    assert_holds(
        store,
        {
            "flights": FLIGHTS.filter(pa.array([False, False, True])),
            "seats": SEATS.filter(pa.array([False, True, True, True])),
        },
    )


def test_a_state_is_restored_with_all_tables(store):
    first = next(iter(history(store, UUID)))
    commit_tables(store, {"flights": SEATS, "crew": FLIGHTS})
    restore(store, UUID, first.id)
    assert_holds(store, TABLES)


@pytest.mark.parametrize("operation", [copy_dataset, rename_dataset])
def test_a_copy_has_all_tables(store, operation):
    to = (store, UUID, "other") if operation is rename_dataset else (store, UUID, store, "other")
    operation(*to)
    assert_holds(store, TABLES, "other")
    assert (read_header(store, UUID) is None) == (operation is rename_dataset)


def test_a_copy_in_another_store_has_the_schema_of_each_table(store, tmp_path):
    target = LocalStore(tmp_path)
    copy_dataset(store, UUID, target, UUID)
    for table, rows in TABLES.items():
        assert bag(read_table(target, table)) == bag(rows)


def test_a_collection_leaves_what_the_live_state_names(store):
    commit_tables(store, TABLES, ("day",), ("flight", "seat"))
    header = read_header(store, UUID).header
    collect(store, find_garbage(store, UUID, min_age=AT_ONCE, retention=Retention(1, AT_ONCE)))
    assert_holds(store, TABLES)
    left = {stat.key for stat in store.list(f"{UUID}/") if "/_history/" not in stat.key}
    named = {*referenced(header.partitions, header.indices), *(schema_key(UUID, table) for table in TABLES)}
    assert left == named


def test_nothing_is_left_of_a_deleted_dataset(store):
    delete_dataset(store, UUID, min_age=AT_ONCE)
    assert list(store.list(UUID)) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda store: delete_rows(store, UUID, [[("flight", "==", 1)]]),
        lambda store: upsert(store, UUID, FLIGHTS, ["flight"]),
        lambda store: add_column(store, UUID, "note", "string"),
        lambda store: replace_partitions(store, UUID, [FLIGHTS], [{"day": "mon"}]),
    ],
    ids=["delete rows", "upsert", "add column", "replace partitions"],
)
def test_a_change_of_one_table_that_nobody_names_is_refused_and_changes_nothing(store, change):
    before = {stat.key: store.get(stat.key) for stat in store.list(UUID)}
    with pytest.raises(UserError, match="several tables") as caught:
        change(store)
    assert caught.value.code == "dataset.format"
    assert {stat.key: store.get(stat.key) for stat in store.list(UUID)} == before


def test_each_commit_is_one_state_of_all_tables(store):
    commit_tables(store, TABLES, ("day",), ("flight", "seat"), mode="append")
    first, second = history(store, UUID)
    assert (first.parent, second.operation) == (second.id, "overwrite")
    past = open_dataset(store, UUID, table="seats", as_of=second.id)
    assert len(past.header.partitions) * 2 == len(first.header.partitions)


def test_a_schema_that_is_of_another_commit_is_not_trusted(store):
    """After a crash between schemas and header, every table is read by what its header says of it."""
    other = new_store()
    with other as another:
        commit_tables(another, {"flights": SEATS, "seats": FLIGHTS})
        for table in TABLES:
            key = schema_key(UUID, table)
            store.put(key, another.get(key))
    for table, rows in TABLES.items():
        assert bag(read_table(store, table)) == bag(rows)


def test_the_header_is_the_only_object_that_is_put_twice(store):
    before = {stat.key: store.get(stat.key) for stat in store.list(UUID)}
    commit_tables(store, TABLES, ("day",), ("flight", "seat"), mode="append")
    live = header_key(UUID, "json")
    changed = [key for key, data in before.items() if store.get_versioned(key)[0] != data]
    assert changed == [live]
    assert history_key(UUID, read_header(store, UUID).header.extras["commit"]) not in before
