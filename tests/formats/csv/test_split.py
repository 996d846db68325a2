from __future__ import annotations

import os
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from component.formats.csv.dialect import Dialect
from component.formats.csv.split import ByteRange, find_record_end, last_record_end, plan_splits
from tests.formats.csv.slow import ends_inside, line_ends, record_ends
from tests.strategies.csv_text import bare_dialects, dialects, one_file, tables, terminators, write_rfc4180

texts = st.text(st.sampled_from("ab\"',;\n\r\t|"), max_size=60).map(str.encode)
quotes = st.sampled_from([b'"', b"'", b""])

NASTY = {
    "records within cells": '1,"a\n2,b\n"\n3,"c\n4,d"\n' * 3,
    "doubled enclosures": '"a""b","""",""\n"""\n""",x,y\n' * 3,
    "CRLF": 'a,b\r\n"c\r\nd",e\r\n\r\nf,g\r\n',
    "CR": 'a,b\r"c\rd",e\r\rf,g\r',
    "all three": 'a\n"\r\n"\rb\r\n"\r"\n\n\r\n',
    "no line end at all": "a,b,c",
    "one enclosed cell": '"' + "a\n" * 30 + '"',
    "ends with an enclosed line end": 'a\n"b\n"',
    "only line ends": "\n\r\n\r\r\n\n",
}


def plan(path, dialect: Dialect, split_bytes: int, start: int = 0) -> tuple[ByteRange, ...]:
    return plan_splits(path, dialect, start=start, split_bytes=split_bytes, threads=2)


def expected_cuts(data: bytes, dialect: Dialect, start: int, split_bytes: int) -> list[int]:
    """The first record end after the beginning of each chunk, and the end of the text."""
    ends = [start + end for end in record_ends(data[start:], dialect.quote)]
    begins = range(start, len(data), split_bytes)[1:]
    cuts = {next((end for end in ends if end > begin), len(data)) for begin in begins}
    return sorted(cuts | {len(data)})


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_every_chunk_size_cuts_at_the_first_record_end_of_each_chunk(tmp_path, text):
    data = text.encode()
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    for split_bytes in range(1, len(data) + 2):
        ranges = plan(path, Dialect(), split_bytes)
        assert [part.stop for part in ranges] == expected_cuts(data, Dialect(), 0, split_bytes)
        assert_contiguous(ranges, 0, len(data))


def assert_contiguous(ranges: tuple[ByteRange, ...], start: int, stop: int) -> None:
    assert ranges[0].start == start
    assert ranges[-1].stop == stop
    assert all(before.stop == after.start for before, after in pairwise(ranges))
    assert all(part.size > 0 for part in ranges)


@one_file
@given(tables(), dialects, terminators, st.integers(1, 80))
def test_splits_of_any_table_hold_whole_records_and_cover_all_of_it(tmp_path, rows, dialect, terminator, split_bytes):
    data = b"some,header\n" + write_rfc4180(rows, dialect=dialect, terminator=terminator).encode()
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    start = len(b"some,header\n")
    ranges = plan(path, dialect, split_bytes, start)
    if len(data) == start:
        assert ranges == ()
    else:
        assert_contiguous(ranges, start, len(data))
        assert [part.stop for part in ranges] == expected_cuts(data, dialect, start, split_bytes)


@one_file
@given(texts, bare_dialects, st.integers(1, 80))
def test_without_enclosure_every_line_end_is_a_record_end(tmp_path, data, dialect, split_bytes):
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    stops = [part.stop for part in plan(path, dialect, split_bytes)]
    assert stops == (expected_cuts(data, dialect, 0, split_bytes) if data else [])


@one_file
@given(texts, st.integers(1, 80), st.integers(0, 10))
def test_enclosures_that_do_not_pair_up_make_one_split(tmp_path, data, split_bytes, start):
    path = tmp_path / "t.csv"
    odd = data + b'"' * (1 + data[start:].count(b'"') % 2)
    path.write_bytes(odd)
    assert odd[start:].count(b'"') % 2 or start >= len(odd)
    assert plan(path, Dialect(), split_bytes, start) == ((ByteRange(start, len(odd)),) if start < len(odd) else ())


def test_an_empty_file_has_no_splits(tmp_path):
    (tmp_path / "t.csv").touch()
    assert plan(tmp_path / "t.csv", Dialect(), 1) == ()


def test_a_line_end_of_two_bytes_is_never_cut_where_pieces_of_reading_meet(tmp_path):
    path = tmp_path / "t.csv"
    for length in (64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1):
        data = b"x" * (length - 1) + b"\r\nnext\r\n"
        path.write_bytes(data)
        assert [part.stop for part in plan(path, Dialect(), 1)] == [length + 1, len(data)]


def test_a_cell_over_many_chunks_is_looked_through_once(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_bytes(b'"' + b"line\n" * 400_000 + b'"\nlast\n')
    read: list[int] = []
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda *place: read.append(place[1]) or pread(*place))
    assert len(plan(path, Dialect(), 2_000)) == 2
    assert sum(read) < 2 * path.stat().st_size


@given(texts, quotes, st.booleans())
def test_the_first_record_end_is_that_of_a_slow_reader(piece, quote, inside):
    assume(quote or not inside)
    ends = line_ends(piece, quote, inside=inside)
    end, state = find_record_end(piece, quote, inside=inside)
    if ends:
        assert (end, state) == (ends[0] + 1, False)
    else:
        assert (end, state) == (None, ends_inside(piece, quote, inside=inside))


@given(texts, quotes)
def test_the_last_record_end_is_that_of_a_slow_reader(piece, quote):
    assert last_record_end(piece, quote) == slow_last_end(piece, quote)


def slow_last_end(piece: bytes, quote: bytes) -> int:
    ends = [at + 1 for at in line_ends(piece, quote) if at + 1 < len(piece) or piece[at:] == b"\n"]
    return ends[-1] if ends else 0


@pytest.mark.parametrize("length", [4095, 4096, 4097, 262_143, 266_239, 266_240, 266_241, 600_000])
@pytest.mark.parametrize("cell", [b"x", b'"\n"', b'"\r"', b'"\n""\n"', b'""'])
def test_record_ends_are_found_far_away_however_many_enclosures_lie_between(length, cell):
    cells = cell * (length // len(cell))
    piece = b"first\n" + cells + b"\nlast"
    assert find_record_end(cells + b"\n", b'"', inside=False) == (len(cells) + 1, False)
    assert last_record_end(piece, b'"') == len(piece) - len("last")
    assert last_record_end(b"first\n" + cells, b'"') == len("first\n")
    assert last_record_end(b"first\n" + cells + b'"\n', b'"') == len("first\n")
