"""The tables in in/tables, and where each one's column names are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from component.errors import Place, UserError
from component.folder.layout import DataFolder, entries
from component.folder.magic import is_gzip
from component.folder.manifest import TableManifest, manifest_path
from component.folder.slices import Slice, is_data, slices_of
from component.folder.staged import staged_secrets
from component.naming import MANIFEST_SUFFIX
from component.staging.buckets import Staged

__all__ = [
    "HeaderMode",
    "InputTable",
    "Slice",
    "header_mode",
    "input_tables",
    "is_gzip",
    "orphaned_manifests",
    "staged_secrets",
]


class HeaderMode(StrEnum):
    """Where the names of the columns are, and whether the first line of each slice is one of names."""

    FIRST_LINE = "first_line"
    """Each slice begins with the names."""
    MANIFEST = "manifest"
    """The names are in the manifest, and every line is a row."""
    SKIP_FIRST_LINE = "skip_first_line"
    """The names are in the manifest; each slice begins with a line that is no row."""
    NONE = "none"
    """There is no manifest, and no line holds names: the configuration does, or columns are numbered."""


@dataclass(frozen=True, slots=True)
class InputTable:
    """One table of the input: a file (its own only slice), or a directory of slices sorted by name.

    `name` is the name of the file or directory as it is; nothing is assumed about a suffix (reference keboola 2.1).
    A table whose data lie in a bucket has `staged`, and no slices until somebody looks there.
    """

    name: str
    path: Path
    sliced: bool
    slices: tuple[Slice, ...]
    manifest: TableManifest | None = None
    warnings: tuple[str, ...] = ()
    staged: Staged | None = None

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(part.size for part in self.slices)


def input_tables(folder: DataFolder) -> tuple[InputTable, ...]:
    """Return the tables of a data folder, sorted by name; dot files are none, and nothing is read but manifests.

    A manifest alone is a table if it says in which bucket the data are; where they are in the folder too, the folder
    counts. UserError `source.manifest` for a manifest that cannot be read.
    """
    found = entries(folder.in_tables)
    tables = [_table(path) for path in found if _is_table(path)]
    staged = [_staged_table(path, TableManifest.read(path)) for path in _orphans(found)]
    return tuple(sorted([*tables, *(table for table in staged if table)], key=lambda table: table.name))


def orphaned_manifests(folder: DataFolder) -> tuple[str, ...]:
    """Return a warning for each manifest in in/tables whose table is not there, nor in a bucket."""
    orphans = [path for path in _orphans(entries(folder.in_tables)) if TableManifest.read(path).staged is None]
    return tuple(f"The manifest {path.name!r} in in/tables has no table beside it and is ignored." for path in orphans)


def header_mode(table: InputTable) -> HeaderMode:
    """Tell where the column names of a delimited table are.

    - `has_header` of the manifest decides first: true means that each slice begins with a line of names (which the
      manifest's `columns` replace where a processor gave them or the table is sliced), false that none does
      (reference keboola 4.1, 4.6).
    - A sliced table has no header (reference keboola 4.6).
    - A plain file of the platform's own input mapping has a header, though its manifest lists `columns` too
      (reference keboola 2.1); a manifest with an id is how we know it.
    - A plain file whose manifest a processor wrote has a header if, and only if, the manifest has no columns
      (reference keboola 1.1, 4.5).
    - Without a manifest, a plain file has a header, unless its cells say that it has none (`formats.detect`).

    UserError `source.manifest` when the names would have to be in the manifest and are not.
    """
    manifest = table.manifest or TableManifest()
    names_count = bool(manifest.columns) and (table.sliced or manifest.is_output_style)
    if manifest.has_header is True:
        return HeaderMode.SKIP_FIRST_LINE if names_count else HeaderMode.FIRST_LINE
    if manifest.has_header is None and not table.sliced and not names_count:
        return HeaderMode.FIRST_LINE
    if manifest.columns:
        return HeaderMode.MANIFEST
    raise UserError(
        "source.manifest",
        "A sliced table has no header, so its manifest must name the columns"
        if table.sliced
        else "The manifest says that the table has no header, but does not name the columns",
        place=Place(table=table.name),
        remedy=f'Add "columns" to {table.name}{MANIFEST_SUFFIX}, or "has_header": true if each file begins with them.',
    )


def _table(path: Path) -> InputTable:
    slices, warnings = slices_of(path)
    beside = manifest_path(path)
    manifest = TableManifest.read(beside) if beside.is_file() else None
    if manifest is None:
        warnings = (*warnings, f"The table {path.name!r} has no manifest: its types and keys are not known.")
    elif manifest.staged is not None:
        where = manifest.staged.bucket.url(manifest.staged.key)
        warnings = (*warnings, f"The table {path.name!r} is read from the folder; its manifest also names {where}.")
    return InputTable(path.name, path, path.is_dir(), slices, manifest, warnings)


def _is_table(path: Path) -> bool:
    """Directories with the suffix of a manifest are neither data nor manifest (reference keboola 6.2)."""
    return not path.name.endswith(MANIFEST_SUFFIX) and is_data(path)


def _orphans(found: tuple[Path, ...]) -> list[Path]:
    tables = {path.name for path in found if _is_table(path)}
    manifests = [path for path in found if path.name.endswith(MANIFEST_SUFFIX) and path.is_file()]
    return [path for path in manifests if path.name.removesuffix(MANIFEST_SUFFIX) not in tables]


def _staged_table(path: Path, manifest: TableManifest) -> InputTable | None:
    if manifest.staged is None:
        return None
    data = path.with_name(path.name.removesuffix(MANIFEST_SUFFIX))
    return InputTable(data.name, data, manifest.staged.sliced, (), manifest, staged=manifest.staged)
