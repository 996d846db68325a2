"""What to partition on and index, decided from counts: pure functions, so that each reason can be tested.

A partition should be a file worth opening: `FILE_BYTES`, or `ASKED_FILE_BYTES` where outputs ask by the column. An
index should spare most files: a value of the column is expected in at most `MOST_SHARE` of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from component import naming

FILE_BYTES: Final = 32 * naming.MIB
ASKED_FILE_BYTES: Final = 4 * naming.MIB
MOST_PARTITION_COLUMNS: Final = 3
MOST_INDICES: Final = 4
MOST_SHARE: Final = 0.5


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What is known of one column.

    `values` counts distinct values without null, `exact` or about. `partitionable`: its type may be a partition key.
    `fraction`: it holds numbers that are measured rather than counted, which nobody looks up one by one. `asked_for`:
    outputs have predicates on it. `partitions`: the dataset is partitioned by it already.
    """

    name: str
    type: str
    values: int
    exact: bool = True
    has_nulls: bool = False
    partitionable: bool = True
    fraction: bool = False
    asked_for: bool = False
    is_key: bool = False
    partitions: bool = False


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What is known of the rows together; `size` is what they take as Parquet, in bytes.

    `left_out` counts rows that do not fit, of which nothing else is known.
    """

    rows: int
    size: int
    columns: tuple[ColumnFacts, ...]
    exact: bool = True
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do with one column, and why."""

    column: ColumnFacts
    use: str
    reason: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Columns to partition on, columns to index, and the advice for every column, in the order of the table."""

    partition_on: tuple[str, ...]
    secondary_indices: tuple[str, ...]
    files: int
    advice: tuple[Advice, ...]


def suggest(table: TableFacts) -> Suggestion:
    """Return what to partition on and index."""
    chosen, partitions = _choose_partitions(table)
    files = max(partitions, -(-table.size // FILE_BYTES), 1)
    names = {column.name for column in chosen}
    rest = [column for column in table.columns if column.name not in names]
    indexed = _choose_indices(rest, table.rows, files)
    advice = tuple(
        _partition_advice(column, table, partitions)
        if column.name in names
        else _index_advice(column, table.rows, files)
        if column in indexed
        else Advice(column, "", _why_not(column, table, files))
        for column in table.columns
    )
    return Suggestion(tuple(column.name for column in chosen), tuple(column.name for column in indexed), files, advice)


def _choose_partitions(table: TableFacts) -> tuple[list[ColumnFacts], int]:
    """Take columns as long as their combinations leave files of a good size.

    First those that outputs ask for, then those that are partition columns already, then those with many values.
    """
    fit = [column for column in table.columns if _may_partition(column) and column.values <= _room(column, table)]
    fit.sort(key=lambda column: (not column.asked_for, not column.partitions, -column.values))
    chosen: list[ColumnFacts] = []
    partitions = 1
    for column in fit:
        if len(chosen) < MOST_PARTITION_COLUMNS and partitions * column.values <= _room(column, table):
            chosen.append(column)
            partitions *= column.values
    return sorted(chosen, key=lambda column: column.values), partitions


def _may_partition(column: ColumnFacts) -> bool:
    return column.partitionable and not column.has_nulls and not column.fraction and column.values > 1


def _room(column: ColumnFacts, table: TableFacts) -> int:
    """Return how many partitions the table is large enough for."""
    return table.size // (ASKED_FILE_BYTES if column.asked_for else FILE_BYTES)


def _choose_indices(columns: Sequence[ColumnFacts], rows: int, files: int) -> list[ColumnFacts]:
    useful = [column for column in columns if _may_index(column) and share_of_files(column, rows, files) <= MOST_SHARE]
    useful.sort(key=lambda column: (not column.asked_for, not column.is_key, share_of_files(column, rows, files)))
    kept = useful[:MOST_INDICES]
    return [column for column in columns if column in kept]


def _may_index(column: ColumnFacts) -> bool:
    return not column.fraction and column.values > 1


def share_of_files(column: ColumnFacts, rows: int, files: int) -> float:
    """Return the share of files in which one value is expected, if its rows lie anywhere: from 1/files to 1."""
    if files < 2 or not column.values:
        return 1.0
    each = rows / column.values
    return float(1 - (1 - 1 / files) ** each) if each > 1 else 1 / files


def _partition_advice(column: ColumnFacts, table: TableFacts, partitions: int) -> Advice:
    asked = "outputs ask by it, and its " if column.asked_for else "its "
    size = _bytes(table.size // partitions)
    return Advice(column, "partition", f"{asked}{_count(column)} leave partitions of about {size}")


def _index_advice(column: ColumnFacts, rows: int, files: int) -> Advice:
    share = share_of_files(column, rows, files)
    asked = "outputs ask by it, and " if column.asked_for else ""
    return Advice(column, "index", f"{asked}a value is in about {max(1, round(share * files))} of {files:,} files")


def _why_not(column: ColumnFacts, table: TableFacts, files: int) -> str:
    if column.values <= 1:
        return "it has one value at most"
    if column.fraction:
        return "it is measured, and seldom asked for by equality"
    return _why_no_partition(column, table) or _why_no_index(column, table, files)


def _why_no_partition(column: ColumnFacts, table: TableFacts) -> str:
    """Return why a column does not partition; nothing where it has too many values for that."""
    if column.values > _room(column, table):
        return ""
    if column.has_nulls:
        return "it has nulls, which no partition can hold"
    return "other columns divide the table better" if column.partitionable else f"{column.type} is no partition key"


def _why_no_index(column: ColumnFacts, table: TableFacts, files: int) -> str:
    if files < 2:
        return f"all rows make one file of about {_bytes(table.size)}: there is nothing to skip"
    if share_of_files(column, table.rows, files) > MOST_SHARE:
        return "each value is in most files, and a partition for each would be too small"
    return "other columns serve better"


def _count(column: ColumnFacts) -> str:
    return f"{'' if column.exact else 'about '}{column.values:,} values"


def _bytes(size: int) -> str:
    if size >= naming.GIB:
        return f"{size / naming.GIB:.1f} GiB"
    return f"{size / naming.MIB:.1f} MiB" if size >= naming.MIB else f"{max(1, size // naming.KIB)} KiB"
