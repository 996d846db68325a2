"""The entries of any ZIP file from outside, once they are proven safe to read.

Nothing in such a file is trusted: names, kinds, sizes, checksums and layout are checked before a byte is written. What
an entry may be called is the caller's to say: a store's keys and a data folder's paths follow different rules.
"""

from __future__ import annotations

import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from component.naming import MIB

_ENCRYPTED: Final = 0x1 | 0x40 | 0x2000
_IN_UTF8: Final = 0x800
_HARMLESS: Final = 0x2 | 0x4 | 0x8 | _IN_UTF8
"""Flag bits that change nothing here: compression effort, sizes repeated after the data, names in UTF-8."""

_DOS_FOLDER: Final = 0x10
_DOS_LABEL: Final = 0x08
_END: Final = struct.Struct("<4s4H2LH")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64_SIZE: Final = 20
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_PIECE_BYTES: Final = 1 * MIB


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may ask of the machine that reads it.

    - `entries`: entries of one archive.
    - `directory_bytes`: size of the list of entries, which is held in memory.
    - `inflated_bytes`: size of one deflated entry; stored ones are not limited.
    - `expansion`: bytes restored per byte of the archive; 1 where all is stored, below 50 for deflated JSON or Parquet.
    - `small_bytes`: an archive that restores no more than this may expand as it likes.
    - `total_bytes`: bytes restored altogether; None is no limit.
    - `name_bytes` and `part_bytes`: length of a name and of each part of it, which file systems limit.
    """

    entries: int = 250_000
    directory_bytes: int = 64 * MIB
    inflated_bytes: int = 1024 * MIB
    expansion: int = 100
    small_bytes: int = 0
    total_bytes: int | None = None
    name_bytes: int = 1024
    part_bytes: int = 255


LIMITS: Final = ArchiveLimits()
_WRITTEN_TIME: Final = (1980, 1, 1, 0, 0, 0)
_WRITTEN_MODE: Final = (stat.S_IFREG | 0o644) << 16
_WRITTEN_SYSTEM: Final = 3
"""Unix, whatever this machine is: the mode above is one of Unix."""


def plain_entry(name: str, size: int) -> zipfile.ZipInfo:
    """Return an entry to be written, the same on every machine and at any time: an ordinary file of `size` bytes."""
    info = zipfile.ZipInfo(name, _WRITTEN_TIME)
    info.create_system = _WRITTEN_SYSTEM
    info.external_attr = _WRITTEN_MODE
    info.file_size = size
    return info


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of an archive: `size` bytes, found in `packed` bytes at `start`.

    `time` is what the archive says of its last change: year, month, day, hour, minute, second; it may be nonsense.
    """

    name: str
    start: int
    packed: int
    size: int
    checksum: int
    deflated: bool
    folder: bool = False
    time: tuple[int, ...] = (1980, 1, 1, 0, 0, 0)


class UnsafeZipError(ValueError):
    """An archive must not be read; the message says why, `entry` which entry it is about."""

    def __init__(self, why: str, entry: str | None = None) -> None:
        super().__init__(why)
        self.entry = entry


NameCheck = Callable[[str], str | None]
"""Says what is wrong with the name of an entry, or None."""


def read_entries(file: BinaryIO, limits: ArchiveLimits, wrong_name: NameCheck, *, folders: bool) -> list[Entry]:
    """Return the entries of an archive; UnsafeZipError for a name, kind, size or place that is not right.

    Their own bytes are checked when they are read. Without `folders` an entry for a folder is refused too. Whether
    names repeat and entries overlap is for the caller to ask (`check_places`).
    """
    count = _check_end(file, limits)
    listed = _directory(file)
    if len(listed) != count:
        raise UnsafeZipError(f"it lists {len(listed)} entries and declares {count}")
    return [_entry(file, info, limits, wrong_name, folders=folders) for info in listed]


def check_places(entries: Iterable[Entry], length: int, limits: ArchiveLimits) -> None:
    """Check that no two entries share bytes and that all together stay in proportion to the archive of that length."""
    ordered = sorted(entries, key=lambda entry: entry.start)
    end = 0
    for entry in ordered:
        if entry.start < end:
            raise UnsafeZipError("it shares bytes with another entry", entry.name)
        end = entry.start + entry.packed
    total = sum(entry.size for entry in ordered)
    if total > max(limits.expansion * length, limits.small_bytes):
        raise UnsafeZipError(f"it would grow from {length} to {total} bytes, more than {limits.expansion} times")
    if limits.total_bytes is not None and total > limits.total_bytes:
        raise UnsafeZipError(f"it would grow to {total} bytes, more than {limits.total_bytes}")


def entry_pieces(file: BinaryIO, entry: Entry) -> Iterator[bytes]:
    """Yield an entry's bytes piece by piece, never more than are declared; UnsafeZipError when they are not those."""
    checksum = size = 0
    for piece in _inflated(file, entry) if entry.deflated else _packed(file, entry):
        size += len(piece)
        checksum = zlib.crc32(piece, checksum)
        if size > entry.size:
            break
        yield piece
    if size != entry.size:
        raise UnsafeZipError(f"the data are not the {entry.size} bytes that are declared", entry.name)
    if checksum != entry.checksum:
        raise UnsafeZipError("the checksum does not match, so the data are damaged", entry.name)


def length_of(file: BinaryIO) -> int:
    """Return how many bytes a file has."""
    return os.fstat(file.fileno()).st_size


def _packed(file: BinaryIO, entry: Entry) -> Iterator[bytes]:
    place, stop = entry.start, entry.start + entry.packed
    while piece := _at(file, place, min(_PIECE_BYTES, stop - place)):
        place += len(piece)
        yield piece


