"""The entries of a dataset archive, once they are proven safe.

An archive comes from outside, so nothing in it is trusted: names, sizes, checksums and layout are checked, and what an
honest writer never writes is refused with the entry's name. Restoring works on `Contents` only.
"""

from __future__ import annotations

import mmap
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO, Final

import pyarrow as pa

from component.errors import UserError, shorten
from component.naming import HEADER_JSON_SUFFIX, HEADER_MSGPACK_SUFFIX, INDEX_SUFFIX, MIB, UUID_PATTERN
from component.store.base import check_key

HEADER_SUFFIXES: Final = (HEADER_JSON_SUFFIX, HEADER_MSGPACK_SUFFIX)

_ENCRYPTED: Final = 0x1 | 0x40 | 0x2000
_HARMLESS: Final = 0x2 | 0x4 | 0x8 | 0x800
"""Flag bits that change nothing here: compression effort, sizes repeated after the data, names in UTF-8."""

_DOS_FOLDER_OR_LABEL: Final = 0x10 | 0x08
_END: Final = struct.Struct("<4s4H2LH")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64_SIZE: Final = 20
_LOCAL: Final = struct.Struct("<4s5H3L2H")


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may ask of the machine that restores it.

    - `entries`: objects of one archive.
    - `directory_bytes`: size of the list of entries, which is held in memory.
    - `inflated_bytes`: size of one deflated object, which is held in memory; stored objects are not.
    - `expansion`: bytes restored per byte of the archive; 1 where all is stored, below 50 for deflated JSON or Parquet.
    - `name_bytes` and `part_bytes`: length of a name and of each part of it, which file systems limit.
    """

    entries: int = 250_000
    directory_bytes: int = 64 * MIB
    inflated_bytes: int = 1024 * MIB
    expansion: int = 100
    name_bytes: int = 1024
    part_bytes: int = 255


LIMITS: Final = ArchiveLimits()


@dataclass(frozen=True, slots=True)
class Entry:
    """One object in an archive: `size` bytes, found in `packed` bytes at `start`."""

    name: str
    start: int
    packed: int
    size: int
    checksum: int
    deflated: bool


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
    count = _check_end(archive, file, limits)
    listed = _directory(archive, file)
    if len(listed) != count:
        raise refuse(archive, f"it lists {len(listed)} entries and declares {count}")
    entries = [_entry(archive, file, info, limits) for info in listed]
    contents = _contents(archive, entries)
    _check_places(archive, entries, _length(file), limits)
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


def _length(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def _at(file: BinaryIO, place: int, length: int) -> bytes:
    """Return the bytes at a place, fewer at the end of the file and none outside it."""
    return os.pread(file.fileno(), length, place) if 0 <= place < _length(file) else b""


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


def _check_end(archive: str, file: BinaryIO, limits: ArchiveLimits) -> int:
    """Return how many entries the end of the file declares, before a list as long as it declares is read."""
    end = _length(file) - _END.size
    last = _at(file, end, _END.size)
    if not last.startswith(b"PK\5\6") or _END.unpack(last)[-1]:
        raise refuse(archive, "it is no ZIP file, or its end is missing")
    _, _, _, _, count, size, _, _ = _END.unpack(last)
    locator = end - _LOCATOR_64_SIZE
    if locator >= _END_64.size and _at(file, locator, 4) == b"PK\6\7":
        large = _at(file, locator - _END_64.size, _END_64.size)
        signature, _, _, _, _, _, _, count, size, _ = _END_64.unpack(large)
        if signature != b"PK\6\6":
            raise refuse(archive, "its end is damaged")
    if count > limits.entries or size > limits.directory_bytes:
        raise refuse(archive, f"it has more than {limits.entries} entries or too long a list of them")
    return int(count)


def _directory(archive: str, file: BinaryIO) -> list[zipfile.ZipInfo]:
    try:
        with zipfile.ZipFile(file) as opened:
            return opened.infolist()
    except (
        zipfile.BadZipFile,
        NotImplementedError,
        ValueError,
        OverflowError,
        EOFError,
        OSError,
        struct.error,
    ) as error:
        raise refuse(archive, f"its list of entries is damaged ({error})") from error


def _entry(archive: str, file: BinaryIO, info: zipfile.ZipInfo, limits: ArchiveLimits) -> Entry:
    name = info.orig_filename
    why = wrong_name(name, limits) or _wrong_kind(info) or _wrong_size(info, limits)
    if why:
        raise refuse(archive, why, name)
    start = _start(file, info)
    if start is None or start + info.compress_size > _length(file):
        raise refuse(archive, "its place in the archive does not hold it", name)
    deflated = info.compress_type == zipfile.ZIP_DEFLATED
    return Entry(name, start, info.compress_size, info.file_size, info.CRC, deflated)


def _wrong_kind(info: zipfile.ZipInfo) -> str | None:
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG} or info.external_attr & _DOS_FOLDER_OR_LABEL:
        return "it is not a plain file (a folder, link or device)"
    if info.flag_bits & _ENCRYPTED:
        return "it is encrypted"
    if info.flag_bits & ~_HARMLESS:
        return "it uses ZIP features that are not supported"
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return f"the compression method {info.compress_type} is not supported (only stored and deflated)"
    return None


def _wrong_size(info: zipfile.ZipInfo, limits: ArchiveLimits) -> str | None:
    if info.compress_type == zipfile.ZIP_STORED and info.compress_size != info.file_size:
        return f"its sizes contradict each other ({info.compress_size} and {info.file_size} bytes)"
    if info.compress_type == zipfile.ZIP_DEFLATED and info.file_size > limits.inflated_bytes:
        return f"it would be inflated to {info.file_size} bytes, more than {limits.inflated_bytes}"
    return None


def _start(file: BinaryIO, info: zipfile.ZipInfo) -> int | None:
    """Return where an entry's data begin, or None when the header before them is another entry's or none."""
    head = _at(file, info.header_offset, _LOCAL.size)
    if len(head) < _LOCAL.size:
        return None
    signature, _, flags, method, *_, name_length, extra_length = _LOCAL.unpack(head)
    names = info.header_offset + _LOCAL.size
    name = _at(file, names, name_length)
    same = (signature, method, name) == (b"PK\3\4", info.compress_type, info.orig_filename.encode())
    return names + name_length + extra_length if same and not flags & ~_HARMLESS else None


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


def _check_places(archive: str, entries: list[Entry], length: int, limits: ArchiveLimits) -> None:
    """Check that no two entries share bytes and that all together stay in proportion to the archive."""
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.start):
        if entry.start < end:
            raise refuse(archive, "it shares bytes with another entry", entry.name)
        end = entry.start + entry.packed
    total = sum(entry.size for entry in entries)
    if total > limits.expansion * length:
        raise refuse(archive, f"it would grow from {length} to {total} bytes, more than {limits.expansion} times")


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
