"""Rows that do not fit: found by slice, row, column and value, or rejected while the rest goes through."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import UserError
from component.formats.csv.dialect import Dialect
from component.formats.csv.read import CsvReader
from component.tables.types import Column, NullRule, TableSchema, TypeName
from tests.formats.csv.reading import (
    Cut,
    bad_numbers,
    bad_rows,
    parse_splits,
    schema_of,
    splits_of,
    text_schema,
    values_of,
)
from tests.strategies.csv_text import one_file, write_rfc4180
from tests.strategies.typed_text import columns, fitting_texts

SCHEMA = schema_of(
    Column("text"),
    Column("whole", TypeName.INTEGER),
    Column("exact", TypeName.NUMERIC, "10,2"),
    Column("near", TypeName.FLOAT),
    Column("flag", TypeName.BOOLEAN),
    Column("day", TypeName.DATE),
    Column("time", TypeName.TIMESTAMP),
    Column("czech", TypeName.DATE, formats=("%d.%m.%Y", "%d. %m. %Y")),
)
GOOD = ("a", "1", "2.50", "0.5", "true", "2024-01-31", "2024-01-31 10:00:00", "31.1.2024")
BAD = {
    "whole": ("1.5", "The cell does not fit the type integer"),
    "exact": ("100000000.00", "The cell does not fit the type numeric(10,2)"),
    "near": ("1,5", "The cell does not fit the type float"),
    "flag": ("maybe", "The cell does not fit the type boolean"),
    "day": ("2024-02-30", "The cell does not fit the type date"),
    "time": ("2024-01-31 25:00:00", "The cell does not fit the type timestamp"),
    "czech": ("2024-01-31", "The cell does not fit the type date with the formats %d.%m.%Y, %d. %m. %Y"),
}
CUTS = [Cut(10_000, 10_000), Cut(100, 10_000), Cut(10_000, 100), Cut(70, 40)]


def with_cell(column: str, value: str) -> list[str]:
    return [value if name == column else cell for name, cell in zip(SCHEMA.names, GOOD, strict=True)]


def write(path, rows, *, packed: bool = False) -> None:
    data = write_rfc4180(rows).encode()
    path.write_bytes(gzip.compress(data, mtime=0) if packed else data)


def error_of(reader: CsvReader, splits) -> UserError:
    with pytest.raises(UserError) as caught:
        parse_splits(reader, splits)
    return caught.value


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("cut", CUTS, ids=str)
@pytest.mark.parametrize("column", BAD)
def test_a_cell_that_does_not_fit_is_named_with_place_and_remedy(tmp_path, column, cut, packed):
    value, reason = BAD[column]
    rows = [list(GOOD)] * 7 + [with_cell(column, value)] + [list(GOOD)] * 7
    path = tmp_path / "t.csv"
    write(path, rows, packed=packed)
    splits = splits_of(path, Dialect(), cut, gzip=packed)
    error = error_of(CsvReader(SCHEMA, Dialect()), splits)
    place = error.place
    before = records_before(splits, place.row or 0, 8)
    assert (error.code, error.text) == ("cell.type", reason)
    assert (place.table, place.slice, place.column, place.value) == ("t", "s", column, value)
    assert (place.row or 0) + before == 8
    assert "change the column's type" in error.remedy
    assert "on_bad_row" in error.remedy


def records_before(splits, row: int, wanted: int) -> int:
    """Return the records of the splits before the one in which the row with the wanted number has this number."""
    done = 0
    for split in splits:
        records = sum(parsed.records for parsed in CsvReader(SCHEMA, Dialect(), reject=True).read(split))
        if done + row == wanted and row <= records:
            return done
        done += records
    return -1


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("cut", CUTS, ids=str)
def test_bad_rows_are_rejected_with_number_and_reason_and_the_rest_goes_through(tmp_path, cut, packed):
    rows: list[list[str]] = []
    for column, (value, _) in BAD.items():
        rows += [list(GOOD), with_cell(column, value), list(GOOD)[:5], [*GOOD, "more"]]
    path = tmp_path / "t.csv"
    write(path, rows, packed=packed)
    reader = CsvReader(SCHEMA, Dialect(), reject=True)
    parsed = parse_splits(reader, splits_of(path, Dialect(), cut, gzip=packed))
    assert sum(one.rows.num_rows for one in parsed) == len(BAD)
    assert sum(one.records for one in parsed) == len(rows)
    found = [(bad.row, bad.code, bad.reason, bad.column, bad.value) for bad in bad_rows(parsed)]
    expected: list[tuple[Any, ...]] = []
    for number, (column, (value, reason)) in enumerate(BAD.items()):
        expected += [
            (4 * number + 2, "cell.type", reason, column, value),
            (4 * number + 3, "row.cells", "The row has 5 cells where 8 are expected", None, None),
            (4 * number + 4, "row.cells", "The row has 9 cells where 8 are expected", None, None),
        ]
    assert found == expected


@pytest.mark.parametrize("cut", CUTS, ids=str)
def test_a_row_with_too_few_or_too_many_cells_stops_the_run(tmp_path, cut):
    for row, count in (["a", "b"], 2), (["a", "b", "c", "d"], 4):
        path = tmp_path / "t.csv"
        write(path, [["x", "y", "z"]] * 3 + [row, ["x", "y", "z"]])
        error = error_of(CsvReader(text_schema(3), Dialect()), splits_of(path, Dialect(), cut))
        assert (error.code, error.place.row) == ("row.cells", 4)
        assert error.text == f"The row has {count} cells where 3 are expected"
        assert error.remedy == "Correct the row, or set on_bad_row to reject."


def test_a_row_with_several_faults_is_reported_once_by_its_first_column():
    rows = [["a", "x", "y", "0.5", "maybe", *GOOD[5:]]]
    bad = bad_rows([parse(SCHEMA, write_rfc4180(rows))])
    assert [(one.row, one.column, one.value) for one in bad] == [(1, "whole", "x")]


def parse(schema: TableSchema, text: str):
    from component.formats.csv.parse import Parser

    return Parser(schema, Dialect()).parse(text.encode())


def test_a_rejected_record_reads_back_as_it_was():
    schema = schema_of(Column("a"), Column("n", TypeName.INTEGER), Column("b"), Column("c"))
    text = '"x,y",n,"",\n"say ""hi""","5\n6",z,"a"\nshort,"row, ""too"""\n'
    bad = bad_rows([parse(schema, text)])
    assert [one.record for one in bad] == ['"x,y",n,"",', '"say ""hi""","5\n6",z,a', 'short,"row, ""too"""']


