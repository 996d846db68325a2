"""What a run makes of several tables for plateau, plateau reads: a dataset each."""

import pytest

from component.store.local import LocalStore
from tests.runner.trips import FLIGHTS, SEATS, configure, with_trips

pytestmark = pytest.mark.plateau


def texts(rows, columns):
    return sorted(tuple(str(row[name]) for name in columns) for row in rows.to_pylist())


@pytest.mark.parametrize("mode", ["overwrite", "append"])
def test_each_table_of_a_run_is_a_dataset_that_plateau_reads(plateau, folder, run, mode):
    configure(with_trips(folder), mode=mode)
    for times in (1, 2):
        assert run().done
        store = LocalStore(folder.store)
        for table, (columns, rows) in {"flights": FLIGHTS, "seats": SEATS}.items():
            found = plateau.read(store, f"trips++{table}")
            assert texts(found, columns) == sorted(
                tuple(map(str, row)) for row in rows * (times if mode == "append" else 1)
            )
            one = plateau.read(store, f"trips++{table}", predicates=[[("flight", "==", 1)]])
            assert set(one["flight"].to_pylist()) == {1}
        folder.next_run()
