import json

import msgpack
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.commits.commit import commit, plan_commit, prepare, publish, replan
from component.dataset.commits.rollback import rollback
from component.dataset.format.header import Header, encode_header, read_header
from component.dataset.format.layout import Layout
from component.dataset.format.schema import decode_schema, encode_schema
from component.dataset.reading.reader import open_dataset, plan_scan, read_scan
from component.errors import CommitRefusedError, UserError
from component.store.local import LocalStore
from component.store.uncommitted import Uncommitted
from tests.dataset.making import bag, layout_of, read_all, with_files, write_dataset, write_files
from tests.dataset.memory import MemoryStore
from tests.dataset.oracle import index_of
from tests.strategies.typed_tables import tables

OLD = pa.table({"k": ["x", "y", "z"], "v": [1, 2, 3]})
MORE = pa.table({"k": ["x", "w"], "v": [1, 4]})
CHANGED = pa.table({"k": [1, 2], "other": ["a", "b"]})
HEADERS = {"json": "sales.by-dataset-metadata.json", "msgpack.zstd": "sales.by-dataset-metadata.msgpack.zstd"}
FORMATS = tuple(HEADERS)


@pytest.fixture
def store(tmp_path):
    return LocalStore(tmp_path)


def live_headers(store):
    return [stat.key for stat in store.list("sales.")]


def index_content(store, column):
    table = pq.read_table(store.open(read_header(store, "sales").header.indices[column]))
    return {value: sorted(labels) for value, labels in zip(*table.to_pydict().values(), strict=True)}


def label_of(store, prefix, position=0):
    return [label for label in sorted(read_header(store, "sales").header.partitions) if label.startswith(prefix)][
        position
    ]


@pytest.mark.parametrize("storage_format", FORMATS)
def test_a_new_dataset_has_the_rows_and_one_header(store, storage_format):
    write_dataset(store, OLD, ["k"], ["v"], storage_format=storage_format)
    assert bag(read_all(store)) == bag(OLD)
    assert live_headers(store) == [HEADERS[storage_format]]


@pytest.mark.parametrize("storage_format", FORMATS)
def test_an_append_keeps_rows_format_keys_and_indices(store, storage_format):
    write_dataset(store, OLD, ["k"], ["v"], storage_format=storage_format)
    write_dataset(store, MORE, mode="append")
    assert bag(read_all(store)) == bag(pa.concat_tables([OLD, MORE]))
    assert live_headers(store) == [HEADERS[storage_format]]
    header = read_header(store, "sales").header
    assert header.partition_keys == ("k",)
    assert index_content(store, "v") == {
        1: sorted([label_of(store, "k=x", 0), label_of(store, "k=x", 1)]),
        2: [label_of(store, "k=y")],
        3: [label_of(store, "k=z")],
        4: [label_of(store, "k=w")],
    }


@with_files
@given(tables(keys=1), st.integers(1, 3))
def test_indices_after_appends_are_the_dictionary_of_all_rows(rows, appends):
    key, *others = rows.column_names
    store = MemoryStore()
    write_dataset(store, rows, [key], others)
    for _ in range(appends):
        write_dataset(store, rows, mode="append")
    dataset = open_dataset(store, "sales")
    for column in others:
        found = {scan.label: read_scan(store, dataset.schema, scan, [column]) for scan in plan_scan(dataset)}
        files = {label: table[column].to_pylist() for label, table in found.items()}
        assert index_content(store, column) == index_of(files)


def test_an_append_to_nothing_makes_the_dataset(store):
    write_dataset(store, OLD, ["k"], ["v"], mode="append", storage_format="msgpack.zstd")
    assert bag(read_all(store)) == bag(OLD)
    assert live_headers(store) == [HEADERS["msgpack.zstd"]]


@pytest.mark.parametrize("before", FORMATS)
@pytest.mark.parametrize("after", FORMATS)
def test_an_overwrite_leaves_only_the_new_rows_under_one_header_of_its_format(store, before, after):
    write_dataset(store, OLD, ["k"], ["v"], storage_format=before)
    write_dataset(store, CHANGED, storage_format=after)
    assert bag(read_all(store)) == bag(CHANGED)
    assert live_headers(store) == [HEADERS[after]]
    header = read_header(store, "sales").header
    assert (header.partition_keys, dict(header.indices)) == ((), {})


