import contextlib
import json
import tracemalloc

import msgpack
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.format.header import Header, decode_header, encode_header, read_header
from component.errors import UserError
from component.store.local import LocalStore
from tests.store.faults import FaultStore
from tests.strategies import json_values

FORMATS = ("json", "msgpack.zstd")
texts = st.text(st.characters(codec="utf-8"), max_size=8)
labels = st.lists(texts, max_size=3)
indices = st.dictionaries(texts, st.one_of(texts, st.dictionaries(texts, labels, max_size=3)), max_size=2)
partitions = st.dictionaries(texts, st.fixed_dictionaries({"table": st.just("u/table/x.parquet")}), max_size=3)
in_64_bits = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | texts
metadata = st.dictionaries(texts, in_64_bits | st.lists(in_64_bits) | st.dictionaries(texts, in_64_bits), max_size=3)
headers = st.builds(
    Header,
    uuid=st.just("u"),
    partitions=partitions,
    partition_keys=st.just(()),
    indices=indices,
    metadata=metadata,
)


@given(headers, st.sampled_from(FORMATS))
def test_a_header_comes_back_from_its_bytes(header, storage_format):
    assert decode_header(encode_header(header, storage_format), storage_format, "u") == header


def test_json_is_ascii_on_one_line_with_the_keys_of_the_original_clients():
    header = Header(
        "u", {"k=1/x": {"table": "u/table/k=1/x.parquet"}}, ("k",), {"i": "u/indices/i/n"}, {"note": "é\n", "n": 1}
    )
    data = encode_header(header, "json")
    assert data.decode("ascii").count("\n") == 0
    assert json.loads(data) == {
        "dataset_metadata_version": 4,
        "dataset_uuid": "u",
        "indices": {"i": "u/indices/i/n"},
        "metadata": {"note": "é\n", "n": 1},
        "partitions": {"k=1/x": {"files": {"table": "u/table/k=1/x.parquet"}}},
        "partition_keys": ["k"],
    }


def test_msgpack_is_one_zstd_frame_that_states_its_size():
    data = encode_header(Header("u"), "msgpack.zstd")
    assert data.startswith(b"\x28\xb5\x2f\xfd")
    assert zstandard.frame_content_size(data) == len(zstandard.ZstdDecompressor().decompress(data))


def test_a_header_without_partitions_stays_one():
    header = Header("u", {"l": {"table": "u/table/l.parquet"}}, (), explicit=False)
    found = decode_header(encode_header(header, "json"), "json", "u")
    assert (found.explicit, dict(found.partitions)) == (False, {})


def _header(**changed):
    content = {
        "dataset_metadata_version": 4,
        "dataset_uuid": "u",
        "partitions": {},
        "partition_keys": [],
        "metadata": {},
    }
    content.update(changed)
    return {key: value for key, value in content.items() if value is not ...}


@pytest.mark.parametrize("missing", [{"metadata": ...}, {"metadata": None}, {"indices": {}}, {"indices": None}])
def test_what_readers_can_do_without_may_be_missing(missing):
    found = decode_header(json.dumps(_header(**missing)).encode(), "json", "u")
    assert (dict(found.metadata), dict(found.indices), found.explicit) == ({}, {}, True)


@pytest.mark.parametrize("keys", [{"partition_keys": ...}, {"partition_keys": None}, {"partition_keys": []}])
def test_partition_keys_that_are_not_named_are_those_of_the_first_path(keys):
    one = {"a=1/b=x/f": {"files": {"table": "u/table/a=1/b=x/f.parquet"}}}
    found = decode_header(json.dumps(_header(partitions=one, **keys)).encode(), "json", "u")
    assert found.partition_keys == ("a", "b")


def test_partition_keys_that_are_not_named_and_not_in_the_path_are_refused():
    odd = {"x/f": {"files": {"table": "u/table/x/f.parquet"}}}
    with pytest.raises(UserError, match=r"u/table/x/f\.parquet"):
        decode_header(json.dumps(_header(partitions=odd)).encode(), "json", "u")


def test_unknown_keys_are_ignored():
    partitions = {"l": {"files": {"table": "u/table/l.parquet"}, "rows": 5}}
    found = decode_header(json.dumps(_header(partitions=partitions, more=1)).encode(), "json", "u")
    assert dict(found.partitions) == {"l": {"table": "u/table/l.parquet"}}


