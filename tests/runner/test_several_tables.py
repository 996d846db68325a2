"""Issue 4, point 2: several tables of one dataset, as one dataset for kartothek or as one each for plateau."""

import json

import pyarrow.parquet as pq
import pytest

import tablemill
from component.dataset.format.header import read_header
from component.dataset.reading.reader import open_dataset, read_dataset
from component.dataset.verification.verify import verify
from component.store.local import LocalStore
from tests.runner.data_folder import csv_text
from tests.runner.trips import FLIGHTS, SEATS, TYPES, configure, tables, with_trips


@pytest.fixture
def trips(folder):
    return with_trips(folder)


def rows_of(folder, uuid, table=None):
    dataset = open_dataset(LocalStore(folder.store), uuid, table=table)
    found = [row for rows in read_dataset(dataset) for row in rows.to_pylist()]
    return sorted(([str(row[name]) for name in dataset.columns] for row in found), key=str)


def as_text(rows):
    return sorted(([str(cell) for cell in row] for row in rows), key=str)


def test_for_kartothek_they_are_one_dataset(trips, run):
    configure(trips, compatibility="kartothek")
    assert run().done
    store = LocalStore(trips.store)
    header = read_header(store, "trips").header
    assert header.tables == ("flights", "seats")
    assert sorted(label.split("/")[0] for label in header.partitions) == ["day=mon", "day=tue", "day=wed"]
    for label, files in header.partitions.items():
        assert files == {table: f"trips/{table}/{label}.parquet" for table in ("flights", "seats")}
    assert rows_of(trips, "trips", "flights") == as_text(FLIGHTS[1])
    assert rows_of(trips, "trips", "seats") == as_text(SEATS[1])
    assert verify(store, "trips").faults == ()
    assert pq.read_schema(store.open(header.indices["seat"])).field("seat").type == "string"


def test_for_plateau_each_is_a_dataset(trips, run):
    configure(trips)
    assert run().done
    store = LocalStore(trips.store)
    for table, columns, rows in (("flights", *FLIGHTS), ("seats", *SEATS)):
        header = read_header(store, f"trips++{table}").header
        assert header.tables == ("table",)
        assert set(header.indices) == {"flight", "seat"} & set(columns)
        assert rows_of(trips, f"trips++{table}") == as_text(rows)
        assert verify(store, f"trips++{table}").faults == ()
    assert read_header(store, "trips") is None


@pytest.mark.parametrize("compatibility", ["plateau", "kartothek"])
@pytest.mark.parametrize("store", [True, False], ids=["store", "archives"])
def test_outputs_read_the_table_that_they_name(trips, run, compatibility, store):
    outputs = [
        {"dataset": "trips", "table": "flights", "name": "f", "predicates": [[["flight", "==", 3]]]},
        {"dataset": "trips", "table": "seats"},
    ]
    configure(trips, outputs, store=store, compatibility=compatibility)
    for _ in range(2):
        assert run().done
        assert trips.records("f") == [{"flight": "3", "day": "tue", "origin": "BRU"}]
        assert sorted(trips.rows("trips-seats")) == sorted(tuple(map(str, row)) for row in SEATS[1])
        assert trips.manifest("f")["primary_key"] == ["flight"]
        trips.next_run()


@pytest.mark.parametrize("compatibility", ["plateau", "kartothek"])
def test_an_output_alone_reads_what_an_earlier_run_made(trips, run, compatibility):
    configure(trips, compatibility=compatibility)
    assert run().done
    trips.next_run()
    trips.file_store(outputs=[{"dataset": "trips", "table": "seats", "name": "s"}])
    assert run().done
    assert sorted(trips.rows("s")) == sorted(tuple(map(str, row)) for row in SEATS[1])


@pytest.mark.parametrize("compatibility", ["plateau", "kartothek"])
def test_appends_are_one_commit_that_keeps_the_same_files_in_every_partition(trips, run, compatibility):
    configure(trips, compatibility=compatibility, mode="append")
    for _ in range(2):
        assert run().done
        state = trips.state
        trips.next_run()
    for table, rows in (("flights", FLIGHTS[1]), ("seats", SEATS[1])):
        where = ("trips", table) if compatibility == "kartothek" else (f"trips++{table}",)
        assert rows_of(trips, *where) == as_text(rows * 2)
        assert verify(LocalStore(trips.store), where[0]).faults == ()
    datasets = state["tablemill"]["datasets"]
    if compatibility == "kartothek":
        assert (list(datasets), datasets["trips"]["rows"]) == (["trips"], 6)
    else:
        assert list(datasets) == ["trips++flights", "trips++seats"]


