"""The files in in/files, and what each one is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from component.folder.layout import DataFolder, entries
from component.folder.magic import is_parquet
from component.folder.manifest import FileManifest, manifest_path
from component.folder.slices import Slice, is_data, slices_of
from component.naming import ARCHIVE_SUFFIX, MANIFEST_SUFFIX

CSV_SUFFIXES: Final = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_WITH_ID: Final = re.compile(r"[0-9]+_(.+)", re.DOTALL)


class FileKind(StrEnum):
    """What a file looks like; only reading it tells whether that is true."""

    PARQUET = "parquet"
    CSV = "csv"
    DATASET_ARCHIVE = "dataset_archive"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file of the input: a file (its own only slice), or a directory of slices (reference keboola 3).

    `name` is that of the file in Storage: from the manifest, else the file's own name without the `{id}_` in front.
    `file_name` is what it is called in the folder.
    """

    file_name: str
    path: Path
    sliced: bool
    slices: tuple[Slice, ...]
    name: str
    kind: FileKind
    id: int | None = None
    tags: tuple[str, ...] = ()
    manifest: FileManifest | None = None
    warnings: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(part.size for part in self.slices)


def input_files(folder: DataFolder) -> tuple[InputFile, ...]:
    """Return the files of a data folder, sorted by their name in it; manifests and dot files are none.

    UserError `source.manifest` for a manifest, `source.format` for a file that cannot be read.
    """
    found = entries(folder.in_files)
    return tuple(_file(path) for path in found if not path.name.endswith(MANIFEST_SUFFIX) and is_data(path))


def _file(path: Path) -> InputFile:
    slices, warnings = slices_of(path)
    beside = manifest_path(path)
    manifest = FileManifest.read(beside) if beside.is_file() else None
    if manifest is None:
        warnings = (*warnings, f"The file {path.name!r} has no manifest: its tags are not known.")
    said = manifest or FileManifest()
    name = said.name or stored_name(path.name)
    kind = _kind(name, slices)
    return InputFile(path.name, path, path.is_dir(), slices, name, kind, said.id, said.tags, manifest, warnings)


def stored_name(file_name: str) -> str:
    """Return the name that a file of the folder has in Storage: what follows `{id}_`, else all of it."""
    found = _WITH_ID.fullmatch(file_name)
    return found[1] if found else file_name


def _kind(name: str, slices: tuple[Slice, ...]) -> FileKind:
    if name.endswith(ARCHIVE_SUFFIX):
        return FileKind.DATASET_ARCHIVE
    if slices and is_parquet(slices[0].path):
        return FileKind.PARQUET
    return FileKind.CSV if name.lower().endswith(CSV_SUFFIXES) else FileKind.OTHER
