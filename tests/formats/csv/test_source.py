from __future__ import annotations

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component import naming
from component.errors import UserError
from component.formats.csv import source
from component.formats.csv.dialect import Dialect
from component.formats.csv.source import ByteStream, CsvSplit, first_byte_not_utf8, open_split, read_header
from component.formats.csv.split import ByteRange
from tests.formats.csv.reading import BOM, PLACE
from tests.strategies.csv_text import dialects, one_file, tables, terminators, write_rfc4180

HEADERS = {
    "plain": (b"a,b\n1,2\n", ("a", "b"), 4),
    "CRLF": (b"a,b\r\n1,2\r\n", ("a", "b"), 5),
    "CR": (b"a,b\r1,2\r", ("a", "b"), 4),
    "mark": (BOM + b"a,b\n", ("a", "b"), 7),
    "mark before an enclosure": (BOM + b'"a","b"\n1,2\n', ("a", "b"), 11),
    "line end in a name": (b'"a\nb",c\n1,2\n', ("a\nb", "c"), 8),
    "doubled enclosure": (b'"a""b",c\n1,2\n', ('a"b', "c"), 9),
    "no line end": (b"a,b", ("a", "b"), 3),
    "no rows": (b"a,b\n", ("a", "b"), 4),
    "one name": (b"only\n", ("only",), 5),
    "an empty name": (b"a,,c\n", ("a", "", "c"), 5),
    "no byte": (b"", (), 0),
    "only a mark": (BOM, (), 3),
    "an empty line": (b"\na,b\n", (), 1),
    "names of two alphabets": ("é,日\n1,2".encode(), ("é", "日"), 7),
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(("data", "names", "end"), HEADERS.values(), ids=HEADERS)
def test_the_header_is_the_first_record(tmp_path, data, names, end, packed):
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(data, mtime=0) if packed else data)
    assert read_header(path, Dialect(), gzip=packed, place=PLACE) == (names, end)


@pytest.mark.parametrize("length", [65_533, 65_534, 65_535, 65_536, 65_537, 200_000])
def test_a_long_header_ends_where_it_ends_wherever_pieces_of_reading_meet(tmp_path, length):
    path = tmp_path / "t.csv"
    record = b"x," * ((length - 3) // 2) + b"y" * (1 + (length - 3) % 2) + b"\r\n"
    assert len(record) == length
    path.write_bytes(record + b"\n1,2")
    names, end = read_header(path, Dialect(), gzip=False, place=PLACE)
    assert (len(names), end) == (record.count(b",") + 1, length)


def test_a_header_in_another_dialect(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"'it''s';\"b\"\n1;2\n")
    assert read_header(path, Dialect(";", "'"), gzip=False, place=PLACE) == (("it's", '"b"'), 12)
    assert read_header(path, Dialect(";", ""), gzip=False, place=PLACE) == (("'it''s'", '"b"'), 12)


def header_error(path, *, packed: bool = False) -> UserError:
    with pytest.raises(UserError) as caught:
        read_header(path, Dialect(), gzip=packed, place=PLACE)
    assert (caught.value.place.table, caught.value.place.slice) == ("t", "s")
    return caught.value


def test_a_header_that_is_not_utf8_says_which_byte(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(BOM + "ab,é".encode() + b"\xff\n1,2\n")
    error = header_error(path)
    assert (error.code, error.place.byte) == ("csv.encoding", 8)
    assert "0xff" in str(error)


def test_a_header_that_is_never_closed_is_an_error_before_memory_runs_out(tmp_path, monkeypatch):
    monkeypatch.setattr(naming, "RECORD_LIMIT", 300_000)
    path = tmp_path / "t.csv"
    path.write_bytes(b'a,"b\n' + b"1,2\n" * 1_000_000)
    error = header_error(path)
    assert error.code == "csv.unclosed_quote"


def test_a_name_that_the_csv_module_refuses_is_an_error_of_the_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a," + b"x" * 200_000 + b"\n")
    assert header_error(path).code == "source.format"


@pytest.mark.parametrize("kept", [1, 5, 12, 20, -4])
def test_a_damaged_gzip_file_has_no_header(tmp_path, kept):
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(b"some header," * 20 + b"\n", mtime=0)[:kept])
    assert header_error(path, packed=True).code == "gzip.truncated"


@one_file
@given(tables(), dialects, terminators, st.booleans(), st.booleans(), st.integers(0, 80))
def test_a_gzip_stream_begins_after_mark_and_header(tmp_path, rows, dialect, terminator, bom, header, middle):
    names = write_rfc4180([["a", "b\nc"]], dialect=dialect, terminator=terminator).encode() if header else b""
    records = write_rfc4180(rows, dialect=dialect, terminator=terminator).encode()
    data = (BOM if bom else b"") + names + records
    path = tmp_path / "t.csv.gz"
    path.write_bytes(
        b"".join(gzip.compress(part, mtime=0) for part in (data[:1], data[1:middle], data[max(1, middle) :]))
    )
    split = CsvSplit("t", "s", path, True, ByteRange(0, path.stat().st_size), skip_header=header)
    with open_split(split, dialect) as stream:
        expected = records if bom or header else records.removeprefix(BOM)
        assert stream.read(len(data) + 1) == expected


def test_a_plain_split_is_its_range_and_no_more(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,2\n3,4\n")
    with open_split(CsvSplit("t", "s", path, False, ByteRange(4, 8), 4), Dialect()) as stream:
        assert stream.read(100) == b"1,2\n"
        assert stream.read(100) == b""


@given(st.binary(max_size=50), st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20))
def test_a_stream_gives_each_byte_once_and_takes_back_what_it_gave(data, steps):
    stream = ByteStream(io.BytesIO(data))
    position = 0
    for size, back in steps:
        piece = stream.read(size)
        assert piece == data[position : position + size]
        kept = max(0, len(piece) - back)
        stream.unread(piece[kept:])
        position += kept
    assert stream.read(len(data)) == data[position:]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@given(data=st.binary(max_size=8) | st.text(max_size=8).map(str.encode), piece=st.integers(1, 5))
def test_the_first_byte_that_is_not_utf8_is_found_wherever_pieces_of_reading_meet(
    tmp_path_factory, packed, data, piece
):
    path = tmp_path_factory.getbasetemp() / "t.csv"
    path.write_bytes(gzip.compress(data, mtime=0) if packed else data)
    split = CsvSplit("t", "s", path, packed, ByteRange(0, path.stat().st_size))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "_READ_BYTES", piece)
        assert first_byte_not_utf8(split) == python_says(data)


def python_says(data: bytes) -> int | None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


def test_the_first_byte_that_is_not_utf8_is_counted_from_the_beginning_of_the_slice(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xff,a\n1,2\n3,\xfe\n")
    split = CsvSplit("t", "s", path, False, ByteRange(8, 12), 4)
    assert first_byte_not_utf8(split) == 10


def test_a_page_of_html_has_no_header(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("<!doctype html>\n<html><body>Not found</body></html>\n")
    with pytest.raises(UserError, match="a page of HTML") as refused:
        read_header(path, Dialect(), gzip=False, place=PLACE)
    assert refused.value.code == "source.format"
