from __future__ import annotations

import hashlib
import itertools
import os
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.errors import BugError, CommitRefusedError, RetryError, UserError
from component.naming import HEADER_JSON_SUFFIX, HEADER_MSGPACK_SUFFIX
from component.store.archive import COPY_BYTES, Archived, pack_archive, restore_archive
from component.store.base import Store
from component.store.local import HIDDEN, LocalStore
from tests.store.contract import keys_of, version_of
from tests.store.faults import Crash, Fault, FaultStore, disk_steps, largest_file
from tests.strategies.keys import objects

HEADER = f"flights{HEADER_JSON_SUFFIX}"
OBJECTS = {
    "flights/indices/carrier/1.by-dataset-index.parquet": b"index",
    "flights/table/_common_metadata": b"schema",
    "flights/table/day=1/a.parquet": b"data" * 1000,
    "flights/table/day=2/a.parquet": b"",
    HEADER: b'{"dataset_uuid": "flights"}',
}
fresh = itertools.count()


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    store = LocalStore(tmp_path / "source")
    for key, content in OBJECTS.items():
        store.put(key, content)
    return store


@pytest.fixture
def other(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "other")


@pytest.fixture
def archive(store: LocalStore, tmp_path: Path) -> Path:
    target = tmp_path / "flights.dataset.zip"
    pack_archive(store, "flights", OBJECTS, target)
    return target


def contents(store: Store) -> dict[str, bytes]:
    return {key: store.get(key) for key in keys_of(store)}


def test_a_dataset_travels_unchanged(store: LocalStore, other: LocalStore, tmp_path: Path):
    packed = pack_archive(store, "flights", OBJECTS, tmp_path / "flights.dataset.zip")
    restored = restore_archive(tmp_path / "flights.dataset.zip", other)
    assert contents(other) == OBJECTS
    assert packed == restored == Archived("flights", HEADER, 5, sum(map(len, OBJECTS.values())))


def test_the_name_of_the_file_does_not_matter(archive: Path, other: LocalStore):
    renamed = archive.rename(archive.with_name("1234_flights.zip"))
    assert restore_archive(renamed, other).uuid == "flights"


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    held=objects(), uuid=st.from_regex(r"\A[a-zA-Z0-9+\-_]{1,20}\Z"), suffix=st.sampled_from(["json", "msgpack.zstd"])
)
def test_any_dataset_travels_unchanged(tmp_path: Path, held: dict[str, bytes], uuid: str, suffix: str):
    folder = tmp_path / str(next(fresh))
    source, target = LocalStore(folder / "source"), LocalStore(folder / "target")
    header = f"{uuid}.by-dataset-metadata.{suffix}"
    dataset = {f"{uuid}/{key}": content for key, content in held.items()} | {header: b"header"}
    for key, content in dataset.items():
        source.put(key, content)
    pack_archive(source, uuid, dataset, folder / "archive")
    restore_archive(folder / "archive", target)
    assert contents(target) == dataset


def test_only_the_keys_that_are_named_travel(store: LocalStore, other: LocalStore, tmp_path: Path):
    store.put("flights/table/garbage.parquet", b"")
    store.put("flights.carrier.by-dataset-index.parquet", b"an index of the old form")
    keys = [HEADER, "flights/table/_common_metadata", "flights.carrier.by-dataset-index.parquet"]
    pack_archive(store, "flights", [*keys, *keys], tmp_path / "archive")
    restore_archive(tmp_path / "archive", other)
    assert keys_of(other) == sorted(keys)


def test_the_same_objects_make_the_same_bytes(store: LocalStore, archive: Path, tmp_path: Path):
    before = os.umask(0o077)
    try:
        pack_archive(store, "flights", reversed(list(OBJECTS)), tmp_path / "again.zip")
    finally:
        os.umask(before)
    assert (tmp_path / "again.zip").read_bytes() == archive.read_bytes()


