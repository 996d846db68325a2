"""What a store holds for a dataset and nobody needs any more: found by one listing, deleted on demand.

Needed is what these name: the live state, the retained ones, and every copy of a header that is younger than `min_age`,
whose writer may be about to commit it. Everything else is garbage once it is older than `min_age`: until then it may
belong to a writer that has not got so far. A state that was live within `min_age` is retained in any case, for readers
that opened it and for a run that takes its commit back. Ages are told by the times at which the store says that objects
were put, not by what writers say.

What no state names is never named again, but by a restore. It puts its copy, then looks for the copy of the state that
it wants; a collection deletes the copies of states first, then looks for new ones. So one of the two gives way.
"""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from component import clock, naming
from component.dataset.commits.swap import hold_schema
from component.dataset.commits.writable import newer_hidden, settled_header
from component.dataset.format.facts import facts_keys
from component.dataset.format.header import StoredHeader, decode_header, missing_dataset, read_header
from component.dataset.format.history import Commit, commit_of, history, states_from
from component.dataset.format.implicit import read_whole_header
from component.dataset.format.keys import check_uuid, header_key, history_key, referenced, stored_key
from component.errors import CommitRefusedError, UserError
from component.store.base import Store

_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class Retention:
    """Which states stay readable: the newest `commits`, and all that were live within `age`."""

    commits: int = naming.KEEP_COMMITS
    age: dt.timedelta = dt.timedelta(days=naming.KEEP_DAYS)


@dataclass(frozen=True, slots=True)
class Unneeded:
    """One object that nobody needs, its size in bytes, and what: `data`, `index`, `history`, `facts` or `header`."""

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
    store: Store, uuid: str, *, min_age: dt.timedelta = naming.GARBAGE_MIN_AGE, retention: Retention | None = None
) -> Garbage:
    """Return what nobody needs of a dataset; deletes nothing. Works on the remains of a deleted dataset too.

    UserError `dataset.format` when a header cannot be read: then nothing can be known to be garbage.
    """
    now, wanted = clock.utc_now(), retention or Retention()
    hidden = header_key(check_uuid(uuid), "msgpack.zstd")
    # listed before the header is read: what a commit names in between is in that header
    listed = {stat.key: stat for stat in store.list(f"{uuid}/")}
    live = read_whole_header(store, uuid)
    listed |= {stat.key: stat for stat in store.list(f"{uuid}.")}
    oldest = now - min_age
    put = {key: dt.datetime.fromtimestamp(stat.modified, dt.UTC) for key, stat in listed.items()}
    retained: tuple[Commit, ...] = ()
    if live is not None:
        put_header = put.get(header_key(uuid, live.storage_format), now)
        wanted = Retention(wanted.commits, max(wanted.age, min_age))
        retained = tuple(_retained(states_from(store, live.header), wanted, now, put_header, put))
        newer = newer_hidden(store, live.header) if live.storage_format == "json" else None
        if newer is not None:
            retained += tuple(itertools.takewhile(lambda one: one.id != retained[0].id, states_from(store, newer)))
    young = [key for key in listed if _is_copy(key, uuid) and put[key] > oldest]
    needed = {key for commit in (*retained, *_read_copies(store, uuid, young)) for key in _named(commit)}
    deleted, explicit = live is None, live is None or live.header.explicit
    found = (
        Unneeded(key, stat.size, kind)
        for key, stat in listed.items()
        if key not in needed
        and put[key] <= oldest
        and (key.startswith(f"{uuid}/") or (key == hidden and live is not None and live.storage_format == "json"))
        and (kind := _kind(key, uuid, explicit=explicit, deleted=deleted))
    )
    return Garbage(uuid, tuple(found), retained)


def check_there(store: Store, uuid: str) -> None:
    """Hold that there is something of a dataset, be it what is left of one; UserError `dataset.missing`."""
    if not any(True for _ in store.list(f"{check_uuid(uuid)}/")) and read_whole_header(store, uuid) is None:
        raise missing_dataset(store, uuid)


def collect(store: Store, garbage: Garbage) -> None:
    """Delete what was found: copies of headers first, so that no state is left that names a file that is gone.

    What has been committed since, by a writer that took longer than the least age, or is about to be by one that puts
    an older state back, stays.
    """
    uuid, found = garbage.uuid, {one.key: one.kind for one in garbage.objects}
    known = {commit.id for commit in garbage.retained}
    since = itertools.takewhile(lambda commit: commit.id not in known, _history(store, uuid))
    needed = {key for commit in since for key in _named(commit)}
    copies = [key for key, kind in found.items() if kind == "history" and key not in needed]
    for key in copies:
        store.delete(key)
    kept = {history_key(uuid, name) for name in known}
    listed = (stat.key for stat in store.list(f"{uuid}/{naming.HISTORY_FOLDER}/"))
    fresh = [key for key in listed if key not in kept and _is_copy(key, uuid)]
    needed |= {key for commit in _read_copies(store, uuid, fresh) for key in _named(commit)}
    needed |= {key for commit in itertools.islice(_history(store, uuid), 1) for key in _named(commit)}
    for key, kind in sorted(found.items()):
        if kind == "header":
            _delete_header(store, uuid, key)
        elif kind != "history" and key not in needed:
            store.delete(key)


