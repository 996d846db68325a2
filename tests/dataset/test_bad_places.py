"""Stores that may only be read, full disks, clocks that go back: a clear error or a right state, byte by byte."""

import ctypes
import datetime as dt
import shutil
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from component import clock
from component.dataset.commits.garbage import collect, find_garbage
from component.dataset.format.history import history
from component.dataset.reading.reader import open_dataset, read_dataset
from component.dataset.verification.verify import verify
from component.store.local import LocalStore
from tests.dataset.changes import CHANGES, OPERATIONS, ROWS, SOON, refused, two_commits
from tests.dataset.making import read_all, write_dataset
from tests.runner.data_folder import snapshot
from tests.store.faults import largest_file


@pytest.fixture
def store(tmp_path):
    return two_commits(tmp_path / "store")


# --- places ---


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


_VERSION, _WORDS, _OVERRIDES = 0x20080522, 6, 0b110


@contextmanager
def as_plain_user():
    """Without the capabilities by which root writes and reads everything (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH)."""
    libc, header = ctypes.CDLL(None, use_errno=True), _Header(_VERSION, 0)
    before = (ctypes.c_uint32 * _WORDS)()
    assert libc.capget(ctypes.byref(header), before) == 0
    without = (ctypes.c_uint32 * _WORDS)(*before)
    without[0] &= ~_OVERRIDES
    assert libc.capset(ctypes.byref(header), without) == 0
    try:
        yield
    finally:
        assert libc.capset(ctypes.byref(header), before) == 0


@pytest.fixture
def read_only(store):
    """The store as somebody has it who may only read."""
    folders = [store.root, *(path for path in store.root.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    with as_plain_user():
        yield store
    for folder in folders:
        folder.chmod(0o755)


def test_a_store_that_may_only_be_read_is_not_changed(read_only):
    for operation in CHANGES:
        error = refused(read_only, OPERATIONS[operation], "store.unwritable")
        assert "Permission denied" in error.text
        assert "the right to write there" in error.remedy


def test_a_store_that_may_only_be_read_is_read_and_verified(read_only):
    assert read_all(read_only).num_rows == 6
    assert read_all(read_only, predicates=[[("v", "==", 2)]]).num_rows == 4
    assert verify(read_only, "sales").faults == ()
    assert find_garbage(read_only, "sales", min_age=SOON).objects == ()


@pytest.mark.parametrize("operation", [name for name in CHANGES if name != "collect"])
@pytest.mark.parametrize("share", [0, 0.5, 0.9])
def test_a_full_disk_changes_nothing_and_leaves_nothing(store, operation, share):
    """Files beyond a size are refused by the kernel, as a full disk refuses them: all, some, or the largest."""
    most = int(largest_written(store, operation) * share)
    with largest_file(most):
        error = refused(store, OPERATIONS[operation], "store.full")
        assert "Free space" in error.remedy
        assert verify(store, "sales").faults == ()
    OPERATIONS[operation](store)
    assert verify(store, "sales").faults == ()


def largest_written(store, operation):
    """Return the bytes of the largest file that an operation writes, from one on a copy."""
    copied = LocalStore(Path(shutil.copytree(store.root, store.root.with_name("another"))))
    before = snapshot(copied.root)
    OPERATIONS[operation](copied)
    return max(len(data) for path, data in snapshot(copied.root).items() if data and before.get(path) != data)


# --- clocks ---


@pytest.fixture
def years_ago(monkeypatch):
    """The clock goes a second further at each look, and has gone back for years."""
    seconds = count()
    start = dt.datetime(2001, 1, 1, tzinfo=dt.UTC)
    monkeypatch.setattr(clock, "utc_now", lambda: start + dt.timedelta(seconds=next(seconds)))


@pytest.mark.parametrize("operation", [name for name in CHANGES if name not in {"collect", "restore", "copy"}])
def test_a_clock_that_goes_back_breaks_no_order(store, years_ago, operation):
    before = list(history(store, "sales"))
    OPERATIONS[operation](store)
    states = list(history(store, "sales"))
    assert [state.id for state in states[1:]] == [state.id for state in before]
    times = [state.time for state in states]
    assert times == sorted(times, reverse=True)
    assert len(set(times)) == len(times)
    assert open_dataset(store, "sales", as_of=before[0].time).header == before[0].header
    assert verify(store, "sales").faults == ()


def test_a_clock_that_goes_back_makes_nothing_garbage(store, years_ago):
    """Whatever is older than it seems is left alone, and nothing of a kept state is ever garbage."""
    write_dataset(store, ROWS, ["k"], ["v"])
    collect(store, find_garbage(store, "sales", min_age=SOON))
    for state in history(store, "sales"):
        assert read_all_as_of(store, state.id) in (3, 6)
    assert verify(store, "sales").notices == ()


def read_all_as_of(store, name):
    return sum(rows.num_rows for rows in read_dataset(open_dataset(store, "sales", as_of=name)))
