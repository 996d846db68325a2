"""The states that a dataset had: each commit keeps a copy of its header (reference kartothek 5.3).

The copy lies at `<uuid>/_history/<commit>.msgpack.zstd`, where the original clients neither look nor delete, and is put
before the header. States form a chain: the extras of a header name the state before; a copy that no chain leads to is
of a commit that did not happen. A commit of a foreign client carries our extras along unchanged; that its files are
others than the extras vouch for tells it apart, and it has the digest of its files for a name. It keeps no copy, so
the commit that follows it does.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

from component import clock, identity, naming
from component.dataset.format.flavour import flavour_of
from component.dataset.format.header import EXTRAS, Header, decode_header, encode_header, missing_dataset
from component.dataset.format.implicit import read_whole_header
from component.dataset.format.keys import check_uuid, history_key
from component.dataset.format.soundness import digest_of, vouched
from component.dataset.format.trusted import read_schema, with_description
from component.errors import UserError
from component.store.base import Store
from component.store.uncommitted import Uncommitted

MOST_ANCESTORS: Final = 100
"""Commits before its parent that a header names. Archives of one dataset that are further apart count as unrelated."""
_ANCESTORS: Final = "ancestors"
_DISTANCE = re.compile(r"HEAD(?:~([0-9]{1,9}))?")
_TICK = dt.timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Commit:
    """One state of a dataset: its name, the one before, and the header.

    `foreign`: another client made it; then `time` and `operation` are None, since it does not say.
    """

    id: str
    parent: str | None
    time: dt.datetime | None
    operation: str | None
    foreign: bool
    header: Header = field(repr=False)


def commit_of(header: Header) -> Commit:
    """Return which commit made the state of a header."""
    extras = header.extras
    ours, digest = extras.get("commit"), digest_of(header.partitions, header.indices)
    if isinstance(ours, str) and extras.get("state", digest) == digest:
        operation = extras.get("operation")
        return Commit(
            ours, _text(extras.get("parent")), _time(extras.get("time")), _text(operation), foreign=False, header=header
        )
    return Commit(digest, _text(ours), None, None, foreign=True, header=header)


def ancestors_of(header: Header) -> tuple[str, ...]:
    """Return the names of the commits that led to a state, nearest first, as far as its header knows them."""
    commit, extras = commit_of(header), header.extras
    listed = extras.get(_ANCESTORS)
    before = [extras.get("parent") if commit.foreign else None, *(listed if isinstance(listed, list) else ())]
    return tuple(dict.fromkeys(name for name in (commit.parent, *before) if isinstance(name, str)))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _time(value: Any) -> dt.datetime | None:
    try:
        time = dt.datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return time if time.tzinfo else time.replace(tzinfo=dt.UTC)


def stamped(header: Header, base: Header | None, operation: str, *, succeeds: str | None = None) -> Header:
    """Return a header that says that it is a new commit onto a base, by which operation and when.

    Without a base, `succeeds` is the commit that it takes the place of, if that is known.
    """
    before, now = commit_of(base) if base else None, clock.utc_now()
    if before is not None and before.time is not None and before.time >= now:
        now = before.time + _TICK  # a clock that goes back does not turn the order of states round
    commit: dict[str, Any] = {
        "commit": identity.new_hex(),
        "parent": before.id if before else succeeds,
        "time": now.isoformat(),
        "operation": operation,
    }
    if base is not None and (earlier := ancestors_of(base)):
        commit[_ANCESTORS] = list(earlier[:MOST_ANCESTORS])
    extras = {key: value for key, value in header.extras.items() if key != _ANCESTORS}
    named = replace(header, metadata={**header.metadata, EXTRAS: {**extras, **commit}})
    return replace(named, metadata={**named.metadata, EXTRAS: vouched(named)})


def put_copies(uncommitted: Uncommitted, header: Header, base: Header | None) -> None:
    """Put a copy of a header that is about to be committed, and of the state before where that has none."""
    store = uncommitted.store
    if base is not None and (commit_of(base).foreign or "state" not in base.extras):
        _put(store, _described(store, base))
    uncommitted.add([history_key(header.uuid, commit_of(header).id)])
    _put(store, header)


def _described(store: Store, base: Header) -> Header:
    """Return another client's header with its columns, which the next commit may change; as it is if nobody knows."""
    if "columns" in base.extras:
        return base
    with suppress(UserError):
        schemas = {table: read_schema(store, base, table) for table in base.tables}
        return with_description(base, schemas, flavour_of(store, base, schemas[base.table]))
    return base


def _put(store: Store, header: Header) -> None:
    store.put(history_key(header.uuid, commit_of(header).id), encode_header(header, "msgpack.zstd"))


def history(store: Store, uuid: str) -> Iterator[Commit]:
    """Yield the states of a dataset, the live one first, as far back as they are kept.

    UserError `dataset.missing` when there is none, `dataset.format` for a kept header that cannot be read.
    """
    live = read_whole_header(store, check_uuid(uuid))
    if live is None:
        raise missing_dataset(store, uuid)
    yield from states_from(store, live.header)


