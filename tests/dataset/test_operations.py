import contextlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.changes.operations import (
    build_indices,
    compact,
    delete_partitions,
    delete_rows,
    drop_indices,
    replace_partitions,
    set_metadata,
)
from component.dataset.format.header import read_header
from component.dataset.format.history import history
from component.errors import CommitRefusedError, TablemillError, UserError
from tests.dataset.making import bag, read_all, with_files, write_dataset
from tests.dataset.memory import MemoryStore
from tests.dataset.oracle import filtered, keeps, predicates
from tests.store.faults import Crash, Fault, FaultStore
from tests.strategies.typed_tables import tables

ROWS = pa.table({"k": ["x", "x", "y", "z"], "v": [1, 2, 2, None], "t": ["a", "b", "c", "d"]})
MORE = pa.table({"k": ["x", "w"], "v": [7, 8], "t": ["e", "f"]})


@pytest.fixture
def store():
    store = MemoryStore()
    write_dataset(store, ROWS, ["k"], ["v"])
    return store


def index_content(store, column):
    table = pq.read_table(store.open(read_header(store, "sales").header.indices[column]))
    return {value: sorted(labels) for value, labels in zip(*table.to_pydict().values(), strict=True)}


def exact_index(store, column):
    """The index by reading every file."""
    labels = {}
    for label, files in read_header(store, "sales").header.partitions.items():
        for value in pq.ParquetFile(store.open(files["table"])).read()[column].to_pylist():
            if value is not None:
                labels.setdefault(value, set()).add(label)
    return {value: sorted(found) for value, found in labels.items()}


def operation(store):
    return next(history(store, "sales")).operation


@with_files
@given(st.data())
def test_deleting_rows_leaves_those_of_which_the_predicates_are_not_true(data):
    rows = data.draw(tables(keys=1))
    asked = data.draw(predicates(rows))
    key, *others = rows.column_names
    store = MemoryStore()
    write_dataset(store, rows, [key], others, splits=2)
    delete_rows(store, "sales", asked)
    left = [number for number, row in enumerate(rows.to_pylist()) if not keeps(row, asked)]
    assert bag(read_all(store)) == bag(rows.take(pa.array(left, pa.int64())))
    assert not filtered(read_all(store), asked).num_rows
    assert set(read_header(store, "sales").header.indices) == set(others)


def test_only_files_with_such_rows_are_written_again_and_indices_stay_exact(store):
    before = dict(read_header(store, "sales").header.partitions)
    delete_rows(store, "sales", [[["v", "==", 2]]])
    after = read_header(store, "sales").header.partitions
    assert [label[0:3] for label in after if label not in before] == ["k=x"]
    assert sorted(label[0:3] for label in after) == ["k=x", "k=z"]
    assert index_content(store, "v") == exact_index(store, "v") == {1: [next(x for x in after if x[:3] == "k=x")]}
    assert operation(store) == "delete"


def test_deleting_nothing_is_no_commit(store):
    before = dict(store.objects)
    assert delete_rows(store, "sales", [[["v", "==", 99]]]) is None
    assert store.objects == before


def test_deleting_by_partition_reads_no_file(store):
    spy = FaultStore(store, Fault("open", 1, "fail", key="/table/"))
    delete_rows(spy, "sales", [[["k", "==", "x"]]])
    assert bag(read_all(store)) == bag(ROWS.slice(2))


def test_a_scope_takes_whole_partitions(store):
    delete_partitions(store, "sales", [{"k": "x"}, {"k": "z"}, {"k": "x"}])
    assert bag(read_all(store)) == bag(ROWS.slice(2, 1))
    assert delete_partitions(store, "sales", [{"k": "nobody"}]) is None


@pytest.mark.parametrize(
    ("scope", "text"),
    [
        ([], "would match every partition"),
        ([{}], "would match every partition"),
        ([{"k": "x"}, {}], "would match every partition"),
        ([{"v": 1}], "no partition key"),
        ([{"nope": 1}], "no partition key"),
        ([{"k": None}], "asks for null"),
    ],
)
def test_a_scope_that_could_take_everything_by_mistake_is_refused(store, scope, text):
    before = dict(store.objects)
    for call in (
        lambda: delete_partitions(store, "sales", scope),
        lambda: replace_partitions(store, "sales", [MORE], scope),
    ):
        with pytest.raises(UserError, match=text) as caught:
            call()
        assert caught.value.code == "dataset.scope"
    assert store.objects == before


def test_a_scope_of_a_value_that_does_not_fit_is_refused(store):
    with pytest.raises(UserError, match="does not fit its column"):
        delete_partitions(store, "sales", [{"k": 1}])


def test_partitions_are_replaced_in_one_commit(store):
    replace_partitions(store, "sales", [MORE.select(["t", "v", "k"])], [{"k": "x"}])
    assert bag(read_all(store)) == bag(pa.concat_tables([ROWS.slice(2), MORE]))
    assert index_content(store, "v") == exact_index(store, "v")
    assert [commit.operation for commit in history(store, "sales")] == ["replace partitions", "overwrite"]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (MORE.drop_columns(["t"]), "have the columns k, v"),
        (MORE.set_column(1, "v", pa.array(["seven", "8"])), "is string now and int64 in the dataset"),
    ],
)
def test_rows_that_do_not_fit_replace_nothing(store, rows, text):
    before = dict(store.objects)
    with pytest.raises(UserError, match=text) as caught:
        replace_partitions(store, "sales", [MORE, rows], [{"k": "x"}])
    assert caught.value.code == "dataset.schema"
    assert store.objects == before


