"""The entries of a dataset archive, once they are proven safe.

An archive comes from outside, so nothing in it is trusted: names, sizes, checksums and layout are checked, and what an
honest writer never writes is refused with the entry's name. Restoring works on `Contents` only.
"""

from __future__ import annotations

import mmap
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Final

import pyarrow as pa

from component.errors import UserError, shorten
from component.naming import HEADER_JSON_SUFFIX, HEADER_MSGPACK_SUFFIX, INDEX_SUFFIX, UUID_PATTERN
from component.store.base import check_key
from component.store.zip_entries import (
    LIMITS,
    ArchiveLimits,
    Entry,
    UnsafeZipError,
    check_places,
    length_of,
    read_entries,
)

__all__ = ["LIMITS", "ArchiveLimits", "Entry"]

HEADER_SUFFIXES: Final = (HEADER_JSON_SUFFIX, HEADER_MSGPACK_SUFFIX)


@dataclass(frozen=True, slots=True)
class Contents:
    """What an archive holds: the objects in key order, and the header that names them."""

    uuid: str
    header: Entry
    objects: tuple[Entry, ...]


def refuse(archive: str, why: str, entry: str | None = None) -> UserError:
    """Return the error for an archive that must not be restored or cannot be packed."""
    text = f"The archive {archive}: " if entry is None else f"The archive {archive}, entry {shorten(entry, 200)!r}: "
    remedy = "Use an unchanged archive that Tablemill wrote, and transfer it again if it was cut or altered on the way."
    return UserError("store.archive", f"{text}{why}", remedy=remedy)


def read_contents(archive: str, file: BinaryIO, limits: ArchiveLimits = LIMITS) -> Contents:
    """Check an archive as a whole and every name, size and place in it; `archive` is what messages call it.

    The objects' own bytes are checked by `entry_bytes`. UserError `store.archive` for anything an honest archive of one
    dataset would not have.
    """
    with _refusing(archive):
        entries = read_entries(file, limits, wrong_name, folders=False)
        contents = _contents(archive, entries)
        check_places(entries, length_of(file), limits)
    return contents


def entry_bytes(archive: str, file: BinaryIO, entry: Entry) -> pa.Buffer:
    """Return an object's bytes, proven by size and checksum; a stored one is mapped, not copied."""
    content = _mapped(archive, file, entry)
    if entry.deflated:
        content = pa.py_buffer(_inflate(archive, content, entry))
    if zlib.crc32(content) != entry.checksum:
        raise refuse(archive, "the checksum does not match, so the data are damaged", entry.name)
    return content


def split_header(uuid: str | None, names: Iterable[str]) -> tuple[str, str]:
    """Return uuid and name of the one header among names; ValueError says what is wrong.

    With a uuid given, only a header of that dataset counts.
    """
    pattern = UUID_PATTERN if uuid is None else re.escape(uuid)
    header = re.compile(f"({pattern})({'|'.join(re.escape(suffix) for suffix in HEADER_SUFFIXES)})")
    found = [match for name in names if (match := header.fullmatch(name))]
    if len(found) != 1:
        raise ValueError("no dataset header is in it" if not found else "it has more than one dataset header")
    return found[0][1], found[0][0]


def belongs(uuid: str, name: str) -> bool:
    """Say whether a key is one of a dataset, below its folder or an index of the old form (reference kartothek 1.1)."""
    return name.startswith(f"{uuid}/") or (name.startswith(f"{uuid}.") and name.endswith(INDEX_SUFFIX))


def wrong_name(name: str, limits: ArchiveLimits = LIMITS) -> str | None:
    """Say what is wrong with the name of an entry, or None."""
    try:
        check_key(name)
    except UserError:
        return "the name is not allowed in a store (absolute, a folder, with . or .. or other characters)"
    if len(name) > limits.name_bytes or max(map(len, name.split("/"))) > limits.part_bytes:
        return "the name is too long"
    return None


@contextmanager
def _refusing(archive: str) -> Iterator[None]:
    try:
        yield
    except UnsafeZipError as unsafe:
        raise refuse(archive, str(unsafe), unsafe.entry) from unsafe.__cause__


def _mapped(archive: str, file: BinaryIO, entry: Entry) -> pa.Buffer:
    """Map one entry only, so that what counts as this process's memory is one object and not the archive."""
    if entry.packed == 0:
        return pa.py_buffer(b"")
    before = entry.start % mmap.ALLOCATIONGRANULARITY
    try:
        mapped = mmap.mmap(file.fileno(), before + entry.packed, offset=entry.start - before, access=mmap.ACCESS_READ)
    except ValueError as error:
        raise refuse(archive, "the archive was cut while it was read", entry.name) from error
    return pa.py_buffer(memoryview(mapped)[before:])


def _contents(archive: str, entries: list[Entry]) -> Contents:
    named: dict[str, Entry] = {}
    for entry in entries:
        if entry.name in named:
            raise refuse(archive, "there are two entries of this name", entry.name)
        named[entry.name] = entry
    try:
        uuid, header = split_header(None, named)
    except ValueError as error:
        raise refuse(archive, str(error)) from error
    for name in named:
        if name != header and not belongs(uuid, name):
            raise refuse(archive, f"it does not belong to the dataset {uuid!r}", name)
    for name in named:
        parts = name.split("/")
        if any("/".join(parts[:count]) in named for count in range(1, len(parts))):
            raise refuse(archive, "it lies below another entry as if that were a folder", name)
    return Contents(uuid, named[header], tuple(named[name] for name in sorted(named) if name != header))


def _inflate(archive: str, content: pa.Buffer, entry: Entry) -> bytes:
    """Inflate one object; never more than one byte beyond its declared size is made."""
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        inflated = inflater.decompress(content, entry.size + 1)
    except zlib.error as error:
        raise refuse(archive, "the compressed data are damaged", entry.name) from error
    if len(inflated) != entry.size or not inflater.eof or inflater.unused_data:
        raise refuse(archive, f"the data are not the {entry.size} bytes that are declared", entry.name)
    return inflated
