"""What counts as a difference."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

SHOWN_ROWS: Final = 5


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """How outputs are compared.

    - `tolerance`: numbers are equal when they differ by no more than this times the larger of 1 and their size.
    - `ignored_columns`: `column` or `table:column`, with `*` and `?`; `ignored_tables` and `ignored_files` likewise.
    - `ignored_keys`: keys of manifests, state, usage and result that do not count, at any depth.
    - `ordered`: the order of rows counts, and of slices by name.
    - `ignore_timestamps`: two date-times of ISO 8601 in manifests and documents are equal whatever they say.
    - `empty_is_null`: an empty cell is null also where it is enclosed, as an untyped table in Storage has it.
    - `parquet_content`: Parquet files are compared by their rows instead of by their bytes.
    - `show`: how many rows that differ are shown of each table.
    """

    tolerance: float | None = None
    ignored_columns: tuple[str, ...] = ()
    ignored_tables: tuple[str, ...] = ()
    ignored_files: tuple[str, ...] = ()
    ignored_keys: frozenset[str] = frozenset()
    ordered: bool = False
    ignore_timestamps: bool = False
    empty_is_null: bool = False
    parquet_content: bool = False
    show: int = SHOWN_ROWS

    def takes_table(self, name: str) -> bool:
        """Whether a table is compared."""
        return not _matches(name, self.ignored_tables)

    def takes_file(self, path: str) -> bool:
        """Whether a file is compared."""
        return not _matches(path, self.ignored_files)

    def takes_column(self, table: str, column: str) -> bool:
        """Whether a column of a table is compared."""
        return not _matches(column, self.ignored_columns) and not _matches(f"{table}:{column}", self.ignored_columns)


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
