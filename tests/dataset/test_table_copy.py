"""One table of a dataset of several becomes a dataset of its own."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from component.dataset.changes.operations import delete_rows
from component.dataset.changes.table_copy import copy_table
from component.dataset.format.header import read_header
from component.dataset.reading.reader import open_dataset
from component.dataset.verification.verify import verify
from component.errors import CommitRefusedError, UserError
from component.store.local import LocalStore
from tests.dataset.making import bag, new_store, read_all
from tests.dataset.several import TABLES, UUID, commit_tables


@pytest.fixture
def store():
    with new_store() as made:
        commit_tables(made, TABLES, ("day",), ("flight", "seat"), splits=2, primary_key=["flight"])
        yield made


@pytest.mark.parametrize("table", TABLES)
def test_it_has_the_rows_keys_and_indices_of_the_table(store, table):
    files = copy_table(store, UUID, table, store, "alone")
    header = read_header(store, "alone").header
    assert header.tables == ("table",)
    assert files == len(header.partitions)
    assert bag(read_all(store, "alone")) == bag(TABLES[table])
    assert open_dataset(store, "alone").columns == tuple(TABLES[table].column_names)
    assert open_dataset(store, "alone").primary_key == (TABLES[table].column_names[0],)
    assert set(header.indices) == {"flight", "seat"} & set(TABLES[table].column_names)
    assert header.partition_keys == ("day",)
    verdict = verify(store, "alone")
    assert (verdict.faults, verdict.rows) == ((), TABLES[table].num_rows)


@pytest.mark.parametrize(("compatibility", "expected"), [("plateau", pa.large_string()), ("kartothek", pa.string())])
def test_its_indices_are_for_the_client_that_is_named(store, compatibility, expected):
    copy_table(store, UUID, "seats", store, "alone", compatibility=compatibility)
    index = read_header(store, "alone").header.indices["seat"]
    assert pq.read_schema(store.open(index)).field("seat").type == expected


def test_its_rows_can_be_changed(store):
    copy_table(store, UUID, "flights", store, "alone")
    delete_rows(store, "alone", [[("flight", "==", 1)]])
    assert sorted(read_all(store, "alone")["flight"].to_pylist()) == [2, 3]


def test_a_table_that_is_not_there_is_refused(store):
    with pytest.raises(UserError, match="no table 'crew'"):
        copy_table(store, UUID, "crew", store, "alone")


def test_a_dataset_that_is_there_stays(store):
    copy_table(store, UUID, "flights", store, "alone")
    before = {stat.key for stat in store.list("alone")}
    with pytest.raises(CommitRefusedError, match="exists"):
        copy_table(store, UUID, "seats", store, "alone")
    assert {stat.key for stat in store.list("alone")} == before


def test_nothing_is_left_of_a_copy_that_fails(store, tmp_path):
    target = LocalStore(tmp_path)
    files = [files["seats"] for files in read_header(store, UUID).header.partitions.values()]
    store.put(files[-1], b"no Parquet")
    with pytest.raises(UserError):
        copy_table(store, UUID, "seats", target, "alone")
    assert list(target.list("")) == []
