"""The states that a dataset had: each commit keeps a copy of its header (reference kartothek 5.3).

The copy lies at `<uuid>/_history/<commit>.msgpack.zstd`, where the original clients neither look nor delete, and is put
before the header. States form a chain: the extras of a header name the state before; a copy that no chain leads to is
of a commit that did not happen. A commit of a foreign client carries our extras along unchanged; that its files are
others than the extras vouch for tells it apart, and it has the digest of its files for a name. It keeps no copy, so
the commit that follows it does.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from component import clock, identity
from component.dataset.header import EXTRAS, Header, decode_header, encode_header
from component.dataset.implicit import read_whole_header
from component.dataset.keys import check_uuid, history_key
from component.errors import UserError
from component.store.base import Store

_DIGITS = 32


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
    header: Header


def digest_of(partitions: Mapping[str, Mapping[str, str]], indices: Mapping[str, Any]) -> str:
    """Return 32 hexadecimal digits that stand for the files of a state, whatever their order."""
    digest = hashlib.sha256()
    files = (f"{label}\0{table}\0{key}" for label, tables in partitions.items() for table, key in tables.items())
    for text in sorted(files):
        digest.update(text.encode())
        digest.update(b"\n")
    for column in sorted(indices):
        digest.update(f"\n{column}\0{indices[column]}".encode())
    return digest.hexdigest()[:_DIGITS]


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


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _time(value: Any) -> dt.datetime | None:
    try:
        time = dt.datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return time if time.tzinfo else time.replace(tzinfo=dt.UTC)


def stamped(header: Header, base: Header | None, operation: str) -> Header:
    """Return a header that says that it is a new commit onto a base, by which operation and when."""
    commit = {
        "commit": identity.new_hex(),
        "parent": commit_of(base).id if base else None,
        "time": clock.utc_now().isoformat(),
        "operation": operation,
        "state": digest_of(header.partitions, header.indices),
    }
    return replace(header, metadata={**header.metadata, EXTRAS: {**header.extras, **commit}})


def keep(store: Store, header: Header, base: Header | None) -> None:
    """Put a copy of a header that is about to be committed, and of the state before where that has none."""
    if base is not None and (commit_of(base).foreign or "state" not in base.extras):
        _put(store, base)
    _put(store, header)


def _put(store: Store, header: Header) -> None:
    store.put(history_key(header.uuid, commit_of(header).id), encode_header(header, "msgpack.zstd"))


def forget(store: Store, header: Header) -> None:
    """Delete the copy of a header that is not committed."""
    store.delete(history_key(header.uuid, commit_of(header).id))


def history(store: Store, uuid: str) -> Iterator[Commit]:
    """Yield the states of a dataset, the live one first, as far back as they are kept.

    UserError `dataset.missing` when there is none, `dataset.format` for a kept header that cannot be read.
    """
    live = read_whole_header(store, check_uuid(uuid))
    if live is None:
        raise UserError("dataset.missing", f"There is no dataset {uuid!r} in {store.url}")
    commit: Commit | None = commit_of(live.header)
    seen: set[str] = set()
    while commit is not None and commit.id not in seen:
        yield commit
        seen.add(commit.id)
        commit = _kept(store, uuid, commit.parent)


def _kept(store: Store, uuid: str, name: str | None) -> Commit | None:
    found = store.get_versioned(history_key(uuid, name)) if name is not None else None
    return None if found is None else commit_of(decode_header(found[0], "msgpack.zstd", uuid))


def state_as_of(store: Store, uuid: str, as_of: str | dt.datetime) -> Commit:
    """Return the state of a commit (its name, or how it begins), or the newest one that is not younger than a time.

    UserError `dataset.history` when it is not kept, or when several names begin so; `dataset.missing`.
    """
    if isinstance(as_of, dt.datetime):
        for commit in history(store, uuid):
            if commit.time is not None and commit.time <= as_of:
                return commit
        raise _not_kept(uuid, as_of.isoformat())
    found = [commit for commit in history(store, uuid) if commit.id.startswith(as_of)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(commit.id for commit in found)
        raise UserError("dataset.history", f"Several commits begin with {as_of!r}: {names}", remedy="Name one of them.")
    raise _not_kept(uuid, as_of)


def _not_kept(uuid: str, what: str) -> UserError:
    return UserError(
        "dataset.history",
        f"The history of dataset {uuid!r} has no state of {what}",
        remedy="List what is kept with: tablemill dataset history.",
    )
