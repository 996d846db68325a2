from dataclasses import replace

import pyarrow as pa
import pytest
from isal.isal_zlib import crc32

from component.dataset.changes.copying import copy_dataset
from component.dataset.changes.operations import compact, delete_rows
from component.dataset.changes.restore import restore
from component.dataset.format.facts import Sums, known_facts, read_facts, sums_of
from component.dataset.format.header import EXTRAS, encode_header, read_header
from component.dataset.format.history import history
from component.dataset.format.keys import referenced
from component.errors import UserError
from tests.dataset.making import read_all, write_dataset
from tests.dataset.memory import MemoryStore

ROWS = pa.table({"k": ["x", "x", "y"], "v": [1, 2, 3]})
HEADER = "sales.by-dataset-metadata.json"


@pytest.fixture
def store():
    store = MemoryStore()
    write_dataset(store, ROWS, ["k"], ["v"])
    return store


def header_of(store, uuid="sales"):
    return read_header(store, uuid).header


def facts_of(store, uuid="sales"):
    return read_facts(store, header_of(store, uuid)).by_file()


def facts_key(store):
    (key,) = [key for key in store.objects if key.endswith(".facts.arrow")]
    return key


def hold_exact(store, uuid="sales"):
    """Every file of the live state has its facts, and no other file has some."""
    header, facts = header_of(store, uuid), facts_of(store, uuid)
    keys = referenced(header.partitions, header.indices)
    assert {f"{uuid}/{file}" for file in facts} == set(keys)
    for key in keys:
        one, data = facts[key.removeprefix(f"{uuid}/")], store.get(key)
        assert (one.bytes, one.check) == (len(data), crc32(data))
    sums = sums_of(store, header, foreign=False)
    assert sums == sums_of(store, header, foreign=True)
    assert sums.unknown == 0
    assert sums.rows.get("table", 0) == read_all(store, uuid).num_rows


def test_every_operation_leaves_the_facts_of_every_file_of_the_state(store):
    hold_exact(store)
    write_dataset(store, pa.table({"k": ["y", "z"], "v": [4, 5]}), mode="append")
    hold_exact(store)
    delete_rows(store, "sales", [[["v", "==", 1]]])
    hold_exact(store)
    compact(store, "sales")
    hold_exact(store)
    restore(store, "sales", "HEAD~2")
    hold_exact(store)
    delete_rows(store, "sales", [[["v", ">", 0]]])
    hold_exact(store)


def test_a_copy_has_the_facts_under_its_name(store):
    copy_dataset(store, "sales", store, "sold")
    hold_exact(store, "sold")
    assert facts_of(store, "sold") == facts_of(store)


def test_the_values_of_an_index_are_counted(store):
    assert [one.rows for file, one in facts_of(store).items() if file.startswith("indices/")] == [3]


def test_facts_that_are_damaged_are_refused_and_then_no_longer_known(store):
    key = facts_key(store)
    data = store.get(key)
    store.put(key, data[:20] + bytes([data[20] ^ 1]) + data[21:])
    with pytest.raises(UserError) as caught:
        read_facts(store, header_of(store))
    assert caught.value.code == "dataset.damaged"
    assert known_facts(store, header_of(store)).by_file() == {}


def test_without_facts_a_dataset_is_read_and_written_and_the_files_are_unknown(store):
    store.delete(facts_key(store))
    write_dataset(store, pa.table({"k": ["z"], "v": [4]}), mode="append")
    assert read_all(store).num_rows == 4
    sums = sums_of(store, header_of(store), foreign=False)
    assert (sums.rows, sums.unknown) == ({"table": 1}, 2)


def test_a_foreign_commit_in_between_keeps_the_facts_of_the_files_that_stay(store):
    header = header_of(store)
    other = MemoryStore()
    write_dataset(other, pa.table({"k": ["q"], "v": [9]}), ["k"])
    ((label, files),) = header_of(other).partitions.items()
    store.put(files["table"], other.get(files["table"]))
    kept = dict(list(header.partitions.items())[1:])
    store.put(HEADER, encode_header(replace(header, partitions={**kept, label: files}), "json"))
    live, *_ = history(store, "sales")
    assert live.foreign
    assert sums_of(store, live.header, foreign=True).rows == {"table": 1}
    assert sums_of(store, live.header, foreign=True).unknown == 1
    write_dataset(store, pa.table({"k": ["z"], "v": [4]}), mode="append")
    assert sums_of(store, header_of(store), foreign=False).unknown == 1


def test_a_dataset_that_another_client_made_has_no_facts(store):
    header = header_of(store)
    metadata = {key: value for key, value in header.metadata.items() if key != EXTRAS}
    store.put(HEADER, encode_header(replace(header, metadata=metadata), "json"))
    assert sums_of(store, header_of(store), foreign=True) == Sums({}, 0, 2)
