"""The files in in/files, or lying in a folder that a person has without in/ and manifests, and what each one is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from component.errors import UserError
from component.file_types import ARROW, AVRO, BZIP2, CSV, GZIP, PARQUET, PSV, TEXT, TSV, ZSTD, FileType
from component.folder.layout import DataFolder, entries
from component.folder.magic import is_records, kind_of_content
from component.folder.manifest import FileManifest, manifest_path
from component.folder.slices import Slice, is_data, slices_of
from component.folder.staged import names_bucket
from component.naming import ARCHIVE_SUFFIX, CONFIG_FILE, CONFIG_YAML_FILE, CSV_SUFFIXES, MANIFEST_SUFFIX
from component.staging.buckets import Staged


def _any_suffix(*types: FileType) -> str:
    return "|".join(re.escape(suffix) for one in types for suffix in one.suffixes)


_TEXT: Final = re.compile(
    rf"({_any_suffix(CSV, TSV, PSV, TEXT)})({_any_suffix(GZIP, BZIP2, ZSTD)})?$",
    re.IGNORECASE,
)
_WITH_ID: Final = re.compile(r"[0-9]+_(.+)", re.DOTALL)


class FileKind(StrEnum):
    """What a file looks like; only reading it tells whether that is true."""

    PARQUET = "parquet"
    CSV = "csv"
    AVRO = "avro"
    ARROW = "arrow"
    RECORDS = "records"
    DATASET_ARCHIVE = "dataset_archive"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file of the input: a file (its own only slice), or a directory of slices (reference keboola 3).

    `name` is that of the file in Storage: from the manifest, else the file's own name without the `{id}_` in front.
    `file_name` is what it is called in the folder. A file whose data lie in a bucket has `staged` and no slices.
    `lying`: it lies in a folder without in/, where all that looks like a table is read.
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
    staged: Staged | None = None
    lying: bool = False

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(part.size for part in self.slices)


def input_files(folder: DataFolder) -> tuple[InputFile, ...]:
    """Return the files of a data folder, sorted by their name in it; manifests and dot files are none.

    A manifest alone is a file if it says in which bucket the data are. UserError `source.manifest` for a manifest,
    `source.format` for a file that cannot be read.
    """
    if folder.loose:
        return tuple(_file(path, lying=True) for path in lying_in(folder).taken)
    found = entries(folder.in_files)
    paths = [path for path in found if not path.name.endswith(MANIFEST_SUFFIX) and is_data(path)]
    names = {path.name for path in paths}
    manifests = [path for path in found if path.name.endswith(MANIFEST_SUFFIX) and path.is_file()]
    alone = [path for path in manifests if path.name.removesuffix(MANIFEST_SUFFIX) not in names]
    files = [*map(_file, paths), *_staged_files(alone)]
    return tuple(sorted(files, key=lambda file: file.file_name))


def left_out(folder: DataFolder) -> tuple[str, ...]:
    """Return what is to be said of files that lie in a folder without in/ and are not read."""
    return lying_in(folder).told() if folder.loose else ()


def _file(path: Path, *, lying: bool = False) -> InputFile:
    slices, warnings = slices_of(path)
    beside = manifest_path(path)
    manifest = FileManifest.read(beside) if beside.is_file() else None
    if manifest is None and not lying:
        warnings = (*warnings, f"The file {path.name!r} has no manifest: its tags are not known.")
    said = manifest or FileManifest()
    name = said.name or (path.name if lying else stored_name(path.name))
    return InputFile(
        path.name,
        path,
        path.is_dir(),
        slices,
        name,
        _kind(path, name, slices),
        said.id,
        said.tags,
        manifest,
        warnings,
        lying=lying,
    )


def _staged_files(manifests: Iterable[Path]) -> Iterator[InputFile]:
    """Yield the files whose manifests name a bucket; other manifests without a file are never looked at closer."""
    for path in manifests:
        if names_bucket(path):
            said = FileManifest.read(path)
            if said.staged is not None:
                yield _staged_file(path.with_name(path.name.removesuffix(MANIFEST_SUFFIX)), said, said.staged)


def _staged_file(path: Path, said: FileManifest, staged: Staged) -> InputFile:
    name = said.name or stored_name(path.name)
    where = staged.bucket.url(staged.key)
    if name.endswith(ARCHIVE_SUFFIX):
        raise UserError(
            "source.manifest",
            f"The dataset archive {path.name!r} lies in {where}, and is read only from in/files",
            remedy='Configure a "store", or have the component registered with the staging "local".',
        )
    kind = _kind_by_name(name)
    warnings = (f"The file {path.name!r} lies in {where} and is not read.",) if kind is FileKind.OTHER else ()
    return InputFile(path.name, path, staged.sliced, (), name, kind, said.id, said.tags, said, warnings, staged)


def _kind_by_name(name: str) -> FileKind:
    """Return what a file in a bucket is taken for: which ones to look into has to be known before looking."""
    suffix = next((one for one in _KIND_OF_SUFFIX if name.lower().endswith(one)), None)
    if suffix is not None:
        return _KIND_OF_SUFFIX[suffix]
    return FileKind.CSV if name.lower().endswith(CSV_SUFFIXES) else FileKind.OTHER


_KIND_OF_SUFFIX: Final = {
    PARQUET.suffix: FileKind.PARQUET,
    AVRO.suffix: FileKind.AVRO,
    ARROW.suffix: FileKind.ARROW,
}


def is_text(name: str) -> bool:
    """Tell by a file's name whether it is delimited text, packed or not."""
    return _TEXT.search(name) is not None


