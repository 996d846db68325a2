"""Every strict reader gives the oracle's rows, or an error; never other rows."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from component import naming
from component.errors import UserError
from component.formats.csv.dialect import Dialect
from component.formats.csv.guess import guess_splits
from component.formats.csv.read import CsvReader
from component.formats.csv.source import CsvSplit, read_header
from component.tables.types import Column, TypeName
from tests.formats.csv.oracle import OracleRecord, code_of, records, rows
from tests.formats.csv.reading import (
    PLACE,
    Cut,
    bad_rows,
    parse_splits,
    read_file,
    schema_of,
    splits_of,
    text_schema,
    values_of,
)
from tests.strategies.csv_text import ANY_DIALECTS, hostile_text, nasty_texts, one_file, rows_with_python

STRAY = 'id,size\n1,5" pipe\n2,"one\r\ntwo"\n3,7"\n4,"a,""b"""\n5,"\r\n"\n'
LENIENT = Dialect(strict=False)
cuts = st.builds(Cut, st.integers(1, 60), st.integers(1, 60))
ways = st.sampled_from(["counted", "guessed", "gzip", "exact"])


def splits(path: Path, dialect: Dialect, cut: Cut, way: str) -> list[CsvSplit]:
    """The splits of a file in one of the ways in which the job cuts it."""
    if way == "gzip":
        path.write_bytes(gzip.compress(path.read_bytes(), 1, mtime=0))
        return splits_of(path, dialect, cut, gzip=True)
    if way == "guessed":
        found = guess_splits(path, dialect, start=0, split_bytes=cut.split_bytes)
        return [CsvSplit("t", "s", path, False, part, block_bytes=cut.block_bytes, guessed=True) for part in found]
    counted = splits_of(path, dialect, cut)
    return [counted[0].whole()] if way == "exact" and counted else counted


@settings(one_file, max_examples=300)
@given(nasty_texts | hostile_text, ANY_DIALECTS, st.integers(1, 4), cuts, ways)
def test_the_rows_are_those_of_the_oracle_and_what_is_rejected_too(tmp_path, text, dialect, width, cut, way):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    expected = rows(text, width, dialect)
    good = [record for record in expected if code_of(record, width) is None]
    reader = CsvReader(text_schema(width), dialect, reject=True)
    parsed = parse_splits(reader, splits(path, dialect, cut, way))
    assert [tuple(row.values()) for one in parsed for row in one.rows.to_pylist()] == [one.values for one in good]
    assert [(bad.row, bad.code) for bad in bad_rows(parsed)] == [
        (number, "csv.unclosed_quote" if record.is_open else code_of(record, width))
        for number, record in enumerate(expected, 1)
        if code_of(record, width)
    ]
    assert [bad.record for bad in bad_rows(parsed) if bad.code != "row.cells"] == [
        text[record.start : record.stop].rstrip("\r\n") for record in expected if record.fault
    ]
    assert sum(one.records for one in parsed) == len(expected)


@settings(one_file, max_examples=100)
@given(nasty_texts, ANY_DIALECTS, st.integers(1, 3), cuts, ways)
def test_without_rejecting_it_is_all_rows_or_the_first_fault(tmp_path, text, dialect, width, cut, way):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    expected = rows(text, width, dialect)
    wrong = [number for number, record in enumerate(expected, 1) if code_of(record, width)]
    reader = CsvReader(text_schema(width), dialect)
    found = splits(path, dialect, cut, way)
    try:
        got = [tuple(row.values()) for one in parse_splits(reader, found) for row in one.rows.to_pylist()]
    except UserError:
        assert wrong  # which row it is, the ledger of a job knows: here an error may come from a wrong cut
    else:
        assert not wrong
        assert got == [record.values for record in expected]


@one_file
@given(st.lists(st.sampled_from([b"a", b",", b"\n", b'"', b"\xff", b"\xc3\xa9", b"\xc3"]), max_size=30), cuts, ways)
def test_bytes_that_are_not_utf8_are_bad_cells_and_hide_no_other_fault(tmp_path, pieces, cut, way):
    data = b"".join(pieces)
    text = data.decode("latin-1")
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    parsed = parse_splits(CsvReader(text_schema(2), Dialect(), reject=True), splits(path, Dialect(), cut, way))
    expected = rows(text, 2)

    def code(record: OracleRecord) -> str | None:
        cells = [cell.encode("latin-1") for cell in record.cells]
        odd = any(cell.decode(errors="ignore").encode() != cell for cell in cells)
        return "csv.unclosed_quote" if record.is_open else code_of(record, 2) or ("csv.encoding" if odd else None)

    assert [(bad.row, bad.code) for bad in bad_rows(parsed)] == [
        (number, code(record)) for number, record in enumerate(expected, 1) if code(record)
    ]
    kept = [tuple(cell.encode() for cell in row) for one in parsed for row in values_of(one)]
    assert kept == [tuple(cell.encode("latin-1") for cell in one.cells) for one in expected if code(one) is None]