def test_an_archive_is_plain_stored_and_ends_with_the_header(archive: Path):
    with zipfile.ZipFile(archive) as opened:
        assert opened.testzip() is None
        assert opened.namelist() == [*sorted(OBJECTS.keys() - {HEADER}), HEADER]
        for info in opened.infolist():
            assert (info.compress_type, info.date_time) == (zipfile.ZIP_STORED, (1980, 1, 1, 0, 0, 0))
            assert opened.read(info) == OBJECTS[info.filename]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_what_other_tools_zipped_is_restored(tmp_path: Path, other: LocalStore, method: int):
    with zipfile.ZipFile(tmp_path / "archive", "w", method) as opened:
        for key, content in OBJECTS.items():
            with opened.open(key, "w", force_zip64=True) as entry:
                entry.write(content)
    restore_archive(tmp_path / "archive", other)
    assert contents(other) == OBJECTS


def test_an_archive_that_was_streamed_is_restored(tmp_path: Path, other: LocalStore):
    read, write = os.pipe()
    with os.fdopen(write, "wb") as pipe, zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as opened:
        for key, content in OBJECTS.items():
            opened.writestr(key, content)
    with os.fdopen(read, "rb") as pipe:
        (tmp_path / "archive").write_bytes(pipe.read())
    restore_archive(tmp_path / "archive", other)
    assert contents(other) == OBJECTS


def test_packing_holds_one_block_in_memory_and_restoring_less(store: LocalStore, other: LocalStore, tmp_path: Path):
    large = os.urandom(1024) * 32 * 1024
    store.put("flights/table/large.parquet", large)
    tracemalloc.start()
    try:
        pack_archive(store, "flights", [HEADER, "flights/table/large.parquet"], tmp_path / "archive")
        packing = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        restore_archive(tmp_path / "archive", other)
        restoring = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert packing < 3 * COPY_BYTES
    assert restoring < COPY_BYTES
    with other.open("flights/table/large.parquet") as opened:
        assert hashlib.sha256(opened.read()).digest() == hashlib.sha256(large).digest()


