import pyarrow as pa
import pytest

from component.dataset.changes.copying import copy_dataset, rename_dataset
from component.dataset.format.header import read_header
from component.dataset.format.history import history
from component.dataset.verification.verify import verify
from component.errors import CommitRefusedError, RetryError, UserError
from tests.dataset.making import bag, read_all, write_dataset
from tests.dataset.memory import MemoryStore
from tests.store.faults import Crash, Fault, FaultStore

ROWS = pa.table({"k": ["x", "sales/y"], "v": [1, 2]})


@pytest.fixture(params=["json", "msgpack.zstd"])
def store(request):
    store = MemoryStore()
    write_dataset(store, ROWS, ["k"], ["v"], storage_format=request.param, metadata={"owner": "me"})
    return store


def test_a_copy_is_a_dataset_of_its_own(store):
    target = MemoryStore()
    count = copy_dataset(store, "sales", target, "more_sales")
    assert bag(read_all(target, "more_sales")) == bag(ROWS)
    assert verify(target, "more_sales").faults == ()
    old, new = read_header(store, "sales"), read_header(target, "more_sales")
    assert new.storage_format == old.storage_format
    assert new.header.metadata["owner"] == "me"
    assert [commit.operation for commit in history(target, "more_sales")] == ["copy"]
    assert count == len([key for key in target.objects if "_history" not in key])
    assert not [key for key in target.objects if key.startswith("sales")]


def test_a_dataset_is_renamed_in_its_store(store):
    rename_dataset(store, "sales", "sales_2")
    assert bag(read_all(store, "sales_2")) == bag(ROWS)
    assert not [key for key in store.objects if not key.startswith("sales_2")]


def test_a_dataset_that_is_there_is_not_copied_over(store):
    write_dataset(store, ROWS, uuid="other")
    before = dict(store.objects)
    with pytest.raises(CommitRefusedError, match="exists"):
        copy_dataset(store, "sales", store, "other")
    with pytest.raises(CommitRefusedError, match="exists"):
        rename_dataset(store, "sales", "sales")
    assert store.objects == before


def test_a_name_that_clients_would_not_find_is_refused(store):
    with pytest.raises(UserError, match="no dataset uuid"):
        copy_dataset(store, "sales", store, "a/b")


@pytest.mark.parametrize("effect", ["fail", "crash"])
def test_a_copy_that_fails_is_there_whole_or_not_at_all(store, effect):
    for number in range(1, 20):
        target = MemoryStore()
        broken = FaultStore(target, Fault("write", number, effect))
        try:
            copy_dataset(store, "sales", broken, "copy")
        except (RetryError, Crash):
            if effect == "fail":
                assert set(target.objects) <= {"copy/table/_common_metadata"}
            elif read_header(target, "copy") is not None:
                assert verify(target, "copy").faults == ()
        else:
            break
    assert bag(read_all(target, "copy")) == bag(ROWS)


def test_a_copy_that_loses_the_race_leaves_the_winner_whole(store):
    other = pa.table({"a": [1.5]})

    class Racing(FaultStore):
        def put_if(self, key, data, expected):
            if "by-dataset-metadata" in key and not [call for call, _ in self.calls if call == "put_if"][1:]:
                write_dataset(self.inner, other, uuid="copy")
            return super().put_if(key, data, expected)

    target = MemoryStore()
    with pytest.raises(CommitRefusedError):
        copy_dataset(store, "sales", Racing(target), "copy")
    assert bag(read_all(target, "copy")) == bag(other)
    assert verify(target, "copy").faults == ()
