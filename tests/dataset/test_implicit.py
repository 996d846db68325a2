import pyarrow as pa
import pytest

from component.dataset.commits.writable import make_explicit
from component.dataset.files.data_file import encode_rows
from component.dataset.format.header import Header, encode_header, read_header
from component.dataset.format.implicit import read_whole_header
from component.dataset.format.schema import encode_schema
from component.errors import CommitRefusedError, UserError
from component.store.local import LocalStore
from tests.dataset.making import bag, layout_of, read_all, write_dataset, write_files
from tests.store.faults import Fault, FaultStore

ROWS = pa.table({"k": ["x", "y", "y"], "v": [1, 2, 3]})


@pytest.fixture
def store(tmp_path):
    """A dataset in two partitions whose header names none of them."""
    store = LocalStore(tmp_path)
    write_dataset(store, ROWS, ["k"])
    store.put("sales.by-dataset-metadata.json", encode_header(Header("sales", explicit=False), "json"))
    return store


def test_all_files_below_the_uuid_are_its_partitions(store):
    header = read_whole_header(store, "sales").header
    assert (header.explicit, header.partition_keys, len(header.partitions)) == (False, ("k",), 2)
    assert bag(read_all(store)) == bag(ROWS)


def test_other_objects_below_the_uuid_are_no_partitions(store):
    for key in (
        "sales/indices/v/x.by-dataset-index.parquet",
        "sales/table/notes.txt",
        "sales/odd.parquet",
        "sales-2/table/x.parquet",
    ):
        store.put(key, encode_rows(pa.table({"a": [1]})))
    assert bag(read_all(store)) == bag(ROWS)


def test_a_dataset_without_files_is_empty(tmp_path):
    store = LocalStore(tmp_path)
    store.put("sales.by-dataset-metadata.json", encode_header(Header("sales", explicit=False), "json"))
    store.put("sales/table/_common_metadata", encode_schema(ROWS.schema))
    assert read_all(store).num_rows == 0


def test_a_header_that_names_its_partitions_is_taken_as_it_is(tmp_path):
    store = LocalStore(tmp_path)
    write_dataset(store, ROWS)
    store.put("sales/table/more.parquet", encode_rows(ROWS))
    watched = FaultStore(store)
    assert len(read_whole_header(watched, "sales").header.partitions) == 1
    assert [call for call, _ in watched.calls] == ["get_versioned"]


def test_it_names_its_partitions_once_it_is_written_to(store):
    before = read_whole_header(store, "sales").header
    header = make_explicit(store, "sales")
    assert header == read_header(store, "sales")
    assert (header.header.explicit, header.header.partitions) == (True, before.partitions)
    assert make_explicit(FaultStore(store, Fault("write")), "sales") == header


def test_files_written_for_a_commit_are_no_part_of_it_before_the_commit(store):
    write_dataset(store, ROWS.slice(0, 1), ["k"], mode="append")
    assert bag(read_all(store)) == bag(pa.concat_tables([ROWS, ROWS.slice(0, 1)]))
    write_files(store, layout_of(ROWS, ["k"]), ROWS)
    assert read_all(store).num_rows == 4


def test_another_commit_in_between_refuses_it(store):
    with pytest.raises(CommitRefusedError):
        make_explicit(FaultStore(store, Fault("put_if", effect="refuse")), "sales")
    assert not read_header(store, "sales").header.explicit


def test_a_path_that_shows_no_partition_keys_is_refused(store):
    store.put("sales/table/a/b.parquet", encode_rows(ROWS))
    with pytest.raises(UserError) as caught:
        read_whole_header(store, "sales")
    assert caught.value.code == "dataset.format"
