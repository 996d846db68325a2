"""Enclosures that do not pair up: the rows are still those of Python's csv module."""

from __future__ import annotations

import gzip
import io
import itertools
import time
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from component import naming
from component.errors import UserError
from component.formats.csv.dialect import Dialect
from component.formats.csv.exact import parse_stream
from component.formats.csv.read import CsvReader, ReadAgainError
from component.formats.csv.source import ByteStream, CsvSplit
from component.formats.csv.split import ByteRange, plan_splits
from component.tables.types import Column, TypeName
from tests.formats.csv.reading import (
    BOM,
    Cut,
    bad_numbers,
    bad_rows,
    parse_split,
    parse_splits,
    read_file,
    schema_of,
    splits_of,
    text_schema,
    values_of,
)
from tests.strategies.csv_text import ends_open, hostile_text, one_file, rows_with_python

STRAY = 'id,size\n1,5" pipe\n2,"one\r\ntwo"\n3,7"\n4,"a,""b"""\n5,"\r\n"\n'


def whole(path, *, packed: bool = False, block_bytes: int = 5) -> CsvSplit:
    return CsvSplit("t", "s", path, packed, ByteRange(0, path.stat().st_size), exact=True, block_bytes=block_bytes)


def read_exactly(path, width: int, block_bytes: int, *, reject: bool = False):
    return parse_split(
        CsvReader(text_schema(width), Dialect(), reject), whole(path, block_bytes=block_bytes), alone=True
    )


@one_file
@given(hostile_text.map(lambda text: text.replace("0", "\r\n")), st.integers(1, 3), st.integers(1, 50))
def test_any_text_gives_the_rows_of_pythons_csv_whatever_the_size_of_blocks(tmp_path, text, width, block_bytes):
    assume(not ends_open(text))
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    rows = rows_with_python(text, width)
    parsed = read_exactly(path, width, block_bytes, reject=True)
    assert [list(row) for one in parsed for row in values_of(one)] == [row for row in rows if len(row) == width]
    assert bad_numbers(parsed) == [at for at, row in enumerate(rows, 1) if len(row) != width]
    assert sum(one.records for one in parsed) == len(rows)


@pytest.mark.parametrize("split_bytes", range(1, 60, 7))
def test_stray_enclosures_are_text_in_every_split(tmp_path, split_bytes):
    path = tmp_path / "t.csv"
    path.write_bytes(STRAY.encode() * 3)
    for block_bytes in range(1, 80, 3):
        got = read_file(path, text_schema(2), Dialect(), Cut(split_bytes, block_bytes))
        assert got == rows_with_python(STRAY * 3, 2)


def test_a_split_that_a_stray_enclosure_cut_wrongly_asks_for_the_whole_slice(tmp_path):
    path = tmp_path / "t.csv"
    text = '1,5" pipe\n' + '2,"a\nb"\n' * 10 + '3,6" pipe\n'
    path.write_bytes(b"h\n" + text.encode())
    ranges = plan_splits(path, Dialect(), start=2, split_bytes=20, threads=1)
    assert len(ranges) > 1
    splits = [CsvSplit("t", "s", path, False, part, 2) for part in ranges]
    reader = CsvReader(text_schema(2), Dialect(), reject=True)
    with pytest.raises(ReadAgainError) as caught:
        _ = [list(reader.read(split)) for split in splits]
    assert caught.value.whole_slice
    assert caught.value.split == replace(splits[0], range=ByteRange(2, path.stat().st_size), exact=True)
    rows = [row for one in parse_splits(CsvReader(text_schema(2), Dialect()), splits) for row in values_of(one)]
    assert rows == [tuple(row) for row in rows_with_python(text, 2)]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    ("text", "row"),
    [
        ('a,b\n"c,d\ne,f\n', 2),
        ('"', 1),
        ('a,b\nc,"d\n', 2),
        ('a,b\nc,5" d\ne,"f\n\n\n', 3),
        ('a,b\nx,\n"x,\n', 3),
        ('a,b\n1,2,3\n\n"', 3),
    ],
)
def test_a_cell_that_is_never_closed_is_an_error_with_its_row(tmp_path, text, row, packed):
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    splits = splits_of(path, Dialect(), Cut(1000, 8), gzip=packed)
    with pytest.raises(UserError) as caught:
        parse_splits(CsvReader(text_schema(2), Dialect(), reject=True), splits)
    assert caught.value.code == "csv.unclosed_quote"
    assert (caught.value.place.table, caught.value.place.slice, caught.value.place.row) == ("t", "s", row)
    assert "enclosure" in caught.value.remedy


