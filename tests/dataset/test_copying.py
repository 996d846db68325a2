from pathlib import Path

import pyarrow as pa
import pytest

from component.dataset.changes.columns import drop_column
from component.dataset.changes.copying import copy_dataset, rename_dataset
from component.dataset.changes.operations import set_metadata
from component.dataset.changes.restore import restore
from component.dataset.format.header import read_header
from component.dataset.format.history import history
from component.dataset.reading.reader import open_dataset, read_dataset
from component.dataset.verification.verify import verify
from component.errors import CommitRefusedError, RetryError, UserError
from component.store.local import LocalStore
from tests.dataset import hand_made
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


GOLDEN = Path(__file__).parents[1] / "data" / "golden"
OF_OTHERS = [
    ("kartothek53_matrix", "strpart"),
    ("kartothek53_matrix", "datepart"),
    ("kartothek53_matrix", "stridx"),
    ("kartothek53_tables", "trips"),
    ("plateau462_pandas2_misc", "full"),
]


def rows_by_table(store, uuid):
    opened = [open_dataset(store, uuid, table=table) for table in read_header(store, uuid).header.tables]
    return {one.table: bag(pa.concat_tables(read_dataset(one))) for one in opened}


@pytest.mark.parametrize(("folder", "uuid"), OF_OTHERS)
@pytest.mark.parametrize("operation", ["copy", "rename", "restore"])
def test_what_only_another_client_wrote_is_copied_renamed_and_restored_whole(folder, uuid, operation):
    store, files = MemoryStore(), (path for path in (GOLDEN / folder).rglob(f"{uuid}*/**/*") if path.is_file())
    for path in [*files, *(GOLDEN / folder).glob(f"{uuid}.*")]:
        store.put(path.relative_to(GOLDEN / folder).as_posix(), path.read_bytes())
    before, known = rows_by_table(store, uuid), {fault.code for fault in verify(store, uuid).faults}
    target = uuid if operation == "restore" else "twin"
    if operation == "copy":
        copy_dataset(store, uuid, store, target)
    elif operation == "rename":
        rename_dataset(store, uuid, target)
    else:
        set_metadata(store, uuid, {"note": 1})
        restore(store, uuid, "HEAD~1")
    assert rows_by_table(store, target) == before
    assert {fault.code for fault in verify(store, target).faults} <= known
    set_metadata(store, target, {"note": 2})  # whoever comes next can write to it
    assert rows_by_table(store, target) == before


def test_a_state_of_another_client_keeps_its_columns_when_they_change(tmp_path):
    store = LocalStore(tmp_path)
    hand_made.put_simple(tmp_path, hand_made.ROWS)
    drop_column(store, hand_made.UUID, "s")
    assert bag(pa.concat_tables(read_dataset(open_dataset(store, hand_made.UUID, as_of="HEAD~1")))) == bag(
        hand_made.ROWS
    )
    restore(store, hand_made.UUID, "HEAD~1")
    assert bag(read_all(store, hand_made.UUID)) == bag(hand_made.ROWS)
    assert verify(store, hand_made.UUID).faults == ()


def test_a_copy_has_all_its_files_below_its_uuid(tmp_path):
    store = LocalStore(tmp_path)
    (label,) = hand_made.put_simple(tmp_path, hand_made.ROWS)
    key = hand_made.put_index(tmp_path, "i", [(number, [label]) for number in (1, 2, 3)], pa.int64())
    old = f"{hand_made.UUID}.i.by-dataset-index.parquet"
    (tmp_path / key).rename(tmp_path / old)
    hand_made.put_header(tmp_path, [label], indices={"i": old})
    copy_dataset(store, hand_made.UUID, store, "twin")
    assert verify(store, "twin").faults == ()
    assert bag(read_all(store, "twin", predicates=[[("i", "==", 2)]])) == bag(hand_made.ROWS.slice(1, 1))


@pytest.mark.parametrize("kind", ["table", "indices"])
def test_of_a_dataset_with_a_damaged_file_nothing_is_copied(store, kind):
    key = next(key for key in store.objects if key.startswith(f"sales/{kind}/") and key.endswith(".parquet"))
    data = store.get(key)
    store.put(key, data[:20] + bytes([data[20] ^ 1]) + data[21:])
    target = MemoryStore()
    with pytest.raises(UserError, match="damaged") as caught:
        copy_dataset(store, "sales", target, "copy")
    assert (caught.value.code, key in caught.value.text) == ("dataset.damaged", True)
    assert target.objects == {}
    with pytest.raises(UserError):
        rename_dataset(store, "sales", "other")
    assert read_header(store, "other") is None
    assert read_header(store, "sales") is not None