def states_from(store: Store, header: Header) -> Iterator[Commit]:
    """Yield the state of a header and those before it, as far back as they are kept; errors as `history`."""
    commit: Commit | None = commit_of(header)
    seen: set[str] = set()
    while commit is not None and commit.id not in seen:
        yield commit
        seen.add(commit.id)
        commit = _kept(store, header.uuid, commit.parent)


def _kept(store: Store, uuid: str, name: str | None) -> Commit | None:
    found = store.get_versioned(history_key(uuid, name)) if name is not None else None
    return None if found is None else commit_of(decode_header(found[0], "msgpack.zstd", uuid))


def was_committed(store: Store, header: Header, base: Header | None) -> bool | None:
    """Say whether a state is live, or the live one comes of it; `base` is what it was to be committed onto.

    None where that cannot be told: the base is the live state, or the history ends too early. A foreign state that
    names files of ours comes of ours. Errors as `history`, but for `dataset.missing`.
    """
    ours, onto = commit_of(header).id, commit_of(base).id if base else None
    fresh = set(header.partitions) - set(base.partitions if base else ())
    try:
        for position, commit in enumerate(history(store, header.uuid)):
            if commit.id == ours or not fresh.isdisjoint(commit.header.partitions):
                return True
            if commit.id == onto:
                return False if position else None
            last = commit
    except UserError as error:
        if error.code != "dataset.missing":
            raise
        return None
    return False if last.parent is None else None


def comes_of(store: Store, header: Header, before: Header) -> bool:
    """Say whether a state follows from another one, by one commit or more, as far as states are kept."""
    wanted = commit_of(before).id
    if commit_of(header).id == wanted:
        return False
    return any(one.id == wanted for one in states_from(store, header))


def lost_commits(store: Store, uuid: str) -> Iterator[Commit]:
    """Yield kept states that the live one does not come of, where a foreign client has put a header in their place.

    A client that puts its header without looking overwrites what was committed meanwhile: then these are what was
    lost. A commit that never came to be, since its writer was killed, looks the same. Errors as `history`.
    """
    chain = list(history(store, uuid))
    known = {commit.id for commit in chain}
    kept = list(kept_states(store, uuid))
    lost = {commit.parent for commit in chain if commit.foreign}
    lost |= {commit.id for commit in kept if commit.id == chain[0].id and not _same(commit.header, chain[0].header)}
    off = [commit for commit in kept if commit.id not in known]
    while more := {commit.id for commit in off if commit.parent in lost} - lost:
        lost |= more
    yield from (commit for commit in off if commit.id in lost)


def _same(kept: Header, live: Header) -> bool:
    """Say whether a kept header is the live one; the copy of another client's describes its columns besides."""
    if EXTRAS not in live.metadata:
        kept = replace(kept, metadata={key: value for key, value in kept.metadata.items() if key != EXTRAS})
    return json.dumps(kept.to_dict()) == json.dumps(live.to_dict())


def kept_states(store: Store, uuid: str) -> Iterator[Commit]:
    """Yield the kept states of a dataset, in no order, also those that the live one does not come of.

    Copies that cannot be read are left out.
    """
    for stat in store.list(f"{uuid}/{naming.HISTORY_FOLDER}/"):
        if stat.key.endswith(naming.FACTS_SUFFIX):
            continue
        found = store.get_versioned(stat.key)
        with suppress(UserError):
            if found is not None:
                yield commit_of(decode_header(found[0], "msgpack.zstd", uuid))


def state_as_of(store: Store, uuid: str, as_of: str | dt.datetime) -> Commit:
    """Return the state of a commit (its name, or how it begins), or the newest one that is not younger than a time.

    `HEAD` is the live one, `HEAD~1` the one before it. UserError `dataset.history` when it is not kept, or when several
    names begin so; `dataset.missing`.
    """
    if isinstance(as_of, dt.datetime):
        for commit in history(store, uuid):
            if commit.time is not None and commit.time <= as_of:
                return commit
        raise _not_kept(uuid, as_of.isoformat())
    distance = _DISTANCE.fullmatch(as_of)
    if distance is not None:
        steps = int(distance[1] or 0)
        for commit in islice(history(store, uuid), steps, None):
            return commit
        raise _not_kept(uuid, as_of)
    found = [commit for commit in history(store, uuid) if commit.id.startswith(as_of)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(commit.id for commit in found)
        raise UserError("dataset.history", f"Several commits begin with {as_of!r}: {names}", remedy="Name one of them.")
    raise _not_kept(uuid, as_of)


def named_state(text: str) -> str | dt.datetime:
    """Return which state a person means: a commit, `HEAD` or `HEAD~1`, or a time, in UTC where it names no zone.

    UserError `dataset.history` for a text that is none of these.
    """
    if text.isalnum() or _DISTANCE.fullmatch(text):
        return text
    try:
        time = dt.datetime.fromisoformat(text)
    except ValueError as error:
        raise UserError(
            "dataset.history",
            f"{text!r} names no state of a dataset",
            remedy="Name a commit (or how it begins), HEAD, HEAD~1, or an ISO 8601 time.",
        ) from error
    return time if time.tzinfo else time.replace(tzinfo=dt.UTC)


def _not_kept(uuid: str, what: str) -> UserError:
    return UserError(
        "dataset.history",
        f"The history of dataset {uuid!r} has no state of {what}",
        remedy="List what is kept with: tablemill dataset history.",
    )