def test_blank_lines_do_not_count_as_rows_but_in_one_column():
    schema = schema_of(Column("n", TypeName.INTEGER), Column("t"))
    assert bad_numbers([parse(schema, "1,a\n\n\r\nx,b\n\n")]) == [2]
    one = schema_of(Column("n", TypeName.INTEGER, null_rule=NullRule.NEVER))
    assert bad_numbers([parse(one, "1\n\nx\n")]) == [2, 3]


@one_file
@given(st.data(), st.lists(columns, min_size=1, max_size=3), st.integers(1, 40), st.integers(1, 40))
def test_typed_rows_are_the_same_in_any_split(tmp_path, data, kinds, split_bytes, block_bytes):
    schema = schema_of(*(named(column, number) for number, column in enumerate([*kinds, Column("last")])))
    pairs = data.draw(st.lists(st.tuples(*(fitting_texts(column) for column in schema.columns)), max_size=6))
    path = tmp_path / "t.csv"
    write(path, [[text for text, _ in row] for row in pairs])
    parsed = parse_splits(CsvReader(schema, Dialect()), splits_of(path, Dialect(), Cut(split_bytes, block_bytes)))
    assert [row for one in parsed for row in values_of(one)] == [tuple(value for _, value in row) for row in pairs]


def named(column: Column, number: int) -> Column:
    return Column(f"c{number}", column.type, column.length, formats=column.formats, null_rule=column.null_rule)