def stored_name(file_name: str) -> str:
    """Return the name that a file of the folder has in Storage: what follows `{id}_`, else all of it."""
    found = _WITH_ID.fullmatch(file_name)
    return found[1] if found else file_name


def kind_of(path: Path) -> FileKind:
    """Return what a file, or a folder of slices, is taken for without a manifest."""
    return _kind(path, path.name, slices_of(path)[0])


def _kind(path: Path, name: str, slices: tuple[Slice, ...]) -> FileKind:
    if name.endswith(ARCHIVE_SUFFIX):
        return FileKind.DATASET_ARCHIVE
    if is_records(path):
        return FileKind.RECORDS
    found = kind_of_content(slices[0].path) if slices else None
    if found is not None:
        return FileKind(found)
    return FileKind.CSV if _is_csv(name, slices) else FileKind.OTHER


def _is_csv(name: str, slices: tuple[Slice, ...]) -> bool:
    """Tell by the name; a directory may have the name of the archive that it was, as processor-decompress leaves it."""
    names = [part.name for part in slices]
    return name.lower().endswith(CSV_SUFFIXES) or (
        bool(names) and all(one.lower().endswith(CSV_SUFFIXES) for one in names)
    )


READ: Final = re.compile(
    r".+\.(csv|tsv|parquet|avro|arrow|feather|json|jsonl|ndjson|xlsx|xls)(\.(gz|bz2|zst))?", re.IGNORECASE
)
"""Names of files that are tables; others are if their first bytes say so."""
_NOT_INPUT: Final = frozenset({CONFIG_FILE, CONFIG_YAML_FILE, "out"})
_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class Lying:
    """What lies in a folder: files that are read, and names of those that are not, each with the reason."""

    taken: tuple[Path, ...]
    left_out: tuple[tuple[str, str], ...]

    def told(self) -> tuple[str, ...]:
        """Say what is left out, in one sentence; nothing where nothing is."""
        if not self.left_out:
            return ()
        shown = ", ".join(f"{name!r} ({why})" for name, why in self.left_out[:_SHOWN])
        more = f" and {len(self.left_out) - _SHOWN} more" if len(self.left_out) > _SHOWN else ""
        return (f"Left out of the folder: {shown}{more}.",)


def lying_in(folder: DataFolder) -> Lying:
    """Look at a folder without in/. Names with a dot in front, the configuration and out/ are not looked at."""
    taken: list[Path] = []
    left_out: list[tuple[str, str]] = []
    for path in entries(folder.root):
        if path.name in _NOT_INPUT:
            continue
        why = _why_not(path)
        if why:
            left_out.append((path.name, why))
        else:
            taken.append(path)
    return Lying(tuple(taken), tuple(left_out))


def _why_not(path: Path) -> str:
    """Return why a path is not read; empty where it is."""
    if path.is_dir():
        return "" if is_records(path) else "a folder"
    if not path.is_file():
        return "no file"
    if path.stat().st_size == 0:
        return "empty"
    named = READ.fullmatch(path.name) or path.name.endswith(ARCHIVE_SUFFIX)
    return "" if named or kind_of_content(path) or is_records(path) else "neither name nor content says it is a table"