def _delete_header(store: Store, uuid: str, key: str) -> None:
    """Delete a header that JSON hides, or the schema of a dataset that is gone, unless that is no longer so."""
    if key == header_key(uuid, "msgpack.zstd"):
        hidden = store.get_versioned(key)
        live = settled_header(store, uuid)
        if hidden is not None and live is not None and live.storage_format == "json" and not _same(hidden[0], live):
            store.delete_if(key, hidden[1])
    elif read_header(store, uuid) is None:
        store.delete(key)
        _mend(store, uuid)


def _same(hidden: bytes, live: StoredHeader) -> bool:
    """Say whether a hidden header is the live state, which its writer may be moving there."""
    try:
        return commit_of(decode_header(hidden, "msgpack.zstd", live.header.uuid)).id == commit_of(live.header).id
    except UserError:
        return False


def _mend(store: Store, uuid: str) -> None:
    """Put the schema back that a deletion took from a dataset that was created meanwhile."""
    live = read_header(store, uuid)
    if live is not None:
        hold_schema(store, live.header)


def delete_dataset(store: Store, uuid: str, *, min_age: dt.timedelta = naming.GARBAGE_MIN_AGE) -> int:
    """Delete a dataset and return how many objects went: its headers first, which is the one step that readers see.

    What no state names and is younger than `min_age` stays: it may be of a writer who creates the dataset again. After
    a failure `find_garbage` finds the rest, and what stayed. UserError `dataset.missing` when there is nothing of that
    name, CommitRefusedError when other writers keep creating it.
    """
    headers = [header_key(check_uuid(uuid), "msgpack.zstd"), header_key(uuid, "json")]
    oldest = (clock.utc_now() - min_age).timestamp()
    named = {key for commit in _history(store, uuid) for key in _named(commit)}
    listed = list(store.list(f"{uuid}/"))
    rest = [stat.key for stat in listed if stat.key in named or stat.modified <= oldest or _is_schema(stat.key)]
    present = [key for key in headers if store.get_versioned(key) is not None]
    if not present and not listed:
        raise missing_dataset(store, uuid)
    _delete_headers(store, uuid, headers)
    for key in rest:
        store.delete(key)
    _mend(store, uuid)
    return len(present) + len(rest)


def _delete_headers(store: Store, uuid: str, headers: Sequence[str]) -> None:
    """Delete msgpack, then JSON: a crash between the two must not uncover an older state that JSON had hidden."""
    for _ in range(_TRIES):
        for key in headers:
            store.delete(key)
        if all(store.get_versioned(key) is None for key in headers):
            return  # else a writer was moving the header from one place to the other
    raise CommitRefusedError("commit.refused", f"Others keep creating the dataset {uuid!r}", remedy="Run again.")


def _history(store: Store, uuid: str) -> Iterator[Commit]:
    """Yield the states as far as they can be read; none of a dataset that is gone."""
    with suppress(UserError):
        yield from history(store, uuid)


def _retained(
    commits: Iterable[Commit],
    retention: Retention,
    now: dt.datetime,
    put_header: dt.datetime,
    put: Mapping[str, dt.datetime],
) -> Iterator[Commit]:
    """Yield the states to keep.

    A state was live until the next one was: at the latest when the live header was put, and when the copy of the one
    after the next was put, whose writer had read the next one.
    """
    ended = [now, put_header]
    for position, commit in enumerate(commits):
        if position and position >= retention.commits and now - ended[position] > retention.age:
            return
        yield commit
        ended.append(min(put.get(history_key(commit.header.uuid, commit.id), put_header), put_header))


def _read_copies(store: Store, uuid: str, keys: Iterable[str]) -> Iterator[Commit]:
    for key in keys:
        found = store.get_versioned(key)
        with suppress(UserError):
            if found is not None:
                yield commit_of(decode_header(found[0], "msgpack.zstd", uuid))


def _is_copy(key: str, uuid: str) -> bool:
    return key.startswith(f"{uuid}/{naming.HISTORY_FOLDER}/") and not key.endswith(naming.FACTS_SUFFIX)


def _is_schema(key: str) -> bool:
    return key.endswith(f"/{naming.COMMON_METADATA}")


def _named(commit: Commit) -> Iterator[str]:
    yield from map(stored_key, referenced(commit.header.partitions, commit.header.indices))
    yield from facts_keys(commit.header)
    yield history_key(commit.header.uuid, commit.id)


def _kind(key: str, uuid: str, *, explicit: bool, deleted: bool) -> str | None:
    """Return what an object is that no retained state names; None for what always stays."""
    if not key.startswith(f"{uuid}/"):
        return "header"
    folder, _, name = key.removeprefix(f"{uuid}/").partition("/")
    if name == naming.COMMON_METADATA:  # of any table: other clients may have called one as we call a folder
        return "header" if deleted else None
    if folder == naming.HISTORY_FOLDER:
        return "facts" if name.endswith(naming.FACTS_SUFFIX) else "history"
    if folder == naming.INDICES_FOLDER:
        return "index"
    return "data" if explicit else None
