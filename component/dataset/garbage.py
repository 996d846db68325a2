"""What a store holds for a dataset and nobody needs any more: found by one listing, deleted on demand.

Needed is what the live state and the retained ones name. Everything else is garbage once it is older than `min_age`:
until then it may belong to a writer that has not committed yet, or to a reader that opened an older state. Nothing is
ever named again once no state names it, since every commit writes under new names; so what a listing found to be
garbage stays garbage, and collecting twice, or two collecting at once, is the same as once.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from component import clock, naming
from component.dataset.header import read_header
from component.dataset.history import Commit, commit_of, history
from component.dataset.keys import check_uuid, header_key, history_key, referenced
from component.errors import UserError
from component.store.base import Store

MIN_AGE: Final = dt.timedelta(hours=24)
KEEP_COMMITS: Final = 10
KEEP_AGE: Final = dt.timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Retention:
    """Which states stay readable: the newest `commits`, and all that were live within `age`."""

    commits: int = KEEP_COMMITS
    age: dt.timedelta = KEEP_AGE


@dataclass(frozen=True, slots=True)
class Unneeded:
    """One object that nobody needs, its size in bytes, and why: `data`, `index`, `history` or `header`."""

    key: str
    size: int
    kind: str


@dataclass(frozen=True, slots=True)
class Garbage:
    """What may be deleted, and the states that stay: the live one first; none where the dataset is deleted."""

    uuid: str
    objects: tuple[Unneeded, ...]
    retained: tuple[Commit, ...]

    @property
    def bytes(self) -> int:
        """Bytes of all objects."""
        return sum(one.size for one in self.objects)


def find_garbage(
    store: Store, uuid: str, *, min_age: dt.timedelta = MIN_AGE, retention: Retention | None = None
) -> Garbage:
    """Return what nobody needs of a dataset; deletes nothing. Works on the remains of a deleted dataset too.

    UserError `dataset.format` when a header cannot be read: then nothing can be known to be garbage.
    """
    now = clock.utc_now()
    hidden = header_key(check_uuid(uuid), "msgpack.zstd")
    # listed before the header is read: what a commit names in between is in that header
    listed = [*store.list(f"{uuid}/"), *(stat for stat in store.list(hidden) if stat.key == hidden)]
    live = read_header(store, uuid)
    retained = tuple(_retained(history(store, uuid), retention or Retention(), now)) if live is not None else ()
    needed = {key for commit in retained for key in _named(commit)}
    if live is not None:
        needed.add(header_key(uuid, live.storage_format))
    oldest = (now - min_age).timestamp()
    explicit, deleted = live is None or live.header.explicit, live is None
    found = (
        Unneeded(stat.key, stat.size, kind)
        for stat in listed
        if stat.key not in needed
        and stat.modified <= oldest
        and (kind := _kind(stat.key, uuid, explicit=explicit, deleted=deleted))
    )
    return Garbage(uuid, tuple(found), retained)


def collect(store: Store, garbage: Garbage) -> None:
    """Delete what was found: copies of headers first, so that no state is left that names a file that is gone.

    What a commit has named since, by a writer that took longer than the least age, stays.
    """
    live = read_header(store, garbage.uuid)
    named = set(_named(commit_of(live.header))) if live is not None else set()
    for one in sorted(garbage.objects, key=lambda one: (one.kind != "history", one.key)):
        if one.key not in named:
            store.delete(one.key)


def delete_dataset(store: Store, uuid: str) -> int:
    """Delete a dataset and return how many objects went: its headers first, which is the one step that readers see.

    After a failure `find_garbage` finds the rest. UserError `dataset.missing` when there is nothing of that name.
    """
    headers = [header_key(check_uuid(uuid), "json"), header_key(uuid, "msgpack.zstd")]
    present = [key for key in headers if store.get_versioned(key) is not None]
    rest = [stat.key for stat in store.list(f"{uuid}/")]
    if not present and not rest:
        raise UserError("dataset.missing", f"There is no dataset {uuid!r} in {store.url}")
    # msgpack first: a crash between the two must not uncover an older state that JSON had hidden
    for key in (*reversed(present), *rest):
        store.delete(key)
    return len(present) + len(rest)


def _retained(commits: Iterable[Commit], retention: Retention, now: dt.datetime) -> Iterator[Commit]:
    """Yield the states to keep: a state was live until the next one came, and a foreign one is as old as that."""
    ended = now
    for position, commit in enumerate(commits):
        if position and position >= retention.commits and now - ended > retention.age:
            return
        yield commit
        ended = commit.time or ended


def _named(commit: Commit) -> Iterator[str]:
    yield from referenced(commit.header.partitions, commit.header.indices)
    yield history_key(commit.header.uuid, commit.id)


def _kind(key: str, uuid: str, *, explicit: bool, deleted: bool) -> str | None:
    """Return what an object is that no retained state names; None for what always stays."""
    if not key.startswith(f"{uuid}/"):
        return "header"
    folder, _, name = key.removeprefix(f"{uuid}/").partition("/")
    if folder == naming.HISTORY_FOLDER:
        return "history"
    if folder == naming.INDICES_FOLDER:
        return "index"
    if name == naming.COMMON_METADATA:
        return "header" if deleted else None
    return "data" if explicit else None
