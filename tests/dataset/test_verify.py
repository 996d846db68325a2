import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from component.dataset.format.header import read_header
from component.dataset.format.history import history
from component.dataset.verification.repair import repair
from component.dataset.verification.verify import verify
from component.errors import UserError
from component.store.local import LocalStore
from tests.dataset.making import bag, read_all, write_dataset
from tests.dataset.memory import MemoryStore

ROWS = pa.table({"k": ["x", "x", "y"], "v": [1, 2, 2], "t": ["a", None, "c"]})
GOLDEN = Path(__file__).parents[1] / "data" / "golden"


@pytest.fixture
def store():
    store = MemoryStore()
    write_dataset(store, ROWS, ["k"], ["v", "t"])
    return store


def header_of(store):
    return read_header(store, "sales").header


def data_key(store, prefix):
    return next(files["table"] for label, files in header_of(store).partitions.items() if label.startswith(prefix))


def codes(store):
    return [fault.code for fault in verify(store, "sales").faults]


def change_header(store, **changes):
    key = "sales.by-dataset-metadata.json"
    store.put(key, json.dumps({**json.loads(store.get(key)), **changes}).encode())


def put_index(store, column, table):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    store.put(header_of(store).indices[column], sink.getvalue())


def test_a_sound_dataset_has_no_fault_and_its_rows_are_counted(store):
    verdict = verify(store, "sales")
    assert (verdict.faults, verdict.files, verdict.rows, verdict.indices) == ((), 2, 3, 2)


def test_every_golden_dataset_of_one_table_is_sound_but_for_the_slashes_that_plateau_does_not_quote():
    found = {}
    for folder in sorted(path for path in GOLDEN.iterdir() if path.is_dir()):
        store = LocalStore(folder)
        for name in sorted(path.name for path in folder.iterdir() if ".by-dataset-metadata." in path.name):
            uuid = name.split(".by-dataset-metadata.")[0]
            found[f"{folder.name}/{uuid}"] = [fault.code for fault in verify(store, uuid).faults]
    assert len(found) > 10
    faulty = {name: faults for name, faults in found.items() if faults}
    assert faulty == {"plateau462_pandas2_misc/full": ["verify.path"] * 2}


def test_a_header_that_cannot_be_read_is_the_only_fault(store):
    store.put("sales.by-dataset-metadata.json", b"{")
    assert codes(store) == ["verify.header"]


def test_a_schema_that_is_not_there_is_a_fault(store):
    store.delete("sales/table/_common_metadata")
    assert codes(store) == ["verify.schema"]


def test_a_dataset_that_is_not_there_is_an_error():
    with pytest.raises(UserError, match="no dataset 'sales'"):
        verify(MemoryStore(), "sales")


def test_a_file_that_is_gone_is_dropped_by_a_repair(store):
    key = data_key(store, "k=y")
    store.delete(key)
    (fault,) = verify(store, "sales").faults
    assert (fault.code, fault.key, fault.mend) == ("verify.file", key, "drop the partition from the header")
    _, done = repair(store, "sales")
    assert len(done) == 1
    assert verify(store, "sales").faults == ()
    assert bag(read_all(store)) == bag(ROWS.slice(0, 2))
    assert next(history(store, "sales")).operation == "repair"


def test_a_file_of_another_type_or_under_another_path_is_a_fault(store):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"v": ["text"], "t": ["a"]}), sink)
    store.put(data_key(store, "k=x"), sink.getvalue())
    assert codes(store) == ["verify.size", "verify.checksum", "verify.file"]


def test_a_column_that_a_file_lacks_is_a_fault(store):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"v": [1, 2]}), sink)
    store.put(data_key(store, "k=x"), sink.getvalue())
    assert ("verify.column", "t") in [(fault.code, fault.column) for fault in verify(store, "sales").faults]


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda table: table.slice(1), "lacks 1 entries, so rows cannot be found: 1 of"),
        (lambda table: pa.concat_tables([table, table.slice(0, 1)]), "more than once"),
        (lambda table: table.set_column(0, "v", pa.array([None, 2])), "1 nulls"),
        (lambda table: table.set_column(1, "partition", pa.array([["gone"], ["gone"]])), "not there, as 'gone'"),
        (lambda table: table.set_column(0, "v", pa.array([9, 2])), "entries more than the data"),
        (lambda table: table.drop_columns(["v"]), "lacks its columns"),
    ],
)
def test_an_index_that_is_not_exact_is_built_again_by_a_repair(store, damage, text):
    index = pq.read_table(store.open(header_of(store).indices["v"]))
    put_index(store, "v", damage(index))
    faults = verify(store, "sales").faults
    assert {(fault.code, fault.column) for fault in faults} <= {("verify.index", "v"), ("verify.checksum", "v")}
    assert any(text in fault.text for fault in faults)
    _, done = repair(store, "sales")
    assert done == ("built the index on v again",)
    assert verify(store, "sales").faults == ()


def test_an_index_that_is_gone_is_built_again(store):
    store.delete(header_of(store).indices["t"])
    assert codes(store) == ["verify.index"]
    assert [fault.code for fault in verify(store, "sales", fast=True).faults] == ["verify.index"]
    repair(store, "sales")
    assert codes(store) == []


def test_a_header_that_json_hides_is_a_fault(store):
    store.put("sales.by-dataset-metadata.msgpack.zstd", b"old")
    assert codes(store) == ["verify.hidden_header"]


def test_a_partition_without_a_file_of_the_table_is_a_fault(store):
    partitions = json.loads(store.get("sales.by-dataset-metadata.json"))["partitions"]
    change_header(store, partitions={**partitions, "k=z/1": {"files": {"other": "sales/other/k=z/1.parquet"}}})
    assert "verify.table" in codes(store)


def test_a_sound_dataset_is_not_repaired(store):
    before = dict(store.objects)
    assert repair(store, "sales")[1] == ()
    assert store.objects == before


def test_a_repair_says_that_the_header_named_no_partition_keys():
    store = MemoryStore()
    write_dataset(store, ROWS, ["k"])
    change_header(store, partition_keys=[])
    _, done = repair(store, "sales")
    assert done == ("put the header again: The header has no partition keys, and paths show k",)
    assert codes(store) == []
