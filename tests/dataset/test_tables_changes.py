"""Rows, files and columns of single tables of a dataset of several change, held against plain lists of rows.

After each change the labels are the same in all tables, and nothing is wrong with any file or index.
"""

from __future__ import annotations

from functools import cache

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from component.dataset.changes.arrow_rows import given_rows
from component.dataset.changes.columns import add_column, drop_column, rename_column, widen_column
from component.dataset.changes.operations import compact, delete_partitions, delete_rows, replace_partitions
from component.dataset.changes.upsert import delete_keys, upsert
from component.dataset.changes.writing import FileLayout, add_rows, overwrite_rows
from component.dataset.commits.intent import Intent
from component.dataset.format.header import read_header
from component.dataset.format.history import history
from component.dataset.reading.reader import open_dataset
from component.dataset.verification.repair import repair
from component.dataset.verification.verify import verify
from component.errors import CommitRefusedError, RetryError, UserError
from tests.dataset.making import bag
from tests.dataset.memory import MemoryStore
from tests.dataset.several import FLIGHTS, SEATS, TABLES, UUID, commit_tables, read_table
from tests.store.faults import Fault, FaultStore

KEYS = {"flights": "flight", "seats": "seat"}
DAYS = ("mon", "tue", "thu")


@cache
def made(splits, keys):
    store = MemoryStore()
    commit_tables(store, TABLES, keys, ("flight", "seat"), splits=splits)
    return store


def make(splits=1, keys=("day",)):
    return made(splits, keys).copy()


def assert_in_step(store, uuid=UUID):
    """Every label names a file of every table, at the path that says so; nothing is wrong."""
    header = read_header(store, uuid).header
    assert header.tables == tuple(TABLES)
    for label, files in header.partitions.items():
        assert files == {table: f"{uuid}/{table}/{label}.parquet" for table in TABLES}
    assert verify(store, uuid).faults == ()


def assert_holds(store, tables):
    assert_in_step(store)
    for table, rows in tables.items():
        assert bag(read_table(store, table)) == bag(rows)


def add(store, table, rows, intent=Intent()):  # noqa: B008 - a value that nobody changes
    return add_rows(store, UUID, given_rows(rows, UUID), intent, FileLayout(), table=table)


# --- rows, against lists of them ---


def new_rows(table, keys, day):
    """Rows with these keys, in the columns and types of a table."""
    schema = TABLES[table].schema
    made = [
        {"seat": f"{key}X", "flight": key, "day": day}
        if table == "seats"
        else {"flight": key, "day": day, "origin": None if key % 2 else f"o{key}"}
        for key in keys
    ]
    return pa.Table.from_pylist(made, schema=schema)


def key_of(table, row):
    return row[KEYS[table]]


def expected(change, table, old, rows, day):
    """The rows of a table after a change: the slow and plain way."""
    new, keys = rows.to_pylist(), {row.get(KEYS[table]) for row in rows.to_pylist()}
    if change == "append":
        return [*old, *new]
    if change.startswith("upsert"):
        return [*(row for row in old if key_of(table, row) not in keys), *new]
    if change.startswith("delete keys"):
        return [row for row in old if key_of(table, row) not in keys]
    if change in {"delete rows", "delete partitions"}:
        return [row for row in old if row["day"] != day]
    if change.startswith("replace"):
        return [*(row for row in old if row["day"] != day), *new]
    return new if change == "overwrite" else old


CHANGES = {
    "append": lambda store, table, rows, _: add(store, table, rows),
    "upsert": lambda store, table, rows, _: add(store, table, rows, Intent("upsert", key=(KEYS[table],))),
    "upsert here": lambda store, table, rows, _: upsert(store, UUID, rows, [KEYS[table]], table=table),
    "delete keys": lambda store, table, rows, _: add(store, table, rows, Intent("delete", key=(KEYS[table],))),
    "delete keys here": lambda store, table, rows, _: delete_keys(store, UUID, rows, [KEYS[table]], table=table),
    "delete rows": lambda store, table, _, day: delete_rows(store, UUID, [[("day", "==", day)]], table=table),
    "replace": lambda store, table, rows, day: replace_partitions(store, UUID, [rows], [{"day": day}], table=table),
    "replace those there": lambda store, table, rows, day: add(
        store, table, rows, Intent("replace_partitions", scope=({"day": day},))
    ),
    "overwrite": lambda store, table, rows, _: overwrite_rows(store, UUID, given_rows(rows, UUID), table=table),
    "delete partitions": lambda store, _, __, day: delete_partitions(store, UUID, [{"day": day}]),
    "compact": lambda store, *_: compact(store, UUID),
    "compact sorted": lambda store, *_: compact(store, UUID, sort_by=("flight", "day")),
}


