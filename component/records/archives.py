"""Archives of a records directory: a ZIP or tar is unpacked once every entry is proven safe; a ZIP is written.

A directory has one level, so an archive has plain files only, all of them at its top or all in one folder. Nothing is
written outside the given folder, and nothing from an archive that is not safe.

The platform drops folders of out/files (reference keboola 3), so a directory goes there as one ZIP. The same files make
the same bytes: times and modes are fixed, and the manifest is the last entry, as it is the last file.
"""

from __future__ import annotations

import shutil
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from component import identity, naming
from component.errors import UserError, shorten
from component.file_types import ZIP
from component.naming import GIB, MIB
from component.records.manifest import MANIFEST
from component.store.files import failing, force, force_folder, make_folder, unfinished_file
from component.store.zip_entries import (
    ArchiveLimits,
    UnsafeZipError,
    check_places,
    entry_pieces,
    length_of,
    plain_entry,
    read_entries,
)

LIMITS: Final = ArchiveLimits(
    entries=100_000,
    inflated_bytes=100 * GIB,
    expansion=1000,
    small_bytes=64 * MIB,
    total_bytes=100 * GIB,
)
"""Plain delimited text that repeats itself deflates to a thousandth at most."""
_FINDER: Final = "__MACOSX"
"""What a Mac zips beside every file."""


def is_archive(path: Path) -> bool:
    """Say whether a file is a ZIP or a tar (plain, gzip, bzip2, xz), by its content."""
    with failing(path, "read"), path.open("rb") as file:
        if file.read(len(ZIP.magic)) == ZIP.magic:
            return True
    try:
        return tarfile.is_tarfile(path)
    except (OSError, EOFError):
        return False


def unpack(archive: Path, folder: Path, limits: ArchiveLimits = LIMITS) -> Path:
    """Unpack an archive into a folder that is made for it, and return the directory in it.

    UserError `records.archive` names the entry that is not safe or damaged; then the folder is gone again. RetryError
    `store.failed` when it exists already; then it stays as it is.
    """
    with failing(folder, "written"):
        folder.mkdir(parents=True)
    with failing(archive, "read"), archive.open("rb") as file:
        try:
            names = (
                _unzip(file, folder, limits) if file.read(len(ZIP.magic)) == ZIP.magic else _untar(file, folder, limits)
            )
            return folder / _common_folder(names)
        except (UnsafeZipError, tarfile.TarError, EOFError, OSError) as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError) and error.errno is not None:  # what a codec says itself has no number
                raise
            entry = error.entry if isinstance(error, UnsafeZipError) else None
            raise _refused(archive, str(error), entry) from error
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise


def wrong_name(name: str) -> str | None:
    """Say what is wrong with the name of an entry, or None: at most one folder, and a plain name in it."""
    parts = name.removesuffix("/").split("/")
    if name.startswith("/") or {"", ".", ".."} & set(parts):
        return "the path is absolute or has an empty, . or .. part"
    if "\\" in name or ":" in parts[0][1:2] or any(character < " " or character == "\x7f" for character in name):
        return "the path has a control character, a backslash or a drive letter"
    if any("\ud800" <= character <= "\udfff" for character in name):
        return "the path is no text"
    return "it lies deeper than one folder" if len(parts) > 2 and parts[0] != _FINDER else None


def _unzip(file: BinaryIO, folder: Path, limits: ArchiveLimits) -> list[str]:
    entries = read_entries(file, limits, wrong_name, folders=True)
    check_places(entries, length_of(file), limits)
    wanted = [entry for entry in entries if not entry.folder and not _is_finder(entry.name)]
    _check_distinct(entry.name for entry in wanted)
    for entry in wanted:
        target = _target(folder, entry.name)
        with failing(target, "written"), target.open("xb") as written:
            for piece in entry_pieces(file, entry):
                written.write(piece)
    return [entry.name for entry in wanted]


def _untar(file: BinaryIO, folder: Path, limits: ArchiveLimits) -> list[str]:
    """Unpack a tar; its bytes are bounded by what its members declare, of which tarfile writes no more."""
    file.seek(0)
    with tarfile.open(fileobj=file, mode="r:*") as tar:
        wanted, total = [], 0
        for number, member in enumerate(tar):
            name = member.name.removeprefix("./")
            if member.isdir() and name in {"", "."}:
                continue
            total += member.size
            why = wrong_name(name) or (None if member.isfile() or member.isdir() else "it is a link or a device")
            if why or number >= limits.entries or total > (limits.total_bytes or total):
                raise UnsafeZipError(why or "it has too many entries, or too large ones", name)
            if member.isfile() and not _is_finder(name):
                wanted.append(member.replace(name=name, deep=False))
        _check_distinct(member.name for member in wanted)
        for member in wanted:
            tar.extract(member, folder, set_attrs=False, filter="data")
    return [member.name for member in wanted]


def _target(folder: Path, name: str) -> Path:
    target = folder / name
    with failing(target, "written"):
        target.parent.mkdir(exist_ok=True)
    return target


def _check_distinct(names: Iterable[str]) -> None:
    """Hold that every name is there once, also where case does not count."""
    seen: set[str] = set()
    for name in names:
        if name.casefold() in seen:
            raise UnsafeZipError("there are two entries of this name", name)
        seen.add(name.casefold())


def _common_folder(names: Iterable[str]) -> PurePosixPath:
    """Return the folder that all files are in: the top, or the one that is there."""
    folders = {PurePosixPath(name).parent for name in names if not PurePosixPath(name).name.startswith(".")}
    if len(folders) > 1:
        raise UnsafeZipError("its files lie in several folders, and a records directory has one")
    return folders.pop() if folders else PurePosixPath()


def _is_finder(name: str) -> bool:
    return name.split("/", 1)[0] == _FINDER


def _refused(archive: Path, why: str, entry: str | None) -> UserError:
    text = (
        f"The archive {archive.name}: " if entry is None else f"The archive {archive.name}, entry {shorten(entry)!r}: "
    )
    remedy = "Pack the files of one records directory again, or transfer the archive again."
    return UserError("records.archive", f"{text}{why}", remedy=remedy)


_PACKED: Final = (".gz", ".bz2", ".lzo", ".parquet", ".avro")
"""Suffixes of files that deflating would not make smaller."""


def zip_directory(folder: Path, target: Path) -> int:
    """Pack the files of a folder into a ZIP that is there whole or not at all; return its size in bytes.

    Metadata and plain delimited text are deflated, what is compressed already is stored.
    """
    with failing(target, "written"):
        make_folder(target.parent)
        with unfinished_file(target.with_name(f".{identity.new_hex()}.part")) as file:
            with zipfile.ZipFile(file, "w") as packed:
                for path in _ordered(folder.iterdir()):
                    _add(packed, path)
            force(file)
            size = file.tell()
            Path(file.name).replace(target)
            force_folder(target.parent)
    return size


def _ordered(paths: Iterable[Path]) -> list[Path]:
    """Return the files as they are written: data, metadata, the manifest."""
    return sorted(paths, key=lambda path: (path.name == MANIFEST, path.name.startswith("_"), path.name))


def _add(packed: zipfile.ZipFile, path: Path) -> None:
    info = plain_entry(path.name, path.stat().st_size)
    is_packed = path.name.endswith(_PACKED)
    info.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
    with path.open("rb") as source, packed.open(info, "w") as entry:
        shutil.copyfileobj(source, entry, naming.MIB)