@pytest.mark.parametrize("configured", FORMATS)
def test_a_header_that_another_client_left_in_the_other_format_goes_when_commits_have_passed_it(store, configured):
    """plateau updates a msgpack dataset by a JSON header and leaves the old one, which JSON hides."""
    write_dataset(store, OLD, storage_format="msgpack.zstd")
    content = zstandard.ZstdDecompressor().decompress(store.get(HEADERS["msgpack.zstd"]))
    store.put(HEADERS["json"], json.dumps(msgpack.unpackb(content)).encode())
    for _ in range(2):
        write_dataset(store, MORE, mode="append", storage_format=configured)
    assert live_headers(store) == [HEADERS["json"]]
    assert bag(read_all(store)) == bag(pa.concat_tables([OLD, MORE, MORE]))


def test_a_hidden_header_that_cannot_be_read_goes_too(store):
    write_dataset(store, OLD)
    store.put(HEADERS["msgpack.zstd"], b"damaged")
    write_dataset(store, MORE, mode="append")
    assert live_headers(store) == [HEADERS["json"]]


def test_an_overwrite_that_carries_no_rows_leaves_an_empty_dataset_with_its_schema(store):
    write_dataset(store, OLD, ["k"], ["v"])
    plan = plan_commit(store, layout_of(CHANGED, ["k"], ["other"]), "overwrite")
    commit(store, plan, [])
    assert read_all(store).schema.equals(CHANGED.schema)
    write_dataset(store, CHANGED, ["k"], ["other"], mode="append")
    assert bag(read_all(store, predicates=[[("other", "==", "a")]])) == bag(CHANGED.slice(0, 1))


def test_metadata_is_kept_and_added_to_and_the_time_of_creation_stays(store):
    first = write_dataset(store, OLD, metadata={"owner": "me", "n": 1}).header.metadata
    second = write_dataset(store, MORE, mode="append", metadata={"n": 2}).header.metadata
    assert (second["owner"], second["n"], second["creation_time"]) == ("me", 2, first["creation_time"])
    assert second["tablemill"]["parent"] == first["tablemill"]["commit"]


def test_files_and_indices_of_a_commit_have_new_names(store):
    write_dataset(store, OLD, ["k"], ["v"])
    before = {stat.key: store.get(stat.key) for stat in store.list("sales/")}
    write_dataset(store, MORE, mode="append")
    assert {key: store.get(key) for key in before} == before


def test_the_schema_is_not_put_again_when_it_is_the_same(store):
    write_dataset(store, OLD)
    touched = store.root / "sales/table/_common_metadata"
    before = touched.stat().st_mtime_ns
    write_dataset(store, MORE, mode="append")
    assert touched.stat().st_mtime_ns == before


def test_an_append_to_a_column_without_values_gives_it_its_type(store):
    write_dataset(store, pa.table({"k": ["x"], "v": pa.nulls(1)}))
    write_dataset(store, OLD, mode="append")
    assert decode_schema(store.get("sales/table/_common_metadata")).field("v").type == pa.int64()
    assert bag(read_all(store)) == bag(
        pa.concat_tables([pa.table({"k": ["x"], "v": pa.array([None], pa.int64())}), OLD])
    )


def test_rows_that_do_not_fit_are_refused_before_anything_is_written(store):
    write_dataset(store, OLD)
    before = [stat.key for stat in store.list("sales")]
    with pytest.raises(UserError) as caught:
        write_dataset(store, CHANGED, mode="append")
    assert caught.value.code == "dataset.schema"
    assert [stat.key for stat in store.list("sales")] == before


def test_an_append_is_checked_against_the_schema_of_the_header_when_a_crash_left_another(store):
    write_dataset(store, OLD)
    store.put("sales/table/_common_metadata", encode_schema(layout_of(CHANGED).stored_schema))
    with pytest.raises(UserError):
        plan_commit(store, layout_of(CHANGED), "append")
    write_dataset(store, MORE, mode="append")
    assert decode_schema(store.get("sales/table/_common_metadata")).equals(layout_of(OLD).stored_schema)


def test_an_embedded_index_becomes_a_file_with_all_its_values(store):
    label = next(iter(write_dataset(store, OLD).header.partitions))
    header = read_header(store, "sales").header
    embedded = {"v": {"1": [label], "2": [label], "3": [label]}}
    store.put(HEADERS["json"], encode_header(Header("sales", header.partitions, (), embedded, header.metadata), "json"))
    write_dataset(store, MORE, mode="append")
    assert {value: len(labels) for value, labels in index_content(store, "v").items()} == {1: 2, 2: 1, 3: 1, 4: 1}


