"""The bytes of a split as UTF-8, whatever their encoding: whole characters, all valid, without byte order mark."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from component.formats.csv.split import is_utf8
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.source import ByteSource

_MARK: Final = "\ufeff"
_ORDERS: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_UNMARKED: Final = frozenset({"latin-1", "cp1252"})
_LONGEST_CHARACTER: Final = 4

Decode = Callable[[bytes, bool], tuple[bytes, int]]
"""Bytes, and whether they are the last, to UTF-8 and how many of them it took; UnicodeDecodeError."""


@dataclass(frozen=True, slots=True)
class Undecodable:
    """A byte that is no part of a character: where it stands in the decompressed slice, and why."""

    byte: int
    reason: str


class Utf8Text:
    """Reads UTF-8 from bytes of the dialect's encoding that begin at `offset` of their slice.

    A byte order mark at the start of the slice is left out, in every encoding that can have one; UTF16 and UTF16BOM
    must have one, which says the order. What cannot be decoded ends the text, and `fault` says where and why.
    """

    def __init__(self, source: ByteSource, dialect: DelimitedDialect, *, offset: int = 0) -> None:
        self._source = source
        self._codec = dialect.codec
        self._offset = offset
        self._begun = offset > 0
        self._ended = False
        self._held = b""
        self._ready = b""
        self.fault: Undecodable | None = None

    def read(self, size: int) -> bytes:
        """Return UTF-8 of about as many bytes of the source; nothing only at the end."""
        text, self._ready = self._ready, b""
        while not text and not self._ended:
            text = self._next(max(size, _LONGEST_CHARACTER))
        return text

    def unread(self, text: bytes) -> None:
        """Give back what was read last."""
        self._ready = text + self._ready

    def _next(self, size: int) -> bytes:
        data = self._source.read(size)
        self._ended = len(data) < size
        if not self._begun:
            self._begun = True
            data = self._without_mark(data)
        data = self._held + data
        try:
            text, taken = _decoder(self._codec)(data, self._ended)
        except UnicodeDecodeError as error:
            self._fail(error.start, f"Byte 0x{data[error.start]:02x} is not valid {self._codec}: {error.reason}")
            return _decoder(self._codec)(data[: error.start], True)[0]
        self._offset += taken
        self._held = data[taken:]
        return text

    def _without_mark(self, data: bytes) -> bytes:
        """Take the mark off the first bytes; for UTF16 it says the order."""
        if self._codec == "utf-16":
            order = _ORDERS.get(data[:2])
            if order is None:
                if data:
                    self._fail(0, "There is no byte order mark, and UTF16 without one can mean two texts")
                return b""
            self._codec = order
        mark = b"" if self._codec in _UNMARKED else _MARK.encode(self._codec)
        if not mark or not data.startswith(mark):
            return data
        self._offset += len(mark)
        return data[len(mark) :]

    def _fail(self, at: int, reason: str) -> None:
        self.fault = Undecodable(self._offset + at, reason)
        self._ended = True


def _decoder(codec: str) -> Decode:
    if codec == "utf-8":
        return _checked
    return _single_bytes(codec) if codec in _UNMARKED else _utf16(codec)


def _checked(data: bytes, final: bool) -> tuple[bytes, int]:
    """Take UTF-8 as it is, once it is known to be valid."""
    text = data if final else data[: len(data) - _open_character(data)]
    if not is_utf8(text):
        text.decode()
    return text, len(text)


def _open_character(data: bytes) -> int:
    """Return how many bytes at the end are a character that is not complete."""
    for back, byte in enumerate(reversed(data[-3:]), 1):
        if byte >= 0xC0:
            needed = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2
            return back if needed > back else 0
        if byte < 0x80:
            return 0
    return 0


def _single_bytes(codec: str) -> Decode:
    def decode(data: bytes, _: bool) -> tuple[bytes, int]:
        return (data if data.isascii() else data.decode(codec).encode()), len(data)

    return decode


def _utf16(codec: str) -> Decode:
    read = codecs.utf_16_le_decode if codec == "utf-16-le" else codecs.utf_16_be_decode

    def decode(data: bytes, final: bool) -> tuple[bytes, int]:
        text, taken = read(data, "strict", final)
        return text.encode(), taken

    return decode
