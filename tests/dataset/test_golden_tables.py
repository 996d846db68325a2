"""Datasets of several tables that kartothek 5.3 wrote, against the rows that they were given."""

import datetime as dt
import shutil

import pyarrow as pa
import pytest

from component.dataset.format.header import read_header
from component.dataset.reading.reader import open_dataset, read_dataset
from component.dataset.verification.verify import verify
from component.store.local import LocalStore
from tests.dataset.several import UUID, commit_tables
from tests.dataset.test_golden import GOLDEN

FOLDER = GOLDEN / "kartothek53_tables"
STORE = LocalStore(FOLDER)


def flight(number, day, origin, price, at):
    at = at and dt.datetime.fromisoformat(at)
    return {"flight": number, "day": dt.date(2024, 1, day), "origin": origin, "price": price, "at": at}


def seat(name, day, number, *, paid):
    return {"seat": name, "day": dt.date(2024, 1, day), "flight": number, "paid": paid}


ROWS = {
    "flights": [
        flight(1, 1, "BRU", 1.5, "2024-01-01T12:34:56.123456"),
        flight(2, 1, "é/x", None, None),
        flight(3, 2, None, 3.0, "2024-01-02"),
        flight(9, 3, "LIS", 9.0, "2024-01-03"),
    ],
    "seats": [
        seat("1A", 1, 1, paid=True),
        seat("2B", 2, 3, paid=False),
        seat("3C", 2, 4, paid=True),
        seat("9Z", 3, 9, paid=True),
    ],
}


def rows_of(store, table, uuid=UUID, **question):
    found = read_dataset(open_dataset(store, uuid, table=table), **question)
    return [row for rows in found for row in rows.to_pylist()]


def by_flight(rows):
    return sorted((sorted(row.items(), key=lambda cell: cell[0]) for row in rows), key=str)


@pytest.mark.parametrize("table", ROWS)
def test_each_table_has_its_rows(table):
    assert by_flight(rows_of(STORE, table)) == by_flight(ROWS[table])


@pytest.mark.parametrize("table", ROWS)
@pytest.mark.parametrize("number", [1, 3, 4, 9, 10])
def test_an_index_over_both_tables_finds_the_rows_of_each(table, number):
    wanted = [row for row in ROWS[table] if row["flight"] == number]
    assert by_flight(rows_of(STORE, table, predicates=[[("flight", "==", number)]])) == by_flight(wanted)


@pytest.mark.parametrize("uuid", ["trips", "flat"])
def test_nothing_is_wrong_with_it(uuid):
    assert verify(STORE, uuid).faults == ()


def test_the_first_table_is_that_of_the_header():
    assert read_header(STORE, "flat").header.tables == ("core", "helper")
    assert open_dataset(STORE, "flat").table == "core"
    assert rows_of(STORE, "helper", "flat") == []
    assert [row["flight"] for row in rows_of(STORE, None, "flat")] == [1, 2, 3]


def test_rows_are_appended_to_all_tables(tmp_path):
    store = LocalStore(shutil.copytree(FOLDER, tmp_path / "store"))
    first = [[("day", "==", dt.date(2024, 1, 1))]]
    opened = {table: open_dataset(store, UUID, table=table) for table in ROWS}
    new = {table: pa.concat_tables(read_dataset(dataset, predicates=first)) for table, dataset in opened.items()}
    commit_tables(store, new, ("day",), ("flight", "seat", "origin"), mode="append")
    for table, rows in ROWS.items():
        again = [row for row in rows if row["day"] == dt.date(2024, 1, 1)]
        assert by_flight(rows_of(store, table)) == by_flight([*rows, *again])
    assert verify(store, UUID).faults == ()
