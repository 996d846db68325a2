"""Every table of the nasty folder gives its values, in splits of any size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from component.formats.csv.dialect import Dialect
from component.formats.csv.read import CsvReader
from component.formats.csv.source import CsvSplit, read_header
from component.tables.types import Column, TableSchema, TypeName
from tests.folders.nasty import make_nasty_folder
from tests.folders.nasty_layout import NastyTable
from tests.folders.nasty_tables import nasty_tables
from tests.folders.plain_types import first_difference
from tests.formats.csv.reading import PLACE, Cut, parse_splits, splits_of

TABLES = {table.name: table for table in nasty_tables()}
SMALL = [name for name in TABLES if name != "huge-cell.csv"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return make_nasty_folder(tmp_path_factory.mktemp("nasty") / "data").root / "in" / "tables"


def read(folder: Path, table: NastyTable, cut: Cut) -> list[tuple[Any, ...]]:
    columns = zip(table.columns, table.types, strict=True)
    schema = TableSchema(tuple(Column(name, TypeName(type_name)) for name, type_name in columns))
    dialect = Dialect(table.layout.delimiter, table.layout.enclosure)
    parsed = [
        one
        for path in files(folder / table.name)
        for one in parse_splits(CsvReader(schema, dialect), slice_splits(path, table, dialect, cut))
    ]
    return [row for one in parsed for row in zip(*(column.to_pylist() for column in one.rows.columns), strict=True)]


def files(path: Path) -> list[Path]:
    return sorted(path.glob("[!.]*")) if path.is_dir() else [path]


def slice_splits(path: Path, table: NastyTable, dialect: Dialect, cut: Cut) -> list[CsvSplit]:
    packed = path.read_bytes()[:2] == b"\x1f\x8b"
    header = table.header and not table.slices
    if header:
        assert read_header(path, dialect, gzip=packed, place=PLACE)[0] == table.columns
    return splits_of(path, dialect, Cut(cut.split_bytes, cut.block_bytes, header), gzip=packed)


@pytest.mark.parametrize("cut", [Cut(11, 5), Cut(64, 100), Cut(1000, 300), Cut(10**8, 10**7)], ids=str)
@pytest.mark.parametrize("name", SMALL)
def test_every_table_gives_its_values(folder, name, cut):
    if len(TABLES[name].cells) * len(TABLES[name].columns) > 5_000:
        cut = Cut(cut.split_bytes * 100, cut.block_bytes * 100)
    assert first_difference(read(folder, TABLES[name], cut), TABLES[name].values) is None


@pytest.mark.parametrize("cut", [Cut(10**6, 10**5), Cut(2**26, 2**24)], ids=str)
def test_the_huge_cell_is_read_whole(folder, cut):
    table = TABLES["huge-cell.csv"]
    assert first_difference(read(folder, table, cut), table.values) is None
