"""Any split of any text gives the rows of Python's csv module."""

from __future__ import annotations

import csv
import gzip
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from component.errors import UserError
from component.formats.csv.dialect import Dialect
from component.formats.csv.read import CsvReader
from component.formats.csv.source import CsvSplit
from component.formats.csv.split import ByteRange
from component.tables.types import TableSchema
from tests.formats.csv.reading import (
    Cut,
    bad_numbers,
    parse_split,
    parse_splits,
    read_file,
    splits_of,
    text_schema,
    values_of,
)
from tests.strategies.csv_text import (
    bare_dialects,
    dialects,
    ends_open,
    hostile_text,
    one_file,
    read_with_python,
    rows_with_python,
    tables,
    terminators,
    write_bare,
    write_rfc4180,
)

cuts = st.builds(Cut, st.integers(1, 60), st.integers(1, 60))
quotings = st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
BOM = "\ufeff"
sound_lines = st.sampled_from(["a,1\n", '"b","2"\r\n', '"c;",""\n', "é,\n", BOM + "f,1\n", ""])
odd_lines = st.sampled_from(["\n", 'x"y,1\n', '"a\nb",1\n', "1\n", "h,1\r", '"i,1\n', "j,1,2\n"])
lines = st.integers(0, 9).flatmap(lambda number: sound_lines if number else odd_lines)
slice_texts = st.tuples(st.lists(lines, max_size=4).map("".join), st.sampled_from(["", "g,3"])).map("".join)


@one_file
@given(tables(), dialects, terminators, quotings, cuts, st.booleans(), st.booleans())
def test_any_split_of_rfc4180_text_gives_the_rows_of_pythons_csv(
    tmp_path, rows, dialect, terminator, quoting, cut, bom, ended
):
    width = len(rows[0]) if rows else 1
    text = write_rfc4180(rows, dialect=dialect, terminator=terminator, quoting=quoting)
    if not ended:
        text = text.removesuffix(terminator)
    path = tmp_path / "t.csv"
    path.write_bytes(((BOM if bom else "") + text).encode())
    expected = rows_with_python(text if bom else text.removeprefix(BOM), width, dialect)
    assert read_file(path, text_schema(width), dialect, cut) == expected


@one_file
@given(tables(), bare_dialects, terminators, cuts)
def test_without_enclosure_every_line_end_ends_a_row(tmp_path, rows, dialect, terminator, cut):
    width = len(rows[0]) if rows else 1
    text = write_bare(rows, dialect, terminator=terminator)
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    expected = rows_with_python(text.removeprefix(BOM), width, dialect)
    assert read_file(path, text_schema(width), dialect, cut) == expected


@one_file
@given(hostile_text, cuts)
def test_lenient_reading_gives_the_rows_of_pythons_csv_or_names_the_fault(tmp_path, text, cut):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    widths = {len(row) for row in read_with_python(text) if row}
    width = max(widths, default=1)
    faults = {"row.cells": len(widths) > 1, "csv.unclosed_quote": ends_open(text)}
    expected = [code for code, is_there in faults.items() if is_there] or [rows_with_python(text, width)]
    assert outcome(path, text_schema(width), cut) in expected


LENIENT = Dialect(strict=False)


def outcome(path: Path, schema: TableSchema, cut: Cut) -> list[list[Any]] | str:
    try:
        return read_file(path, schema, LENIENT, cut)
    except UserError as error:
        return error.code


@one_file
@given(hostile_text, st.integers(1, 3), cuts)
def test_rows_with_a_wrong_count_of_cells_are_rejected_by_number_and_the_rest_goes_through(tmp_path, text, width, cut):
    assume(not ends_open(text))
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    rows = rows_with_python(text, width)
    reader = CsvReader(text_schema(width), LENIENT, reject=True)
    parsed = parse_splits(reader, splits_of(path, LENIENT, cut))
    kept = [list(row) for one in parsed for row in values_of(one)]
    assert kept == [row for row in rows if len(row) == width]
    assert bad_numbers(parsed) == [at for at, row in enumerate(rows, 1) if len(row) != width]


@one_file
@given(tables(), terminators, st.integers(1, 60), st.integers(0, 200), st.booleans(), st.booleans())
def test_a_gzip_stream_is_one_split_with_the_same_rows(tmp_path, rows, terminator, block_bytes, middle, bom, header):
    width = len(rows[0]) if rows else 1
    text = write_rfc4180(rows, terminator=terminator)
    named = write_rfc4180([[f"name {at}" for at in range(width)]], terminator=terminator) if header else ""
    data = ((BOM if bom else "") + named + text).encode()
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(data[:middle], mtime=0) + gzip.compress(data[middle:], mtime=0))
    expected = rows_with_python(text if bom or header else text.removeprefix(BOM), width)
    cut = Cut(block_bytes=block_bytes, header=header)
    assert read_file(path, text_schema(width), Dialect(), cut, gzip=True) == expected


@given(
    st.lists(slice_texts, min_size=1, max_size=6),
    st.booleans(),
    st.sampled_from([1, 2]),
)
def test_slices_that_are_read_together_have_the_rows_that_each_has_by_itself(texts, strict, width):
    reader = CsvReader(text_schema(width), Dialect(strict=strict), reject=True)
    with tempfile.TemporaryDirectory() as folder:
        splits = []
        for number, text in enumerate(texts):
            path = Path(folder) / f"slice-{number}"
            path.write_bytes(text.encode())
            splits.append(CsvSplit("t", path.name, path, gzip=False, range=ByteRange(0, path.stat().st_size)))
        found = reader.read_together(splits)
        event("together" if found else "each")
        if found is not None:
            alone = [parse_split(reader, split, alone=True) for split in splits]
            assert found[1] == [sum(one.records for one in parts) for parts in alone]
            rows = [row for parts in alone for one in parts for row in one.rows.to_pylist()]
            assert found[0].to_pylist() == rows
            assert not any(one.bad or one.mended for parts in alone for one in parts)


def test_small_sound_slices_are_read_together(tmp_path):
    reader = CsvReader(text_schema(2), Dialect())
    splits = []
    for number, data in enumerate([b'\xef\xbb\xbf"1","a"\r\n"2",""\r\n', b"3,b", b"", gzip.compress(b"4,c\n5,d")]):
        path = tmp_path / f"slice-{number}"
        path.write_bytes(data)
        splits.append(CsvSplit("t", path.name, path, gzip=number == 3, range=ByteRange(0, len(data))))
    rows, counts = reader.read_together(splits)
    assert counts == [2, 1, 0, 2]
    assert [tuple(row.values()) for row in rows.to_pylist()] == [
        ("1", "a"),
        ("2", ""),
        ("3", "b"),
        ("4", "c"),
        ("5", "d"),
    ]


@pytest.mark.parametrize(
    "odd", [b'1,"a\nb"\n', b"1,a\rb,c\n", b'1,"a\n', b"1\n", b"1,\xff\n", b"1,a\0\n", b"x" * 70_000]
)
def test_slices_of_which_one_asks_for_care_are_not_read_together(tmp_path, odd):
    splits = []
    for number, data in enumerate([b"1,a\n", odd]):
        path = tmp_path / f"slice-{number}"
        path.write_bytes(data)
        splits.append(CsvSplit("t", path.name, path, gzip=False, range=ByteRange(0, len(data))))
    assert CsvReader(text_schema(2), Dialect()).read_together(splits) is None
