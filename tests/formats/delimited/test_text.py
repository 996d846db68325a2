"""Bytes of every encoding become the same text, however they are cut; what cannot be decoded is said by its byte."""

from __future__ import annotations

import codecs
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.formats.delimited.dialect import ENCODINGS, DelimitedDialect
from component.formats.delimited.source import ByteSource
from component.formats.delimited.text import Utf8Text
from tests.formats.delimited.reading import encoded

characters = st.text(st.sampled_from("ab,\n\ré€ł日\U0001f389\ufeff\ufffe\0"), max_size=20)


def read(data: bytes, encoding: str, *, piece: int = 5, offset: int = 0) -> tuple[str, Utf8Text]:
    text = Utf8Text(ByteSource(io.BytesIO(data)), DelimitedDialect(encoding=encoding), offset=offset)
    pieces = []
    while got := text.read(piece):
        got.decode()
        pieces.append(got)
    return b"".join(pieces).decode(), text


@given(text=characters, encoding=st.sampled_from(list(ENCODINGS)), piece=st.integers(1, 9))
def test_text_of_any_encoding_comes_back_whole(text: str, encoding: str, piece: int) -> None:
    text = text.lstrip("\ufeff").encode(ENCODINGS[encoding], "ignore").decode(ENCODINGS[encoding])
    found, reader = read(encoded(text, DelimitedDialect(encoding=encoding)), encoding, piece=piece)
    assert (found, reader.fault) == (text, None)


@given(data=st.binary(max_size=20), encoding=st.sampled_from(["UTF8", "UTF16LE", "UTF16BE", "LATIN1", "CP1252"]))
def test_any_bytes_are_decoded_up_to_the_first_that_cannot_be(data: bytes, encoding: str) -> None:
    data = b"a\0" + data if encoding == "UTF16LE" else b"\0a" + data if encoding == "UTF16BE" else b"a" + data
    codec = {"UTF16LE": "utf-16-le", "UTF16BE": "utf-16-be"}.get(encoding, ENCODINGS[encoding])
    try:
        expected, byte = data.decode(codec), None
    except UnicodeDecodeError as error:
        expected, byte = data[: error.start].decode(codec), error.start
    found, reader = read(data, encoding)
    assert found == expected
    assert (reader.fault.byte if reader.fault else None) == byte


@pytest.mark.parametrize("encoding", ["UTF8", "UTF8BOM", "UTF16LE", "UTF16BE"])
def test_one_mark_at_the_start_is_no_text(encoding: str) -> None:
    codec = ENCODINGS[encoding]
    assert read("\ufeff\ufeffa\ufeff".encode(codec), encoding)[0] == "\ufeffa\ufeff"
    assert read("a".encode(codec), encoding)[0] == "a"


def test_a_range_further_on_begins_with_no_mark() -> None:
    assert read("\ufeffa".encode(), "UTF8", offset=10)[0] == "\ufeffa"


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
@pytest.mark.parametrize("encoding", ["UTF16", "UTF16BOM"])
def test_the_mark_of_utf16_says_the_order_of_bytes(mark: bytes, encoding: str) -> None:
    codec = "utf-16-le" if mark == codecs.BOM_UTF16_LE else "utf-16-be"
    assert read(mark + "žab\n".encode(codec), encoding)[0] == "žab\n"


def test_utf16_without_a_mark_is_refused_and_without_bytes_is_empty() -> None:
    found, reader = read("ab".encode("utf-16-le"), "UTF16")
    assert found == ""
    assert reader.fault is not None
    assert "byte order mark" in reader.fault.reason
    assert read(b"", "UTF16")[1].fault is None


@pytest.mark.parametrize(
    ("data", "encoding", "byte"),
    [
        (b"\xef\xbb\xbfab\xffcd", "UTF8", 5),
        (b"ab\xc3", "UTF8", 2),
        (b"a\x81", "CP1252", 1),
        (b"\xff\xfea\0\0\xd8b\0", "UTF16", 4),
        (b"a\0b", "UTF16LE", 2),
    ],
)
def test_a_byte_that_cannot_be_decoded_is_named(data: bytes, encoding: str, byte: int) -> None:
    reader = read(data, encoding, piece=3)[1]
    assert reader.fault is not None
    assert reader.fault.byte == byte
