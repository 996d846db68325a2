"""Primary keys of new rows that a dataset already has, found as a plain look at all rows finds them."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from component.dataset.changes import key_sets, known_keys, primary_keys
from component.dataset.changes.modes import plan_write
from component.dataset.changes.settling import commit_write, settle, settle_again
from component.dataset.commits.intent import Intent
from component.dataset.format.layout import Layout
from component.errors import CommitRefusedError, UserError
from component.store.uncommitted import Uncommitted
from tests.dataset.making import read_all, with_files, write_files
from tests.dataset.memory import MemoryStore
from tests.dataset.test_commit_races import every_moment

SCHEMA = pa.schema(
    [("id", pa.int64()), ("f", pa.float64()), ("many", pa.list_(pa.string())), ("k", pa.string()), ("v", pa.int64())]
)
row = st.tuples(
    st.none() | st.integers(0, 5),
    st.sampled_from([0.0, -0.0, math.nan, 1.5]),
    st.none() | st.lists(st.sampled_from(["a", "a', 'b", None]), max_size=2),
    st.sampled_from("xy"),
    st.integers(0, 3),
)


def table_of(rows):
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, one, strict=True)) for one in rows], schema=SCHEMA)


def written(store, rows, intent, key, *, partition_on=(), indices=(), splits=1):
    """Plan a write as a run does, and put its files."""
    layout = Layout("sales", SCHEMA, tuple(partition_on), tuple(indices))
    plan = plan_write(store, layout, intent, primary_key=key)
    size = -(-len(rows) // splits) or 1
    return plan, [write_files(store, plan.layout, table_of(rows[at * size : (at + 1) * size])) for at in range(splits)]


def write(store, rows, intent, key, **layout):
    """Write rows, and return what is said of their keys."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        commit_write(Uncommitted(store), *written(store, rows, intent, key, **layout))
    return [str(one.message) for one in said]


def key_of(one, key):
    """The key as a value that Python compares as keys are; None where a part of it is null."""
    values = [one[SCHEMA.names.index(name)] for name in key]
    if None in values:
        return None
    return tuple(
        "nan" if isinstance(value, float) and math.isnan(value) else repr(value) if isinstance(value, list) else value
        for value in values
    )


def stays(mode, old, new, other_key):
    if mode == "append":
        return old
    if mode == "replace_partitions":
        return [one for one in old if one[3] not in {each[3] for each in new}]
    gone = {key_of(one, other_key) for one in new}
    return [one for one in old if key_of(one, other_key) not in gone]


@settings(with_files, max_examples=20)
@given(
    st.lists(row, max_size=6),
    st.lists(row, max_size=5),
    st.sampled_from([("id",), ("f",), ("many",), ("id", "k"), ("f", "many", "k")]),
    st.sampled_from(["append", "replace_partitions", "upsert"]),
    st.sampled_from(["warn", "fail", "reject"]),
    st.sampled_from([(), ("id",), ("id", "f")]),
    st.integers(1, 3),
)
def test_keys_that_are_there_are_found_as_by_a_look_at_all_rows(old, new, key, mode, rule, indices, splits):
    if mode == "upsert":
        new = list({one[4]: one for one in new}.values())
    store = MemoryStore()
    layout = {"partition_on": ("k",), "indices": indices, "splits": splits}
    write(store, old, Intent("overwrite"), (), **layout)
    there = {key_of(one, key) for one in stays(mode, old, new, ("v",))} - {None}
    ours = Counter(key_of(one, key) for one in new)
    again = [count for one, count in ours.items() if one is not None and count > 1]
    met = {one: count for one, count in ours.items() if one in there}
    intent = Intent(mode, key=("v",) if mode == "upsert" else (), on_duplicate_key=rule)
    with pytest.MonkeyPatch.context() as patch:
        for room, name in ((primary_keys, "RUN_HASHES"), (known_keys, "RANGE_HASHES"), (key_sets, "INLINE_BYTES")):
            patch.setattr(room, name, 2)
        patch.setattr(known_keys.known_keys, "__defaults__", (2,))
        if rule != "warn" and (None in ours or again or met):
            with pytest.raises(UserError) as refused:
                write(store, new, intent, key, **layout)
            assert refused.value.code == ("row.null_key" if None in ours else "row.duplicate_key")
            assert read_all(store).num_rows == len(old)
            return
        said = write(store, new, intent, key, **layout)
    known = [text for text in said if "already has" in text]
    assert len(known) == bool(met)
    if met:
        count, rows = len(met), sum(met.values())
        what = "the primary key" if count == 1 else f"{count} primary keys"
        assert known[0].startswith(f"The dataset already has {what} of {rows} row")
    assert sum("is null in" in text for text in said) == sum(
        any(one[SCHEMA.names.index(name)] is None for one in new) for name in key
    )
    assert sum(" in " in text and "stand" in text for text in said) == bool(again)
    assert not [name for name in store.objects if "/_keys/" in name]