def test_small_files_become_one_for_each_partition_in_the_order_of_the_rows(store):
    for _ in range(3):
        write_dataset(store, ROWS, mode="append")
    before = read_all(store)
    compact(store, "sales")
    assert read_all(store).equals(before)
    assert sorted(label[0:3] for label in read_header(store, "sales").header.partitions) == ["k=x", "k=y", "k=z"]
    assert index_content(store, "v") == exact_index(store, "v")
    assert compact(store, "sales") is None


def test_compacted_files_are_sorted_when_asked(store):
    write_dataset(store, ROWS, mode="append")
    compact(store, "sales", sort_by=("v",))
    assert read_all(store, predicates=[[["k", "==", "x"]]])["v"].to_pylist() == [1, 1, 2, 2]


def test_files_stay_within_the_target(store):
    write_dataset(store, ROWS, mode="append")
    assert compact(store, "sales", target_bytes=1) is None
    with pytest.raises(UserError, match="no such column"):
        compact(store, "sales", sort_by=("nope",))


def test_an_index_is_built_from_the_data_and_dropped(store):
    write_dataset(store, MORE, mode="append")
    build_indices(store, "sales", ["t"])
    assert index_content(store, "t") == exact_index(store, "t")
    assert index_content(store, "v") == exact_index(store, "v")
    drop_indices(store, "sales", ["v"])
    assert list(read_header(store, "sales").header.indices) == ["t"]
    assert [one.operation for one in history(store, "sales")][:2] == ["drop index", "build index"]


def test_a_wrong_index_is_built_again(store):
    key = read_header(store, "sales").header.indices["v"]
    right = index_content(store, "v")
    empty = pq.read_table(store.open(key)).slice(0, 0)
    sink = pa.BufferOutputStream()
    pq.write_table(empty, sink)
    store.put(key, sink.getvalue())
    build_indices(store, "sales", ["v"])
    assert index_content(store, "v") == right


@pytest.mark.parametrize("column", ["k", "nope"])
def test_a_column_that_cannot_have_an_index_is_refused(store, column):
    with pytest.raises(UserError, match="not among the columns of the data files"):
        build_indices(store, "sales", [column])


def test_an_index_that_is_not_there_cannot_be_dropped(store):
    with pytest.raises(UserError, match="has no secondary index"):
        drop_indices(store, "sales", ["t"])


def test_metadata_are_set_and_unset(store):
    set_metadata(store, "sales", {"owner": "me", "team": [1, {"a": None}]})
    set_metadata(store, "sales", {"owner": "you"}, unset=["team", "nobody"])
    metadata = read_header(store, "sales").header.metadata
    assert (metadata["owner"], "team" in metadata) == ("you", False)
    assert set_metadata(store, "sales", {"owner": "you"}) is None
    assert bag(read_all(store)) == bag(ROWS)
    assert index_content(store, "v") == exact_index(store, "v")


@pytest.mark.parametrize("key", ["creation_time", "tablemill"])
def test_metadata_of_ours_cannot_be_set(store, key):
    with pytest.raises(UserError, match="kept by Tablemill"):
        set_metadata(store, "sales", {key: 1})


def test_a_change_that_loses_the_race_is_made_again_from_the_new_state(store):
    class Racing(FaultStore):
        raced = False

        def put_if(self, key, data, expected):
            if key.endswith(".json") and not self.raced:
                self.raced = True
                write_dataset(store, MORE, mode="append")
            return super().put_if(key, data, expected)

    delete_rows(Racing(store), "sales", [[["v", ">", 1]]])
    assert bag(read_all(store)) == bag(pa.concat_tables([ROWS.slice(0, 1), ROWS.slice(3)]))


def test_a_change_that_always_loses_is_refused_and_leaves_nothing(store):
    before = set(store.objects)
    losing = FaultStore(store, *(Fault("put_if", number, "refuse") for number in range(1, 20)))
    with pytest.raises(CommitRefusedError):
        delete_rows(losing, "sales", [[["v", "==", 2]]])
    assert set(store.objects) == before


CHANGES = {
    "delete": lambda store: delete_rows(store, "sales", [[["v", "==", 2]]]),
    "replace": lambda store: replace_partitions(store, "sales", [MORE], [{"k": "x"}]),
    "index": lambda store: build_indices(store, "sales", ["t"]),
    "compact": lambda store: compact(store, "sales"),
}


@pytest.mark.parametrize("effect", ["fail", "crash"])
@pytest.mark.parametrize("name", CHANGES)
def test_at_every_failing_call_readers_see_the_state_before_or_the_one_after(name, effect):
    base = MemoryStore()
    write_dataset(base, ROWS, ["k"], ["v"])
    write_dataset(base, ROWS, mode="append")
    old, done = bag(read_all(base)), base.copy()
    CHANGES[name](done)
    new = bag(read_all(done))
    for number in range(1, 100):
        store = base.copy()
        broken = FaultStore(store, Fault("write", number, effect))
        with contextlib.suppress(TablemillError, Crash):
            CHANGES[name](broken)
        assert bag(read_all(store)) in (old, new)
        for column in read_header(store, "sales").header.indices:
            assert index_content(store, column) == exact_index(store, column)
        if len(broken.writes) < number:
            break
    else:
        raise AssertionError
