from __future__ import annotations

import fcntl
import os
import signal
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from component.errors import RetryError, UserError
from component.store.base import Store
from component.store.local import ABANDONED_SECONDS, HIDDEN, LocalStore
from component.store.open import open_store
from tests.store.contract import StoreContract, keys_of, version_of
from tests.store.faults import disk_steps
from tests.store.races import SPAWN, RaceContract


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "made later" / "store")


class TestLocalStore(StoreContract, RaceContract):
    @pytest.fixture
    def reopen(self) -> Callable[[Store], Store]:
        return lambda store: open_store(store.url)


def test_a_store_that_ends_with_its_process_neither_waits_for_the_disk_nor_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    forced = []
    monkeypatch.setattr(os, "fsync", forced.append)
    for durable in (False, True):
        store = LocalStore(tmp_path / str(durable), durable=durable)
        store.put("first", b"makes the folders")
        forced.clear()
        store.put("object", b"content")
        assert store.get("object") == b"content"
        store.put_if("header", b"content", None)
        store.delete("object")
        assert store.get("header") == b"content"
        assert bool(forced) == durable
        assert bool(list((store.root / HIDDEN).glob("*.lock"))) == durable
        assert unfinished(store) == []


def unfinished(store: LocalStore) -> list[Path]:
    return list((store.root / HIDDEN).glob("*.part"))


def test_reading_does_not_make_the_directory(store: LocalStore):
    assert keys_of(store) == []
    store.delete("object")
    assert store.get_versioned("object") is None
    assert not store.root.exists()


def test_a_relative_root_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    store = LocalStore(Path("here"))
    store.put("object", b"content")
    monkeypatch.chdir("/")
    assert store.get("object") == b"content"
    assert (tmp_path / "here" / "object").is_file()


def test_objects_are_plain_files_under_their_keys(store: LocalStore):
    store.put("uuid/table/c=%20x/1.parquet", b"ours")
    assert (store.root / "uuid/table/c=%20x/1.parquet").read_bytes() == b"ours"
    (store.root / "uuid/table/c=y").mkdir()
    (store.root / "uuid/table/c=y/2.parquet").write_bytes(b"theirs")
    assert keys_of(store, "uuid/") == ["uuid/table/c=%20x/1.parquet", "uuid/table/c=y/2.parquet"]
    assert store.get("uuid/table/c=y/2.parquet") == b"theirs"


def test_a_listing_has_only_what_can_be_an_object(store: LocalStore):
    store.put("object", b"")
    for name in ("no:key", "ünï", "no;key"):
        (store.root / name).write_bytes(b"")
    (store.root / os.fsdecode(b"\xff")).write_bytes(b"")
    (store.root / "empty folder").mkdir()
    os.mkfifo(store.root / "pipe")
    assert keys_of(store) == ["object"]
    assert store.get_versioned("pipe") is None


