"""The contract of a store: keys, immutable objects, and a put and a delete on a condition.

A key is a relative path with `/` between components, of the characters that every client of the format accepts. Objects
are put whole and are visible whole or not at all. Everything but a header is put once under a new key; a header is put
conditionally on the version that was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import pyarrow as pa

from component.errors import UserError

KEY_CHARACTERS: Final = re.compile(r"[`!\"#$%&'()+,\-.<=>?@\[\]^_{}~/ 0-9a-zA-Z]+")


@dataclass(frozen=True, slots=True)
class Version:
    """An opaque token for one content of one key: equal tokens mean the same content."""

    token: str


@dataclass(frozen=True, slots=True)
class Stat:
    """What a listing says of one object: its key, its size in bytes, and its age as a POSIX timestamp."""

    key: str
    size: int
    modified: float


class Store(Protocol):
    """Keyed bytes. Implementations are picklable: tasks carry them to the workers.

    Every call raises RetryError `store.failed` when the backend fails, UserError `store.unwritable` or `store.full`
    when the user must act, and UserError `store.key` for a key outside `KEY_CHARACTERS`, with empty, `.` or `..`
    components, or absolute.
    """

    @property
    def url(self) -> str:
        """The URL that opens this store again; holds no secret."""
        ...

    def get(self, key: str) -> bytes:
        """Return an object whole; UserError `store.missing` when there is none."""
        ...

    def get_versioned(self, key: str) -> tuple[bytes, Version] | None:
        """Return an object and its version, or None when there is none."""
        ...

    def open(self, key: str) -> pa.NativeFile:
        """Open an object for random reads; UserError `store.missing` when there is none."""
        ...

    def put(self, key: str, data: bytes | pa.Buffer) -> None:
        """Put an object durably and atomically; an object that is there is replaced."""
        ...

    def put_all(self, objects: Sequence[tuple[str, bytes | pa.Buffer]]) -> None:
        """Put objects as `put` does, all of them durable on return; after an error some may be there."""
        ...

    def put_if(self, key: str, data: bytes, expected: Version | None) -> Version:
        """Put an object only if its current version is `expected` (None: only if it does not exist).

        Return the new version. CommitRefusedError `commit.refused` when the condition does not hold (nothing changed);
        CommitUnknownError `commit.unknown` when the backend failed without saying whether it was carried out.
        """
        ...

    def list(self, prefix: str, *, deep: bool = True) -> Iterator[Stat]:
        """Yield every object whose key starts with the prefix, sorted by key. Unfinished writes are not listed.

        Not `deep`: only objects with no further `/` in the rest of the key, at the cost of these alone.
        """
        ...

    def delete(self, key: str) -> None:
        """Delete an object; deleting what is not there is no error."""
        ...

    def delete_if(self, key: str, expected: Version) -> bool:
        """Delete an object only if its current version is `expected`, and say whether that was so."""
        ...


def check_key(key: str) -> str:
    """Return the key, or raise UserError `store.key` when a store must not take it."""
    parts = key.split("/")
    if KEY_CHARACTERS.fullmatch(key) is None or any(part in {"", ".", ".."} for part in parts):
        raise UserError("store.key", f"The key {key!r} is not allowed in a store")
    return key
