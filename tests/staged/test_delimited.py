"""Delimited text is cut and read in a bucket as it is in a file."""

from __future__ import annotations

import gzip
import pickle
import uuid
from pathlib import Path

import pytest

from component.errors import Place
from component.folder.manifest_object import ManifestObject
from component.folder.staged import staged_section
from component.formats.delimited.cut import plan_splits
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.read import DelimitedReader, read_header
from component.staging import objects
from component.staging.sliced import find_parts
from component.tables.types import Column, TableSchema

TEXT = b"id,text\n" + b"".join(b"%d,some\\, text\\\nof two lines\n" % number for number in range(3000))
SCHEMA = TableSchema((Column("id"), Column("text")))


@pytest.fixture
def placed(s3, monkeypatch):
    """Put bytes into a bucket, and return the object, read a few bytes at a time."""
    monkeypatch.setattr(objects, "FIRST_PIECE", 1000)
    monkeypatch.setattr(objects, "LARGEST_PIECE", 30_000)
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", s3.endpoint)

    def put(data: bytes):
        name = f"{uuid.uuid4()}.csv"
        s3.put(name, data)
        staged = staged_section(ManifestObject(s3.section(name), Path("m"), Place()))
        return find_parts(staged, "t")[0][0].object

    return put


@pytest.mark.parametrize("compression", [None, "GZIP"])
def test_an_object_gives_the_rows_of_the_file(placed, tmp_path, compression):
    dialect = DelimitedDialect(header_row=True, compression=compression)
    data = gzip.compress(TEXT, mtime=0) if compression else TEXT
    path = tmp_path / "f"
    path.write_bytes(data)
    location = placed(data)
    assert read_header(location, dialect, place=Place("t", "f")) == ("id", "text")
    splits = plan_splits(location, dialect, table="t", name="f", split_bytes=10_000)
    assert len(splits) == (1 if compression else 10)
    assert [split.range for split in splits] == [
        split.range for split in plan_splits(path, dialect, table="t", name="f", split_bytes=10_000)
    ]
    reader = DelimitedReader(SCHEMA, dialect)
    rows = [
        row
        for split in splits
        for parsed in reader.read(pickle.loads(pickle.dumps(split)))
        for row in parsed.rows.to_pylist()
    ]
    assert rows == [{"id": str(n), "text": "some, text\nof two lines"} for n in range(3000)]