def test_new_files_have_the_rights_that_the_user_gives_new_files(store: LocalStore):
    before = os.umask(0o027)
    try:
        store.put("folder/object", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((store.root / "folder/object").stat().st_mode) == 0o640
    assert stat.S_IMODE((store.root / "folder").stat().st_mode) == 0o750


def test_folders_go_with_their_last_object(store: LocalStore):
    store.put("a/b/c/object", b"")
    store.put("a/other", b"")
    store.delete("a/b/c/object")
    assert sorted(path.name for path in (store.root / "a").iterdir()) == ["other"]
    store.delete("a/other")
    assert sorted(path.name for path in store.root.iterdir()) == [HIDDEN]


@pytest.mark.parametrize("inside", [True, False])
def test_no_key_leads_through_a_link(store: LocalStore, tmp_path: Path, inside: bool):
    store.put("real/object", b"content")
    target = store.root / "real" if inside else tmp_path / "outside"
    target.mkdir(exist_ok=True)
    (target / "object").write_bytes(b"content")
    (store.root / "folder").symlink_to(target)
    (store.root / "file").symlink_to(target / "object")
    for key in ("folder/object", "folder/new", "file"):
        for call in (store.get, store.get_versioned, store.open, store.delete):
            with pytest.raises(UserError, match="symbolic link") as caught:
                call(key)
            assert caught.value.code == "store.key"
        with pytest.raises(UserError, match="symbolic link"):
            store.put(key, b"new")
        with pytest.raises(UserError, match="symbolic link"):
            store.put_if(key, b"new", None)
    with pytest.raises(UserError, match="symbolic link"):
        store.list("folder/")
    assert keys_of(store) == ["real/object"]
    assert [(path.name, path.read_bytes()) for path in target.iterdir()] == [("object", b"content")]


def test_unfinished_files_never_lie_behind_a_link(store: LocalStore, tmp_path: Path):
    (tmp_path / "outside").mkdir()
    store.root.mkdir(parents=True)
    (store.root / HIDDEN).symlink_to(tmp_path / "outside")
    with pytest.raises(UserError, match="symbolic link"):
        store.put("object", b"")
    assert list((tmp_path / "outside").iterdir()) == []


def test_the_root_itself_may_be_a_link(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    LocalStore(tmp_path / "link").put("object", b"content")
    assert LocalStore(tmp_path / "real").get("object") == b"content"


@pytest.mark.parametrize("call", ["put", "put_if"])
@pytest.mark.parametrize("key", ["object/below", "folder", "x" * 256])
def test_a_key_that_no_file_can_have_is_the_users_to_change(store: LocalStore, call: str, key: str):
    store.put("object", b"")
    store.put("folder/object", b"")
    with pytest.raises(UserError) as caught:
        store.put(key, b"") if call == "put" else store.put_if(key, b"", None)
    assert caught.value.code == "store.key"
    assert key in str(caught.value)
    assert keys_of(store) == ["folder/object", "object"]
    assert unfinished(store) == []


def test_a_writer_waits_for_a_lock_and_says_when_it_gives_up(store: LocalStore):
    version = store.put_if("header", b"first", None)
    (lock,) = (store.root / HIDDEN).glob("*.lock")
    with lock.open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(RetryError, match=r"held its lock for 0\.05 seconds") as caught:
            LocalStore(store.root, lock_seconds=0.05).put_if("header", b"second", version)
    assert caught.value.code == "store.failed"
    assert store.get("header") == b"first"
    store.put_if("header", b"second", version)
    assert store.get("header") == b"second"


@pytest.mark.parametrize("call", ["put", "put_if"])
def test_content_is_on_disk_before_the_name_and_the_name_before_the_call_returns(
    store: LocalStore, monkeypatch: pytest.MonkeyPatch, call: str
):
    store.put_if("folder/object", b"old", None)
    steps = disk_steps(monkeypatch)
    if call == "put":
        store.put("folder/object", b"new")
    else:
        store.put_if("folder/object", b"new", version_of(store, "folder/object"))
    (part, *rest) = steps
    assert part[0] == "force"
    assert part[1].endswith(".part")
    assert rest == [("rename", "object"), ("force", "folder")]


def test_objects_that_are_put_together_force_each_folder_once(store: LocalStore, monkeypatch: pytest.MonkeyPatch):
    store.put("table/x=1/a", b"")
    steps = disk_steps(monkeypatch)
    store.put_all([(key, b"content") for key in ("table/x=1/b", "table/x=1/c", "table/x=2/b", "table/x=3/b")])
    assert [kind for kind, _ in steps] == [*["force"] * 4, *["rename"] * 4, *["force"] * 4]
    assert all(name.endswith(".part") for _, name in steps[:4])
    assert [name for _, name in steps[4:8]] == ["b", "c", "b", "b"]
    assert sorted(name for _, name in steps[8:]) == ["table", "x=1", "x=2", "x=3"]


@pytest.mark.parametrize("refused", ["table/link/b", "table/a/b", "../b"])
def test_what_cannot_be_put_leaves_nothing_unfinished(store: LocalStore, refused: str):
    store.put("table/a", b"")
    (store.root / "table" / "link").symlink_to(store.root)
    with pytest.raises(UserError) as caught:
        store.put_all([("table/x=1/b", b"content"), (refused, b"content"), ("table/x=2/b", b"content")])
    assert caught.value.code == "store.key"
    assert unfinished(store) == []
    assert "table/x=2/b" not in keys_of(store)


def test_a_deletion_is_on_disk_before_the_call_returns(store: LocalStore, monkeypatch: pytest.MonkeyPatch):
    store.put("folder/one/object", b"")
    store.put("folder/two", b"")
    steps = disk_steps(monkeypatch)
    store.delete("folder/one/object")
    store.delete("folder/two")
    assert steps == [("remove", "object"), ("force", "folder"), ("remove", "two"), ("force", "store")]


def _put_and_die(store: LocalStore, forced: int) -> None:
    """Kill this process when it is about to force its n-th file or folder to disk."""
    calls = 0
    real = os.fsync

    def fsync(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == forced:
            os.kill(os.getpid(), signal.SIGKILL)
        real(descriptor)

    os.fsync = fsync
    store.put_if("header", b"new", version_of(store, "header"))


@pytest.mark.parametrize(("forced", "left", "parts"), [(1, b"old", 1), (2, b"new", 0)])
def test_a_kill_at_either_side_of_the_rename_leaves_the_old_or_the_new(
    store: LocalStore, forced: int, left: bytes, parts: int
):
    store.put_if("header", b"old", None)
    process = SPAWN.Process(target=_put_and_die, args=(store, forced))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    assert store.get("header") == left
    assert keys_of(store) == ["header"]
    assert len(unfinished(store)) == parts
    store.put_if("header", b"next", version_of(store, "header"))
    assert store.get("header") == b"next"


def test_what_killed_writers_left_is_removed_when_it_is_old(store: LocalStore):
    store.put("object", b"")
    old, young = store.root / HIDDEN / "old.part", store.root / HIDDEN / "young.part"
    for path in (old, young):
        path.write_bytes(b"half")
    past = time.time() - ABANDONED_SECONDS - 60
    os.utime(old, (past, past))
    store.put_if("header", b"", None)
    assert unfinished(store) == [young]