def test_keys_whose_hashes_are_equal_are_told_apart(monkeypatch):
    for room in (known_keys, primary_keys):
        monkeypatch.setattr(room, "key_hashes", lambda rows, _: np.zeros(rows.num_rows, np.uint64))
    store = MemoryStore()
    write(store, [(1, 0.0, [], "x", 1), (2, 0.0, [], "x", 1)], Intent("overwrite"), ("id",))
    assert write(store, [(3, 0.0, [], "x", 1)], Intent(), ("id",)) == []
    assert "primary key of 1 row (table 'sales', column 'id', value '2')" in "".join(
        write(store, [(2, 0.0, [], "x", 1), (4, 0.0, [], "x", 1)], Intent(), ("id",))
    )


@pytest.mark.parametrize(
    ("indices", "ids", "files"),
    [((), [7], 3), (("id",), [7], 1), (("id",), [4], 0), ((), [100], 0)],
)
def test_only_files_that_may_hold_a_key_are_read(monkeypatch, indices, ids, files):
    store = MemoryStore()
    for start in (1, 2, 3):
        rows = [(number, 0.0, [], "x", 1) for number in range(start, start + 21, 6)]
        write(store, rows, Intent("overwrite" if start == 1 else "append"), ("id",), indices=indices)
    read = []
    keys_in = primary_keys.keys_in
    monkeypatch.setattr(
        known_keys, "keys_in", lambda store, schema, scan, key: read.append(scan) or keys_in(store, schema, scan, key)
    )
    rows = [(number, 0.0, [], "x", 1) for number in ids]
    plan, parts = written(store, rows, Intent(), ("id",), indices=indices)
    settle(Uncommitted(store), plan, parts)
    fresh = {file.label for part in parts for file in part.files}
    assert sum(scan.label not in fresh for scan in read) == files


def test_a_key_that_another_writer_brings_at_any_moment_is_met():
    base = MemoryStore()
    write(base, [(1, 0.0, [], "x", 1)], Intent("overwrite"), ("id",))
    outcomes = Counter()
    late = []

    def ours(store):
        try:
            write(store, [(2, 0.0, [], "y", 1)], Intent(on_duplicate_key="fail"), ("id",))
        except UserError as error:
            outcomes[error.code] += 1

    def theirs(store):
        late.extend(write(store, [(2, 0.0, [], "x", 1)], Intent(), ("id",)))

    for store, _ in every_moment(base, ours, theirs):
        assert sorted(read_all(store.inner)["id"].to_pylist()) == ([1, 2, 2] if late else [1, 2])
        outcomes["late"] += len(late)
        late.clear()
    assert outcomes["row.duplicate_key"]
    assert outcomes["late"]


def test_rows_that_would_have_been_rejected_are_refused_after_a_lost_race():
    store = MemoryStore()
    write(store, [(1, 0.0, [], "x", 1)], Intent("overwrite"), ("id",))
    plan, parts = written(store, [(2, 0.0, [], "x", 1)], Intent(on_duplicate_key="reject"), ("id",))
    settled = settle(Uncommitted(store), plan, parts)
    write(store, [(2, 0.0, [], "x", 1)], Intent(), ("id",))
    with pytest.raises(CommitRefusedError, match="Run again: the new rows with such keys are rejected then"):
        settle_again(Uncommitted(store), settled)
    assert settle_again(Uncommitted(store), replace(settled, plan=replace(plan, intent=Intent()))).warnings