@settings(one_file, max_examples=60)
@given(hostile_text.map(lambda text: text.replace("0", "\r\n")), st.integers(1, 3), cuts, ways)
def test_lenient_reading_mends_what_pythons_csv_mends_and_counts_it(tmp_path, text, width, cut, way):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    expected = rows(text, width)
    if any(record.is_open for record in expected):
        expected = expected[:-1]
    parsed = parse_splits(CsvReader(text_schema(width), LENIENT, reject=True), splits(path, LENIENT, cut, way))
    whole = rows_with_python(text[: expected[-1].stop] if expected else "", width)
    assert [list(row) for one in parsed for row in values_of(one)] == [row for row in whole if len(row) == width]
    assert sum(one.mended for one in parsed) == sum(record.fault is not None for record in expected)


@pytest.mark.parametrize("split_bytes", [1, 8, 29, 50])
def test_stray_enclosures_are_text_in_a_lenient_reading_however_it_is_cut(tmp_path, split_bytes):
    path = tmp_path / "t.csv"
    path.write_bytes(STRAY.encode() * 3)
    for block_bytes in range(1, 80, 9):
        got = read_file(path, text_schema(2), LENIENT, Cut(split_bytes, block_bytes))
        assert got == rows_with_python(STRAY * 3, 2)


def test_a_fault_is_named_with_row_column_and_value(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b'1,"a"b\n2,5" pipe\n3,c\0\n"4"x,d\n5,e,f"g\n6,"h\n7,i\n8,"j')
    parsed = parse_splits(CsvReader(text_schema(2), Dialect(), reject=True), splits_of(path, Dialect(), Cut(900, 900)))
    assert [(bad.row, bad.code, bad.column, bad.value) for bad in bad_rows(parsed)] == [
        (1, "csv.after_quote", "c1", '"a"b'),
        (2, "csv.quote_in_cell", "c1", '5" pipe'),
        (3, "csv.nul", "c1", "c\0"),
        (4, "csv.after_quote", "c0", '"4"x'),
        (5, "csv.quote_in_cell", None, 'f"g'),
        (6, "csv.after_quote", "c1", '"h\n7,i\n8,"j'),
    ]


def test_the_rows_after_an_unclosed_enclosure_are_rejected_and_those_before_it_kept(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b'1,a\n2,"b\n3,c\n4,d\n')
    parsed = parse_splits(CsvReader(text_schema(2), Dialect(), reject=True), splits_of(path, Dialect(), Cut(9, 9)))
    assert [row for one in parsed for row in values_of(one)] == [("1", "a")]
    (bad,) = bad_rows(parsed)
    assert (bad.row, bad.code, bad.record) == (2, "csv.unclosed_quote", '2,"b\n3,c\n4,d')
    assert "takes in what follows, 2 lines" in bad.reason
    with pytest.raises(UserError, match=r"row 2, column 'c1'.*on_bad_row"):
        read_file(path, text_schema(2), Dialect(), Cut(9, 9))


def test_a_record_over_the_limit_is_an_error_with_its_row_also_where_rows_are_rejected(tmp_path, monkeypatch):
    monkeypatch.setattr(naming, "RECORD_LIMIT", 2_000)
    path = tmp_path / "t.csv"
    path.write_bytes(b'a,b\nc,5" d\ne,"' + b"line\n" * 1_000 + b'"\ng,h\n')
    with pytest.raises(UserError) as caught:
        parse_splits(CsvReader(text_schema(2), LENIENT, reject=True), splits_of(path, LENIENT, Cut(1_000, 100)))
    assert (caught.value.code, caught.value.place.row) == ("csv.unclosed_quote", 3)


def test_rows_beside_a_fault_are_typed_and_their_own_faults_found(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b'1,5" a,2024-01-01\nx,b,2024-01-02\n3,c,2024-13-01\nx\n\n,d,\n4,"e"f,2024-01-03\n5,g,\n')
    schema = schema_of(Column("n", TypeName.INTEGER), Column("t"), Column("d", TypeName.DATE))
    parsed = parse_splits(CsvReader(schema, Dialect(), reject=True), splits_of(path, Dialect(), Cut(900, 900)))
    assert [row["n"] for one in parsed for row in one.rows.to_pylist()] == [None, 5]
    assert [(bad.row, bad.code, bad.column) for bad in bad_rows(parsed)] == [
        (1, "csv.quote_in_cell", "t"),
        (2, "cell.type", "n"),
        (3, "cell.type", "d"),
        (4, "row.cells", None),
        (6, "csv.after_quote", "t"),
    ]


@one_file
@given(hostile_text, ANY_DIALECTS)
def test_a_header_is_the_first_record_of_the_oracle_or_an_error(tmp_path, text, dialect):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    first = records(text, dialect)[:1]
    if first and first[0].faults:
        with pytest.raises(UserError) as caught:
            read_header(path, dialect, gzip=False, place=PLACE)
        assert caught.value.code in {code for _, code in first[0].faults}
        return
    names, end = read_header(path, dialect, gzip=False, place=PLACE)
    assert names == (() if not first or first[0].is_blank else first[0].cells)
    assert end == (first[0].stop if first else 0)