def test_partitions_are_replaced_in_all_tables_at_once(trips, run):
    configure(trips, compatibility="kartothek")
    assert run().done
    trips.next_run()
    trips.table("flights.csv", csv_text(FLIGHTS[0], [[9, "mon", "OSL"]]))
    trips.table("seats.csv", csv_text(SEATS[0], [["9Z", 9, "wed"]]))
    configure(trips, compatibility="kartothek", mode="replace_partitions")
    assert run().done
    assert rows_of(trips, "trips", "flights") == as_text([[9, "mon", "OSL"], [3, "tue", "BRU"]])
    assert rows_of(trips, "trips", "seats") == as_text([["2B", 3, "tue"], ["9Z", 9, "wed"]])
    assert verify(LocalStore(trips.store), "trips").faults == ()


def test_rejected_rows_are_a_table_for_each_table(trips, run):
    trips.table("flights.csv", csv_text(FLIGHTS[0], [*FLIGHTS[1], ["x", "mon", "BRU"]]))
    for compatibility in ("plateau", "kartothek"):
        configure(trips, compatibility=compatibility, on_bad_row="reject")
        assert run().done
        assert trips.out_tables == ["trips-flights.rejected", "trips-seats.rejected"]
        assert [row[3] for row in trips.rows("trips-flights.rejected")] == ["x"]
        trips.next_run()


def test_types_that_are_found_out_are_compared_too(trips, run):
    trips.table("seats.csv", csv_text(SEATS[0], [["1A", "none", "mon"]]))
    found = [{**table, "columns": {}, "infer_types": True} for table in tables()]
    configure(trips, compatibility="kartothek", tables=found)
    outcome = run()
    assert outcome.code == 1
    assert "flight" in outcome.err
    assert "'flights'" in outcome.err
    assert "'seats'" in outcome.err


def test_columns_of_one_name_have_one_type(trips, refused):
    differing = [
        {**table, "columns": {"flight": "string"} if table["name"] == "seats" else TYPES} for table in tables()
    ]
    configure(trips, compatibility="kartothek", tables=differing)
    refused("column.type", "int64", "string", "'flights'", "'seats'", "column 'flight'")


def test_tables_that_are_datasets_of_their_own_agree_on_partition_columns_only(trips, run):
    differing = [
        {**table, "columns": {"flight": "string"} if table["name"] == "seats" else TYPES} for table in tables()
    ]
    configure(trips, tables=differing)
    assert run().done


def test_a_partition_column_is_in_every_table(trips, refused):
    configure(trips, partition_on=["origin"], secondary_indices=[])
    refused("column.missing", "partition_on", "seats.csv", "origin")


def test_an_output_of_several_tables_says_which(trips, refused):
    for compatibility in ("plateau", "kartothek"):
        configure(trips, [{"dataset": "trips"}], compatibility=compatibility)
        refused("config.value", "flights, seats")
        configure(trips, [{"dataset": "trips", "table": "crew"}], compatibility=compatibility)
        refused("config.value", "'crew'", "flights, seats")


def test_an_append_brings_rows_of_some_tables_and_leaves_the_others(trips, run):
    configure(trips, compatibility="kartothek")
    assert run().done
    store = LocalStore(trips.store)
    before = {table: tablemill.open(f"{store.url}/trips", table=table).rows for table in ("flights", "seats")}
    trips.next_run()
    trips.file_store(datasets=[{"uuid": "trips", "tables": [tables()[0]], "partition_on": ["day"], "mode": "append"}])
    assert run().done
    after = {table: tablemill.open(f"{store.url}/trips", table=table).rows for table in ("flights", "seats")}
    assert after == {"flights": 2 * before["flights"], "seats": before["seats"]}
    assert not verify(store, "trips").faults


def test_nothing_of_any_table_is_left_when_one_fails(trips, refused):
    trips.table("seats.csv", csv_text(SEATS[0], [["1A", "x", "mon"]]))
    configure(trips, compatibility="kartothek")
    refused("cell.type", "seats.csv")


def test_a_source_is_the_table_s_name_where_none_is_given(trips, run):
    bare = [{"name": "flights", "columns": TYPES}, {"name": "seats", "columns": TYPES}]
    configure(trips, compatibility="kartothek", tables=bare)
    assert run().done
    assert rows_of(trips, "trips", "seats") == as_text(SEATS[1])


def test_what_a_run_says_of_it(trips, run):
    configure(trips, compatibility="kartothek")
    (said,) = json.loads(run(as_json=True).out)["datasets"]
    assert (said["uuid"], said["rows_in"], said["rows"], said["partitions"]) == ("trips", 6, 6, 3)
