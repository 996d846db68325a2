"""A byte of any file of a dataset is another one: readers answer right or not at all, and `verify` finds it."""

import pyarrow as pa
import pytest

from component.dataset.format.header import decode_header
from component.dataset.format.schema import decode_schema
from component.dataset.format.seal import MARK
from component.dataset.verification.verify import verify
from component.errors import UserError
from tests.dataset.making import bag, read_all, write_dataset
from tests.dataset.memory import MemoryStore

ROWS = pa.table({"k": ["x", "x", "y"], "v": [1, 2, 2], "t": ["a", None, "c"]})
QUESTIONS = [None, [[["v", "==", 2], ["k", "==", "x"]]]]
PATTERNS = (0x01, 0x20, 0xFF, 0x10, 0x80, 0x02, 0x08)
FORMATS = ["json", "msgpack.zstd"]


def dataset(storage_format):
    """Three files in two states, one of them cut from the same rows: labels of one name in two partitions."""
    store = MemoryStore()
    write_dataset(store, ROWS, ["k"], ["v"], storage_format=storage_format, metadata={"owner": "me"})
    write_dataset(store, pa.table({"k": ["z"], "v": [7], "t": ["q"]}), mode="append")
    return store


def answers(store):
    return [bag(read_all(store, predicates=question)) for question in QUESTIONS]


def flipped(store, step, first=0):
    """Flip a byte of a file in the store and yield the key and both contents: every `step`-th, of headers more."""
    for key, (data, put) in list(store.objects.items()):
        every = 2 if "by-dataset-metadata" in key else step
        for number, place in enumerate(range(first, len(data), every)):
            broken = bytearray(data)
            broken[place] ^= PATTERNS[number % len(PATTERNS)]
            store.objects[key] = (bytes(broken), put)
            yield key, data, bytes(broken)
        store.objects[key] = (data, put)


@pytest.mark.parametrize("storage_format", FORMATS)
def test_readers_answer_right_or_refuse(storage_format):
    store = dataset(storage_format)
    expected, refused = answers(store), 0
    for key, _, _ in flipped(store, 13):
        try:
            assert answers(store) == expected, key
        except UserError as error:
            assert error.code in {"dataset.damaged", "dataset.format", "store.missing", "store.key"}  # noqa: PT017
            refused += 1
    assert refused > 100


@pytest.mark.parametrize("storage_format", FORMATS)
def test_verify_finds_it(storage_format):
    store = dataset(storage_format)
    assert verify(store, "sales").faults == verify(store, "sales").notices == ()
    for key, data, broken in flipped(store, 29, first=3):
        verdict = verify(store, "sales")
        assert verdict.faults or verdict.notices or is_same(key, data, broken), key


def is_same(key, data, broken):
    """Whether another byte says the same: zstd has bits that stand for nothing."""
    return key.endswith(".zstd") and decode_header(data, "msgpack.zstd", "sales") == decode_header(
        broken, "msgpack.zstd", "sales"
    )


def test_a_label_that_becomes_another_one_of_the_header_loses_no_rows():
    store = dataset("json")
    key = "sales.by-dataset-metadata.json"
    data, put = store.objects[key]
    store.objects[key] = (data.replace(b'"k=x/', b'"k=y/', 1), put)
    with pytest.raises(UserError, match="twice"):
        read_all(store)


def test_a_schema_that_is_damaged_is_taken_from_the_header():
    store = dataset("json")
    key = "sales/table/_common_metadata"
    data, put = store.objects[key]
    place = data.index(MARK) + 40
    store.objects[key] = (data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :], put)
    with pytest.raises(UserError):
        decode_schema(store.get(key))
    assert read_all(store).num_rows == 4