def carry_out(change, store, table, rows, day):
    CHANGES[change](store, table, rows, day)


@pytest.mark.filterwarnings("ignore:The dataset already has:UserWarning")
@settings(max_examples=8, deadline=None)
@given(st.data())
def test_changes_of_single_tables_leave_what_plain_lists_hold(data):
    store = make(data.draw(st.integers(1, 2)))
    held = {table: rows.to_pylist() for table, rows in TABLES.items()}
    for _ in range(3):
        change = data.draw(st.sampled_from(sorted(CHANGES)))
        table, day = data.draw(st.sampled_from(sorted(TABLES))), data.draw(st.sampled_from(DAYS))
        keys = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=3, unique=True))
        rows = new_rows(table, keys, day)
        carry_out(change, store, table, rows, day)
        for one in TABLES if change == "delete partitions" else [table]:
            held[one] = expected(change, one, held[one], rows, day)
        assert_holds(store, {one: pa.Table.from_pylist(found, TABLES[one].schema) for one, found in held.items()})


def test_tables_without_partition_keys_change_too():
    store = make(2, keys=())
    delete_rows(store, UUID, [[("flight", "==", 1)]], table="flights")
    upsert(store, UUID, new_rows("seats", [4], "wed"), ["flight"], table="seats")
    assert_in_step(store)
    assert sorted(read_table(store, "flights")["flight"].to_pylist()) == [2, 3]
    assert sorted(read_table(store, "seats")["seat"].to_pylist()) == ["1A", "2B", "4D", "4X"]


def test_a_partition_that_no_table_has_rows_of_is_gone():
    store = make()
    delete_rows(store, UUID, [[("day", "==", "wed")]], table="seats")
    assert not [label for label in read_header(store, UUID).header.partitions if "wed" in label]
    assert_in_step(store)


def test_a_table_is_overwritten_with_other_columns_and_the_rest_stays():
    store = make()
    rows = pa.table({"day": ["mon", "fri"], "flight": [7, 8], "gate": ["A", None]})
    with pytest.warns(UserWarning, match="A column of the primary key is null in 1 row"):
        overwrite_rows(store, UUID, given_rows(rows, UUID), table="seats", primary_key=["gate"])
    assert_holds(store, {"flights": FLIGHTS, "seats": rows})
    assert open_dataset(store, UUID, table="seats").primary_key == ("gate",)
    assert set(read_header(store, UUID).header.indices) == {"flight"}
    assert [commit.operation for commit in history(store, UUID)] == ["overwrite", "overwrite"]


@pytest.mark.parametrize("rows", [pa.table({"day": ["mon"], "flight": ["text"]}), pa.table({"flight": [1]})])
def test_a_table_that_does_not_go_with_the_others_is_refused(rows):
    store = make()
    before = dict(store.objects)
    with pytest.raises(UserError):
        overwrite_rows(store, UUID, given_rows(rows, UUID), table="seats")
    assert store.objects == before


def test_rows_of_a_table_that_is_not_there_are_refused():
    store = make()
    with pytest.raises(UserError, match="no table 'crew'"):
        add(store, "crew", FLIGHTS)


# --- columns ---


def test_columns_change_in_the_tables_that_have_them():
    store = make(2)
    add_column(store, UUID, "cabin", "string", "Y", table="seats")
    assert_in_step(store)
    widen_column(store, UUID, "flight", "numeric(12,2)")
    assert_in_step(store)
    rename_column(store, UUID, "flight", "number")
    assert_in_step(store)
    rename_column(store, UUID, "day", "weekday")
    assert_in_step(store)
    drop_column(store, UUID, "origin")
    assert_in_step(store)
    header = read_header(store, UUID).header
    assert (header.partition_keys, set(header.indices)) == (("weekday",), {"number", "seat"})
    assert read_table(store, "seats").column_names == ["seat", "number", "weekday", "cabin"]
    assert read_table(store, "flights").column_names == ["number", "weekday"]
    found = read_table(store, "seats", predicates=[[("number", "==", "3.00")]])
    assert found.to_pylist() == [{"seat": "2B", "number": 3, "weekday": "tue", "cabin": "Y"}]


