import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.files.predicates import bind_predicates, columns_of, mask_of
from component.dataset.reading.reader import Indices, explain_scan, narrow, open_dataset, plan_scan, read_scan, residual
from component.store.local import LocalStore
from tests.dataset import oracle
from tests.dataset.making import bag, new_store, read_all, with_files, write_dataset
from tests.strategies.typed_tables import tables


@with_files
@given(tables(keys=2, max_rows=8).flatmap(lambda rows: st.tuples(st.just(rows), oracle.predicates(rows))))
def test_what_is_left_of_predicates_for_known_values_decides_the_same_rows(question):
    rows, predicates = question
    keys = rows.column_names[:2]
    bound = bind_predicates(predicates, rows.schema)
    narrowed, read = narrow(bound, keys, Indices(None, rows.schema, {}))
    assert read == {}
    for number, row in enumerate(rows.to_pylist()):
        left = residual(narrowed, {name: row[name] for name in keys})
        one = rows.slice(number, 1)
        kept = left is not None and (left == () or mask_of(left, one)[0].as_py())
        assert kept == oracle.keeps(row, predicates)
        assert left is None or not columns_of(left) & set(keys)


ROWS = pa.table({"k": ["x", "x", "y", "z"], "v": [1, 2, 2, None], "w": [5.0, math.nan, 6.0, 7.0], "n": [0, 1, 2, 3]})


@pytest.mark.parametrize(
    ("predicates", "read", "left"),
    [
        ([[("v", "==", 2)]], {"v": 2}, {"x": 1, "y": 1}),
        ([[("v", "==", 2), ("w", ">", 5.5)]], {"v": 2, "w": 2}, {"y": 1}),
        ([[("v", "==", 2)], [("k", "==", "z")]], {"v": 2}, {"x": 1, "y": 1, "z": 0}),
        ([[("v", "==", 2)], [("v", "==", 1), ("k", "==", "y")]], {"v": 2}, {"x": 1, "y": 1}),
        ([[("v", "==", 2)], [("n", "==", 3)]], {}, {"x": 2, "y": 2, "z": 2}),
        ([[("v", "is null", None)]], {}, {"x": 1, "y": 1, "z": 1}),
        ([[("v", "!=", 2)]], {}, {"x": 1, "y": 1, "z": 1}),
        ([[("w", "not in", [5.0])]], {}, {"x": 1, "y": 1, "z": 1}),
        ([[("v", "in", [9])]], {"v": 0}, {}),
        ([[("v", "is not null", None), ("v", "<", 2)]], {"v": 1}, {"x": 1}),
    ],
)
def test_each_conjunction_is_narrowed_by_its_own_indices_and_keys(tmp_path, predicates, read, left):
    store = LocalStore(tmp_path)
    write_dataset(store, ROWS, ["k"], ["v", "w"])
    scans, explanation = explain_scan(open_dataset(store, "sales"), predicates)
    assert dict(explanation.indices) == read
    assert {scan.partition_values["k"]: len(scan.keep) for scan in scans} == left
    found = read_all(store, predicates=predicates)
    assert bag(found) == bag(oracle.filtered(ROWS, predicates))


@st.composite
def datasets(draw):
    """Rows, keys and indices, and a question in which indexed columns, keys and nulls meet."""
    rows = draw(tables(keys=1, least=2, most=3, max_rows=20))
    names = rows.column_names
    indices = draw(st.lists(st.sampled_from(names[1:]), unique=True, min_size=1))
    return rows, names[:1], indices, draw(oracle.predicates(rows)) + draw(oracle.predicates(rows))


@with_files
@given(datasets(), st.integers(1, 4))
def test_no_index_loses_rows_whatever_is_asked(question, splits):
    rows, keys, indices, predicates = question
    with new_store() as store:
        write_dataset(store, rows, keys, indices, splits=splits)
        dataset = open_dataset(store, "sales")
        with_indices = {scan.label for scan in explain_scan(dataset, predicates)[0]}
        expected = oracle.filtered(rows, predicates)
        assert bag(read_all(store, predicates=predicates)) == bag(expected)
        for scan in plan_scan(dataset):
            if scan.label not in with_indices:
                held = read_scan(store, dataset.schema, scan, dataset.columns)
                assert oracle.filtered(held, predicates).num_rows == 0
