"""Reading as the main job does it, split after split, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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


def parse_splits(reader: CsvReader, splits: list[CsvSplit]) -> list[Parsed]:
    """Read all splits of a slice; if one is in doubt, all is read again as it says."""
    try:
        return [parsed for split in splits for parsed in again_if_alone(reader, split, alone=len(splits) == 1)]
    except ReadAgainError as again:
        assert again.whole_slice
        return list(again_if_alone(reader, again.split, alone=True))


def again_if_alone(reader: CsvReader, split: CsvSplit, *, alone: bool) -> list[Parsed]:
    try:
        return list(reader.read(split))
    except ReadAgainError as again:
        if again.whole_slice and not alone:
            raise
        assert again.split != split
        return again_if_alone(reader, again.split, alone=True)


def read_file(path: Path, schema: TableSchema, dialect: Dialect, cut: Cut, *, gzip: bool = False) -> list[list[Any]]:
    """Return the rows of a file; nulls of text columns as empty text, as Python's csv module has them."""
    reader = CsvReader(schema, dialect)
    return [["" if cell is None else cell for cell in row] for row in values(reader, splits_of(path, dialect, cut, gzip=gzip))]


def values(reader: CsvReader, splits: list[CsvSplit]) -> Iterator[tuple[Any, ...]]:
    for parsed in parse_splits(reader, splits):
        assert parsed.rows.schema.equals(reader.schema.arrow)
        yield from zip(*(column.to_pylist() for column in parsed.rows.columns), strict=True)


def rejects(reader: CsvReader, splits: list[CsvSplit]) -> list[BadRow]:
    """Return the bad rows, numbered within the slice."""
    done = 0
    found: list[BadRow] = []
    for split in splits:
        before = done
        for parsed in again_if_alone(replace(reader, reject=True), split, alone=len(splits) == 1):
            found += [replace(bad, row=bad.row + before) for bad in parsed.bad]
            done += parsed.records
    return found
