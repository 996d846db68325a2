"""One contract for what bytes are read from: files, objects of S3, objects of Azure."""

from __future__ import annotations

import gzip
import io
import pickle
import uuid
from pathlib import Path

import pytest

from component.errors import Place
from component.folder.magic import is_gzip, is_parquet, mark_size
from component.folder.manifest_object import ManifestObject
from component.folder.staged import staged_section
from component.formats.csv.dialect import Dialect
from component.formats.csv.guess import guess_splits
from component.formats.csv.source import CsvSplit, open_split, read_header
from component.formats.csv.split import ByteRange
from component.naming import UTF8_BOM
from component.staging import objects
from component.staging.locations import open_location, open_seekable, reading_at, size_of
from component.staging.sliced import find_parts

PLACE = Place(table="t", slice="s")
ROWS = b"".join(b'%d,"a ""quoted"", text\nof two lines",%d\n' % (number, number * 7) for number in range(6000))


@pytest.fixture(params=["file", "s3", "azure"])
def placed(request, tmp_path, monkeypatch):
    """Put bytes somewhere, and return where."""

    def put(data: bytes):
        name = f"{uuid.uuid4()} é+%41.csv"
        if request.param == "file":
            path = tmp_path / name
            path.write_bytes(data)
            return path
        server = request.getfixturevalue(request.param)
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", server.endpoint)
        server.put(name, data)
        staged = staged_section(ManifestObject(server.section(name), Path("m"), Place()))
        parts, warnings = find_parts(staged, "t")
        assert warnings == ()
        return pickle.loads(pickle.dumps(parts[0].object))

    return put


@pytest.fixture
def small_pieces(monkeypatch):
    """Ask for a few bytes at a time, so that small objects take many requests."""
    monkeypatch.setattr(objects, "FIRST_PIECE", 1000)
    monkeypatch.setattr(objects, "LARGEST_PIECE", 30_000)


def test_all_bytes_are_read_in_order(placed, small_pieces):
    location = placed(ROWS)
    assert size_of(location) == len(ROWS)
    with open_location(location) as file:
        assert file.readall() == ROWS
        assert file.read(1) == b""


def test_a_library_can_go_here_and_there_as_in_a_file(placed):
    with open_seekable(placed(ROWS)) as file:
        assert file.seekable()
        assert file.seek(0, io.SEEK_END) == len(ROWS)
        assert file.read(10) == b""
        assert file.seek(-7, io.SEEK_CUR) == len(ROWS) - 7
        assert file.read() == ROWS[-7:]
        assert file.seek(1000) == file.tell() == 1000
        assert file.read(20) == ROWS[1000:1020]
        assert file.tell() == 1020


@pytest.mark.parametrize(("start", "stop"), [(0, 1), (5, 2000), (999, 1001), (100_000, None)])
def test_a_range_begins_where_it_should(placed, small_pieces, start, stop):
    with open_location(placed(ROWS), start, stop) as file:
        wanted = ROWS[start:stop]
        read = b""
        while len(read) < len(wanted):
            read += file.read(len(wanted) - len(read))
    assert read == wanted


def test_bytes_are_read_here_and_there(placed):
    with reading_at(placed(ROWS)) as read_at:
        assert read_at(1000, 50) == ROWS[1000:1050]
        assert read_at(0, 3) == ROWS[:3]
        assert read_at(len(ROWS) - 2, 100) == ROWS[-2:]
        assert read_at(len(ROWS), 10) == read_at(len(ROWS) + 5, 10) == b""


def test_nothing_is_read_of_what_is_empty(placed):
    location = placed(b"")
    with open_location(location) as file, reading_at(location) as read_at:
        assert (size_of(location), file.read(10), read_at(0, 10)) == (0, b"", b"")
    assert guess_splits(location, Dialect(), start=0, split_bytes=10) == ()
    assert read_header(location, Dialect(), gzip=False, place=PLACE) == ((), 0)


@pytest.mark.parametrize(
    ("data", "gzip", "parquet", "mark"),
    [(gzip.compress(b"a", mtime=0), True, False, 0), (b"PAR1....", False, True, 0), (UTF8_BOM + b"a", False, False, 3)],
)
def test_what_it_is_is_known_by_its_first_bytes(placed, data, gzip, parquet, mark):
    location = placed(data)
    assert (is_gzip(location), is_parquet(location), mark_size(location)) == (gzip, parquet, mark)


@pytest.mark.parametrize("packed", [False, True])
def test_a_header_is_read(placed, packed):
    data = UTF8_BOM + b'id,"two\nlines"\n' + ROWS
    names, end = read_header(
        placed(gzip.compress(data, mtime=0) if packed else data), Dialect(), gzip=packed, place=PLACE
    )
    assert (names, end) == (("id", "two\nlines"), 18)


@pytest.mark.parametrize("split_bytes", [1000, 7919, 100_000, 10_000_000])
def test_an_object_is_cut_where_a_file_is(placed, tmp_path, split_bytes):
    path = tmp_path / "same"
    path.write_bytes(ROWS)
    cut = guess_splits(placed(ROWS), Dialect(), start=2, split_bytes=split_bytes)
    assert cut == guess_splits(path, Dialect(), start=2, split_bytes=split_bytes)


def test_splits_hold_all_records_and_nothing_else(placed, small_pieces):
    location = placed(ROWS)
    read = b""
    for part in guess_splits(location, Dialect(), start=0, split_bytes=50_000):
        with open_split(CsvSplit("t", "s", location, False, part), Dialect()) as stream:
            read += stream.read(part.size + 1)
    assert read == ROWS


def test_gzip_is_unpacked_as_it_comes(placed, small_pieces):
    packed = gzip.compress(ROWS[:100_000], compresslevel=0, mtime=0) + gzip.compress(
        ROWS[100_000:], compresslevel=0, mtime=0
    )
    split = CsvSplit("t", "s", placed(packed), True, ByteRange(0, len(packed)))
    with open_split(split, Dialect()) as stream:
        assert stream.read(len(ROWS) + 1) == ROWS


def test_the_whole_slice_is_read_when_a_cut_was_wrong(placed):
    location = placed(ROWS)
    whole = CsvSplit("t", "s", location, False, ByteRange(10, 20), data_start=4, guessed=True).whole()
    assert (whole.range, whole.guessed) == (ByteRange(4, len(ROWS)), False)
