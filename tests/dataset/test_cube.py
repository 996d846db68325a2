"""Cubes that kartothek 5.3 made: listed, and joined on their dimensions, against a join row by row."""

from __future__ import annotations

import datetime as dt
import time
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from component import clock
from component.dataset.changes.arrow_rows import given_rows
from component.dataset.changes.writing import FileLayout, NewDataset, add_rows, make_dataset
from component.dataset.commits.intent import Intent
from component.dataset.format.address import dataset_uuids
from component.dataset.reading.cube import cubes, open_cube
from component.errors import UserError
from tests.dataset.making import bag
from tests.dataset.memory import MemoryStore
from tests.dataset.oracle import keeps
from tests.store.faults import FaultStore

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "kartothek53_cube"
FIRST, SECOND, THIRD = (dt.datetime(2020, 1, day) for day in (1, 2, 3))  # noqa: DTZ001 - as the files have them
DE, UK = {"country": "DE", "precipitation": None}, {"country": "UK", "latitude": 51.5}
ROWS = [
    {"avg_temp": 1, "city": "Berlin", "day": THIRD, "latitude": None, **DE},
    {"avg_temp": 5, "city": "Dresden", "day": FIRST, "latitude": 51.0, **DE},
    {"avg_temp": 6, "city": "Hamburg", "day": FIRST, "latitude": 53.5, **DE},
    {"avg_temp": 8, "city": "London", "day": FIRST, "precipitation": 0, **UK},
    {"avg_temp": 6, "city": "London", "day": SECOND, "precipitation": 3, **UK},
]


@pytest.fixture(scope="module")
def golden():
    store = MemoryStore()
    for path in (path for path in GOLDEN.rglob("*") if path.is_file()):
        store.put(path.relative_to(GOLDEN).as_posix(), path.read_bytes())
    return store


def test_a_cube_is_read_as_kartothek_reads_it(golden):
    cube = open_cube(golden, "geo")
    assert (cube.seed, cube.dimensions, cube.partitions) == ("source", ("city", "day"), ("country",))
    assert set(cube.datasets) == {"source", "enrich", "time"}
    found = cube.read()
    assert found.column_names == ["avg_temp", "city", "country", "day", "latitude", "precipitation"]
    assert found.to_pylist() == [{name: row[name] for name in found.column_names} for row in ROWS]


@pytest.mark.parametrize(
    "predicates",
    [
        [[("avg_temp", ">=", 6)]],
        [[("city", "==", "London")]],
        [[("latitude", ">", 52)]],
        [[("country", "==", "DE"), ("latitude", "is null", None)]],
        [[("precipitation", "==", 0)], [("city", "==", "Berlin")]],
        [[("precipitation", "!=", 0)]],
        [[("country", "==", "FR")]],
    ],
)
def test_questions_are_answered_of_the_joined_rows(golden, predicates):
    found = open_cube(golden, "geo").read(predicates=predicates)
    assert bag(found) == bag(pa.Table.from_pylist([row for row in ROWS if keeps(row, predicates)], found.schema))


def test_datasets_and_columns_are_chosen(golden):
    cube = open_cube(golden, "geo")
    assert cube.read(datasets=["enrich"]).column_names == ["avg_temp", "city", "country", "day", "latitude"]
    assert cube.read(["precipitation", "city"]).to_pylist()[-1] == {"precipitation": 3, "city": "London"}
    with pytest.raises(UserError, match="no dataset 'no'"):
        cube.read(datasets=["no"])
    with pytest.raises(UserError, match="no such column"):
        cube.read(["no"])


def test_indices_and_partitions_leave_out_files(golden):
    store = FaultStore(golden)
    open_cube(store, "geo").read(["city"], [[("city", "==", "London")]])
    opened = [key for call, key in store.calls if call == "open" and "/table/" in key]
    assert len(opened) == 1
    assert "country=UK" in opened[0]


def test_a_store_lists_its_cubes(golden):
    assert [cube.prefix for cube in cubes(golden, dataset_uuids(golden))] == ["geo"]
    with pytest.raises(UserError) as caught:
        open_cube(golden, "no")
    assert caught.value.code == "dataset.missing"


# --- any rows, against a join row by row ---

CITIES, NUMBERS = ("a", "b", "c"), st.integers(0, 2) | st.none()
KEYS = st.tuples(st.sampled_from(CITIES), st.integers(0, 1))


def made(seed, other, more):
    store = MemoryStore()
    for name, rows, columns in (("seed", seed, ("city", "part", "v")), ("other", other, ("city", "part", "w"))):
        metadata = {
            "ktk_cube_is_seed": name == "seed",
            "ktk_cube_dimension_columns": ["city"],
            "ktk_cube_partition_columns": ["part"],
        }
        types = (pa.string(), pa.int64(), pa.int64())
        schema = pa.schema(list(zip(columns, types, strict=True)))

        def table(found, schema=schema):
            return pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in found], schema)

        uuid = f"cube++{name}"
        new = NewDataset(("part",), ("city", columns[2]), metadata=metadata)
        make_dataset(store, uuid, given_rows(table(rows), uuid), new, replaces=False)
        if name == "other" and more:
            add_rows(store, uuid, given_rows(table(more), uuid), Intent(), FileLayout())
    return open_cube(store, "cube++")


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_a_join_is_what_a_loop_over_the_rows_gives(data):
    def rows(values=NUMBERS):
        return [(*key, number) for key, number in data.draw(st.lists(st.tuples(KEYS, values), max_size=5))]

    seed, other, more = rows(), rows(), rows()
    last, added = ({row[:2]: row[2] for row in found} for found in (seed, [*other, *more]))
    joined = [{"city": c, "part": p, "v": v, "w": added.get((c, p))} for (c, p), v in last.items()]
    condition = st.sampled_from(
        [("city", "==", "a"), ("part", "==", 1), ("v", ">", 0), ("w", "==", 1), ("w", "!=", 1), ("w", "is null", None)]
    )
    predicates = data.draw(st.lists(st.lists(condition, min_size=1, max_size=3), min_size=1, max_size=2))
    found = made(seed, other, more).read(predicates=predicates)
    assert bag(found) == bag(pa.Table.from_pylist([row for row in joined if keeps(row, predicates)], found.schema))


def test_a_question_is_explained_dataset_by_dataset(golden):
    cube = open_cube(golden, "geo")
    every = {name: one.files for name, one in cube.explain().items()}
    found = cube.explain(["city", "precipitation"], [[("country", "==", "UK")]])
    assert {name: one.files for name, one in found.items()} == every
    assert [name for name, one in found.items() if one.read == 0] == [
        name for name in every if name != "source" and "precipitation" not in cube.datasets[name].schema.names
    ]
    assert 0 < found["source"].read < every["source"]
    with pytest.raises(UserError, match="no such column"):
        cube.explain(["no"])


def test_a_cube_is_asked_as_it_was_at_a_time(golden):
    cube = made([("a", 0, 1)], [("a", 0, 2)], [])
    store = next(iter(cube.datasets.values())).store
    before = clock.utc_now()
    time.sleep(0.01)
    more = pa.table({"city": ["a"], "part": [0], "w": [9]})
    add_rows(store, "cube++other", given_rows(more, "cube++other"), Intent(), FileLayout())
    assert open_cube(store, "cube").read(["w"]).to_pylist() == [{"w": 9}]
    assert open_cube(store, "cube", before).read(["w"]).to_pylist() == [{"w": 2}]
    with pytest.raises(UserError) as refused:
        open_cube(golden, "geo", before)
    assert refused.value.code == "dataset.history"