def test_json_with_numbers_that_strict_json_has_not_survives_an_append(store):
    write_dataset(store, OLD)
    content = json.loads(store.get(HEADERS["json"]))
    content["metadata"]["score"] = float("nan")
    store.put(HEADERS["json"], json.dumps(content).encode())
    metadata = write_dataset(store, MORE, mode="append").header.metadata
    assert repr(metadata["score"]) == "nan"


def test_a_commit_that_is_prepared_and_discarded_leaves_nothing(store):
    write_dataset(store, OLD, ["k"], ["v"])
    plan = plan_commit(store, layout_of(MORE), "append")
    written = write_files(store, plan.layout, MORE)
    before = [stat.key for stat in store.list("sales")]
    uncommitted = Uncommitted(store)
    with uncommitted:
        prepare(uncommitted, plan, [written])
    added = {stat.key for stat in store.list("sales")} - set(before)
    assert [sum(part in key for key in added) for part in ("/indices/", "/_history/")] == [1, 2]
    uncommitted.discard(added)
    assert [stat.key for stat in store.list("sales")] == before


@pytest.mark.parametrize(
    ("rows", "partition_on", "indices", "uuid"),
    [(OLD, ["v"], [], "sales"), (OLD, [], ["k"], "sales"), (OLD, [], ["v"], "sales")],
)
def test_files_that_are_written_are_not_committed_onto_a_dataset_that_has_other_keys_or_indices_by_now(
    store, rows, partition_on, indices, uuid
):
    plan = plan_commit(store, layout_of(OLD), "append")
    prepared = prepare(Uncommitted(store), plan, [write_files(store, plan.layout, OLD)])
    write_dataset(store, rows, partition_on, indices, uuid=uuid)
    with pytest.raises(CommitRefusedError):
        publish(store, prepared)
    with pytest.raises(CommitRefusedError):
        replan(store, prepared.plan)
    assert bag(read_all(store)) == bag(rows)


def test_files_that_are_written_are_not_committed_under_another_table(store):
    plan = plan_commit(store, Layout("sales", OLD.schema, table="mine"), "append")
    write_dataset(store, OLD)
    with pytest.raises(CommitRefusedError):
        replan(store, plan)


@pytest.mark.parametrize("before", [None, *FORMATS])
@pytest.mark.parametrize("after", FORMATS)
def test_rollback_puts_back_header_format_schema_and_rows(store, before, after):
    if before:
        write_dataset(store, OLD, ["k"], ["v"], storage_format=before, metadata={"a": 1})
    fixed = {stat.key: store.get(stat.key) for stat in store.list("sales.")}
    schema = store.get("sales/table/_common_metadata") if before else None
    prepared = write_dataset(store, CHANGED, storage_format=after)
    assert rollback(store, prepared)
    assert {stat.key: store.get(stat.key) for stat in store.list("sales.")} == fixed
    if before:
        assert store.get("sales/table/_common_metadata") == schema
        assert bag(read_all(store)) == bag(OLD)


def test_rollback_leaves_what_another_writer_committed_since(store):
    write_dataset(store, OLD)
    prepared = write_dataset(store, MORE, mode="append")
    write_dataset(store, MORE, mode="append")
    with pytest.raises(CommitRefusedError, match="so it stays"):
        rollback(store, prepared)
    assert bag(read_all(store)) == bag(pa.concat_tables([OLD, MORE, MORE]))


def test_rollback_of_what_was_not_published_does_nothing(store):
    write_dataset(store, OLD)
    plan = plan_commit(store, layout_of(MORE), "append")
    prepared = prepare(Uncommitted(store), plan, [write_files(store, plan.layout, MORE)])
    assert not rollback(store, prepared)
    write_dataset(store, MORE, mode="append")
    assert not rollback(store, prepared)
    assert bag(read_all(store)) == bag(pa.concat_tables([OLD, MORE]))


def test_rollback_of_a_dataset_that_is_gone_does_nothing(store):
    prepared = write_dataset(store, OLD)
    store.delete(HEADERS["json"])
    assert not rollback(store, prepared)
    assert live_headers(store) == []
