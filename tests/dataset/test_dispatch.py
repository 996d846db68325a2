import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.reading import dispatch as module
from component.dataset.reading.dispatch import dispatch
from component.dataset.reading.reader import open_dataset
from component.errors import UserError
from tests.dataset.making import bag, with_files, write_dataset
from tests.dataset.memory import MemoryStore
from tests.strategies.typed_tables import tables

ROWS = pa.table({"k": ["x", "x", "y"], "v": [1, None, 1], "t": ["a", "b", "c"]})


@pytest.fixture
def dataset():
    store = MemoryStore()
    write_dataset(store, ROWS, ["k"], splits=3)
    return open_dataset(store, "sales")


def same(value):
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value + 0.0
    return value


@with_files
@given(st.data(), st.booleans())
def test_groups_have_every_row_once_by_its_values(data, held):
    rows = data.draw(tables(keys=1))
    by = data.draw(st.lists(st.sampled_from(rows.column_names), unique=True, max_size=3))
    store = MemoryStore()
    write_dataset(store, rows, rows.column_names[:1], splits=2)
    bound = module._HELD_BYTES
    module._HELD_BYTES = bound if held else 0
    try:
        found = [(group.values, group.read()) for group in dispatch(open_dataset(store, "sales"), by)]
    finally:
        module._HELD_BYTES = bound
    expected = {}
    for row in rows.to_pylist():
        expected.setdefault(tuple(same(row[name]) for name in by), []).append(row)
    assert {tuple(map(same, values.values())) for values, _ in found} == set(expected)
    assert len(found) == len(expected)
    assert all(list(values) == by for values, _ in found)
    for values, table in found:
        wanted = expected[tuple(map(same, values.values()))]
        assert bag(table) == bag(pa.Table.from_pylist(wanted, rows.schema))


def test_by_partition_keys_nothing_is_read_until_a_group_is(dataset):
    opened = []
    store = dataset.store

    class Watched:
        url = store.url

        def open(self, key):
            opened.append(key)
            return store.open(key)

    from dataclasses import replace

    groups = list(dispatch(replace(dataset, store=Watched()), ["k"]))
    assert opened == []
    assert [group.values for group in groups] == [{"k": "x"}, {"k": "y"}]
    assert groups[1].read().to_pylist() == [{"k": "y", "v": 1, "t": "c"}]
    assert len(opened) == 1


def test_predicates_and_columns_are_asked_of_each_group(dataset):
    found = list(dispatch(dataset, ["v"], predicates=[[("k", "==", "x")]], columns=["t"]))
    assert [(group.values, group.read().to_pydict()) for group in found] == [
        ({"v": 1}, {"t": ["a"]}),
        ({"v": None}, {"t": ["b"]}),
    ]


def test_no_rows_are_no_groups(dataset):
    assert list(dispatch(dataset, ["v"], predicates=[[("t", "==", "z")]])) == []


def test_a_column_that_is_not_there_is_named(dataset):
    with pytest.raises(UserError) as caught:
        list(dispatch(dataset, ["w"]))
    assert caught.value.code == "column.missing"


def test_a_group_of_a_partition_without_such_rows_is_empty(dataset):
    found = {group.values["k"]: group.read() for group in dispatch(dataset, ["k"], predicates=[[("t", "==", "a")]])}
    assert {key: rows.num_rows for key, rows in found.items()} == {"x": 1, "y": 0}
    assert found["y"].column_names == ROWS.column_names


def test_the_two_zeros_are_one_group_as_partition_values_too():
    store = MemoryStore()
    write_dataset(store, pa.table({"k": [0.0, -0.0, 1.5], "v": [-0.0, 0.0, 1.5]}), ["k"])
    opened = open_dataset(store, "sales")
    for name in ("k", "v"):
        assert sorted(group.read().num_rows for group in dispatch(opened, [name])) == [1, 2]
