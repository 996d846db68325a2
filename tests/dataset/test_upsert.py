import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.changes.upsert import delete_keys, upsert
from component.dataset.format.header import read_header
from component.dataset.format.history import history
from component.errors import UserError
from tests.dataset.making import bag, read_all, with_files, write_dataset
from tests.dataset.memory import MemoryStore
from tests.store.faults import Fault, FaultStore

ROWS = pa.table({"id": [1, 2, 3, 4], "k": ["x", "x", "y", "z"], "v": ["a", None, "c", "d"]})


def make(partition_on=("k",), indices=(), primary_key=("id",)):
    store = MemoryStore()
    write_dataset(store, ROWS, partition_on, indices, primary_key=primary_key)
    return store


def new_rows(*rows):
    return pa.Table.from_pylist([dict(zip(("id", "k", "v"), row, strict=True)) for row in rows], schema=ROWS.schema)


def applied(old, new, key):
    """The upsert as a dictionary says it."""
    found = {tuple(row[name] for name in key): row for row in [*old.to_pylist(), *new.to_pylist()]}
    return pa.Table.from_pylist(list(found.values()), schema=old.schema)


@pytest.mark.parametrize("indices", [(), ("id",)])
@pytest.mark.parametrize("partition_on", [(), ("k",)])
def test_rows_of_a_key_that_is_there_are_replaced_and_others_added(partition_on, indices):
    store = make(partition_on, indices)
    new = new_rows((2, "w", "moved"), (9, "x", "new"))
    upsert(store, "sales", new)
    assert bag(read_all(store)) == bag(applied(ROWS, new, ["id"]))
    assert next(history(store, "sales")).operation == "upsert"
    assert bag(read_all(store, predicates=[[["id", "==", 2]]])) == bag(new.slice(0, 1))


numbers = st.integers(0, 6)
letters = st.sampled_from("xyz")
rows = st.lists(st.tuples(numbers, letters, st.none() | letters), max_size=12)


@with_files
@given(rows, rows, st.sampled_from([["id"], ["id", "k"]]), st.sampled_from([[], ["k"]]), st.booleans())
def test_an_upsert_is_what_a_dictionary_does(old, new, key, partition_on, indexed):
    old, new = (applied(ROWS.slice(0, 0), new_rows(*found), key) for found in (old, new))
    store = MemoryStore()
    write_dataset(store, old, partition_on, ["id"] if indexed else [], splits=2)
    upsert(store, "sales", new, key)
    assert bag(read_all(store)) == bag(applied(old, new, key))


@pytest.mark.parametrize(("partition_on", "indices", "key"), [((), ("id",), ["id"]), (("k",), (), ["id", "k"])])
def test_files_that_index_or_partition_rule_out_are_not_opened(partition_on, indices, key):
    store = MemoryStore()
    for row in range(4):
        write_dataset(store, ROWS.slice(row, 1), partition_on, indices, mode="append")
    spy = FaultStore(store)
    upsert(spy, "sales", new_rows((4, "z", "changed")), key)
    opened = [key for call, key in spy.calls if call == "open" and "/table/" in key]
    assert len(set(opened)) == 1


def test_only_touched_files_are_written_again():
    store = make()
    before = set(read_header(store, "sales").header.partitions)
    upsert(store, "sales", new_rows((4, "z", "changed")))
    assert len(before - set(read_header(store, "sales").header.partitions)) == 1


def test_no_rows_are_no_commit():
    store = make()
    before = dict(store.objects)
    assert upsert(store, "sales", ROWS.slice(0, 0)) is None
    assert store.objects == before


@pytest.mark.parametrize(
    ("new", "key", "text"),
    [
        (new_rows((1, "x", "a")), ["nope"], "key nope is not among the columns"),
        (new_rows((None, "x", "a")), ["id"], "is null"),
        (new_rows((1, "x", "a"), (1, "y", "b")), ["id"], "1 keys stand more than once"),
    ],
)
def test_a_key_that_names_no_row_is_refused(new, key, text):
    store = make()
    before = dict(store.objects)
    with pytest.raises(UserError, match=text) as caught:
        upsert(store, "sales", new, key)
    assert caught.value.code == "dataset.key"
    assert store.objects == before


def test_without_any_key_an_upsert_is_refused():
    with pytest.raises(UserError, match="not known"):
        upsert(make(primary_key=()), "sales", new_rows((1, "x", "a")))


def test_a_store_that_fails_while_rows_are_kept_leaves_nothing():
    store = make()
    before = set(store.objects)
    with pytest.raises(Exception, match="Fault"):
        upsert(FaultStore(store, Fault("put", 2, "fail")), "sales", new_rows((1, "x", "b"), (3, "y", "b")))
    assert set(store.objects) == before


def test_a_key_may_name_a_column_twice():
    store = make()
    upsert(store, "sales", new_rows((1, "x", "a")), ["id", "id"])
    assert bag(read_all(store)) == bag(applied(ROWS, new_rows((1, "x", "a")), ["id"]))


def test_a_new_row_without_a_partition_is_refused():
    store = make()
    before = dict(store.objects)
    with pytest.raises(UserError, match="null in 1 of 2 rows") as caught:
        upsert(store, "sales", new_rows((1, "x", "a"), (9, None, "b")))
    assert (caught.value.code, caught.value.place.column) == ("row.null_partition", "k")
    assert store.objects == before


@pytest.mark.parametrize("key", [["many"], ["both"], ["many", "both"]])
def test_keys_may_be_lists_and_structs(key):
    rows = pa.table({"many": [["a"], ["a", None], []], "both": [{"x": 1.0}, {"x": None}, {"x": 0.0}], "v": [1, 2, 3]})
    store = MemoryStore()
    write_dataset(store, rows, primary_key=key)
    new = pa.table({"many": [["a", None], []], "both": [{"x": None}, {"x": -0.0}], "v": [5, 6]})
    upsert(store, "sales", new)
    assert sorted(read_all(store)["v"].to_pylist()) == [1, 5, 6]
    delete_keys(store, "sales", new.slice(0, 1))
    assert sorted(read_all(store)["v"].to_pylist()) == [1, 6]
    with pytest.raises(UserError, match="stand more than once") as refused:
        upsert(store, "sales", pa.concat_tables([new, new]))
    assert refused.value.code == "dataset.key"
