"""Faults that the original clients are known to leave, and what a repair makes of them."""

import datetime as dt
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from component.dataset.changes.operations import build_indices
from component.dataset.files.data_file import encode_rows
from component.dataset.format.facts import read_facts
from component.dataset.format.header import EXTRAS, Header, encode_header, read_header
from component.dataset.format.history import history
from component.dataset.format.schema import decode_schema, encode_schema
from component.dataset.verification.repair import repair
from component.dataset.verification.verify import verify
from component.errors import UserError
from component.store.local import LocalStore
from tests.dataset.making import bag, read_all, write_dataset
from tests.dataset.memory import MemoryStore

ROWS = pa.table({"k": ["x", "x", "y"], "v": [1, 2, 3]})
HEADER, HIDDEN = "sales.by-dataset-metadata.json", "sales.by-dataset-metadata.msgpack.zstd"
GOLDEN = Path(__file__).parents[1] / "data" / "golden"
LONG_AGO = 10 * 24 * 3600.0


@pytest.fixture
def store():
    store = MemoryStore()
    write_dataset(store, ROWS, ["k"], ["v"])
    return store


def header_of(store):
    return read_header(store, "sales").header


def change_header(store, **changes):
    store.put(HEADER, encode_header(replace(header_of(store), **changes), "json"))


def codes(store, uuid="sales"):
    return [fault.code for fault in verify(store, uuid).faults]


def age(store):
    for key, (data, put) in store.objects.items():
        store.objects[key] = (data, put - LONG_AGO)


def parquet_of(rows):
    sink = pa.BufferOutputStream()
    pq.write_table(rows, sink)
    return sink.getvalue()


def foreign_dataset(files, table="core", partition_keys=("k",)):
    """A dataset as other clients write it: files given as (label, table of the key, rows)."""
    store = MemoryStore()
    partitions = {}
    for label, name, rows in files:
        key = f"sales/{name}/{label}.parquet"
        store.put(key, parquet_of(rows))
        partitions[label] = {name: key}
    store.put(f"sales/{table}/_common_metadata", encode_schema(ROWS.schema))
    metadata = {"creation_time": "2026-01-01T00:00:00"}
    store.put(HEADER, encode_header(Header("sales", partitions, partition_keys, metadata=metadata), "json"))
    return store


def test_rows_that_plateau_put_under_another_tables_name_are_written_again():
    store = foreign_dataset(
        [
            ("k=x/1", "core", pa.table({"v": [1, 2]})),
            ("k=y/2", "core", pa.table({"v": [3]})),
            ("k=y/3", "table", pa.table({"v": [4]})),
        ]
    )
    (fault,) = verify(store, "sales").faults
    assert (fault.code, fault.label) == ("verify.table", "k=y/3")
    _, done = repair(store, "sales")
    assert done[0].startswith("wrote the partition k=y/3 again, which was a file of table at sales/table/k=y/3.parquet")
    assert codes(store) == []
    assert read_all(store).sort_by("v").to_pydict() == {"k": ["x", "x", "y", "y"], "v": [1, 2, 3, 4]}
    assert header_of(store).tables == ("core",)


def test_a_value_that_a_slash_cuts_is_written_again_quoted(store):
    store = foreign_dataset([("k=a/b%20c/1", "table", pa.table({"v": [1]}))], table="table")
    build_indices(store, "sales", ["v"])
    assert codes(store) == ["verify.path"]
    repair(store, "sales")
    assert codes(store) == []
    (label,) = header_of(store).partitions
    assert label.startswith("k=a%2Fb%20c/")
    assert read_all(store).to_pydict() == {"k": ["a/b c"], "v": [1]}


def test_a_dataset_of_plateau_with_all_its_types_is_repaired(tmp_path):
    store = LocalStore(tmp_path / "golden")
    shutil.copytree(GOLDEN / "plateau462_pandas2_misc", store.root)
    before = bag(read_all(store, "full"))
    assert set(codes(store, "full")) == {"verify.path"}
    repair(store, "full")
    assert codes(store, "full") == []
    assert bag(read_all(store, "full")) == before
    assert not any(notice.code == "verify.unknown" for notice in verify(store, "full").notices)


