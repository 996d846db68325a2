"""The files that one table or one sliced file consists of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from component.folder.layout import entries
from component.naming import MANIFEST_SUFFIX


@dataclass(frozen=True, slots=True)
class Slice:
    """One file with rows: its name inside its table, where it is, and its size in bytes."""

    name: str
    path: Path
    size: int


SPARK_MARK: Final = "_SUCCESS"


def slices_of(path: Path) -> tuple[tuple[Slice, ...], tuple[str, ...]]:
    """Return the slices of a file (itself) or of a directory (its files, by name), and warnings about what is left out.

    Sub-directories and dot files are no slices (reference keboola 4.6). Manifests are none either, though the platform
    would upload them: in an input they can only be a leftover. Spark's empty `_SUCCESS` is left out in silence.
    """
    if not path.is_dir():
        return (_slice(path),), ()
    slices, warnings = [], []
    for entry in entries(path):
        if not entry.is_file():
            warnings.append(f"{entry.name!r} in the sliced {path.name!r} is no file and is ignored.")
        elif entry.name.endswith(MANIFEST_SUFFIX):
            warnings.append(f"The manifest {entry.name!r} inside the sliced {path.name!r} is ignored.")
        elif (found := _slice(entry)).size or entry.name != SPARK_MARK:
            slices.append(found)
    return tuple(slices), tuple(warnings)


def is_data(path: Path) -> bool:
    """Tell files and directories (also behind links) from what has no content: dead links, pipes, sockets."""
    return path.is_file() or path.is_dir()


def _slice(path: Path) -> Slice:
    return Slice(path.name, path, path.stat().st_size)
