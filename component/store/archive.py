"""A dataset as one file: `<uuid>.dataset.zip`, a ZIP of the store's objects under their keys.

Entries are stored, not deflated (Parquet is compressed already), sorted by key, with fixed times and modes: the same
objects make the same bytes. The header is the last entry, as it is the last object of every commit: whatever unpacks
the file from front to back, into a store's directory, makes the dataset visible only when it is whole, and a file that
lost its end has no header even after a repair.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4

import pyarrow as pa

from component.errors import BugError, CommitRefusedError, RetryError, UserError
from component.naming import MIB
from component.store.base import Store, Version
from component.store.entries import (
    HEADER_SUFFIXES,
    LIMITS,
    ArchiveLimits,
    Contents,
    belongs,
    entry_bytes,
    read_contents,
    refuse,
    split_header,
    wrong_name,
)
from component.store.files import failing, force, force_folder, make_folder, unfinished_file
from component.store.zip_entries import plain_entry

COPY_BYTES: Final = 4 * MIB


@dataclass(frozen=True, slots=True)
class Archived:
    """What travelled: the dataset, its header's key, and how many objects of how many bytes, header included."""

    uuid: str
    header: str
    objects: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ArchiveHead:
    """What an archive says of itself: the dataset, its header under its key, and a number for all of the content."""

    uuid: str
    name: str
    data: bytes
    content: int


def read_archive_head(archive: Path, limits: ArchiveLimits = LIMITS) -> ArchiveHead:
    """Read the list of entries and the header of an archive; of the objects only what the list says is checked.

    Archives with the same objects have the same `content`. UserError `store.archive` as `restore_archive`.
    """
    if not archive.is_file():
        raise refuse(archive.name, "there is no such file")
    with failing(archive, "read"), archive.open("rb") as file:
        contents = read_contents(archive.name, file, limits)
        header = entry_bytes(archive.name, file, contents.header).to_pybytes()
    listed = "".join(f"{entry.name}\n{entry.size} {entry.checksum}\n" for entry in (*contents.objects, contents.header))
    return ArchiveHead(contents.uuid, contents.header.name, header, zlib.crc32(listed.encode()))


def restore_archive(archive: Path, store: Store, limits: ArchiveLimits = LIMITS) -> Archived:
    """Put a dataset from its archive into a store that does not have it; the header is put last.

    Every entry is checked, its data included, before the first is put. Memory: the list of entries and one object,
    mapped when it is stored. UserError `store.archive` names the entry that is not safe or damaged;
    CommitRefusedError `commit.refused` when the store has the dataset already. Either way nothing was put.
    """
    if not archive.is_file():
        raise refuse(archive.name, "there is no such file")
    with failing(archive, "read"), archive.open("rb") as file:
        contents = read_contents(archive.name, file, limits)
        every = (*contents.objects, contents.header)
        for entry in every:
            entry_bytes(archive.name, file, entry)
        _check_absent(contents.uuid, store)
        _check_case(archive.name, contents, store)
        for entry in contents.objects:
            store.put(entry.name, entry_bytes(archive.name, file, entry))
        store.put_if(contents.header.name, entry_bytes(archive.name, file, contents.header), None)
    return Archived(contents.uuid, contents.header.name, len(every), sum(entry.size for entry in every))


def pack_archive(
    store: Store, uuid: str, keys: Iterable[str], target: Path, header_version: Version | None = None
) -> Archived:
    """Write the objects of a dataset, its header among the keys, into one file that is there whole or not at all.

    Exactly these keys are packed, so what no header names does not travel. With `header_version`, the version that the
    keys were read from, CommitRefusedError `commit.refused` when the header is another one by now. Memory: the header
    and one block of `COPY_BYTES`.
    """
    header, objects = _ordered(uuid, keys)
    found = store.get_versioned(header)
    if found is None:
        raise UserError("dataset.missing", f"The dataset {uuid!r} is not in the store")
    if header_version not in {None, found[1]}:
        raise CommitRefusedError("commit.refused", f"The dataset {uuid!r} has changed since it was read")
    with failing(target, "written"):
        make_folder(target.parent)
        with unfinished_file(target.with_name(f".{uuid4().hex}.part")) as file:
            with zipfile.ZipFile(file, "w") as packed:
                size = sum(_add(packed, store, key) for key in objects)
                packed.writestr(plain_entry(header, len(found[0])), found[0])
            force(file)
            Path(file.name).replace(target)
            force_folder(target.parent)
    return Archived(uuid, header, len(objects) + 1, size + len(found[0]))


def _ordered(uuid: str, keys: Iterable[str]) -> tuple[str, list[str]]:
    """Return the header's key and the sorted others."""
    distinct = set(keys)
    try:
        _, header = split_header(uuid, distinct)
    except ValueError as error:
        raise BugError("internal", f"The keys to pack for the dataset {uuid!r}: {error}") from error
    for key in sorted(distinct - {header}):
        why = wrong_name(key) or (None if belongs(uuid, key) else "it is not below the dataset's own folder")
        if why:
            raise refuse(f"of the dataset {uuid!r}", why, key)
    if len(distinct) > LIMITS.entries:
        text = f"The dataset {uuid!r} has {len(distinct)} objects, and an archive holds at most {LIMITS.entries}"
        raise UserError("store.archive", text, remedy="Compact it, or keep it in a directory or bucket (`store.url`).")
    return header, sorted(distinct - {header})


def _add(packed: zipfile.ZipFile, store: Store, key: str) -> int:
    """Copy one object into the archive, and return its size in bytes."""
    with store.open(key) as source:
        size: int = source.size()
        copied = 0
        with packed.open(plain_entry(key, size), "w") as entry:
            while block := _read(source, key):
                copied += entry.write(block)
    if copied != size:
        raise RetryError("store.failed", f"The object {key!r} changed while it was packed", remedy="Run again.")
    return size


def _read(source: pa.NativeFile, key: str) -> bytes:
    with failing(Path(key), "read"):
        block: bytes = source.read(COPY_BYTES)
        return block


def _check_absent(uuid: str, store: Store) -> None:
    for suffix in HEADER_SUFFIXES:
        if store.get_versioned(uuid + suffix) is not None:
            remedy = "Restore into another store, or delete the dataset there first."
            raise CommitRefusedError("commit.refused", f"The store has the dataset {uuid!r} already", remedy=remedy)


def _check_case(archive: str, contents: Contents, store: Store) -> None:
    """Refuse names that differ in case only, where the store would take them for one.

    Such names are honest (`code=a/…` and `code=A/…` are two partitions) and safe wherever case counts.
    """
    seen: dict[str, str] = {}
    for entry in contents.objects:
        other = seen.setdefault(entry.name.lower(), entry.name)
        if other != entry.name:
            break
    else:
        return
    probe = f"{contents.uuid}/case-{uuid4().hex}-"
    store.put(f"{probe}a", b"")
    try:
        if store.get_versioned(f"{probe}A") is not None:
            raise refuse(archive, f"the store cannot tell it from {other!r}, which differs in case only", entry.name)
    finally:
        store.delete(f"{probe}a")