def test_a_header_in_msgpack_that_json_hides_is_deleted(store):
    store.put(HIDDEN, encode_header(replace(header_of(store), partitions={}, indices={}), "msgpack.zstd"))
    assert "verify.hidden_header" in codes(store)
    _, done = repair(store, "sales")
    assert done == ("deleted the msgpack header that the JSON one hid",)
    assert HIDDEN not in store.objects
    assert codes(store) == []


@pytest.mark.parametrize(
    "data",
    [
        b"no Parquet",
        None,
        encode_schema(pa.schema([("v", pa.int64()), ("k", pa.string())])),
        bytes(parquet_of(ROWS.schema.empty_table())),
    ],
    ids=["damaged", "gone", "another order", "no pandas metadata"],
)
def test_a_schema_that_clients_cannot_use_is_put_again(store, data):
    key = "sales/table/_common_metadata"
    before = decode_schema(store.get(key))
    store.delete(key) if data is None else store.put(key, data)
    assert set(codes(store)) == {"verify.schema"}
    assert repair(store, "sales")[1] == ("put the schema of the table table again",)
    assert codes(store) == []
    assert decode_schema(store.get(key)).equals(before)


def test_files_that_no_state_names_are_left_unless_asked_for(store):
    lost = "sales/table/k=z/0123.parquet"
    store.put(lost, encode_rows(pa.table({"v": [7]})))
    assert verify(store, "sales").orphans == ()
    age(store)
    assert verify(store, "sales").orphans == (lost,)
    assert repair(store, "sales")[1] == ()
    assert lost in store.objects
    assert repair(store.copy(), "sales", orphans="remove")[1] == (f"removed {lost}, which no state names",)
    assert repair(store, "sales", orphans="adopt")[1] == (f"adopted {lost}, 1 rows",)
    assert codes(store) == []
    assert verify(store, "sales").orphans == ()
    assert read_all(store, predicates=[[["v", "==", 7]]]).to_pydict() == {"k": ["z"], "v": [7]}


def test_removed_files_are_gone_and_the_dataset_is_as_before(store):
    store.put("sales/table/k=z/0123.parquet", b"anything")
    age(store)
    repair(store, "sales", orphans="remove")
    assert "sales/table/k=z/0123.parquet" not in store.objects
    assert bag(read_all(store)) == bag(ROWS)
    assert codes(store) == []


def test_a_file_that_does_not_fit_is_not_adopted(store):
    store.put("sales/table/k=z/1.parquet", encode_rows(pa.table({"v": ["text"]})))
    store.put("sales/table/other=z/2.parquet", encode_rows(pa.table({"v": [1]})))
    age(store)
    assert repair(store, "sales", orphans="adopt")[1] == ()


def test_rows_that_a_foreign_overwrite_lost_are_found_and_can_be_adopted(store):
    stale = store.get(HEADER)
    write_dataset(store, pa.table({"k": ["z"], "v": [9]}), mode="append")
    store.put(HEADER, stale)
    age(store)
    change_header(store, partitions=dict(list(header_of(store).partitions.items())[:1]))
    found, _ = repair(store, "sales", orphans="adopt")
    assert "verify.lost_commit" in [fault.code for fault in found.faults]
    assert bag(read_all(store, predicates=[[["v", "==", 9]]])) == bag(pa.table({"k": ["z"], "v": [9]}))


def test_a_file_that_two_partitions_name_is_named_by_one(store):
    header = header_of(store)
    label, files = next(iter(header.partitions.items()))
    metadata = {key: value for key, value in header.metadata.items() if key != EXTRAS}
    change_header(store, partitions={**header.partitions, f"{label}-again": files}, metadata=metadata, indices={})
    assert "verify.twice" in codes(store)
    repair(store, "sales")
    assert "verify.twice" not in codes(store)
    assert bag(read_all(store)) == bag(ROWS)


def test_labels_that_an_index_names_and_that_are_not_there_are_dropped_without_reading_data(store):
    write_dataset(store, pa.table({"k": ["z"], "v": [9]}), mode="append")
    kept = dict(list(header_of(store).partitions.items())[:2])
    change_header(store, partitions=kept)
    found = verify(store, "sales").faults
    assert ("verify.index", "drop the labels") in [(fault.code, fault.mend) for fault in found]
    repair(store, "sales")
    assert [code for code in codes(store) if code != "verify.lost_commit"] == []


