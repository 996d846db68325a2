"""A store that fails on command, for tests of what a crash or a failing backend leaves behind."""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeVar

import pyarrow as pa
import pytest

from component.errors import CommitRefusedError, CommitUnknownError, RetryError
from component.store.base import Stat, Store, Version

Effect = Literal["fail", "refuse", "unknown", "crash"]
Result = TypeVar("Result")

CALLS: Final = ("get", "get_versioned", "open", "put", "put_if", "list", "delete", "delete_if")
WRITES: Final = ("put", "put_if", "delete", "delete_if")
KINDS: Final = (*CALLS, "write", "any")


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let the kernel refuse bytes beyond a size, as a full disk does; works without being root."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def disk_steps(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Record from now on what is forced to disk and what is renamed or removed, by name and in order."""
    steps = []
    fsync, replace, unlink = os.fsync, os.replace, Path.unlink

    def recorded_fsync(descriptor: int) -> None:
        steps.append(("force", Path(f"/proc/self/fd/{descriptor}").readlink().name))
        fsync(descriptor)

    def recorded_replace(path: Path | str, target: Path | str) -> None:
        replace(path, target)
        steps.append(("rename", Path(target).name))

    def recorded_unlink(path: Path, missing_ok: bool = False) -> None:
        if path.exists():
            steps.append(("remove", path.name))
        unlink(path, missing_ok)

    monkeypatch.setattr(os, "fsync", recorded_fsync)
    monkeypatch.setattr(os, "replace", recorded_replace)
    monkeypatch.setattr(Path, "unlink", recorded_unlink)
    return steps


class Crash(BaseException):
    """The process ends here. No `except Exception` catches it, as nothing catches a kill."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens at the n-th call (from 1) of a kind, counting only calls whose key has `key` in it.

    `call` is a call's name, `write` (put, put_if, delete, delete_if) or `any`. `fail` raises RetryError, `refuse` and
    `unknown` the two errors of put_if, `crash` raises Crash. With `after` the call is carried out first: for `fail` and
    `unknown` the store did it and its answer was lost.
    """

    call: str
    nth: int = 1
    effect: Effect = "fail"
    after: bool = False
    key: str = ""

    def __post_init__(self) -> None:
        if self.call not in KINDS or self.nth < 1:
            raise ValueError(f"{self} is the fault of no call")
        if self.effect in {"refuse", "unknown"} and self.call != "put_if":
            raise ValueError("only put_if can be refused or unknown")
        if self.effect == "refuse" and self.after:
            raise ValueError("what is refused is not carried out")

    def concerns(self, call: str, key: str) -> bool:
        kinds = {call, "any", "write"} if call in WRITES else {call, "any"}
        return self.call in kinds and self.key in key

    def strike(self) -> None:
        text = f"Fault {self.effect} at {self.call} {self.nth}"
        match self.effect:
            case "fail":
                raise RetryError("store.failed", text)
            case "refuse":
                raise CommitRefusedError("commit.refused", text)
            case "unknown":
                raise CommitUnknownError("commit.unknown", text)
            case "crash":
                raise Crash(text)


ONE_AT_A_TIME: Final = threading.RLock()


class FaultStore:
    """The inner store, with the faults of a plan. `calls` are the calls so far, as (name, key or prefix)."""

    def __init__(self, inner: Store, *plan: Fault) -> None:
        self.inner = inner
        self.plan = plan
        self.calls: list[tuple[str, str]] = []
        self._seen = [0] * len(plan)

    @property
    def url(self) -> str:
        return self.inner.url

    @property
    def writes(self) -> list[str]:
        """The keys that were written or deleted, in order."""
        return [key for call, key in self.calls if call in WRITES]

    def get(self, key: str) -> bytes:
        return self._call("get", key, lambda: self.inner.get(key))

    def get_versioned(self, key: str) -> tuple[bytes, Version] | None:
        return self._call("get_versioned", key, lambda: self.inner.get_versioned(key))

    def open(self, key: str) -> pa.NativeFile:
        return self._call("open", key, lambda: self.inner.open(key))

    def put(self, key: str, data: bytes | pa.Buffer) -> None:
        return self._call("put", key, lambda: self.inner.put(key, data))

    def put_all(self, objects: Sequence[tuple[str, bytes | pa.Buffer]]) -> None:
        for key, data in objects:
            self.put(key, data)

    def put_if(self, key: str, data: bytes | pa.Buffer, expected: Version | None) -> Version:
        return self._call("put_if", key, lambda: self.inner.put_if(key, data, expected))

    def list(self, prefix: str, *, deep: bool = True) -> Iterator[Stat]:
        return self._call("list", prefix, lambda: self.inner.list(prefix, deep=deep))

    def delete(self, key: str) -> None:
        return self._call("delete", key, lambda: self.inner.delete(key))

    def delete_if(self, key: str, expected: Version) -> bool:
        return self._call("delete_if", key, lambda: self.inner.delete_if(key, expected))

    def _call(self, call: str, key: str, carry_out: Callable[[], Result]) -> Result:
        with ONE_AT_A_TIME:  # a writer puts several objects at once; the n-th call must be one call
            return self._call_alone(call, key, carry_out)

    def _call_alone(self, call: str, key: str, carry_out: Callable[[], Result]) -> Result:
        self.calls.append((call, key))
        due = []
        for number, fault in enumerate(self.plan):
            if fault.concerns(call, key):
                self._seen[number] += 1
                if self._seen[number] == fault.nth:
                    due.append(fault)
        for fault in due:
            if not fault.after:
                fault.strike()
        result = carry_out()
        for fault in due:
            fault.strike()
        return result
