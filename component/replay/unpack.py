"""A ZIP of a data folder becomes a folder, once every entry is proven safe (reference keboola 7.1, 7.2).

Nothing is written before all names, kinds, sizes and places are checked, and nothing outside the folder that is given,
which must be new: so no link can be there before us.
"""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from calendar import timegm
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from component.errors import UserError, shorten
from component.naming import GIB, MIB
from component.store.files import failing
from component.store.zip_entries import (
    ArchiveLimits,
    Entry,
    UnsafeZipError,
    check_places,
    entry_pieces,
    length_of,
    read_entries,
)

LIMITS: Final = ArchiveLimits(
    entries=100_000,
    inflated_bytes=100 * GIB,
    expansion=200,
    small_bytes=64 * MIB,
    total_bytes=100 * GIB,
)
"""The platform's own limit is 100 GB of one table; a table of few distinct values deflates to a two-hundredth."""

_FINDER: Final = "__MACOSX/"
"""What a Mac zips beside every file; nobody else knows what it is for."""
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def unpack(archive: Path, folder: Path, limits: ArchiveLimits = LIMITS) -> None:
    """Unpack an archive into a folder that is made for it; memory: the list of entries and one piece.

    UserError `replay.archive` names the entry that is not safe or damaged, `store.full` where there is no room for all
    of it; what was written before damage was seen is removed.
    """
    if not archive.is_file():
        raise _refused(archive.name, "it is no file" if archive.exists() else "there is no such file", None)
    with failing(archive, "read"), archive.open("rb") as file:
        try:
            entries = checked_entries(file, limits)
            _hold_room(folder.parent, entries)
            folder.mkdir()
            for entry in entries:
                if not entry.name.startswith(_FINDER):
                    _write(file, entry, folder)
        except UnsafeZipError as unsafe:
            shutil.rmtree(folder, ignore_errors=True)
            raise _refused(archive.name, str(unsafe), unsafe.entry) from unsafe


def checked_entries(file: BinaryIO, limits: ArchiveLimits = LIMITS) -> list[Entry]:
    """Return the entries of an archive; UnsafeZipError for any that an honest one would not have."""
    entries = read_entries(file, limits, wrong_path, folders=True)
    _hold_distinct(entries, limits)
    check_places(entries, length_of(file), limits)
    return entries


def wrong_path(name: str) -> str | None:
    """Say what is wrong with a path in an archive of a data folder, or None; a folder's ends in `/`."""
    path = name.removesuffix("/")
    if not path or name.startswith("/"):
        return "the path is absolute or empty"
    if _CONTROL.search(name) or any("\ud800" <= character <= "\udfff" for character in name):
        return "the path has a control character"
    if "\\" in name or _DRIVE.match(name):
        return "the path is one of another system (a drive letter or a backslash)"
    if {"", ".", ".."} & set(path.split("/")):
        return "the path has an empty, . or .. part"
    return None


def _hold_distinct(entries: Iterable[Entry], limits: ArchiveLimits) -> None:
    """Hold that every path is there once, also where case or the form of an accent does not count.

    Folders that no entry names are made too, so they count as entries.
    """
    spelled: dict[str, str] = {}
    files: set[str] = set()
    folders: set[str] = set()
    seen: set[str] = set()
    for entry in entries:
        path = entry.name.removesuffix("/")
        if path in seen:
            raise UnsafeZipError("there are two entries of this name", entry.name)
        seen.add(path)
        fresh = [path, *_new_folders(path, folders)]
        files.update([] if entry.folder else [path])
        folders.update(fresh[1:], [path] if entry.folder else [])
        if len(files) + len(folders) > limits.entries:
            raise UnsafeZipError(f"it has more than {limits.entries} files and folders")
        for part in fresh:
            other = spelled.setdefault(unicodedata.normalize("NFC", part).casefold(), part)
            if other != part:
                raise UnsafeZipError(f"its path differs from {shorten(other)!r} in case only", entry.name)
    for path in sorted(files & folders):
        below = min(other for other in seen if other.startswith(f"{path}/"))
        raise UnsafeZipError("it lies below another entry as if that were a folder", below)


def _new_folders(path: str, known: set[str]) -> Iterator[str]:
    """Yield the folders that a path lies in up to the first known one, whose own are known too."""
    while (path := path.rpartition("/")[0]) and path not in known:
        yield path


def _hold_room(folder: Path, entries: Iterable[Entry]) -> None:
    needed, free = sum(entry.size for entry in entries), shutil.disk_usage(folder).free
    if needed > free:
        text = f"The archive needs {needed} bytes in {str(folder)!r}, which has {free}"
        raise UserError("store.full", text, remedy="Free space there, or choose another place with --work.")


def _write(file: BinaryIO, entry: Entry, folder: Path) -> None:
    target = folder / entry.name
    if entry.folder:
        target.mkdir(parents=True, exist_ok=True)
        return
    with failing(target, "written"):
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as written:
            for piece in entry_pieces(file, entry):
                written.write(piece)
        _set_time(target, entry)


def _set_time(target: Path, entry: Entry) -> None:
    """Keep when the file was made: credentials in a manifest expire from then on."""
    try:
        seconds = timegm(entry.time)
        os.utime(target, (seconds, seconds))
    except (ValueError, OverflowError):
        return


def _refused(archive: str, why: str, entry: str | None) -> UserError:
    text = f"The archive {archive}: " if entry is None else f"The archive {archive}, entry {shorten(entry, 200)!r}: "
    remedy = "Use the ZIP as the platform made it, and download it again if it was cut or altered on the way."
    return UserError("replay.archive", f"{text}{why}", remedy=remedy)
