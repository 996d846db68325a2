from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from component.errors import CommitRefusedError, CommitUnknownError, RetryError
from component.store.base import Store
from component.store.local import LocalStore
from tests.store.contract import StoreContract, keys_of
from tests.store.faults import Crash, Effect, Fault, FaultStore


@pytest.fixture
def inner(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "store")


class TestFaultStoreWithoutFaults(StoreContract):
    @pytest.fixture
    def store(self, inner: LocalStore) -> FaultStore:
        return FaultStore(inner)

    @pytest.fixture
    def reopen(self) -> Callable[[Store], Store]:
        return lambda store: pickle.loads(pickle.dumps(store))


EFFECTS: list[tuple[Effect, bool, type[BaseException]]] = [
    ("fail", False, RetryError),
    ("fail", True, RetryError),
    ("unknown", False, CommitUnknownError),
    ("unknown", True, CommitUnknownError),
    ("crash", False, Crash),
    ("crash", True, Crash),
    ("refuse", False, CommitRefusedError),
]


@pytest.mark.parametrize(("effect", "after", "error"), EFFECTS)
def test_a_fault_strikes_once_before_or_after_its_call(
    inner: LocalStore, effect: Effect, after: bool, error: type[BaseException]
):
    store = FaultStore(inner, Fault("put_if", 2, effect, after=after))
    store.put_if("one", b"", None)
    with pytest.raises(error) as caught:
        store.put_if("two", b"", None)
    assert type(caught.value) is error
    store.put_if("three", b"", None)
    assert keys_of(inner) == (["one", "three", "two"] if after else ["one", "three"])
    assert store.calls == [("put_if", "one"), ("put_if", "two"), ("put_if", "three")]


def test_calls_are_counted_by_kind_and_key(inner: LocalStore):
    store = FaultStore(inner, Fault("write", 3, "crash"), Fault("put", 2, key=".parquet"), Fault("list"))
    store.put("1.parquet", b"")
    store.put("schema", b"")
    with pytest.raises(Crash):
        store.delete("schema")
    with pytest.raises(RetryError):
        store.put("2.parquet", b"")
    with pytest.raises(RetryError):
        store.list("")
    assert keys_of(store) == ["1.parquet", "schema"]
    assert store.writes == ["1.parquet", "schema", "schema", "2.parquet"]


@pytest.mark.parametrize("call", ["get", "get_versioned", "open", "put", "put_if", "list", "delete"])
def test_every_call_can_fail(inner: LocalStore, call: str):
    inner.put("key", b"")
    store = FaultStore(inner, Fault(call))
    rest = {"put": (b"",), "put_if": (b"", None)}.get(call, ())
    with pytest.raises(RetryError):
        getattr(store, call)("key", *rest)


@pytest.mark.parametrize(
    ("call", "nth", "effect", "after"),
    [("putt", 1, "fail", False), ("put", 0, "fail", False), ("put", 1, "refuse", False), ("put_if", 1, "refuse", True)],
)
def test_a_fault_that_could_never_happen_is_refused(call: str, nth: int, effect: Effect, after: bool):
    with pytest.raises(ValueError):
        Fault(call, nth, effect, after=after)