def test_a_record_over_the_limit_is_an_error_with_its_row(tmp_path, monkeypatch):
    monkeypatch.setattr(naming, "RECORD_LIMIT", 2_000)
    path = tmp_path / "t.csv"
    path.write_bytes(b'a,b\nc,5" d\ne,"' + b"line\n" * 1_000 + b'"\ng,h\n')
    with pytest.raises(UserError) as caught:
        read_file(path, text_schema(2), Dialect(), Cut(1_000, 100))
    assert (caught.value.code, caught.value.place.row) == ("csv.unclosed_quote", 3)


def test_a_long_record_below_the_limit_is_read_in_larger_blocks(tmp_path):
    path = tmp_path / "t.csv"
    text = 'a,5" b\nc,"' + "line\r\n" * 5_000 + '"\ng,h\n'
    path.write_bytes(text.encode())
    assert read_file(path, text_schema(2), Dialect(), Cut(1_000, 100)) == rows_with_python(text, 2)


def test_typed_columns_are_cast_and_bad_rows_found(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b'1,5" a,2024-01-01\nx,b,2024-01-02\n3,c,2024-13-01\n4\n\n,d,\n')
    schema = schema_of(Column("n", TypeName.INTEGER), Column("t"), Column("d", TypeName.DATE))
    parsed = parse_split(CsvReader(schema, Dialect(), reject=True), whole(path), alone=True)
    assert [row["n"] for one in parsed for row in one.rows.to_pylist()] == [1, None]
    assert [(bad.row, bad.code, bad.column, bad.value) for bad in bad_rows(parsed)] == [
        (2, "cell.type", "n", "x"),
        (3, "cell.type", "d", "2024-13-01"),
        (4, "row.cells", None, None),
    ]


@one_file
@given(
    st.lists(st.sampled_from([b"a", b",", b"\n", b'"', b"\xff", b"\xc3\xa9", b"\xc3"]), max_size=20), st.integers(1, 9)
)
def test_text_that_is_not_utf8_keeps_its_other_rows(tmp_path, pieces, block_bytes):
    data = b"".join(pieces)
    text = data.decode("latin-1")
    assume(not ends_open(text))
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    parsed = read_exactly(path, 2, block_bytes, reject=True)
    rows = [[cell.encode("latin-1") for cell in row] for row in rows_with_python(text, 2)]
    kept = [[cell.encode() for cell in row] for one in parsed for row in values_of(one)]
    assert kept == [row for row in rows if len(row) == 2 and all(is_utf8(cell) for cell in row)]
    codes = ["row.cells" if len(row) != 2 else "csv.encoding" for row in rows if row not in kept]
    assert [bad.code for bad in bad_rows(parsed)] == codes


def is_utf8(data: bytes) -> bool:
    return data == data.decode(errors="ignore").encode()


def test_a_mark_inside_the_text_is_kept(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(BOM + BOM + b'a,5"\n' + BOM + b"b,c\n")
    assert read_file(path, text_schema(2), Dialect(), Cut(1000, 3)) == [["\ufeffa", '5"'], ["\ufeffb", "c"]]


class SlowStream(ByteStream):
    """Counts its reads, and takes its time for each."""

    reads = 0

    def read(self, size: int) -> bytes:
        self.reads += 1
        time.sleep(0.002)
        return super().read(size)


@pytest.mark.parametrize("taken", [0, 1, 2])
def test_nobody_reads_ahead_of_rows_that_nobody_wants(taken):
    stream = SlowStream(io.BytesIO(b'1,5" pipe\n' * 10_000))
    rows = parse_stream(stream, text_schema(2), Dialect(), block_bytes=100, latin=False)
    assert [parsed.records for parsed in itertools.islice(rows, taken)] == [10] * taken
    rows.close()
    reads = stream.reads
    time.sleep(0.1)
    assert stream.reads == reads < 1_000
