"""What the platform sees in out/tables: sources (files and directories) and manifests, as plain values.

Reference keboola 6.2 and 4.6: only entries directly in the folder count; dot files and directories of version control
are invisible; a regular file `*.manifest` (in this case) is a manifest, a directory of that name is nothing, any other
entry is a source, and a directory is a sliced table whose regular files are its slices.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from component.errors import Place, UserError
from component.naming import MANIFEST_SUFFIX

VERSION_CONTROL_FOLDERS: Final = frozenset(
    {".svn", "_svn", "CVS", "_darcs", ".arch-params", ".monotone", ".bzr", ".git", ".hg"}
)
"""Directories that the platform's file search skips, whatever is in them."""


@dataclass(frozen=True, slots=True)
class OutSlice:
    """One slice of a sliced table; `size` in bytes as it lies on disk."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class OutSource:
    """One table to load: a file, or a directory of slices. `size` is in bytes, of all slices together."""

    name: str
    sliced: bool = False
    size: int = 0
    slices: tuple[OutSlice, ...] = ()


@dataclass(frozen=True, slots=True)
class OutManifest:
    """One manifest file, unread: `name` ends in `.manifest`."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class OutListing:
    """The visible content of out/tables. Sources and manifests are in the order in which they are loaded and checked.

    `root` is the data folder as the platform's messages name it.
    """

    root: str
    sources: tuple[OutSource, ...] = ()
    manifests: tuple[OutManifest, ...] = ()


def list_outputs(out_tables: Path) -> OutListing:
    """Return what the platform would load from `<data>/out/tables`, sorted by the bytes of the names.

    The platform takes the order of the file system, which is undefined; sorted is one of the orders it may take. A
    folder that does not exist holds nothing. UserError `source.manifest` for a manifest that cannot be read.
    """
    sources: list[OutSource] = []
    manifests: list[OutManifest] = []
    for entry in _visible(out_tables):
        if not entry.name.endswith(MANIFEST_SUFFIX):
            sources.append(_source(entry))
        elif entry.is_file():
            manifests.append(OutManifest(entry.name, _read(entry)))
    return OutListing(str(out_tables.parent.parent), tuple(sources), tuple(manifests))


def _visible(folder: Path) -> Iterator[os.DirEntry[str]]:
    if not folder.is_dir():
        return
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
    for entry in entries:
        if not entry.name.startswith(".") and not (entry.name in VERSION_CONTROL_FOLDERS and entry.is_dir()):
            yield entry


def _source(entry: os.DirEntry[str]) -> OutSource:
    if not entry.is_dir():
        return OutSource(entry.name, size=_size(entry))
    # a `*.manifest` inside the directory is uploaded as a slice, as everything else is (reference keboola 4.6)
    slices = tuple(OutSlice(file.name, _size(file)) for file in _visible(Path(entry.path)) if file.is_file())
    return OutSource(entry.name, sliced=True, size=sum(one.size for one in slices), slices=slices)


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat().st_size
    except FileNotFoundError:  # a link that leads nowhere is still a source
        return 0


def _read(entry: os.DirEntry[str]) -> bytes:
    try:
        return Path(entry.path).read_bytes()
    except OSError as error:
        raise UserError(
            "source.manifest",
            f"The manifest {entry.name!r} cannot be read: {error.strerror}",
            place=Place(table=entry.name.removesuffix(MANIFEST_SUFFIX)),
            remedy="Make it readable for the user that runs Tablemill.",
        ) from error
