"""Writes of every mode on a store: against lists of dictionaries, with faults, and with keys that are cut into sets."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.changes import key_sets
from component.dataset.changes.execution import HERE
from component.dataset.changes.key_sets import GatherKeys, gather_sets
from component.dataset.changes.modes import files_layout, plan_write
from component.dataset.changes.settling import commit_write
from component.dataset.commits.intent import Intent
from component.dataset.format.header import read_header
from component.dataset.format.history import history
from component.dataset.format.layout import Layout
from component.dataset.reading.reader import open_dataset, plan_scan
from component.dataset.verification.verify import verify
from component.errors import UserError
from component.store.uncommitted import Uncommitted
from tests.dataset.making import bag, read_all, with_files, write_dataset, write_files
from tests.dataset.memory import MemoryStore
from tests.store.faults import Fault, FaultStore

SCHEMA = pa.schema([("id", pa.int64()), ("k", pa.string()), ("v", pa.string())])
ROWS = [(1, "x", "a"), (2, "x", None), (3, "y", "c"), (4, "z", "d")]


def rows_of(rows):
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], schema=SCHEMA)


def write(store, mode, rows, *, partition_on=("k",), indices=(), scope=None, key=("id",), splits=1):
    """Write rows as a run does: plan, put files, commit."""
    table = rows if isinstance(rows, pa.Table) else rows_of(rows)
    layout = Layout("sales", table.schema, tuple(partition_on), tuple(indices))
    plan = plan_write(store, layout, Intent(mode, scope, tuple(key)))
    files = files_layout(plan)
    size = -(-table.num_rows // splits) or 1
    parts = [write_files(store, files, table.slice(at * size, size).select(files.schema.names)) for at in range(splits)]
    return commit_write(Uncommitted(store), plan, parts)


def make(**layout):
    store = MemoryStore()
    write(store, "overwrite", ROWS, **layout)
    return store


def listed(store):
    if read_header(store, "sales") is None:
        return []
    return sorted(tuple(row.values()) for row in read_all(store).select(SCHEMA.names).to_pylist())


# --- the oracle ---


def applied(old, mode, new, scope, key):
    """What a mode makes of rows, row by row."""
    names = SCHEMA.names

    def key_of(row):
        return tuple(row[names.index(name)] for name in key)

    if mode == "overwrite":
        return new
    if mode == "append":
        return old + new
    if mode == "replace_partitions":
        gone = {one["k"] for one in scope} if scope is not None else {row[1] for row in new}
        return [row for row in old if row[1] not in gone] + new
    keys = {key_of(row) for row in new}
    kept = [row for row in old if key_of(row) not in keys]
    return kept + new if mode == "upsert" else kept


numbers, letters = st.integers(0, 5), st.sampled_from("xyz")
row = st.tuples(numbers, letters, st.none() | letters)
steps = st.tuples(
    st.sampled_from(["overwrite", "append", "replace_partitions", "upsert", "delete"]),
    st.lists(row, max_size=5),
    st.none() | st.lists(st.fixed_dictionaries({"k": letters}), min_size=1, max_size=2),
)


@with_files
@given(
    st.lists(steps, min_size=1, max_size=5),
    st.sampled_from([("id",), ("id", "k")]),
    st.sampled_from([(), ("id",), ("id", "v")]),
    st.integers(1, 3),
)
def test_any_sequence_of_modes_is_what_lists_of_rows_make_of_it(sequence, key, indices, splits):
    store, expected = MemoryStore(), []
    for mode, rows, scope in sequence:
        new = list({tuple(one[:2] if "k" in key else one[:1]): one for one in rows}.values())
        if mode == "delete" and read_header(store, "sales") is None:
            continue
        write(store, mode, new, indices=indices, scope=scope, key=key, splits=splits)
        expected = applied(expected, mode, new, scope, key)
        found = read_all(store)
        assert bag(found) == bag(rows_of(expected))
        for column in indices:
            for value in found[column].drop_null().unique().to_pylist():
                asked = read_all(store, predicates=[[(column, "==", value)]])
                assert bag(asked) == bag(found.filter(pc.equal(found[column], value)))
    if read_header(store, "sales") is not None:
        assert not verify(store, "sales").faults
        assert not [key for key in store.objects if "/_keys/" in key]


@with_files
@given(st.lists(row, max_size=12), st.integers(1, 4), st.booleans())
def test_keys_cut_into_sets_are_the_same_keys(rows, per_set, inline):
    new = list({one[:2]: one for one in rows}.values())
    store = MemoryStore()
    written = write_files(store, Layout("sales", SCHEMA, ("k",)), rows_of(new))
    write_dataset(store, rows_of(ROWS), ["k"])
    dataset = open_dataset(store, "sales")
    scans = tuple(plan_scan(_as_state(dataset, written)))
    task = GatherKeys(store, "sales", dataset.schema, ("id", "k"), scans, unique=True)
    limit, key_sets.INLINE_BYTES = key_sets.INLINE_BYTES, key_sets.INLINE_BYTES if inline else -1
    try:
        sets = gather_sets(HERE, task, len(new), per_set=per_set)
    finally:
        key_sets.INLINE_BYTES = limit
    tables = [one.read(store) for one in sets]
    assert sorted(tuple(row.values()) for rows in tables for row in rows.to_pylist()) == sorted(r[:2] for r in new)
    assert all((one.key is None) == inline for one in sets)


def _as_state(dataset, written):
    partitions = {file.label: {"table": file.key} for file in written.files}
    header = type(dataset.header)("sales", partitions, ("k",), {}, {})
    return type(dataset)(dataset.store, header, "table", dataset.schema)


# --- what is touched ---


def test_only_files_with_such_keys_are_written_again():
    store = make()
    before = dict(read_header(store, "sales").header.partitions)
    write(store, "upsert", [(2, "x", "new"), (9, "y", "more")])
    after = read_header(store, "sales").header.partitions
    assert sorted(label[:3] for label in before.keys() - after.keys()) == ["k=x"]
    assert sorted(label[:3] for label in after.keys() - before.keys()) == ["k=x", "k=x", "k=y"]
    assert next(history(store, "sales")).operation == "upsert"


@pytest.mark.parametrize("key", [("id",), ("id", "k")])
def test_files_whose_range_has_none_of_the_keys_are_not_read(key):
    store = MemoryStore()
    for first in (0, 10, 20, 30):
        write(store, "append", [(first + row, "x", "a") for row in range(10)], partition_on=())
    spy = FaultStore(store)
    write(spy, "upsert", [(12, "x", "new"), (15, "x", "new")], partition_on=(), key=key)
    opened = Counter(name for call, name in spy.calls if call == "open" and "/table/" in name)
    assert sorted(opened.values()) == [1, 1, 1, 1, 3], "three footers, the new keys; footer, key and rows of one file"
    assert len(listed(store)) == 40


def test_a_file_of_nothing_but_such_rows_is_not_written_again():
    store = make()
    write(store, "delete", [(3, "?", None), (3, "?", None), (8, "?", None)])
    assert listed(store) == [(1, "x", "a"), (2, "x", None), (4, "z", "d")]
    assert len(read_header(store, "sales").header.partitions) == 2


def test_a_deletion_needs_nothing_but_the_columns_of_the_key():
    store = make(indices=("id",))
    write(store, "delete", pa.table({"id": [1, 4]}))
    assert listed(store) == [(2, "x", None), (3, "y", "c")]
    assert next(history(store, "sales")).operation == "delete keys"


# --- refusals ---


def refused(store, code, mode, rows, **more):
    before = dict(store.objects)
    with pytest.raises(UserError) as caught:
        write(store, mode, rows, **more)
    assert caught.value.code == code
    assert {key: data for key, data in store.objects.items() if key in before} == before
    return str(caught.value)


def test_a_key_that_stands_twice_is_refused_with_its_value_and_how_often():
    text = refused(make(), "dataset.key", "upsert", [(7, "x", "a"), (7, "y", "b"), (8, "x", "c")])
    assert "1 keys stand more than once" in text
    assert "in 2 rows" in text
    assert "'7'" in text


@pytest.mark.parametrize("mode", ["upsert", "delete"])
@pytest.mark.parametrize("rows", [[(None, "x", "a")], [(1, "x", "a"), (None, "y", "b")]])
def test_a_key_without_a_value_is_refused(mode, rows):
    assert "null or NaN in 1 of" in refused(make(), "dataset.key", mode, rows)


def test_an_upsert_without_a_key_is_refused():
    refused(make(), "dataset.key", "upsert", ROWS, key=())


@pytest.mark.parametrize("scope", [(), ({},), ({"k": "x"}, {})])
def test_a_scope_that_would_match_everything_is_refused(scope):
    assert "would match every partition" in refused(make(), "dataset.scope", "replace_partitions", ROWS, scope=scope)
    refused(MemoryStore(), "dataset.scope", "replace_partitions", ROWS, scope=scope)


def test_a_scope_of_another_column_is_refused():
    refused(make(), "dataset.scope", "replace_partitions", ROWS, scope=({"id": 1},))


def test_partitions_of_a_dataset_without_any_cannot_be_replaced():
    refused(make(partition_on=()), "dataset.scope", "replace_partitions", ROWS, partition_on=())


def test_no_rows_replace_no_partition():
    store = make()
    write(store, "replace_partitions", [])
    assert listed(store) == sorted(ROWS)


def test_a_deletion_from_nothing_says_that_the_dataset_is_missing():
    refused(MemoryStore(), "dataset.missing", "delete", ROWS)


def test_a_deletion_by_a_key_of_another_type_is_refused():
    refused(make(), "dataset.schema", "delete", pa.table({"id": ["1"]}))


def test_a_store_that_fails_while_files_are_written_again_keeps_the_state():
    for number in range(1, 8):
        store = make()
        state = listed(store)
        faulty = FaultStore(store, Fault("put", number, "fail"))
        try:
            write(faulty, "upsert", [(2, "x", "new"), (3, "y", "new")])
        except Exception:  # noqa: BLE001 - whatever the fault became
            assert listed(store) == state
        else:
            assert number > 5
            return
    pytest.fail("every put failed")
