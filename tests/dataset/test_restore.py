import pyarrow as pa
import pytest

from component.dataset.changes.operations import delete_rows
from component.dataset.changes.restore import restore
from component.dataset.commits.garbage import Retention, collect, find_garbage
from component.dataset.format.history import history
from component.dataset.verification.verify import verify
from component.errors import CommitRefusedError, UserError
from tests.dataset.making import bag, read_all, write_dataset
from tests.dataset.memory import MemoryStore
from tests.store.faults import Fault, FaultStore

ONE = pa.table({"k": ["x"], "v": [1]})
OTHER = pa.table({"k": [1, 2], "w": ["a", "b"]})


@pytest.fixture
def store():
    store = MemoryStore()
    write_dataset(store, ONE, ["k"], ["v"])
    write_dataset(store, OTHER, ["k"], ["w"])
    return store


def test_an_earlier_state_is_live_again_with_its_schema_and_indices(store):
    newest, oldest = history(store, "sales")
    assert restore(store, "sales", oldest.id) == oldest
    assert bag(read_all(store)) == bag(ONE)
    assert verify(store, "sales").faults == ()
    assert [commit.operation for commit in history(store, "sales")] == ["restore", "overwrite", "overwrite"]
    restore(store, "sales", newest.id)
    assert bag(read_all(store)) == bag(OTHER)


def test_a_restored_dataset_can_be_appended_to(store):
    *_, oldest = history(store, "sales")
    restore(store, "sales", oldest.time)
    write_dataset(store, ONE, mode="append")
    assert bag(read_all(store)) == bag(pa.concat_tables([ONE, ONE]))


def test_a_state_whose_files_are_collected_is_refused(store):
    *_, oldest = history(store, "sales")
    store.delete(next(iter(oldest.header.partitions.values()))["table"])
    before = dict(store.objects)
    with pytest.raises(UserError, match="1 files are gone") as caught:
        restore(store, "sales", oldest.id)
    assert caught.value.code == "dataset.history"
    assert store.objects == before


def test_a_collection_keeps_what_a_restored_state_needs(store):
    *_, oldest = history(store, "sales")
    restore(store, "sales", oldest.id)
    nothing = oldest.time - oldest.time
    collect(store, find_garbage(store, "sales", min_age=nothing, retention=Retention(1, nothing)))
    assert bag(read_all(store)) == bag(ONE)
    assert verify(store, "sales").faults == ()


def test_a_restore_that_loses_the_race_changes_nothing(store):
    *_, oldest = history(store, "sales")
    before = dict(store.objects)
    with pytest.raises(CommitRefusedError):
        restore(FaultStore(store, Fault("put_if", 2, "refuse")), "sales", oldest.id)
    assert {key: data for key, (data, _) in store.objects.items()} == {key: data for key, (data, _) in before.items()}


def test_deleted_rows_come_back(store):
    delete_rows(store, "sales", [[["k", "==", 1]]])
    before = list(history(store, "sales"))[1]
    restore(store, "sales", before.id)
    assert bag(read_all(store)) == bag(OTHER)
