"""plateau uses the indices we write."""

import datetime as dt

import pyarrow as pa
import pytest

from component.dataset.reading.reader import open_dataset, plan_scan, read_scan
from component.store.local import LocalStore
from tests.dataset import oracle
from tests.dataset.making import bag, write_dataset
from tests.plateau.rows import comparable, moment

pytestmark = pytest.mark.plateau
ROWS = pa.table(
    {
        "k": ["x", "x", "y", "z", "z"],
        "text": ["a", "ü/é", None, "a", "c"],
        "whole": pa.array([1, 2, -(2**63), 2**63 - 1, 1], pa.int64()),
        "ratio": [1.5, float("inf"), 2.5, -0.0, 1.5],
        "flag": [True, True, True, False, False],
        "day": [dt.date(1, 1, 1), dt.date(2024, 1, 1), dt.date(9999, 12, 31), dt.date(2024, 1, 1), dt.date(2020, 1, 1)],
        "moment": pa.array(
            [moment(f"2024-01-0{day}T00:00:00.00000{day}") for day in (1, 2, 3, 1, 2)], pa.timestamp("us")
        ),
    }
)
INDEXED = ROWS.column_names[1:]


@pytest.fixture
def store(tmp_path):
    store = LocalStore(tmp_path)
    write_dataset(store, ROWS, ["k"], INDEXED, splits=2)
    return store


def files_of(store):
    """The rows of each data file, by its label."""
    dataset = open_dataset(store, "sales")
    return {scan.label: read_scan(store, dataset.schema, scan, dataset.columns) for scan in plan_scan(dataset)}


@pytest.mark.parametrize("column", INDEXED)
def test_an_index_of_every_type_is_loaded_with_its_values_and_labels(plateau, store, column):
    expected = oracle.index_of({label: rows[column].to_pylist() for label, rows in files_of(store).items()})
    assert plateau.index(store, "sales", column) == expected


QUESTIONS = [
    *[[[(column, "==", ROWS[column][0].as_py())]] for column in INDEXED],
    *[[[(column, "in", [ROWS[column][1].as_py(), ROWS[column][4].as_py()])]] for column in INDEXED],
    [[("whole", ">", 1)]],
    [[("ratio", "<=", 1.5)]],
    [[("day", ">=", dt.date(2024, 1, 1))]],
    [[("text", "==", "a"), ("whole", "==", 1)]],
    [[("text", "==", "a"), ("k", "==", "z")]],
    [[("whole", "==", 2)], [("flag", "==", False), ("ratio", "==", 1.5)]],
    [[("text", "==", "nowhere")]],
]


@pytest.mark.parametrize("predicates", QUESTIONS, ids=str)
def test_a_question_opens_only_the_partitions_that_hold_its_values_and_gets_its_rows(plateau, store, predicates):
    found = plateau.read(store, "sales", predicates=predicates)
    assert bag(comparable(found)) == bag(comparable(oracle.filtered(ROWS, predicates)))
    candidates = [
        label
        for label, rows in files_of(store).items()
        if any(
            all(any(oracle.keeps(row, [[condition]]) for row in rows.to_pylist()) for condition in conjunction)
            for conjunction in predicates
        )
    ]
    assert plateau.dispatched(store, "sales", predicates) == sorted(candidates)
    assert [scan.label for scan in plan_scan(open_dataset(store, "sales"), predicates)] == sorted(candidates)


def test_a_numeric_index_stands_in_nobodys_way_of_reading(plateau, tmp_path):
    """plateau has no predicates on decimals, with an index or without, and cannot update an index of them."""
    store = LocalStore(tmp_path)
    rows = ROWS.append_column("amount", pa.array([1, 2, 3, 4, 5]).cast(pa.decimal128(38, 9)))
    write_dataset(store, rows, ["k"], ["amount", "text"])
    assert bag(comparable(plateau.read(store, "sales"))) == bag(comparable(rows))
    assert plateau.read(store, "sales", predicates=[[("text", "==", "c")]]).num_rows == 1
    assert [scan.partition_values for scan in plan_scan(open_dataset(store, "sales"), [[("amount", "==", 3)]])] == [
        {"k": "y"}
    ]


def test_an_index_of_more_than_one_row_group_is_loaded(plateau, tmp_path):
    store = LocalStore(tmp_path)
    rows = pa.table({"k": [number % 3 for number in range(25_000)], "id": [f"id {number}" for number in range(25_000)]})
    write_dataset(store, rows, ["k"], ["id"])
    assert len(plateau.index(store, "sales", "id")) == 25_000
    assert plateau.read(store, "sales", predicates=[[("id", "==", "id 17")]]).to_pydict() == {"k": [2], "id": ["id 17"]}