def _inflated(file: BinaryIO, entry: Entry) -> Iterator[bytes]:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for packed in _packed(file, entry):
            waiting = packed
            while waiting and not inflater.eof:
                yield inflater.decompress(waiting, _PIECE_BYTES)
                waiting = inflater.unconsumed_tail
        while not inflater.eof and (rest := inflater.decompress(b"", _PIECE_BYTES)):
            yield rest
    except zlib.error as error:
        raise UnsafeZipError("the compressed data are damaged", entry.name) from error
    if not inflater.eof or inflater.unused_data:
        raise UnsafeZipError(f"the data are not the {entry.size} bytes that are declared", entry.name)


def _at(file: BinaryIO, place: int, length: int) -> bytes:
    """Return the bytes at a place, fewer at the end of the file and none outside it."""
    return os.pread(file.fileno(), length, place) if 0 <= place < length_of(file) else b""


def _check_end(file: BinaryIO, limits: ArchiveLimits) -> int:
    """Return how many entries the end of the file declares, before a list as long as it declares is read."""
    end = length_of(file) - _END.size
    last = _at(file, end, _END.size)
    if not last.startswith(b"PK\5\6") or _END.unpack(last)[-1]:
        raise UnsafeZipError(
            "a comment follows its end" if _has_comment(file) else "it is no ZIP file, or its end is missing"
        )
    _, _, _, _, count, size, _, _ = _END.unpack(last)
    locator = end - _LOCATOR_64_SIZE
    if locator >= _END_64.size and _at(file, locator, 4) == b"PK\6\7":
        large = _at(file, locator - _END_64.size, _END_64.size)
        signature, _, _, _, _, _, _, count, size, _ = _END_64.unpack(large)
        if signature != b"PK\6\6":
            raise UnsafeZipError("its end is damaged")
    if count > limits.entries or size > limits.directory_bytes:
        raise UnsafeZipError(f"it has more than {limits.entries} entries or too long a list of them")
    return int(count)


def _has_comment(file: BinaryIO) -> bool:
    """Whether the last bytes are an end with a comment as long as it says."""
    last = _at(file, max(0, length_of(file) - _END.size - 0xFFFF), _END.size + 0xFFFF)
    begin = last.rfind(b"PK\5\6")
    return 0 <= begin <= len(last) - _END.size and (_END.unpack_from(last, begin)[-1] == len(last) - begin - _END.size)


def _directory(file: BinaryIO) -> list[zipfile.ZipInfo]:
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
        raise UnsafeZipError(f"its list of entries is damaged ({error})") from error


def _entry(
    file: BinaryIO, info: zipfile.ZipInfo, limits: ArchiveLimits, wrong_name: NameCheck, *, folders: bool
) -> Entry:
    raw = info.orig_filename.encode("utf-8" if info.flag_bits & _IN_UTF8 else "cp437", "surrogateescape")
    name = _text(raw, info.orig_filename)
    folder = folders and name.endswith("/")
    why = (
        wrong_name(name)
        or _wrong_length(name, limits)
        or _wrong_kind(info, folder=folder)
        or _wrong_size(info, limits, folder=folder)
    )
    if why:
        raise UnsafeZipError(why, name)
    start = _start(file, info, raw)
    if start is None or start + info.compress_size > length_of(file):
        raise UnsafeZipError("its place in the archive does not hold it", name)
    deflated = info.compress_type == zipfile.ZIP_DEFLATED
    return Entry(name, start, info.compress_size, info.file_size, info.CRC, deflated, folder, info.date_time)


def _text(raw: bytes, said: str) -> str:
    """Return a name as its writer meant it: many write UTF-8 and do not say so."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return said


def _wrong_length(name: str, limits: ArchiveLimits) -> str | None:
    encoded = name.encode("utf-8", "replace")
    if len(encoded) > limits.name_bytes or max(map(len, encoded.split(b"/"))) > limits.part_bytes:
        return "the name is too long"
    return None


def _wrong_kind(info: zipfile.ZipInfo, *, folder: bool) -> str | None:
    kinds = {0, stat.S_IFDIR if folder else stat.S_IFREG}
    refused = _DOS_LABEL if folder else _DOS_FOLDER | _DOS_LABEL
    if stat.S_IFMT(info.external_attr >> 16) not in kinds or info.external_attr & refused:
        return "it is not a plain file (a folder, link or device)"
    if info.flag_bits & _ENCRYPTED:
        return "it is encrypted"
    if info.flag_bits & ~_HARMLESS:
        return "it uses ZIP features that are not supported"
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return f"the compression method {info.compress_type} is not supported (only stored and deflated)"
    return None


def _wrong_size(info: zipfile.ZipInfo, limits: ArchiveLimits, *, folder: bool) -> str | None:
    if folder and info.file_size:
        return "it is a folder and has data"
    if info.compress_type == zipfile.ZIP_STORED and info.compress_size != info.file_size:
        return f"its sizes contradict each other ({info.compress_size} and {info.file_size} bytes)"
    if info.compress_type == zipfile.ZIP_DEFLATED and info.file_size > limits.inflated_bytes:
        return f"it would be inflated to {info.file_size} bytes, more than {limits.inflated_bytes}"
    return None


def _start(file: BinaryIO, info: zipfile.ZipInfo, raw: bytes) -> int | None:
    """Return where an entry's data begin, or None when the header before them is another entry's or none."""
    head = _at(file, info.header_offset, _LOCAL.size)
    if len(head) < _LOCAL.size:
        return None
    signature, _, flags, method, *_, name_length, extra_length = _LOCAL.unpack(head)
    names = info.header_offset + _LOCAL.size
    same = (signature, method, _at(file, names, name_length)) == (b"PK\3\4", info.compress_type, raw)
    return names + name_length + extra_length if same and not flags & ~_HARMLESS else None
