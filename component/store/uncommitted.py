"""What a write has put into a store and no commit names yet: it is discarded unless the commit comes about.

One `Uncommitted` goes with a write from its first file to its commit. Whoever puts an object adds its key; nobody else
deletes. As a context manager it discards on an error what was added inside, so a write is one `with` around everything,
and each attempt to commit it another one within. What the store does not let go, and what a process leaves that is
killed, is garbage that a collection finds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, Self

from component.errors import CommitUnknownError, TablemillError
from component.store.base import Store


@dataclass(slots=True)
class _Scope:
    """What was added within one `with`, in order: keys, and folders with what the names below them begin with."""

    keys: dict[str, None] = field(default_factory=dict)
    runs: set[tuple[str, str]] = field(default_factory=set)


class Uncommitted:
    """Collects the keys of a write's objects; as a context manager, an error discards those added within.

    Not so CommitUnknownError, wherever it comes from: a header may name the objects, so all of them stay.
    """

    def __init__(self, store: Store) -> None:
        self.store: Final = store
        self._scopes: list[_Scope] = [_Scope()]

    def add(self, keys: Iterable[str]) -> None:
        """Take the keys of objects that were put, or are about to be."""
        self._scopes[-1].keys.update(dict.fromkeys(keys))

    def add_run(self, folder: str, run: str) -> None:
        """Take all objects below a folder whose names begin with `run`, whoever puts them.

        So goes what tasks put that failed or were killed, and never said so.
        """
        self._scopes[-1].runs.add((folder, run))

    def discard(self, keys: Iterable[str]) -> None:
        """Delete some objects now, since the write no longer needs them."""
        keys = list(keys)
        for scope in self._scopes:
            for key in keys:
                scope.keys.pop(key, None)
        discard(self.store, keys)

    def keep(self) -> None:
        """Let everything stay, in the scopes around as well: it is committed, or may be."""
        self._scopes = [_Scope() for _ in self._scopes]

    @contextmanager
    def publishing(self) -> Iterator[None]:
        """Surround the put of the header: after it everything stays.

        So it does after an interrupt, when nobody knows whether the header is there. After any other error than
        CommitUnknownError the commit did not happen, and nothing needs to stay.
        """
        try:
            yield
        except CommitUnknownError:
            self.keep()
            raise
        except TablemillError:
            raise
        except BaseException:
            self.keep()
            raise
        self.keep()

    def __enter__(self) -> Self:
        self._scopes.append(_Scope())
        return self

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> None:
        """Hand what was added to the scope around; on an error discard it, the last first.

        In this order the copy of a header goes before the files that it names.
        """
        added = self._scopes.pop()
        if error is None:
            self._scopes[-1].keys.update(added.keys)
            self._scopes[-1].runs |= added.runs
        elif isinstance(error, CommitUnknownError):
            self.keep()
        else:
            discard(self.store, reversed(added.keys))
            for folder, run in added.runs:
                discard_run(self.store, folder, run)


def discard(store: Store, keys: Iterable[str]) -> None:
    """Delete objects that no commit names, as far as the store lets; an error in progress is not hidden by another."""
    for key in keys:
        with suppress(TablemillError):
            store.delete(key)


def discard_run(store: Store, folder: str, run: str, kept: Collection[str] = ()) -> None:
    """Delete the objects below a folder whose names begin with `run`, but for those `kept`; as far as the store lets.

    None of them may be named by a commit.
    """
    with suppress(TablemillError):
        found = [stat.key for stat in store.list(folder)]
        discard(store, (key for key in found if key.rpartition("/")[2].startswith(run) and key not in kept))