def test_a_column_changes_in_the_table_that_is_named():
    store = make()
    rename_column(store, UUID, "flight", "number", table="seats")
    assert_in_step(store)
    assert set(read_header(store, UUID).header.indices) == {"flight", "number", "seat"}
    drop_column(store, UUID, "number", table="seats")
    assert_holds(store, {"flights": FLIGHTS, "seats": SEATS.drop_columns(["flight"])})
    add_column(store, UUID, "flight", "integer", schema_only=True, table="seats")
    assert read_table(store, "seats")["flight"].null_count == SEATS.num_rows


def test_a_shared_column_keeps_one_type_in_all_tables():
    store = make()
    before = dict(store.objects)
    with pytest.raises(UserError) as caught:
        widen_column(store, UUID, "flight", "float", table="seats")
    assert caught.value.code == "column.type"
    with pytest.raises(UserError):
        add_column(store, UUID, "origin", "integer", table="seats")
    assert {key for key in store.objects if "/_history/" not in key} == {
        key for key in before if "/_history/" not in key
    }
    assert_holds(store, TABLES)


# --- faults and races ---


@pytest.mark.parametrize("change", ["append", "upsert", "upsert here", "delete rows", "overwrite", "compact"])
def test_nothing_is_left_of_a_change_that_fails(change):
    for number in (1, 3, 6, 9, 30):
        store = make(2)
        before = dict(store.objects)
        try:
            carry_out(
                change, FaultStore(store, Fault("write", number, "fail")), "seats", new_rows("seats", [4], "mon"), "mon"
            )
        except RetryError:
            assert {key: data for key, (data, _) in store.objects.items()} == {
                key: data for key, (data, _) in before.items()
            }
        else:
            break
    assert number > 1
    assert_in_step(store)


@pytest.mark.parametrize("change", ["append", "upsert", "upsert here", "delete rows", "compact"])
def test_a_change_that_loses_the_race_is_made_again_on_the_new_state(change):
    store = make(2)

    class Racing(FaultStore):
        lost = False

        def put_if(self, key, data, expected):
            if "by-dataset-metadata" in key and not self.lost:
                self.lost = True
                add(self.inner, "flights", new_rows("flights", [5], "mon"))
            return super().put_if(key, data, expected)

    rows = new_rows("seats", [4], "mon")
    carry_out(change, Racing(store), "seats", rows, "mon")
    seats = pa.Table.from_pylist(expected(change, "seats", SEATS.to_pylist(), rows, "mon"), SEATS.schema)
    assert_holds(store, {"flights": pa.concat_tables([FLIGHTS, new_rows("flights", [5], "mon")]), "seats": seats})


def test_an_overwrite_of_a_table_that_loses_the_race_is_refused():
    store = make()

    class Racing(FaultStore):
        def put_if(self, key, data, expected):
            if "by-dataset-metadata" in key:
                add(self.inner, "flights", new_rows("flights", [5], "mon"))
            return super().put_if(key, data, expected)

    with pytest.raises(CommitRefusedError):
        overwrite_rows(Racing(store), UUID, given_rows(SEATS, UUID), table="seats")
    assert_in_step(store)
    assert read_table(store, "flights").num_rows == 4


def test_a_damaged_file_of_one_table_leaves_the_rows_of_the_others():
    store = make()
    key = next(key for key in store.objects if key.startswith(f"{UUID}/seats/day=mon"))
    store.put(key, b"no Parquet")
    _, done = repair(store, UUID, damaged="drop")
    assert done == (f"dropped the damaged file {key}: 1 row is lost: day = 'mon', seat from '1A' to '1A'",)
    assert_holds(store, {"flights": FLIGHTS, "seats": SEATS.slice(1)})


def test_a_damaged_file_is_not_carried_into_another_state():
    store = make()
    key = next(key for key in store.objects if key.startswith(f"{UUID}/seats/day=mon"))
    data = store.get(key)
    store.put(key, data[:10] + bytes([data[10] ^ 1]) + data[11:])
    before = dict(store.objects)
    with pytest.raises(UserError) as caught:
        delete_rows(store, UUID, [[("flight", "==", 1)]], table="flights")
    assert caught.value.code == "dataset.damaged"
    assert store.objects == before
