"""kartothek 5.3 reads what we write for it: every type, key and index, and several tables."""

import datetime as dt

import pyarrow as pa
import pytest

from component.dataset.changes.arrow_rows import given_rows
from component.dataset.changes.columns import rename_column
from component.dataset.changes.operations import compact, delete_rows
from component.dataset.changes.upsert import upsert
from component.dataset.changes.writing import FileLayout, add_rows, overwrite_rows
from component.dataset.commits.commit import commit, plan_commit
from component.dataset.commits.intent import Intent
from component.dataset.format.layout import Layout
from component.store.local import LocalStore
from tests.dataset.making import write_splits
from tests.dataset.several import FLIGHTS, SEATS, TABLES, UUID, commit_tables
from tests.plateau.rows import KEYS, ROWS, same_rows, with_keys

pytestmark = pytest.mark.kartothek
INDEXED = ("text", "exact", "ratio", "flag", "day", "moment")


def within_pandas(rows):
    """The rows with dates that pandas 1.3 can index: it knows nanoseconds only."""
    days = pa.array([dt.date(2024, 1, day) if day else None for day in (1, 2, 0, 3)])
    return rows.set_column(rows.column_names.index("day"), "day", days)


WITHIN = within_pandas(ROWS)


@pytest.fixture
def store(tmp_path):
    return LocalStore(tmp_path)


def write(store, rows, partition_on=(), indices=(), **options):
    layout = Layout("sales", rows.schema, tuple(partition_on), tuple(indices), compatibility="kartothek")
    plan = plan_commit(store, layout, options.pop("mode", "overwrite"), **options)
    commit(store, plan, write_splits(store, plan, rows, 2))


@pytest.mark.parametrize("storage_format", ["json", "msgpack.zstd"])
@pytest.mark.parametrize("keys", [(), *[(key,) for key in KEYS], ("text key", "day key")], ids=str)
def test_every_type_and_partitioning_reads_as_its_source(kartothek, store, keys, storage_format):
    rows = with_keys(*keys)
    write(store, rows, keys, INDEXED, storage_format=storage_format)
    assert same_rows(kartothek.read(store, "sales"), rows)


@pytest.mark.parametrize("column", INDEXED)
def test_every_value_is_found_by_its_index(kartothek, store, column):
    write(store, WITHIN, (), INDEXED)
    for value in {value for value in WITHIN[column].to_pylist() if value is not None}:
        found = kartothek.read(store, "sales", predicates=[[(column, "==", value)]])
        wanted = WITHIN.filter(pa.array([other == value for other in WITHIN[column].to_pylist()]))
        assert same_rows(found, wanted)
        assert len(kartothek.dispatched(store, "sales", [[(column, "==", value)]])) <= 2


def test_several_tables_are_read(kartothek, store):
    commit_tables(store, TABLES, ("day",), ("flight", "seat", "origin"), splits=2)
    assert kartothek.tables(store, UUID) == ["flights", "seats"]
    for table, rows in TABLES.items():
        assert same_rows(kartothek.read(store, UUID, table), rows)


def test_tables_are_joined_partition_by_partition(kartothek, store):
    commit_tables(store)
    found = sorted(kartothek.pairs(store, UUID), key=str)
    assert found == sorted(
        [{"flights": 2, "seats": 1}, {"flights": 1, "seats": 1}, {"flights": 0, "seats": 2}], key=str
    )


@pytest.mark.parametrize(
    ("column", "value", "flights", "seats"), [("flight", 3, [3], ["2B"]), ("day", "mon", [1, 2], ["1A"])]
)
def test_a_value_is_found_in_each_table(kartothek, store, column, value, flights, seats):
    commit_tables(store, TABLES, ("day",), ("flight",), splits=2)
    asked = {"predicates": [[(column, "==", value)]]}
    assert sorted(kartothek.read(store, UUID, "flights", **asked)["flight"].to_pylist()) == flights
    assert sorted(kartothek.read(store, UUID, "seats", **asked)["seat"].to_pylist()) == seats


def test_tables_without_partition_keys_are_read(kartothek, store):
    commit_tables(store, TABLES, (), ("flight",), splits=3)
    for table, rows in TABLES.items():
        assert same_rows(kartothek.read(store, UUID, table), rows)


def test_tables_without_rows_are_read(kartothek, store):
    tables = {"flights": FLIGHTS, "seats": SEATS.slice(0, 0)}
    commit_tables(store, tables, ("day",), ("seat",))
    assert kartothek.read(store, UUID, "seats").num_rows == 0
    assert same_rows(kartothek.read(store, UUID, "flights"), FLIGHTS)


def test_its_collection_and_deletion_know_all_our_files(kartothek, store):
    commit_tables(store, TABLES, ("day",), ("flight",))
    commit_tables(store, TABLES, ("day",), ("flight",))
    kartothek.collect(store, UUID)
    for table, rows in TABLES.items():
        assert same_rows(kartothek.read(store, UUID, table), rows)
    kartothek.delete(store, UUID)
    left = [stat.key for stat in store.list(UUID) if "/_history/" not in stat.key]
    assert left == []


def test_what_becomes_of_tables_that_change_one_at_a_time_is_read(kartothek, store):
    commit_tables(store, TABLES, ("day",), ("flight", "seat"))
    more = pa.table({"flight": [9], "day": ["fri"], "origin": ["LGW"]})
    add_rows(store, UUID, given_rows(more, UUID), Intent("append"), FileLayout(), table="flights")
    upsert(store, UUID, SEATS.slice(0, 1), ["seat"], table="seats")
    delete_rows(store, UUID, [[("flight", "==", 2)]], table="flights")
    compact(store, UUID)
    flights = pa.concat_tables([FLIGHTS.filter(pa.array([True, False, True])), more])
    for _ in range(2):
        assert same_rows(kartothek.read(store, UUID, "flights"), flights)
        assert same_rows(kartothek.read(store, UUID, "seats"), SEATS)
        found = kartothek.read(store, UUID, "seats", predicates=[[("flight", "==", 3)]])
        assert found["seat"].to_pylist() == ["2B"]
        overwrite_rows(store, UUID, given_rows(SEATS, UUID), table="seats")
    rename_column(store, UUID, "day", "weekday")
    assert kartothek.read(store, UUID, "flights").num_rows == flights.num_rows
    assert sum(one["seats"] for one in kartothek.pairs(store, UUID)) == SEATS.num_rows
