"""What is very long, very wide, or not there at all."""

from __future__ import annotations

import gzip
import subprocess
import sys

import pytest

from component import naming
from component.formats.csv.dialect import Dialect
from component.formats.csv.read import CsvReader
from component.formats.csv.source import CsvSplit
from component.formats.csv.split import ByteRange
from component.tables.types import Column, TypeName
from tests.formats.csv.reading import (
    BOM,
    Cut,
    parse_split,
    parse_splits,
    read_file,
    schema_of,
    splits_of,
    text_schema,
    values_of,
)

REAL = Cut(naming.SPLIT_BYTES, naming.BLOCK_BYTES)
LINE = 'line, with ""doubled"" and ünïcode\r\n'
HUGE = LINE * 550_000


def rows_of(path, width: int, cut: Cut, *, packed: bool = False) -> list[tuple]:
    splits = splits_of(path, Dialect(), cut, gzip=packed)
    return [row for one in parse_splits(CsvReader(text_schema(width), Dialect()), splits) for row in values_of(one)]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_cell_of_20_mb_is_read_whole(tmp_path, packed):
    small = "1,before\n" * 100_000
    data = f'{small}2,"{HUGE}"\n3,after\n'.encode()
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(data, 1, mtime=0) if packed else data)
    rows = rows_of(path, 2, REAL, packed=packed)
    assert len(rows) == 100_002
    assert rows[100_000] == ("2", HUGE.replace('""', '"'))
    assert rows[100_001] == ("3", "after")


def test_a_cell_over_many_splits_is_read_whole(tmp_path):
    path = tmp_path / "t.csv"
    text = LINE * 8_000
    path.write_bytes(f'1,a\n2,"{text}"\n3,b\n'.encode())
    assert rows_of(path, 2, Cut(10_000, 1_000)) == [("1", "a"), ("2", text.replace('""', '"')), ("3", "b")]


@pytest.mark.parametrize("text", ["never closed", "closed too late"])
def test_a_record_over_the_real_limit_is_an_error_and_memory_stays_bounded(tmp_path, text):
    path = tmp_path / "t.csv"
    with path.open("wb") as file:
        file.write(b'1,a\n2,"')
        for _ in range(136):
            file.write(b"0123456789 line\n" * (naming.MIB // 16))
        file.write(b'"\n3,b\n' if text == "closed too late" else b"\n3,b\n")
    child = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True, timeout=120
    )
    code, row, megabytes = child.stdout.split()
    assert (code, row) == ("csv.unclosed_quote", "2")
    assert int(megabytes) < 500


MEASURE = """
import resource, sys
from pathlib import Path
from component.errors import UserError
from component.formats.csv.dialect import Dialect
from component.formats.csv.read import CsvReader
from tests.formats.csv.reading import Cut, parse_splits, splits_of, text_schema
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    parse_splits(CsvReader(text_schema(2), Dialect()), splits_of(Path(sys.argv[1]), Dialect(), Cut(2**26, 2**24)))
except UserError as error:
    print(error.code, error.place.row, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_500_columns(tmp_path):
    path = tmp_path / "t.csv"
    rows = [[f'{row}"{at}\n' if at % 7 == 0 else str(row * at) for at in range(500)] for row in range(50)]
    path.write_text("".join(f"{Dialect().join(row)}\n" for row in rows))
    assert read_file(path, text_schema(500), Dialect(), Cut(20_000, 3_000)) == rows


@pytest.mark.parametrize("terminator", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("cut", [Cut(1, 1), Cut(3, 2), Cut(100, 100)], ids=str)
def test_an_empty_line_is_a_row_with_an_empty_cell_in_one_column_only(tmp_path, terminator, cut):
    path = tmp_path / "t.csv"
    path.write_bytes(terminator.join(["a", "", "", '""', "b", ""]).encode())
    one = [
        row
        for parsed in parse_splits(CsvReader(text_schema(1), Dialect()), splits_of(path, Dialect(), cut))
        for row in parsed.rows["c0"].to_pylist()
    ]
    assert one == ["a", None, None, "", "b"]
    path.write_bytes(terminator.join(["a,b", "", "", '"",', "c,", ""]).encode())
    assert read_file(path, text_schema(2), Dialect(), cut) == [["a", "b"], ["", ""], ["c", ""]]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    ("data", "header"),
    [
        (b"", False),
        (b"", True),
        (BOM, False),
        (BOM, True),
        (b"a,b", True),
        (b"a,b\n", True),
        (BOM + b'"a","b"\r\n', True),
    ],
)
def test_without_records_there_are_no_rows(tmp_path, data, header, packed):
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(data, mtime=0) if packed else data)
    splits = splits_of(path, Dialect(), Cut(header=header), gzip=packed)
    parsed = parse_splits(CsvReader(text_schema(2), Dialect()), splits)
    assert sum(one.records for one in parsed) == 0


def test_a_mark_belongs_to_the_file_and_not_to_its_cells(tmp_path):
    path = tmp_path / "t.csv"
    text = "\ufeffa,\ufeffb\n\ufeffc,\ufeff\n" * 3
    path.write_bytes(BOM + text.encode())
    for size in range(1, 40):
        rows = read_file(path, text_schema(2), Dialect(), Cut(size, size))
        assert rows == [["\ufeffa", "\ufeffb"], ["\ufeffc", "\ufeff"]] * 3


def test_bytes_that_mean_something_elsewhere_are_text(tmp_path):
    path = tmp_path / "t.csv"
    cells = ["\x01", "\x1a", "\x1c", "\x85", "\u2028", "\\", "\\n", "\\N", "#", "--", "'", "NULL", "\x7f"]
    path.write_bytes("".join(f"{cell},x\n" for cell in cells).encode())
    assert read_file(path, text_schema(2), Dialect(), Cut(9, 4)) == [[cell, "x"] for cell in cells]


def test_a_file_that_shrinks_while_it_is_read_gives_what_is_left(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"1,a\n2,b\n")
    split = CsvSplit("t", "s", path, False, ByteRange(0, 80))
    schema = schema_of(Column("n", TypeName.INTEGER), Column("t"))
    assert sum(one.records for one in parse_split(CsvReader(schema, Dialect()), split, alone=True)) == 2
