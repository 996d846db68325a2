"""Datasets of plateau with types that no table of text has: we write to them, and plateau reads on."""

import datetime as dt

import pyarrow as pa
import pytest

import tablemill
from component.store.local import LocalStore
from tests.plateau.process import PlateauError

pytestmark = pytest.mark.plateau
MOMENT = dt.datetime(2020, 1, 2, 3, 4, 5, 678901)  # noqa: DTZ001 - the zone is the column's
COLUMNS = {
    "i": pa.array([1, 2, 3], pa.int32()),
    "f": pa.array([1.5, None, 0.25], pa.float32()),
    "b": pa.array([b"x\xff", None, b""]),
    "l": pa.array([["a"], None, []]),
    "s": pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}]),
    "t": pa.array([dt.time(1, 2, 3), None, dt.time(23, 59, 59, 999999)]),
    "z": pa.array([MOMENT, None, MOMENT], pa.timestamp("us", "Europe/Prague")),
}


@pytest.mark.parametrize("column", COLUMNS)
def test_rows_go_back_into_a_dataset_of_theirs(plateau, tmp_path, column):
    store = LocalStore(tmp_path)
    rows = pa.table({"k": [1, 2, 3], "p": ["a", "a", "b"], column: COLUMNS[column]})
    plateau.create(store, "d", rows, partition_on=["p"])
    dataset = tablemill.open(f"{tmp_path.as_uri()}/d")
    before = dataset.read()
    listed = {row["k"]: row[column] for row in before.to_pylist()}
    dataset.append(before)
    dataset.upsert(before, key=["k"])
    dataset.delete_rows([[("k", "==", 2)]])
    dataset.compact()
    dataset.rename("e")
    assert dataset.read().schema == before.schema
    assert {row["k"]: row[column] for row in dataset.read().to_pylist()} == {1: listed[1], 3: listed[3]}
    theirs = plateau.read(store, "e")
    assert sorted(theirs["k"].to_pylist()) == [1, 3]
    if column == "z":  # nor does plateau append instants to a dataset that only plateau wrote
        with pytest.raises(PlateauError, match="not compatible"):
            plateau.append(store, "e", rows)
    else:
        plateau.append(store, "e", rows)
        assert tablemill.open(f"{tmp_path.as_uri()}/e").rows == 5
