"""A header that is lost, of a dataset that only other clients wrote: they keep no copies of it."""

import shutil
from itertools import cycle
from pathlib import Path

import pyarrow as pa
import pytest

from component.dataset.changes.operations import build_indices
from component.dataset.files.data_file import encode_rows
from component.dataset.format.header import read_header
from component.dataset.format.implicit import read_whole_header
from component.dataset.reading.reader import open_dataset, read_dataset
from component.dataset.verification.lost_header import NOT_KNOWN
from component.dataset.verification.repair import repair
from component.dataset.verification.verify import verify
from component.errors import UserError
from component.store.local import LocalStore
from tests.dataset.making import bag, read_all, write_dataset
from tests.dataset.memory import MemoryStore

GOLDEN = Path(__file__).parents[1] / "data" / "golden"
HEADERS = sorted(GOLDEN.rglob("*.by-dataset-metadata.*"))
ROWS = pa.table({"k": ["x", "x", "y"], "v": [1, 2, 3]})
HEADER = "sales.by-dataset-metadata.json"


def uuid_of(path):
    return path.name.split(".by-dataset")[0]


@pytest.fixture
def store():
    """A dataset without the copies of headers that a commit of ours keeps, as other clients leave one."""
    store = MemoryStore()
    write_dataset(store, ROWS, ["k"], ["v"])
    store.put(HEADER, store.get(HEADER).replace(b'"tablemill"', b'"nobody"'))
    for key in [key for key in store.objects if "/_history/" in key]:
        store.delete(key)
    return store


def rows_of(store, header):
    opened = [open_dataset(store, header.uuid, table=table) for table in header.tables]
    return {dataset.table: sorted(map(repr, pa.concat_tables(read_dataset(dataset)).to_pylist())) for dataset in opened}


@pytest.mark.parametrize(
    ("path", "damage"),
    list(zip(HEADERS, cycle(["cut", "gone"]), strict=False)),
    ids=lambda value: value if isinstance(value, str) else uuid_of(value),
)
def test_a_dataset_of_another_client_is_whole_again(tmp_path, path, damage):
    shutil.copytree(path.parent, tmp_path, dirs_exist_ok=True)
    store, uuid = LocalStore(tmp_path), uuid_of(path)
    before = read_whole_header(store, uuid).header
    rows, mended = rows_of(store, before), any(fault.mend for fault in verify(store, uuid).faults)
    header = tmp_path / path.name
    header.write_bytes(header.read_bytes()[:-30]) if damage == "cut" else header.unlink()
    found, done = repair(store, uuid, rebuild_header=True)
    assert found.faults[0].code == "verify.header"
    assert done[0].startswith("made the header from ")
    assert NOT_KNOWN in done
    now = read_header(store, uuid).header
    assert mended or dict(now.partitions) == dict(before.partitions)
    assert (now.partition_keys, now.indices.keys()) == (before.partition_keys, before.indices.keys())
    assert rows_of(store, now) == rows
    assert verify(store, uuid).faults == ()


def test_nothing_is_made_without_being_asked_and_the_way_is_told(store):
    store.delete(HEADER)
    before = dict(store.objects)
    for look in (repair, verify):
        with pytest.raises(UserError, match="no header, and 2 data files") as caught:
            look(store, "sales")
        assert caught.value.code == "dataset.missing"
        assert "--rebuild-header" in caught.value.remedy
    store.put(HEADER, b"{")
    assert "--rebuild-header" in repair(store, "sales")[0].faults[0].text
    assert store.objects == {**before, HEADER: store.objects[HEADER]}


def test_files_that_cannot_be_read_or_do_not_fit_are_left_out_by_name(store):
    store.delete(HEADER)
    store.put("sales/table/k=z/cut.parquet", encode_rows(ROWS.select(["v"])).to_pybytes()[:-20])
    store.put("sales/table/k=z/type.parquet", encode_rows(pa.table({"v": ["text"]})).to_pybytes())
    store.put("sales/table/odd/path.parquet", encode_rows(ROWS.select(["v"])).to_pybytes())
    _, done = repair(store, "sales", rebuild_header=True)
    assert done[0] == "made the header from 2 data files of table, partitioned on k, indexed on v"
    assert [text.split(":")[0].removeprefix("left out sales/table/") for text in done[1:4]] == [
        "k=z/cut.parquet",
        "k=z/type.parquet",
        "odd/path.parquet",
    ]
    assert bag(read_all(store)) == bag(ROWS)
    assert verify(store, "sales").faults == ()


def test_a_file_that_was_not_live_counts_again_and_its_values_are_indexed(store):
    store.delete(HEADER)
    store.put("sales/table/k=y/old.parquet", encode_rows(pa.table({"v": [9]})).to_pybytes())
    _, done = repair(store, "sales", rebuild_header=True)
    assert "built the index on v again" in done
    assert read_all(store).num_rows == 4
    assert verify(store, "sales").faults == ()


def test_the_newest_file_of_an_index_is_named(store):
    build_indices(store, "sales", ("v",))
    newest = read_header(store, "sales").header.indices["v"]
    for key in [key for key in store.objects if "/_history/" in key]:
        store.delete(key)
    store.put(newest.replace("/v/", "/v/0"), b"older")
    store.delete(HEADER)
    repair(store, "sales", rebuild_header=True)
    assert verify(store, "sales").faults == ()


@pytest.mark.parametrize("key", ["sales/table/plain.parquet", "sales/table/other=1/a.parquet"])
def test_paths_of_different_partition_keys_are_refused(store, key):
    store.delete(HEADER)
    store.put(key, encode_rows(ROWS).to_pybytes())
    before = dict(store.objects)
    with pytest.raises(UserError, match="different partition keys") as caught:
        repair(store, "sales", rebuild_header=True)
    assert (caught.value.code, store.objects) == ("dataset.format", before)


@pytest.mark.parametrize("schema", [None, b"no Parquet"])
def test_without_a_schema_no_header_is_made(store, schema):
    store.delete(HEADER)
    store.delete("sales/table/_common_metadata")
    if schema is not None:
        store.put("sales/table/_common_metadata", schema)
    before = dict(store.objects)
    with pytest.raises(UserError, match="schema of its table 'table' cannot be read"):
        repair(store, "sales", rebuild_header=True)
    assert store.objects == before


def test_where_there_are_no_data_files_there_is_no_dataset():
    with pytest.raises(UserError) as caught:
        repair(MemoryStore(), "sales", rebuild_header=True)
    assert caught.value.code == "dataset.missing"


def test_a_sound_header_and_one_with_a_copy_are_not_made_again():
    store = MemoryStore()
    write_dataset(store, ROWS, ["k"], ["v"])
    before = dict(store.objects)
    assert repair(store, "sales", rebuild_header=True)[1] == ()
    assert store.objects == before
    header = store.get(HEADER)
    store.delete(HEADER)
    assert repair(store, "sales", rebuild_header=True)[1][0].startswith("put the header back as of commit")
    assert store.get(HEADER) == header
