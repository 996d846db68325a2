"""A header that is gone or damaged, found again among the copies that commits keep, and put back."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from component.dataset.commits.swap import swap_header
from component.dataset.format.header import Header, HeaderFormat, encode_header
from component.dataset.format.history import Commit, kept_states
from component.dataset.format.keys import header_key, referenced, stored_key
from component.errors import UserError
from component.store.base import Store

_COMMIT: Final = re.compile(rb'"commit": "([0-9a-f]{32})"')
REBUILD: Final = (
    "Or make one from the data files, whichever of them were live: tablemill dataset verify --repair --rebuild-header."
)
_FORMATS: Final[tuple[HeaderFormat, ...]] = ("json", "msgpack.zstd")


def lost_state(store: Store, uuid: str, wanted: str | None = None) -> Commit:
    """Return the kept state whose header is to be put back: the one that is `wanted`, by its name or how it begins.

    Without a wish it is the state that the damaged header still names, else the newest one. UserError
    `dataset.history` where no kept state has all its files, or where several could be the newest: a writer that was
    killed leaves the copy of a commit that never happened.
    """
    kept = whole_states(store, uuid)
    if wanted is not None:
        found = [one for one in kept if one.id.startswith(wanted)]
    else:
        named = _named(store, uuid)
        parents = {one.parent for one in kept}
        found = [one for one in kept if one.id == named] or [one for one in kept if one.id not in parents]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(f"{one.id} ({one.operation}, {one.time})" for one in found)
        raise UserError(
            "dataset.history",
            f"Several states of the dataset {uuid!r} could be the one whose header is lost: {names}",
            remedy="Name one of them: tablemill dataset verify --repair --state COMMIT.",
        )
    raise UserError(
        "dataset.history",
        f"No state of the dataset {uuid!r} is kept with all its files" + (f" as {wanted!r}" if wanted else ""),
        remedy="Put the header back from a copy of the store."
        if kept
        else f"Put the header back from a copy of the store. {REBUILD}",
    )


def whole_states(store: Store, uuid: str) -> list[Commit]:
    """Return the states that are kept with all their files."""
    present = {stat.key for stat in store.list(f"{uuid}/")}
    return [one for one in kept_states(store, uuid) if _is_whole(one, present)]


def _is_whole(commit: Commit, present: set[str]) -> bool:
    named = referenced(commit.header.partitions, commit.header.indices)
    return all(stored_key(key) in present for key in named)


def _named(store: Store, uuid: str) -> str | None:
    """Return the commit that a damaged JSON header names, if that much of it can be read and only one is named."""
    found = store.get_versioned(header_key(uuid, "json"))
    names = set(_COMMIT.findall(found[0])) if found is not None else set()
    return names.pop().decode() if len(names) == 1 else None


def put_back(store: Store, header: Header) -> None:
    """Put a header where a damaged one is, or none. CommitRefusedError when one has come meanwhile.

    Where there is none, it is JSON: nothing says what it was.
    """
    header = replace(header, moves=False)
    for storage_format in _FORMATS:
        key = header_key(header.uuid, storage_format)
        found = store.get_versioned(key)
        if found is not None:
            store.put_if(key, encode_header(header, storage_format), found[1])
            return
    swap_header(store, None, header, "json")
