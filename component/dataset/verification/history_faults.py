"""What can be wrong with the states that are kept: copies of headers, facts, and files that only they name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final

from isal.isal_zlib import crc32

from component import clock, naming
from component.dataset.format.facts import facts_keys, known_facts, read_facts
from component.dataset.format.header import Header, decode_header
from component.dataset.format.history import Commit, commit_of, kept_states, lost_commits, states_from
from component.dataset.format.keys import history_key, referenced, stored_key
from component.dataset.verification.faults import Fault
from component.errors import UserError
from component.store.base import Store

COPY_AGAIN: Final = "put the copy again"
DROP_COPY: Final = "delete it: states before it can then no longer be opened"


def history_faults(store: Store, header: Header) -> Iterator[Fault]:
    """Yield what is wrong with the facts and the copy of the live state, and what can be told of lost commits."""
    try:
        read_facts(store, header)
    except UserError as error:
        text = f"The facts of the files cannot be read: {error.text}"
        yield Fault("verify.facts", text, facts_keys(header)[0], mend="note them again")
    damaged = list(_damaged_copies(store, header))
    yield from damaged
    try:
        for commit in lost_commits(store, header.uuid):
            made = f"{commit.operation or 'another client'}, {commit.time or 'at a time that it does not say'}"
            text = f"The commit {commit.id} ({made}) is lost: another client put its header onto an older state"
            key = history_key(header.uuid, commit.id)
            yield Fault("verify.lost_commit", f"{text}, unless its own writer was killed", key)
    except UserError as error:
        if not damaged:
            yield Fault("verify.history", f"The history cannot be read: {error.text}")
    live = commit_of(header)
    if "state" in header.extras and not live.foreign:
        yield from _copy_faults(store, live)


def _damaged_copies(store: Store, header: Header) -> Iterator[Fault]:
    """Yield copies of earlier states that cannot be read; nothing can be collected while the history leads to one."""
    live = history_key(header.uuid, commit_of(header).id)
    for stat in store.list(f"{header.uuid}/{naming.HISTORY_FOLDER}/"):
        is_copy = stat.key.endswith(naming.HISTORY_SUFFIX) and stat.key != live
        found = store.get_versioned(stat.key) if is_copy else None
        try:
            if found is not None:
                decode_header(found[0], "msgpack.zstd", header.uuid)
        except UserError as error:
            text = f"The copy of an earlier state cannot be read: {error.text}"
            yield Fault("verify.history", text, stat.key, mend=DROP_COPY)


def _copy_faults(store: Store, live: Commit) -> Iterator[Fault]:
    """Yield what is wrong with the copy of the live state: another commit would make it an older one that is lost."""
    uuid = live.header.uuid
    key = history_key(uuid, live.id)
    mend = COPY_AGAIN
    try:
        decode_header(store.get(key), "msgpack.zstd", uuid)
    except UserError as error:
        yield Fault("verify.history", f"The copy of the live state cannot be read: {error.text}", key, mend=mend)


def history_notices(store: Store, header: Header, present: Collection[str], *, fast: bool) -> Iterator[Fault]:
    """Yield earlier states that can no longer be read, or not be trusted: of the live one they say nothing.

    Unless `fast`, files that only they name are read.
    """
    seen = set(referenced(header.partitions, header.indices))
    yield from _gone_copies(store, header)
    with suppress(UserError):  # a history that cannot be read is a fault
        for commit in islice(states_from(store, header), 1, None):
            named = referenced(commit.header.partitions, commit.header.indices)
            gone = [key for key in named if stored_key(key) not in present]
            if gone:
                text = f"The state {commit.id} cannot be read any more: {len(gone)} of its files are gone"
                yield Fault("verify.state", text, gone[0])
            yield from _facts_notices(store, commit)
            fresh = [key for key in named if key in present and key not in seen]
            seen.update(fresh)
            yield from () if fast else _file_notices(store, commit, fresh)


def _gone_copies(store: Store, header: Header) -> Iterator[Fault]:
    """Yield the copy that the history lacks, where no collection can have dropped it.

    Collections drop the oldest states, and none that was live within `GARBAGE_MIN_AGE`, unless they are told to.
    """
    with suppress(UserError):
        chain = list(states_from(store, header))
        first, known = chain[-1], {one.id for one in chain}
        if first.parent is None or first.parent in known:
            return
        older = [one for one in kept_states(store, header.uuid) if one.id not in known and _before(one, first)]
        young = first.time is not None and clock.utc_now() - first.time < naming.GARBAGE_MIN_AGE
        if older or young:
            text = f"The copy of the state {first.parent} is gone, so neither it nor a state before it can be opened"
            yield Fault("verify.state", text, history_key(header.uuid, first.parent))


def _before(one: Commit, other: Commit) -> bool:
    return one.time is not None and other.time is not None and one.time < other.time


def _facts_notices(store: Store, commit: Commit) -> Iterator[Fault]:
    try:
        read_facts(store, commit.header)
    except UserError as error:
        text = f"The facts of the files of the state {commit.id} cannot be read: {error.text}"
        yield Fault("verify.state", text, facts_keys(commit.header)[0])


def _file_notices(store: Store, commit: Commit, keys: Sequence[str]) -> Iterator[Fault]:
    facts, start = known_facts(store, commit.header).by_file(), len(commit.header.uuid) + 1
    for key in keys:
        if key[start:] in facts and crc32(store.get(key)) != facts[key[start:]].check:
            text = f"The state {commit.id} names a file whose bytes are not those that were written"
            yield Fault("verify.state", text, key)
