"""Files of lzop 1.04 are read whole; what ends early or is damaged is an error."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lzallright import LZOCompressor

from component.errors import UserError
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.lzop import MAGIC, LzopError, LzopFile
from component.formats.delimited.read import DelimitedReader
from tests.formats.delimited.reading import rows_of, split_of, texts_schema

FILES = Path(__file__).parents[2] / "data" / "records" / "lzop"
NAMES = ["default", "crc32", "best", "unchecked", "two-containers", "stored"]


def unpacked(data: bytes, *, piece: int = 1 << 20) -> bytes:
    file = LzopFile(io.BytesIO(data))
    found = []
    while got := file.read(piece):
        found.append(got)
    return b"".join(found)


def text_of(name: str) -> bytes:
    path = FILES / f"{name}.csv"
    return (path if path.exists() else FILES / "default.csv").read_bytes()


def packed(blocks: list[bytes]) -> bytes:
    """Blocks in a container as lzop writes it, each with the Adler-32 of its text."""
    header = struct.pack(">HHHBBIIIIB", 0x1040, 0x20A0, 0x0940, 1, 5, 1, 0o100644, 0, 0, 0)
    body = b""
    for text in blocks:
        data = LZOCompressor().compress(text)
        data = data if len(data) < len(text) else text
        body += struct.pack(">III", len(text), len(data), zlib.adler32(text)) + data
    return MAGIC + header + struct.pack(">I", zlib.adler32(header)) + body + bytes(4)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("piece", [7, 1 << 20])
def test_a_file_of_lzop_is_read_whole(name: str, piece: int) -> None:
    assert unpacked((FILES / f"{name}.csv.lzo").read_bytes(), piece=piece) == text_of(name)


@pytest.mark.parametrize("name", ["default", "crc32", "best", "unchecked", "stored"])
def test_a_file_that_ends_early_is_an_error(name: str) -> None:
    data = (FILES / f"{name}.csv.lzo").read_bytes()
    for stop in range(1, len(data), 97):
        with pytest.raises(LzopError):
            unpacked(data[:stop])


@pytest.mark.parametrize("name", ["default", "crc32"])
def test_a_flipped_byte_is_an_error(name: str) -> None:
    data = (FILES / f"{name}.csv.lzo").read_bytes()
    for at in range(0, len(data), 31):
        flipped = bytearray(data)
        flipped[at] ^= 0x55
        with pytest.raises(LzopError):
            unpacked(bytes(flipped))


@given(blocks=st.lists(st.binary(min_size=1, max_size=300), max_size=4))
def test_blocks_come_back(blocks: list[bytes]) -> None:
    assert unpacked(packed(blocks)) == b"".join(blocks)


def test_a_block_that_no_lzop_writes_is_refused() -> None:
    data = packed([b"abc"])
    at = len(MAGIC) + 29 + 4
    assert data[at : at + 4] == struct.pack(">I", 3)
    with pytest.raises(LzopError, match="longer"):
        unpacked(data[:at] + struct.pack(">I", 1 << 31) + data[at + 4 :])


def test_rows_are_read_from_an_lzo_file(tmp_path: Path) -> None:
    dialect = DelimitedDialect(compression="LZO")
    data = (FILES / "default.csv.lzo").read_bytes()
    rows = rows_of(DelimitedReader(texts_schema(2), dialect), split_of(tmp_path / "f", data))
    assert rows == [tuple(line.split(",")) for line in text_of("default").decode().splitlines()]
    with pytest.raises(UserError) as raised:
        rows_of(DelimitedReader(texts_schema(2), dialect), split_of(tmp_path / "f", data[:-10]))
    assert raised.value.code == "gzip.truncated"
