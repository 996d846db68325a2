import pyarrow as pa
import pytest

from component.dataset.commits.swap import restore_schema, same_header, swap_header, swap_schema, undo_schema
from component.dataset.format.header import Header, encode_header, read_header
from component.dataset.format.schema import decode_schema, encode_schema
from component.errors import CommitRefusedError, CommitUnknownError
from tests.dataset.memory import MemoryStore
from tests.store.faults import Fault, FaultStore

KEY = "u/table/_common_metadata"
ONE, TWO, THREE = (pa.schema([("a", kind)]) for kind in (pa.int64(), pa.string(), pa.date32()))
OLD, NEW = (Header("u", metadata={"tablemill": {"commit": name}}) for name in ("c1", "c2"))


@pytest.fixture
def store():
    return MemoryStore()


def _schema(store):
    return decode_schema(store.get(KEY))


def test_a_schema_is_put_where_none_or_another_is_and_put_back(store):
    assert swap_schema(store, KEY, ONE).before is None
    swap = swap_schema(store, KEY, TWO)
    assert _schema(store).equals(TWO)
    undo_schema(store, swap)
    assert _schema(store).equals(ONE)


def test_a_schema_that_is_there_already_is_not_put_even_if_its_bytes_differ(store):
    store.put(KEY, encode_schema(pa.schema([("a", pa.large_string())])))
    assert swap_schema(FaultStore(store, Fault("write")), KEY, TWO) is None


def test_a_schema_that_is_damaged_is_replaced(store):
    store.put(KEY, b"damaged")
    swap_schema(store, KEY, ONE)
    assert _schema(store).equals(ONE)


def test_what_another_writer_put_since_is_not_put_back(store):
    swap_schema(store, KEY, ONE)
    before = store.get(KEY)
    swap = swap_schema(store, KEY, TWO)
    store.put(KEY, encode_schema(THREE))
    undo_schema(store, swap)
    restore_schema(store, KEY, before, TWO)
    assert _schema(store).equals(THREE)


def test_a_header_is_put_only_onto_its_base(store):
    swap_header(store, None, OLD, "json")
    with pytest.raises(CommitRefusedError):
        swap_header(store, None, NEW, "json")
    base = read_header(store, "u")
    swap_header(store, base, NEW, "json")
    with pytest.raises(CommitRefusedError):
        swap_header(store, base, OLD, "json")
    assert same_header(read_header(store, "u").header, NEW)


def test_a_put_whose_answer_was_lost_is_done_when_the_header_is_there(store):
    lost = FaultStore(store, Fault("put_if", effect="unknown", after=True))
    assert swap_header(lost, None, NEW, "json") is None
    assert same_header(read_header(store, "u").header, NEW)


@pytest.mark.parametrize("also", [(), (Fault("get_versioned"),)], ids=["not there", "cannot be looked for"])
def test_a_put_whose_answer_was_lost_stays_unknown_when_the_header_is_not_seen(store, also):
    with pytest.raises(CommitUnknownError):
        swap_header(FaultStore(store, Fault("put_if", effect="unknown"), *also), None, NEW, "json")


@pytest.mark.parametrize(
    "fault", [Fault("put_if", 2), Fault("get_versioned"), Fault("delete_if")], ids=lambda fault: fault.call
)
def test_a_change_of_format_that_fails_after_the_commit_is_no_failure_of_the_commit(store, fault):
    swap_header(store, None, OLD, "json")
    swap_header(FaultStore(store, fault), read_header(store, "u"), NEW, "msgpack.zstd")
    assert same_header(read_header(store, "u").header, NEW)


def test_a_hidden_header_goes_with_the_next_commit():
    store = MemoryStore()
    for storage_format in ("json", "msgpack.zstd"):
        store.put(f"u.by-dataset-metadata.{storage_format}", encode_header(OLD, storage_format))
    swap_header(store, read_header(store, "u"), NEW, "json")
    assert [stat.key for stat in store.list("u.")] == ["u.by-dataset-metadata.json"]


def test_a_put_whose_answer_was_lost_is_refused_when_another_commit_is_there(store):
    swap_header(store, None, OLD, "json")
    base = read_header(store, "u")
    swap_header(store, base, NEW, "json")
    third = Header("u", metadata={"tablemill": {"commit": "c3"}})
    with pytest.raises(CommitRefusedError):
        swap_header(FaultStore(store, Fault("put_if", effect="unknown")), base, third, "json")


def test_a_new_dataset_that_json_hides_is_refused_and_leaves_nothing(store):
    store.put("u.by-dataset-metadata.json", encode_header(OLD, "json"))
    with pytest.raises(CommitRefusedError):
        swap_header(store, None, NEW, "msgpack.zstd")
    assert [stat.key for stat in store.list("u.")] == ["u.by-dataset-metadata.json"]