def test_facts_of_a_foreign_clients_files_are_noted():
    store = foreign_dataset([("k=x/1", "table", pa.table({"v": [1, 2]}))], table="table")
    assert [notice.code for notice in verify(store, "sales").notices] == ["verify.unknown"]
    write_dataset(store, pa.table({"k": ["y"], "v": [3]}), mode="append")
    _, done = repair(store, "sales")
    assert done == ("noted the facts of 1 files",)
    assert sorted(one.rows for one in read_facts(store, header_of(store)).by_file().values()) == [1, 2]
    assert verify(store, "sales").notices == ()


def test_facts_that_are_gone_are_noted_again(store):
    store.delete(next(key for key in store.objects if key.endswith(".facts.arrow")))
    assert codes(store) == ["verify.facts"]
    repair(store, "sales")
    assert codes(store) == []
    assert [notice.code for notice in verify(store, "sales").notices] == ["verify.state"]
    assert header_of(store).partitions.keys() == {
        f"{file}".removeprefix("table/").removesuffix(".parquet")
        for file in read_facts(store, header_of(store)).by_file()
        if file.startswith("table/")
    }


def test_the_copy_of_the_live_state_is_put_again(store):
    (live,) = history(store, "sales")
    key = f"sales/_history/{live.id}.msgpack.zstd"
    store.put(key, b"damaged")
    assert codes(store) == ["verify.history"]
    assert repair(store, "sales")[1] == (f"put the copy of the state {live.id} again",)
    assert codes(store) == []


@pytest.mark.parametrize("storage_format", ["json", "msgpack.zstd"])
@pytest.mark.parametrize("damage", ["cut", "flipped", "gone"])
@pytest.mark.parametrize("schema", [b"no Parquet", None])
def test_a_lost_header_comes_back_from_the_copy_of_its_state(storage_format, damage, schema):
    store = MemoryStore()
    for mode in ("overwrite", "append"):
        write_dataset(store, ROWS, ["k"], ["v"], mode=mode, storage_format=storage_format)
    key, schema_of = (HEADER if storage_format == "json" else HIDDEN), "sales/table/_common_metadata"
    state, data = next(history(store, "sales")).id, store.get(key)
    flipped = data[:90] + bytes([data[90] ^ 4]) + data[91:] if key == HIDDEN else data.replace(b'"k=x/', b'"k=q/', 1)
    damaged = {"cut": data[:-40], "flipped": flipped, "gone": None}
    for name, now in ((key, damaged[damage]), (schema_of, schema)):
        if now is None:
            store.delete(name)
        else:
            store.put(name, now)
    (fault,) = verify(store, "sales").faults
    assert (fault.code, state in fault.mend) == ("verify.header", True)
    found, done = repair(store, "sales")
    assert found.faults[0] == fault
    assert done[0].startswith(f"put the header back as of commit {state} (append")
    assert codes(store) == []
    assert next(history(store, "sales")).id == state
    assert bag(read_all(store)) == bag(pa.concat_tables([ROWS, ROWS]))
    assert decode_schema(store.get(schema_of)).names == ["k", "v"]


def test_of_several_newest_states_none_is_guessed(store):
    live = store.get(HEADER)
    write_dataset(store, ROWS, mode="append")
    lost = next(history(store, "sales"))
    store.put(HEADER, live)
    write_dataset(store, ROWS.slice(0, 1), mode="append")
    newest = next(history(store, "sales"))
    store.delete(HEADER)
    before = dict(store.objects)
    assert [(fault.code, fault.mend) for fault in repair(store, "sales")[0].faults] == [("verify.header", None)]
    assert store.objects == before
    repair(store, "sales", state=newest.id[:8])
    assert read_all(store).num_rows == 4
    store.put(HEADER, b"{" + store.get(HEADER))
    repair(store, "sales")  # what is left of the header names its commit
    assert read_all(store).num_rows == 4
    store.delete(HEADER)
    repair(store, "sales", state=lost.id)
    assert read_all(store).num_rows == 6


def test_a_state_whose_files_are_gone_is_not_put_back(store):
    store.delete(next(key for key in store.objects if key.startswith("sales/table/k=x")))
    store.delete(HEADER)
    before = dict(store.objects)
    assert repair(store, "sales")[1] == ()
    with pytest.raises(UserError, match="kept with all its files") as caught:
        repair(store, "sales", state="0")
    assert caught.value.code == "dataset.history"
    assert store.objects == before