@pytest.mark.parametrize(
    "changed",
    [
        {"dataset_metadata_version": 3},
        {"dataset_metadata_version": 5},
        {"dataset_metadata_version": "4"},
        {"dataset_metadata_version": 4.0},
        {"dataset_metadata_version": ...},
        {"dataset_uuid": "v"},
        {"dataset_uuid": ...},
        {"partitions": []},
        {"partitions": "x"},
        {"partitions": {"l": {}}},
        {"partitions": {"l": {"files": 5}}},
        {"partitions": {"l": {"files": {"table": 5}}}},
        {"partitions": {"l": {"files": ["ab"]}}},
        {"partition_keys": "ab"},
        {"partition_keys": [1]},
        {"partition_keys": {"a": 1}},
        {"indices": []},
        {"indices": {"i": 5}},
        {"indices": {"i": {"1": "label"}}},
        {"indices": {"i": {"1": [1]}}},
        {"metadata": []},
        {"metadata": "x"},
    ],
)
@pytest.mark.parametrize("storage_format", FORMATS)
def test_a_header_that_breaks_the_format_is_refused(changed, storage_format):
    content = _header(**changed)
    data = (
        json.dumps(content).encode()
        if storage_format == "json"
        else zstandard.ZstdCompressor().compress(msgpack.packb(content))
    )
    with pytest.raises(UserError) as caught:
        decode_header(data, storage_format, "u")
    assert caught.value.code == "dataset.format"
    assert "'u'" in str(caught.value)


@given(st.one_of(json_values.values, st.fixed_dictionaries({}, optional=dict.fromkeys(_header(), json_values.values))))
def test_any_json_is_a_header_or_refused(content):
    if isinstance(content, dict):
        content |= {"dataset_metadata_version": 4, "dataset_uuid": "u"}
    header = _decoded_or_refused(json.dumps(content).encode())
    assert header is None or _decoded_or_refused(encode_header(header, "json")).to_dict() == header.to_dict()


def _decoded_or_refused(data):
    with contextlib.suppress(UserError):
        return decode_header(data, "json", "u")
    return None


@given(st.binary(max_size=60), st.sampled_from(FORMATS))
def test_bytes_that_are_no_header_are_refused(data, storage_format):
    with pytest.raises(UserError) as caught:
        decode_header(data, storage_format, "u")
    assert caught.value.code == "dataset.format"


@pytest.mark.parametrize("storage_format", FORMATS)
def test_a_header_cut_anywhere_is_refused(storage_format):
    data = encode_header(Header("u", metadata={"a": 1}), storage_format)
    for size in range(len(data)):
        with pytest.raises(UserError):
            decode_header(data[:size], storage_format, "u")


def test_json_nested_too_deeply_is_refused():
    with pytest.raises(UserError):
        decode_header(b"[" * 200_000, "json", "u")


def test_a_msgpack_header_that_unpacks_to_gigabytes_is_refused_before_it_is_unpacked():
    bomb = zstandard.ZstdCompressor().compressobj(size=2**31)
    parts = [bomb.compress(bytes(2**24)) for _ in range(2**7)]
    tracemalloc.start()
    with pytest.raises(UserError) as caught:
        decode_header(b"".join([*parts, bomb.flush()]), "msgpack.zstd", "u")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "larger than" in str(caught.value)
    assert peak < 2**24


@pytest.mark.parametrize(
    ("value", "storage_format"),
    [(object(), "json"), (object(), "msgpack.zstd"), (2**70, "msgpack.zstd"), ("\ud800", "msgpack.zstd")],
)
def test_metadata_that_a_format_cannot_hold_is_the_users_to_change(value, storage_format):
    with pytest.raises(UserError) as caught:
        encode_header(Header("u", metadata={"a": value}), storage_format)
    assert caught.value.code == "dataset.format"


def test_json_is_read_first_and_msgpack_after_it(tmp_path):
    store = LocalStore(tmp_path)
    assert read_header(store, "u") is None
    for storage_format, note in (("msgpack.zstd", "packed"), ("json", "text")):
        store.put(
            f"u.by-dataset-metadata.{storage_format}", encode_header(Header("u", metadata={"n": note}), storage_format)
        )
        watched = FaultStore(store)
        found = read_header(watched, "u")
        assert (found.storage_format, found.header.metadata["n"]) == (storage_format, note)
        assert len(watched.calls) == (1 if storage_format == "json" else 2)


def test_the_table_is_that_of_the_partitions_then_of_the_extras_then_the_default():
    extras = {"tablemill": {"table": "core"}}
    assert Header("u").table == "table"
    assert Header("u", metadata=extras).table == "core"
    assert Header("u", {"l": {"other": "u/other/l.parquet"}}, metadata=extras).table == "other"
