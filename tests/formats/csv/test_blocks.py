from __future__ import annotations

import io
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component import naming
from component.formats.csv import blocks as blocks_room
from component.formats.csv.blocks import record_blocks
from component.formats.csv.dialect import Dialect
from component.formats.csv.source import ByteStream
from component.formats.rows import RecordTooLongError
from tests.formats.csv.slow import line_ends
from tests.strategies.csv_text import dialects, tables, terminators, write_rfc4180


def cut(data: bytes, dialect: Dialect, block_bytes: int) -> list[bytes]:
    stream = ByteStream(io.BytesIO(data))
    return [bytes(block) for block in record_blocks(stream, dialect, block_bytes=block_bytes)]


@given(tables(), st.integers(1, 70), st.integers(1, 70), st.sampled_from([b"", b"tail\n"]))
def test_blocks_do_not_depend_on_how_much_was_read_before_their_memory_was_taken(rows, block_bytes, small, tail):
    data = write_rfc4180(rows).encode()

    def framed():
        stream = ByteStream(io.BytesIO(data))
        return [bytes(one) for one in record_blocks(stream, Dialect(), block_bytes=block_bytes, tail=tail)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks_room, "_SMALL", small)
        found = framed()
    assert found == framed()


@given(tables(), dialects, terminators, st.integers(1, 70))
def test_blocks_are_whole_records_one_after_the_other(rows, dialect, terminator, block_bytes):
    data = write_rfc4180(rows, dialect=dialect, terminator=terminator).encode()
    blocks = cut(data, dialect, block_bytes)
    assert b"".join(blocks) == data
    ends = {at + 1 for at in line_ends(data, dialect.quote)}
    stops = [sum(map(len, blocks[: number + 1])) for number in range(len(blocks))]
    assert set(stops[:-1]) <= ends
    assert not any(data[stop - 1 : stop + 1] == b"\r\n" for stop in stops[:-1])


@given(tables(), st.integers(1, 70))
def test_a_block_is_longer_than_asked_for_only_when_a_record_is(rows, block_bytes):
    data = write_rfc4180(rows, terminator="\n").encode()
    ends = [0, *(at + 1 for at in line_ends(data, b'"'))]
    longest = max((after - before for before, after in itertools.pairwise(ends)), default=0)
    assert all(len(block) <= max(block_bytes, 2 * longest) for block in cut(data, Dialect(), block_bytes))


@given(tables(), dialects, terminators, st.integers(1, 70))
def test_a_tail_follows_each_block_and_harms_none(rows, dialect, terminator, block_bytes):
    data = write_rfc4180(rows, dialect=dialect, terminator=terminator).encode().removesuffix(terminator.encode())
    stream = ByteStream(io.BytesIO(data))
    framed = [bytes(block) for block in record_blocks(stream, dialect, block_bytes=block_bytes, tail=b"tail\n")]
    assert all(block.endswith((b"\ntail\n", b"\rtail\n")) for block in framed)
    blocks = [block.removesuffix(b"tail\n") for block in framed]
    assert b"".join(blocks) in {data, data + b"\n"}
    assert (b"".join(blocks) == data) == (data[-1:] in {b"", b"\n", b"\r"})


def test_blocks_use_the_same_memory():
    blocks = record_blocks(ByteStream(io.BytesIO(b"aaa\nbbb\nccc\n")), Dialect(), block_bytes=4)
    first = next(blocks)
    assert bytes(first) == b"aaa\n"
    next(blocks)
    assert bytes(first) == b"bbb\n"


def test_an_empty_stream_has_no_blocks():
    assert cut(b"", Dialect(), 10) == []


@pytest.mark.parametrize("block_bytes", [1, 7, 64, 100])
def test_a_record_of_the_limit_is_read_and_a_longer_one_is_not(monkeypatch, block_bytes):
    monkeypatch.setattr(naming, "RECORD_LIMIT", 64)
    longest = b"x" * 63 + b"\n"
    assert b"".join(cut(longest * 3, Dialect(), block_bytes)) == longest * 3
    with pytest.raises(RecordTooLongError):
        cut(b"a\nx" + longest * 3, Dialect(), block_bytes)
    with pytest.raises(RecordTooLongError):
        cut(b'a\n"' + b"x\n" * 100, Dialect(), block_bytes)
