"""What a run makes of several tables for kartothek, kartothek reads: one dataset."""

import pytest

from component.store.local import LocalStore
from tests.runner.trips import FLIGHTS, SEATS, configure, with_trips

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
