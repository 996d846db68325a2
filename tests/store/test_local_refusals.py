"""What a local store says and leaves behind when the system refuses a call."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from component.errors import CommitUnknownError, UserError
from component.store import local
from component.store.local import HIDDEN, LocalStore
from tests.store.contract import keys_of, version_of
from tests.store.faults import largest_file

NOBODY = 65534


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "store")


def unfinished(store: LocalStore) -> list[Path]:
    return list((store.root / HIDDEN).glob("*.part"))


@pytest.mark.parametrize("size", [5_000, 5_000_000])
@pytest.mark.parametrize("call", ["put", "put_if"])
def test_a_full_disk_leaves_the_old_state_and_no_litter(store: LocalStore, call: str, size: int):
    version = store.put_if("header", b"old", None)
    with pytest.raises(UserError) as caught, largest_file(1000):
        store.put("header", b"n" * size) if call == "put" else store.put_if("header", b"n" * size, version)
    assert caught.value.code == "store.full"
    assert str(store.root / "header") in str(caught.value)
    assert "Free space" in str(caught.value)
    assert store.get_versioned("header") == (b"old", version)
    assert unfinished(store) == []


@contextmanager
def as_plain_user() -> Iterator[None]:
    """Give up root's right to ignore file modes."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def guarded() -> Iterator[LocalStore]:
    """A store with one object, that a plain user reaches and may not change."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        store = LocalStore(Path(folder) / "store")
        store.put_if("header", b"old", None)
        for path in (store.root, store.root / HIDDEN):
            path.chmod(0o555)
        yield store
        for path in (store.root, store.root / HIDDEN):
            path.chmod(0o755)


@pytest.mark.parametrize("call", ["put", "put_if", "delete", "elsewhere"])
def test_a_directory_that_is_not_writable_is_named(guarded: LocalStore, call: str):
    version = version_of(guarded, "header")
    calls: dict[str, Callable[[], object]] = {
        "put": lambda: guarded.put("folder/object", b"new"),
        "put_if": lambda: guarded.put_if("header", b"new", version),
        "delete": lambda: guarded.delete("header"),
        "elsewhere": lambda: LocalStore(guarded.root / "store").put("object", b"new"),
    }
    with pytest.raises(UserError) as caught, as_plain_user():
        calls[call]()
    assert caught.value.code == "store.unwritable"
    assert str(guarded.root) in str(caught.value)
    assert "Give user id" in str(caught.value)
    assert guarded.get_versioned("header") == (b"old", version)


def test_a_directory_that_is_not_writable_can_be_read(guarded: LocalStore):
    with as_plain_user():
        assert guarded.get("header") == b"old"
        assert keys_of(guarded) == ["header"]


@pytest.mark.parametrize("path", ["", "header"])
def test_what_may_not_be_read_is_not_taken_for_missing(guarded: LocalStore, path: str):
    (guarded.root / path).chmod(0)
    calls: list[Callable[[], object]] = [lambda: guarded.get("header"), lambda: guarded.get_versioned("header")]
    calls += [lambda: guarded.open("header")] + [lambda: keys_of(guarded)] * (path == "")
    for call in calls:
        with pytest.raises(UserError) as caught, as_plain_user():
            call()
        assert caught.value.code == "store.unreadable"


@pytest.mark.parametrize("where", ["rename", "force_folder"])
def test_a_failure_after_which_the_header_may_be_there_is_told_apart(
    store: LocalStore, monkeypatch: pytest.MonkeyPatch, where: str
):
    version = store.put_if("header", b"old", None)

    def fail(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patched:
        patched.setattr(*((os, "replace", fail) if where == "rename" else (local, "force_folder", fail)))
        with pytest.raises(CommitUnknownError, match="Perhaps done") as caught:
            store.put_if("header", b"new", version)
    assert caught.value.code == "commit.unknown"
    assert store.get("header") == (b"old" if where == "rename" else b"new")
    assert unfinished(store) == []
