"""The container around Avro's records: its header, where its blocks are, and a part of a file as a file of its own."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

import fastavro

from component.errors import Place, TablemillError, UserError
from component.formats.avro_schema import as_stored
from component.staging.locations import Location, open_seekable, size_of

_MAGIC: Final = b"Obj\x01"
_SYNC_BYTES: Final = 16
_HEADER: Final[dict[str, Any]] = {
    "type": "record",
    "name": "header",
    "fields": [
        {"name": "magic", "type": {"type": "fixed", "name": "magic", "size": len(_MAGIC)}},
        {"name": "meta", "type": {"type": "map", "values": "bytes"}},
        {"name": "sync", "type": {"type": "fixed", "name": "sync", "size": _SYNC_BYTES}},
    ],
}
"""The header of a file as Avro's specification describes it, in Avro's own terms."""


@dataclass(frozen=True, slots=True)
class Header:
    """The schema of a file, the length of its header, and a header for reading its values as they are stored."""

    schema: Any
    as_stored: bytes
    length: int


def read_header(file: BinaryIO, place: Place) -> Header:
    """Return the header of a file that stands at its beginning; UserError `source.format`."""
    with decoding(place):
        if file.read(len(_MAGIC)) != _MAGIC:
            raise UserError("source.format", "The file is no Avro file", place=place)
        file.seek(0)
        found: Any = fastavro.schemaless_reader(file, _HEADER, None)
        length = file.tell()
        schema = json.loads(found["meta"]["avro.schema"])
        found["meta"]["avro.schema"] = json.dumps(as_stored(schema)).encode()
        written = io.BytesIO()
        fastavro.schemaless_writer(written, _HEADER, found)
    return Header(schema, written.getvalue(), length)


def block_starts(file: BinaryIO, header: Header, place: Place) -> Iterator[tuple[int, int]]:
    """Yield where each block begins and ends; UserError `source.format`."""
    file.seek(0, io.SEEK_END)
    end = file.tell()
    start = header.length
    while start < end:
        file.seek(start)
        with decoding(place):
            fastavro.schemaless_reader(file, "long", None)
            size: Any = fastavro.schemaless_reader(file, "long", None)
            stop = file.tell() + size + _SYNC_BYTES
            if size < 0 or stop > end:
                raise EOFError("a block is longer than the file")
        yield start, stop
        start = stop


class Part:
    """Some blocks of a file with a header before them: a whole file for who reads it."""

    def __init__(self, header: bytes, file: BinaryIO, start: int, stop: int) -> None:
        self._header = io.BytesIO(header)
        self._file = file
        self._left = stop - start
        file.seek(start)

    def read(self, size: int) -> bytes:
        """Return as many bytes, fewer only at the end."""
        first = self._header.read(size)
        rest = self._file.read(min(size - len(first), self._left))
        self._left -= len(rest)
        return first + rest


@contextmanager
def opened(location: Location, place: Place) -> Iterator[BinaryIO]:
    """Open a file that is read here and there; UserError `source.format` where that cannot be done."""
    try:
        raw = open_seekable(location)
    except OSError as error:
        raise UserError("source.format", f"The Avro file cannot be read: {error.strerror}", place=place) from error
    with io.BufferedReader(raw) as file:
        yield file


@contextmanager
def decoding(place: Place) -> Iterator[None]:
    """Turn whatever the decoder says of bytes that are no Avro into UserError `source.format`."""
    try:
        yield
    except TablemillError:
        raise
    except Exception as error:  # the decoder has no error of its own: any may come from bytes at random
        said = str(error).splitlines()[:1] or [type(error).__name__]
        raise UserError("source.format", f"The Avro file cannot be read: {said[0]}", place=place) from error


def is_avro(location: Location) -> bool:
    """Say whether a file begins as an Avro file."""
    with open_seekable(location) as file:
        return size_of(location) > len(_MAGIC) and file.read(len(_MAGIC)) == _MAGIC