def test_a_damaged_file_is_dropped_only_on_demand_and_which_rows_went_is_said(store):
    key = next(key for key in store.objects if key.startswith("sales/table/k=x"))
    data = store.get(key)
    store.put(key, data[:8] + bytes(byte ^ 255 for byte in data[8:40]) + data[40:])
    before = dict(store.objects)
    assert repair(store, "sales")[1] == ()
    assert store.objects == before
    _, done = repair(store, "sales", damaged="drop")
    assert done == (f"dropped the damaged file {key}: 2 rows are lost: k = 'x', v from 1 to 2",)
    assert codes(store) == []
    assert read_all(store).to_pylist() == [{"k": "y", "v": 3}]


def test_of_a_damaged_file_of_another_client_is_said_what_its_path_says():
    store = foreign_dataset(
        [("k=x/1", "table", pa.table({"v": [1, 2]})), ("k=y/2", "table", pa.table({"v": [3]}))], table="table"
    )
    store.put("sales/table/k=x/1.parquet", b"no Parquet")
    _, done = repair(store, "sales", damaged="drop")
    assert done[0].endswith("rows are lost, and nobody noted how many: k = 'x'")
    assert codes(store) == []
    assert read_all(store).to_pylist() == [{"k": "y", "v": 3}]


def test_a_damaged_copy_of_an_earlier_state_is_found_and_deleted(store):
    for _ in range(2):
        write_dataset(store, ROWS, mode="append")
    live, middle, oldest = history(store, "sales")
    key = f"sales/_history/{middle.id}.msgpack.zstd"
    store.put(key, b"damaged")
    assert [(fault.code, fault.key) for fault in verify(store, "sales").faults] == [("verify.history", key)]
    assert repair(store, "sales")[1] == (f"deleted {key}, a damaged copy of an earlier state",)
    assert codes(store) == []
    assert [one.id for one in history(store, "sales")] == [live.id]
    assert any(middle.id in notice.text for notice in verify(store, "sales").notices if notice.code == "verify.state")
    assert oldest.id not in {one.id for one in history(store, "sales")}


@pytest.mark.parametrize("position", [1, 2])
def test_a_copy_of_an_earlier_state_that_is_gone_is_told(store, position):
    for _ in range(2):
        write_dataset(store, ROWS, mode="append")
    gone = list(history(store, "sales"))[position]
    store.delete(f"sales/_history/{gone.id}.msgpack.zstd")
    verdict = verify(store, "sales")
    assert verdict.faults == ()
    assert [notice.text for notice in verdict.notices if notice.code == "verify.state"] == [
        f"The copy of the state {gone.id} is gone, so neither it nor a state before it can be opened"
    ]


def test_without_reading_data_only_what_headers_listings_and_facts_tell_is_found(store):
    key = next(iter(header_of(store).partitions.values()))["table"]
    data = store.get(key)
    store.put(key, data[:50] + bytes([data[50] ^ 1]) + data[51:])
    assert verify(store, "sales", fast=True).faults == ()
    assert verify(store, "sales", fast=True).rows == 3
    assert "verify.checksum" in codes(store)
    store.put(key, data[:-1])
    assert [fault.code for fault in verify(store, "sales", fast=True).faults] == ["verify.size"]


def test_what_another_client_did_by_right_is_a_notice(store):
    content = json.loads(store.get(HEADER))
    content["metadata"]["owner"] = "another"
    store.put(HEADER, json.dumps(content).encode())
    verdict = verify(store, "sales")
    assert (verdict.faults, [notice.code for notice in verdict.notices]) == ((), ["verify.metadata"])
    assert "owner" in verdict.notices[0].text


def test_an_older_state_whose_files_another_client_collected_is_a_notice(store):
    write_dataset(store, ROWS, ["k"])
    _, older = history(store, "sales")
    for files in older.header.partitions.values():
        store.delete(files["table"])
    assert [notice.code for notice in verify(store, "sales").notices] == ["verify.state"]


def test_a_clock_does_not_make_orphans_of_young_files(store):
    assert dt.timedelta(hours=24).total_seconds() < LONG_AGO
    write_dataset(store, ROWS, ["k"])
    age(store)
    assert verify(store, "sales").orphans == ()
