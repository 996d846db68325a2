"""Reading as the main job does it, split after split, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from component.errors import Place
from component.formats.csv.dialect import Dialect
from component.formats.csv.read import CsvReader, ReadAgainError
from component.formats.csv.source import CsvSplit, read_header
from component.formats.csv.split import ByteRange, plan_splits
from component.formats.rows import BadRow, Parsed
from component.tables.types import Column, TableSchema

BOM = b"\xef\xbb\xbf"
PLACE = Place(table="t", slice="s")


def text_schema(width: int) -> TableSchema:
    return TableSchema(tuple(Column(f"c{number}") for number in range(width)))


def schema_of(*columns: Column) -> TableSchema:
    return TableSchema(columns)


@dataclass(frozen=True, slots=True)
class Cut:
    """How a file is cut; tiny by default, so that every boundary is met. `header`: the first record is one."""

    split_bytes: int = 7
    block_bytes: int = 5
    header: bool = False


def splits_of(path: Path, dialect: Dialect, cut: Cut, *, gzip: bool = False) -> list[CsvSplit]:
    size = path.stat().st_size
    if gzip:
        whole = ByteRange(0, size)
        return [CsvSplit("t", "s", path, True, whole, skip_header=cut.header, block_bytes=cut.block_bytes)]
    start = len(BOM) if path.read_bytes()[: len(BOM)] == BOM else 0
    if cut.header:
        _, start = read_header(path, dialect, gzip=False, place=PLACE)
    ranges = plan_splits(path, dialect, start=start, split_bytes=cut.split_bytes, threads=2)
    return [CsvSplit("t", "s", path, False, part, start, block_bytes=cut.block_bytes) for part in ranges]


def parse_splits(reader: CsvReader, splits: Sequence[CsvSplit]) -> list[Parsed]:
    """Read all splits of a slice, rows numbered within it; if one is in doubt, all is read again as it says."""
    try:
        parts = [parse_split(reader, split, alone=len(splits) == 1) for split in splits]
    except ReadAgainError as again:
        return parse_split(reader, again.split, alone=True)
    before = [0, *accumulate(sum(one.records for one in part) for part in parts)]
    return [_renumber(one, done) for part, done in zip(parts, before, strict=False) for one in part]


def _renumber(parsed: Parsed, done: int) -> Parsed:
    return replace(parsed, bad=tuple(replace(bad, row=bad.row + done) for bad in parsed.bad))


def parse_split(reader: CsvReader, split: CsvSplit, *, alone: bool) -> list[Parsed]:
    """Read one split, and again as it says; `alone`: there is no other split of its slice."""
    try:
        return list(reader.read(split))
    except ReadAgainError as again:
        if again.whole_slice and not alone:
            raise
        return parse_split(reader, again.split, alone=True)


def read_file(path: Path, schema: TableSchema, dialect: Dialect, cut: Cut, *, gzip: bool = False) -> list[list[Any]]:
    """Return the rows of a file that has no faults, nulls as empty text as Python's csv module has them."""
    parsed = parse_splits(CsvReader(schema, dialect), splits_of(path, dialect, cut, gzip=gzip))
    return [list(row) for one in parsed for row in values_of(one)]


def values_of(parsed: Parsed) -> list[tuple[Any, ...]]:
    """Return the rows that fit, nulls as empty text."""
    columns = [pc.fill_null(column, "") if column.type == pa.string() else column for column in parsed.rows.columns]
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


def bad_rows(parsed: Iterable[Parsed]) -> list[BadRow]:
    """Return the bad rows."""
    return [bad for one in parsed for bad in one.bad]


def bad_numbers(parsed: Iterable[Parsed]) -> list[int]:
    """Return the numbers of the bad rows."""
    return [bad.row for bad in bad_rows(parsed)]
