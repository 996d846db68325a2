import pytest

from component.dataset.commits.moving import arrive, finish_move, marked, remove_header
from component.dataset.commits.swap import same_header
from component.dataset.commits.writable import newer_hidden, settled_header
from component.dataset.format.header import Header, StoredHeader, encode_header, read_header
from component.dataset.format.history import put_copies
from component.store.uncommitted import Uncommitted
from tests.dataset.memory import MemoryStore
from tests.store.faults import Fault, FaultStore

JSON, MSGPACK = (f"u.by-dataset-metadata.{name}" for name in ("json", "msgpack.zstd"))
OLD = Header("u", metadata={"tablemill": {"commit": "c1"}})
NEW = Header("u", metadata={"tablemill": {"commit": "c2", "parent": "c1"}})


@pytest.fixture
def store():
    return MemoryStore()


def put(store, header, storage_format, wanted):
    key = JSON if storage_format == "json" else MSGPACK
    header = marked(header, storage_format, wanted)
    store.put(key, encode_header(header, storage_format))
    return StoredHeader(header, storage_format, store.get_versioned(key)[1])


def keys(store):
    return sorted(stat.key for stat in store.list("u."))


def test_a_marked_header_is_read_and_the_next_writer_moves_it(store):
    put(store, OLD, "msgpack.zstd", "json")
    assert read_header(store, "u").header.moves
    assert same_header(settled_header(store, "u").header, OLD)
    assert keys(store) == [JSON]


def test_who_moves_a_header_that_another_has_moved_leaves_it(store):
    stored = put(store, OLD, "msgpack.zstd", "json")
    put(store, NEW, "json", "json")
    finish_move(store, stored)
    assert same_header(read_header(store, "u").header, NEW)


def test_who_comes_too_late_takes_back_what_it_put(store):
    stored = put(store, OLD, "msgpack.zstd", "json")
    put(store, NEW, "msgpack.zstd", "msgpack.zstd")
    finish_move(store, stored)
    assert keys(store) == [MSGPACK]
    assert same_header(read_header(store, "u").header, NEW)


def test_the_next_writer_takes_away_an_older_header_that_one_who_was_killed_brought_to_light(store):
    put_copies(Uncommitted(store), OLD, None)
    put(store, NEW, "msgpack.zstd", "msgpack.zstd")
    put(store, OLD, "json", "json")
    assert newer_hidden(store, OLD) == NEW
    assert same_header(settled_header(store, "u").header, NEW)
    assert keys(store) == [MSGPACK]


def test_a_hidden_header_that_is_not_newer_hides_nothing(store):
    put(store, NEW, "json", "json")
    for data in (encode_header(OLD, "msgpack.zstd"), b"damaged"):
        store.put(MSGPACK, data)
        assert newer_hidden(store, NEW) is None
        assert same_header(settled_header(store, "u").header, NEW)


def test_a_header_onto_which_another_commits_does_not_move(store):
    stored = put(store, OLD, "json", "msgpack.zstd")

    class Racing(FaultStore):
        def delete_if(self, key, expected):
            if key == JSON:
                put(store, NEW, "json", "json")
            return super().delete_if(key, expected)

    arrive(Racing(store), stored, "msgpack.zstd")
    assert keys(store) == [JSON]
    assert same_header(read_header(store, "u").header, NEW)


def test_a_hidden_header_of_the_live_commit_is_left_to_who_moves_it(store):
    stored = put(store, OLD, "json", "json")
    put(store, OLD, "msgpack.zstd", "json")
    arrive(store, stored, "json")
    assert keys(store) == [JSON, MSGPACK]
    arrive(store, put(store, NEW, "json", "json"), "json")
    assert keys(store) == [JSON]


@pytest.mark.parametrize("call", ["get_versioned", "put_if", "delete_if"])
def test_a_failure_on_the_way_leaves_the_header_readable(store, call):
    stored = put(store, OLD, "json", "msgpack.zstd")
    arrive(FaultStore(store, Fault(call)), stored, "msgpack.zstd")
    assert same_header(read_header(store, "u").header, OLD)


def test_a_header_goes_with_what_it_hides_and_only_as_it_was_read(store):
    stored = put(store, NEW, "json", "json")
    put(store, NEW, "msgpack.zstd", "json")
    other = put(store, OLD, "json", "json")
    assert not remove_header(store, stored)
    assert remove_header(store, other)
    assert keys(store) == []
