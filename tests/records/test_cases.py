"""Directories that records-mover wrote, read whole: metadata and rows are what was meant."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest

from component.errors import Place
from component.formats.csv.split import ByteRange
from component.formats.delimited.read import DelimitedReader
from component.formats.delimited.source import DelimitedSplit
from component.formats.parquet import ParquetReader, parquet_splits
from component.records.directory import open_directory
from component.tables.logical import Logical, logical_of
from tests.records.test_archives import KINDS, pack_folder

CASES = Path(__file__).parents[1] / "data" / "records" / "cases"
NAMES = sorted(path.name for path in CASES.iterdir() if path.is_dir())


def rows_of(directory):
    for file in directory.files:
        place = Place(table="case", slice=file.name)
        if directory.dialect is not None:
            reader = DelimitedReader(directory.schema, directory.dialect)
            splits = [DelimitedSplit("case", file.name, file.location, ByteRange(0, file.size))]
        else:
            reader = ParquetReader(directory.schema)
            splits = parquet_splits(file.location, place, split_bytes=1_000_000)
        for split in splits:
            for parsed in reader.read(split):
                yield from parsed.rows.to_pylist()


def plain(value, column):
    """A value as the expected rows have it."""
    if isinstance(value, dt.datetime):
        text = value.isoformat(timespec="microseconds")
        return f"{text}Z" if logical_of(column) is Logical.TIMESTAMPTZ else text
    return value.isoformat() if isinstance(value, dt.date) else value


def meant(name):
    return json.loads((CASES / f"{name}.expected.json").read_text(encoding="utf-8"))["rows"]


def read(where, scratch):
    directory = open_directory(where, scratch, variables={})
    columns = directory.schema.columns
    return [[plain(row[column.name], column) for column in columns] for row in rows_of(directory)]


@pytest.mark.parametrize("name", NAMES)
def test_a_directory_of_the_client_reads_as_it_was_meant(tmp_path, name):
    assert read(CASES / name, tmp_path / "scratch") == meant(name)


@pytest.mark.parametrize("kind", KINDS)
def test_so_does_an_archive_of_one(tmp_path, kind):
    archive = pack_folder(CASES / "bluelabs-plain", tmp_path / "x", kind, "orders/")
    assert read(archive, tmp_path / "scratch") == meant("bluelabs-plain")