def test_an_archive_is_on_disk_before_it_has_its_name(
    store: LocalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    steps = disk_steps(monkeypatch)
    pack_archive(store, "flights", OBJECTS, tmp_path / "archive")
    (part, *rest) = steps
    assert part[0] == "force"
    assert part[1].endswith(".part")
    assert rest == [("rename", "archive"), ("force", tmp_path.name)]


def test_the_header_is_put_last_and_only_if_there_is_none(archive: Path, other: LocalStore):
    watched = FaultStore(other)
    restore_archive(archive, watched)
    assert watched.calls[-1] == ("put_if", HEADER)
    assert sorted(watched.writes[:-1]) == sorted(OBJECTS.keys() - {HEADER})


@pytest.mark.parametrize("nth", range(1, len(OBJECTS) + 1))
def test_a_restore_that_crashes_is_invisible_and_can_be_repeated(archive: Path, other: LocalStore, nth: int):
    with pytest.raises(Crash):
        restore_archive(archive, FaultStore(other, Fault("write", nth, "crash")))
    assert HEADER not in keys_of(other)
    restore_archive(archive, other)
    assert contents(other) == OBJECTS


@pytest.mark.parametrize("suffix", [HEADER_JSON_SUFFIX, HEADER_MSGPACK_SUFFIX])
def test_a_dataset_that_the_store_has_is_not_replaced(archive: Path, other: LocalStore, suffix: str):
    other.put(f"flights{suffix}", b"there")
    with pytest.raises(CommitRefusedError) as caught:
        restore_archive(archive, other)
    assert caught.value.code == "commit.refused"
    assert contents(other) == {f"flights{suffix}": b"there"}


def test_a_dataset_that_appears_during_the_restore_is_not_replaced(archive: Path, other: LocalStore):
    with pytest.raises(CommitRefusedError):
        restore_archive(archive, FaultStore(other, Fault("put_if", 1, "refuse")))
    assert HEADER not in keys_of(other)


def test_a_header_that_has_changed_since_its_keys_were_read_is_not_packed(store: LocalStore, tmp_path: Path):
    version = version_of(store, HEADER)
    pack_archive(store, "flights", OBJECTS, tmp_path / "archive", version)
    before = (tmp_path / "archive").read_bytes()
    store.put(HEADER, b"another")
    with pytest.raises(CommitRefusedError):
        pack_archive(store, "flights", OBJECTS, tmp_path / "archive", version)
    assert (tmp_path / "archive").read_bytes() == before


@pytest.mark.parametrize(
    ("fault", "error"),
    [(Fault("open", 3), RetryError), (Fault("open", 3, "crash"), Crash), (Fault("get_versioned"), RetryError)],
)
def test_packing_that_fails_leaves_no_file(store: LocalStore, tmp_path: Path, fault: Fault, error: type[BaseException]):
    target = tmp_path / "out" / "archive"
    with pytest.raises(error):
        pack_archive(FaultStore(store, fault), "flights", OBJECTS, target)
    assert not target.parent.exists() or list(target.parent.iterdir()) == []


class CutStore(LocalStore):
    """A store in which a foreign client cuts every file just after it was opened."""

    def open(self, key):
        opened = LocalStore.open(self, key)
        (self.root / key).write_bytes(b"")
        return opened


def test_an_object_that_is_changed_in_place_is_not_packed(store: LocalStore, tmp_path: Path):
    with pytest.raises(RetryError, match="changed while it was packed"):
        pack_archive(CutStore(store.root), "flights", OBJECTS, tmp_path / "archive")
    assert not (tmp_path / "archive").exists()


def test_packing_onto_a_full_disk_leaves_what_was_there(store: LocalStore, tmp_path: Path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "archive").write_bytes(b"old")
    with pytest.raises(UserError) as caught, largest_file(1000):
        pack_archive(store, "flights", OBJECTS, tmp_path / "out" / "archive")
    assert caught.value.code == "store.full"
    assert str(tmp_path / "out" / "archive") in str(caught.value)
    assert [(path.name, path.read_bytes()) for path in (tmp_path / "out").iterdir()] == [("archive", b"old")]


def test_an_object_that_is_not_there_is_named(store: LocalStore, tmp_path: Path):
    with pytest.raises(UserError, match="gone") as caught:
        pack_archive(store, "flights", [*OBJECTS, "flights/table/gone.parquet"], tmp_path / "archive")
    assert caught.value.code == "store.missing"
    with pytest.raises(UserError) as caught:
        pack_archive(store, "none", [f"none{HEADER_JSON_SUFFIX}"], tmp_path / "archive")
    assert caught.value.code == "dataset.missing"
    assert not (tmp_path / "archive").exists()


@pytest.mark.parametrize("keys", [[], ["flights/table/_common_metadata"], [HEADER, f"flights{HEADER_MSGPACK_SUFFIX}"]])
def test_packing_without_exactly_one_header_is_our_fault(store: LocalStore, tmp_path: Path, keys: list[str]):
    with pytest.raises(BugError):
        pack_archive(store, "flights", keys, tmp_path / "archive")


@pytest.mark.parametrize("key", ["planes/table/a.parquet", "flights-2/a", "flights.x", f"planes{HEADER_JSON_SUFFIX}"])
def test_what_could_not_be_restored_is_not_packed(store: LocalStore, tmp_path: Path, key: str):
    with pytest.raises(UserError, match="own folder") as caught:
        pack_archive(store, "flights", [*OBJECTS, key], tmp_path / "archive")
    assert caught.value.code == "store.archive"
    assert key in str(caught.value)


class CaselessStore(LocalStore):
    """A store like a directory of a system that ignores case."""

    def get_versioned(self, key):
        return LocalStore.get_versioned(self, key.lower())

    def put(self, key, data):
        LocalStore.put(self, key.lower(), data)


def test_names_that_differ_in_case_only_travel_where_case_counts(store: LocalStore, other: LocalStore, tmp_path: Path):
    both = {"flights/table/code=a/1.parquet": b"a", "flights/table/code=A/1.parquet": b"A"}
    for key, content in both.items():
        store.put(key, content)
    pack_archive(store, "flights", [*both, HEADER], tmp_path / "archive")
    restore_archive(tmp_path / "archive", other)
    assert contents(other) == both | {HEADER: OBJECTS[HEADER]}
    caseless = CaselessStore(tmp_path / "caseless")
    with pytest.raises(UserError, match="differs in case only") as caught:
        restore_archive(tmp_path / "archive", caseless)
    assert caught.value.code == "store.archive"
    assert keys_of(caseless) == []
    assert [path.name for path in caseless.root.iterdir()] == [HIDDEN]
