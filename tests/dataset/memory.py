"""A store in memory, for tests that need hundreds of them: it keeps the contract and forces nothing to disk."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from component.errors import CommitRefusedError, UserError
from component.store.base import Stat, Version, check_key


@dataclass(frozen=True, slots=True)
class MemoryStore:
    """Objects by key, each with the time it was put; `copy` gives a store that starts with the same ones."""

    objects: dict[str, tuple[bytes, float]] = field(default_factory=dict)
    url: str = "memory://"

    def copy(self) -> MemoryStore:
        return MemoryStore(dict(self.objects))

    def get(self, key: str) -> bytes:
        found = self.get_versioned(key)
        if found is None:
            raise UserError("store.missing", f"There is no object {key!r}")
        return found[0]

    def get_versioned(self, key: str) -> tuple[bytes, Version] | None:
        found = self.objects.get(check_key(key))
        return None if found is None else (found[0], _version(found[0]))

    def open(self, key: str) -> pa.NativeFile:
        return pa.BufferReader(self.get(key))

    def put(self, key: str, data: bytes | pa.Buffer) -> None:
        self.objects[check_key(key)] = bytes(data), time.time()

    def put_all(self, objects: Sequence[tuple[str, bytes | pa.Buffer]]) -> None:
        for key, data in objects:
            self.put(key, data)

    def put_if(self, key: str, data: bytes | pa.Buffer, expected: Version | None) -> Version:
        found = self.get_versioned(key)
        if (found[1] if found else None) != expected:
            raise CommitRefusedError("commit.refused", f"{key!r} has changed")
        self.put(key, data)
        return _version(bytes(data))

    def list(self, prefix: str, *, deep: bool = True) -> Iterator[Stat]:
        check_key(f"{prefix}x")
        found = sorted(
            item
            for item in self.objects.items()
            if item[0].startswith(prefix) and (deep or "/" not in item[0][len(prefix) :])
        )
        return iter([Stat(key, len(data), at) for key, (data, at) in found])

    def delete(self, key: str) -> None:
        self.objects.pop(check_key(key), None)

    def delete_if(self, key: str, expected: Version) -> bool:
        found = self.get_versioned(key)
        if found is None or found[1] != expected:
            return False
        self.delete(key)
        return True


def _version(data: bytes) -> Version:
    return Version(hashlib.sha256(data).hexdigest())