# --- text that is not UTF-8 ---


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("cut", CUTS, ids=str)
@pytest.mark.parametrize("faulty", [b"\xff", b"caf\xe9", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"])
def test_the_first_byte_that_is_not_utf8_is_named(tmp_path, faulty, cut, packed):
    start = "é,ok\n".encode() * 30
    data = start + b"a," + faulty + b"\n" + b"b,\xfe\n" * 10
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(data, mtime=0) if packed else data)
    error = error_of(CsvReader(text_schema(2), Dialect()), splits_of(path, Dialect(), cut, gzip=packed))
    first = len(start) + 2 + (3 if faulty.startswith(b"caf") else 0)
    assert (error.code, error.place.byte, error.place.column) == ("csv.encoding", first, "c1")
    assert error.remedy == "Save the file as UTF-8, name its encoding, or set on_bad_row to reject."


@pytest.mark.parametrize("cut", CUTS, ids=str)
def test_rows_that_are_not_utf8_are_rejected_and_the_rest_goes_through(tmp_path, cut):
    path = tmp_path / "t.csv"
    path.write_bytes("á,1\n".encode() + b"\xff,2\n" + b"b,\xe9x\nc\xe1,d,e\n" + "č,3\n".encode() * 40 + b"d,\xfe")
    schema = schema_of(Column("t"), Column("n", TypeName.INTEGER))
    parsed = parse_splits(CsvReader(schema, Dialect(), reject=True), splits_of(path, Dialect(), cut))
    assert [row for one in parsed for row in values_of(one)] == [("á", 1)] + [("č", 3)] * 40
    assert [(bad.row, bad.code, bad.column, bad.record) for bad in bad_rows(parsed)] == [
        (2, "csv.encoding", "t", "\ufffd,2"),
        (3, "csv.encoding", "n", "b,\ufffdx"),
        (4, "row.cells", None, "c\ufffd,d,e"),
        (45, "csv.encoding", "n", "d,\ufffd"),
    ]


# --- damaged gzip streams ---


@pytest.mark.parametrize("header", [False, True])
def test_a_gzip_stream_that_ends_early_is_an_error_wherever_it_ends(tmp_path, header):
    packed = gzip.compress(b"".join(b"%d,%d\n" % (number, number * number) for number in range(3000)), mtime=0)
    path = tmp_path / "t.csv.gz"
    for kept in [1, 2, 9, 10, 11, 20, len(packed) // 2, len(packed) - 9, len(packed) - 8, len(packed) - 1]:
        path.write_bytes(packed[:kept])
        splits = splits_of(path, Dialect(), Cut(block_bytes=1000, header=header), gzip=True)
        error = error_of(CsvReader(text_schema(2), Dialect(), reject=True), splits)
        assert (error.code, error.place.slice) == ("gzip.truncated", "s")
        assert "again" in error.remedy


@pytest.mark.parametrize("at", [0, 2, 3, 300, -8, -5, -4, -1])
def test_a_damaged_gzip_stream_is_an_error(tmp_path, at):
    packed = bytearray(gzip.compress(b"".join(b"%d,%d\n" % (n, n * n % 7919) for n in range(3000)), mtime=0))
    packed[at] ^= 0xFF
    path = tmp_path / "t.csv.gz"
    path.write_bytes(packed)
    splits = splits_of(path, Dialect(), Cut(block_bytes=1000), gzip=True)
    error = error_of(CsvReader(text_schema(2), Dialect(), reject=True), splits)
    assert error.code in {"gzip.truncated", "csv.unclosed_quote"}


def test_a_second_member_that_is_damaged_is_an_error(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" * 10, mtime=0) + gzip.compress(b"c,d\n" * 1000, mtime=0)[:-5])
    splits = splits_of(path, Dialect(), Cut(block_bytes=10), gzip=True)
    assert error_of(CsvReader(text_schema(2), Dialect()), splits).code == "gzip.truncated"
