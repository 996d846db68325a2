"""What a run makes of several tables for kartothek, kartothek reads: one dataset."""

import pytest

from component.dataset.verification.verify import verify
from component.store.local import LocalStore
from tests.runner.data_folder import csv_text
from tests.runner.trips import FLIGHTS, SEATS, configure, tables, with_trips

pytestmark = pytest.mark.kartothek


def texts(rows, columns):
    return sorted(tuple(str(row[name]) for name in columns) for row in rows.to_pylist())


@pytest.mark.parametrize("mode", ["overwrite", "append"])
def test_the_tables_of_a_run_are_one_dataset_that_kartothek_reads(kartothek, folder, run, mode):
    configure(with_trips(folder), compatibility="kartothek", mode=mode)
    for times in (1, 2):
        assert run().done
        store = LocalStore(folder.store)
        for table, (columns, rows) in {"flights": FLIGHTS, "seats": SEATS}.items():
            found = kartothek.read(store, "trips", table)
            assert texts(found, columns) == sorted(
                tuple(map(str, row)) for row in rows * (times if mode == "append" else 1)
            )
            one = kartothek.read(store, "trips", table, predicates=[[("flight", "==", 1)]])
            assert set(one["flight"].to_pylist()) == {1}
        folder.next_run()


def test_a_run_changes_one_table_by_its_key_and_the_other_stays(kartothek, folder, run):
    configure(with_trips(folder), compatibility="kartothek")
    assert run().done
    folder.next_run()
    folder.table("seats.csv", csv_text(SEATS[0], [["1A", 2, "tue"], ["5E", 9, "fri"]]))
    configure(folder, compatibility="kartothek", mode="upsert", tables=tables()[1:])
    assert run().done
    store = LocalStore(folder.store)
    seats = kartothek.read(store, "trips", "seats").to_pylist()
    assert sorted((row["seat"], row["flight"]) for row in seats) == [("1A", 2), ("2B", 3), ("3C", 4), ("5E", 9)]
    assert sorted(kartothek.read(store, "trips", "flights")["flight"].to_pylist()) == [1, 2, 3]
    assert verify(store, "trips").faults == ()
