"""What the platform sees in out/tables and out/files, and what it does not, as plain values.

Reference keboola 6.2 and 4.6: only entries directly in the folder count; dot files and directories of version control
are invisible; a regular file `*.manifest` (in this case) is a manifest, a directory of that name is nothing, any other
entry is a source, and a directory is a sliced table whose regular files are its slices. In out/files directories are
nothing at all (reference keboola 5).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from component.config.json_text import JsonFaultError, read_document_file
from component.errors import Place, UserError
from component.naming import MANIFEST_SUFFIX

VERSION_CONTROL_FOLDERS: Final = frozenset(
    {".svn", "_svn", "CVS", "_darcs", ".arch-params", ".monotone", ".bzr", ".git", ".hg"}
)
"""Directories that the platform's file search skips, whatever is in them."""

HEAD_BYTES: Final = 4096
"""How much of each table is read, for what its first line tells."""


class UnseenKind(StrEnum):
    """Why the platform does not see an entry."""

    DOT = "dot"
    VERSION_CONTROL = "version_control"
    MANIFEST_FOLDER = "manifest_folder"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class Unseen:
    """An entry that is there and takes no part; `path` is relative to the folder, with `/` between the parts."""

    path: str
    kind: UnseenKind


@dataclass(frozen=True, slots=True)
class OutSlice:
    """One slice of a sliced table; `size` in bytes as it lies on disk."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class OutSource:
    """One table to load: a file, or a directory of slices. `size` is in bytes, of all slices together.

    `head` are the first bytes of the file, or of the first slice, as they are on disk; empty where nobody looked.
    """

    name: str
    sliced: bool = False
    size: int = 0
    slices: tuple[OutSlice, ...] = ()
    head: bytes = field(default=b"", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class OutManifest:
    """One manifest file, unread: `name` ends in `.manifest`."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class OutListing:
    """The content of out/tables. Sources and manifests are in the order in which they are loaded and checked.

    `root` is the data folder as the platform's messages name it.
    """

    root: str
    sources: tuple[OutSource, ...] = ()
    manifests: tuple[OutManifest, ...] = ()
    unseen: tuple[Unseen, ...] = ()


@dataclass(frozen=True, slots=True)
class OutFile:
    """One file to upload; `size` in bytes."""

    name: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class FileListing:
    """The content of out/files: regular files, the manifests beside them, and what the platform does not see."""

    root: str
    files: tuple[OutFile, ...] = ()
    manifests: tuple[OutManifest, ...] = ()
    unseen: tuple[Unseen, ...] = ()


def list_outputs(out_tables: Path) -> OutListing:
    """Return what the platform would load from `<data>/out/tables`, sorted by the bytes of the names.

    The platform takes the order of the file system, which is undefined; sorted is one of the orders it may take. A
    folder that does not exist holds nothing. UserError `source.manifest` for a manifest that cannot be read.
    """
    sources: list[OutSource] = []
    manifests: list[OutManifest] = []
    unseen: list[Unseen] = []
    for entry in _entries(out_tables, "", unseen):
        if not entry.name.endswith(MANIFEST_SUFFIX):
            sources.append(_source(entry, unseen))
        elif _is_file(entry):
            manifests.append(OutManifest(entry.name, _read(entry)))
        else:
            unseen.append(Unseen(entry.name, UnseenKind.MANIFEST_FOLDER))
    return OutListing(str(out_tables.parent.parent), tuple(sources), tuple(manifests), tuple(unseen))


def list_files(out_files: Path) -> FileListing:
    """Return what the platform would upload from `<data>/out/files`, sorted by the bytes of the names.

    A folder that does not exist holds nothing. UserError `source.manifest` for a manifest that cannot be read.
    """
    files: list[OutFile] = []
    manifests: list[OutManifest] = []
    unseen: list[Unseen] = []
    for entry in _entries(out_files, "", unseen):
        if not _is_file(entry):
            unseen.append(Unseen(entry.name, UnseenKind.FOLDER))
        elif entry.name.endswith(MANIFEST_SUFFIX):
            manifests.append(OutManifest(entry.name, _read(entry)))
        else:
            files.append(OutFile(entry.name, _size(entry)))
    return FileListing(str(out_files.parent.parent), tuple(files), tuple(manifests), tuple(unseen))


def as_files(listing: OutListing) -> FileListing:
    """Return the content of out/tables as a job sees it that uploads tables as files: without directories."""
    files = tuple(OutFile(source.name, source.size) for source in listing.sources if not source.sliced)
    folders = tuple(Unseen(source.name, UnseenKind.FOLDER) for source in listing.sources if source.sliced)
    return FileListing(listing.root, files, listing.manifests, listing.unseen + folders)


def _entries(folder: Path, prefix: str, unseen: list[Unseen]) -> Iterator[os.DirEntry[str]]:
    if not os.path.isdir(folder):  # noqa: PTH112 - a Path raises for what may not be searched
        return
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        raise UserError("source.missing", f"The folder {str(folder)!r} cannot be read: {error.strerror}") from error
    for entry in entries:
        if entry.name in VERSION_CONTROL_FOLDERS and _is_folder(entry):
            unseen.append(Unseen(prefix + entry.name, UnseenKind.VERSION_CONTROL))
        elif entry.name.startswith("."):
            unseen.append(Unseen(prefix + entry.name, UnseenKind.DOT))
        else:
            yield entry


def _source(entry: os.DirEntry[str], unseen: list[Unseen]) -> OutSource:
    if not _is_folder(entry):
        return OutSource(entry.name, size=_size(entry), head=_head(entry))
    slices: list[OutSlice] = []
    head = b""
    # a `*.manifest` inside the directory is uploaded as a slice, as everything else is (reference keboola 4.6)
    for file in _entries(Path(entry.path), f"{entry.name}/", unseen):
        if _is_file(file):
            head = head if slices else _head(file)
            slices.append(OutSlice(file.name, _size(file)))
        else:
            unseen.append(Unseen(f"{entry.name}/{file.name}", UnseenKind.FOLDER))
    return OutSource(entry.name, sliced=True, size=sum(one.size for one in slices), slices=tuple(slices), head=head)


def _is_file(entry: os.DirEntry[str]) -> bool:
    return os.path.isfile(entry)  # noqa: PTH113 - an entry raises for a link that leads to itself


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return os.path.isdir(entry)  # noqa: PTH112 - as above


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat().st_size
    except OSError:  # a link that leads nowhere is still a source
        return 0


def _head(entry: os.DirEntry[str]) -> bytes:
    if not _is_file(entry):  # a pipe would wait for somebody to write
        return b""
    try:
        with Path(entry.path).open("rb", buffering=0) as file:
            return file.read(HEAD_BYTES)
    except OSError:  # whoever loads the table will say so
        return b""


def _read(entry: os.DirEntry[str]) -> bytes:
    try:
        return read_document_file(Path(entry.path))
    except JsonFaultError as fault:
        raise UserError("source.manifest", f"The manifest {entry.name!r} {fault}") from None
    except OSError as error:
        raise UserError(
            "source.manifest",
            f"The manifest {entry.name!r} cannot be read: {error.strerror}",
            place=Place(table=entry.name.removesuffix(MANIFEST_SUFFIX)),
            remedy="Make it readable for the user that runs Tablemill.",
        ) from error
