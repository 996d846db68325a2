"""Text whose enclosures do not pair up: one stream, with Arrow's own record boundaries."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from threading import Lock
from typing import Any, Final

import pyarrow as pa
import pyarrow.csv as pacsv

from component import naming
from component.formats.csv.careful import as_latin, bytes_options, cast_rows, counting_options
from component.formats.csv.dialect import Dialect
from component.formats.csv.sentinel import SplitIsNotExactError, sentinel_record, sentinel_text, without_sentinel
from component.formats.csv.source import ByteStream
from component.formats.rows import Parsed
from component.tables.types import TableSchema

_READ_BYTES: Final = 1 * naming.MIB
_LEAST_BLOCK: Final = 2
"""Bytes that hold a CR and its LF."""


class LongRecordError(Exception):
    """No record ends within a block after record `row`: the next is longer than the block, or never closed."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


class UnclosedError(Exception):
    """The last cell of the last record, number `row`, is never closed."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


class NotUtf8Error(Exception):
    """The stream is not UTF-8; it can be read with `latin`."""


def parse_stream(
    stream: ByteStream, schema: TableSchema, dialect: Dialect, *, block_bytes: int, latin: bool
) -> Iterator[Parsed]:
    """Parse a stream that begins at a record. Row numbers count from 1 over the whole stream.

    Raises LongRecordError, UnclosedError, and NotUtf8Error unless `latin`. When it ends, nobody reads the stream.
    """
    source = _WithSentinel(stream, sentinel_record(schema, dialect), latin=latin)
    try:
        yield from _parse(source, schema, dialect, block_bytes=block_bytes, latin=latin)
    finally:
        source.stop()


def _parse(
    source: _WithSentinel, schema: TableSchema, dialect: Dialect, *, block_bytes: int, latin: bool
) -> Iterator[Parsed]:
    wrong_count: list[Any] = []
    held = pa.schema([(name, pa.binary()) for name in schema.names]).empty_table()
    done = 0
    try:
        for batch in _batches(source, schema, dialect, wrong_count, block_bytes):
            if held.num_rows:
                taken = _taken(wrong_count, done + held.num_rows)
                parsed = cast_rows(held, taken, schema, dialect, first_row=done + 1, latin=latin)
                done += parsed.records
                yield parsed
            held = pa.Table.from_batches([batch])
    except pa.ArrowInvalid as error:
        if "straddling" not in str(error):
            raise
        raise LongRecordError(done + held.num_rows + len(wrong_count) + 1) from error
    try:
        text = sentinel_text(schema.columns[0], dialect).encode()
        rows = without_sentinel(held, text, wrong_count, done=done)
    except SplitIsNotExactError:
        raise UnclosedError(done + held.num_rows + len(wrong_count)) from None
    yield cast_rows(rows, wrong_count, schema, dialect, first_row=done + 1, latin=latin)


def _batches(
    source: _WithSentinel, schema: TableSchema, dialect: Dialect, wrong_count: list[Any], block_bytes: int
) -> Iterator[pa.RecordBatch]:
    yield from pacsv.open_csv(
        pa.PythonFile(source, "r"),
        read_options=pacsv.ReadOptions(
            use_threads=False, column_names=schema.names, block_size=max(block_bytes, _LEAST_BLOCK)
        ),
        parse_options=counting_options(schema, dialect, wrong_count),
        convert_options=bytes_options(schema),
    )


def _taken(wrong_count: list[Any], last_good: int) -> list[Any]:
    """Take the records that lie before the last good row of a batch: the reader is ahead of the batches it gives."""
    taken: list[Any] = []
    while wrong_count and wrong_count[0].number <= last_good + len(taken):
        taken.append(wrong_count.pop(0))
    return taken


class _WithSentinel:
    """A stream followed by the sentinel record, as Arrow reads a file; a line end comes before it where none is.

    No piece ends with a CR: Arrow drops an LF at the beginning of the next one, also inside an enclosed cell.
    """

    closed = False

    def __init__(self, stream: ByteStream, sentinel: bytes, *, latin: bool) -> None:
        self._stream = stream
        self._sentinel = sentinel
        self._latin = latin
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._ready = b""
        self._last = b"\n"
        self._begun = False
        self._ended = False
        self._reading = Lock()

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes, which are at least 2."""
        with self._reading:
            return self._read(size)

    def stop(self) -> None:
        """Wait until nobody reads, and let nobody read again.

        Arrow reads ahead on a thread of its own, also when nobody asks for its batches any more. It would read from the
        next file that is given the descriptor of this one.
        """
        with self._reading:
            self._ready, self._ended = b"", True

    def _read(self, size: int) -> bytes:
        pieces = [self._ready]
        held = len(self._ready)
        while held < size and not self._ended:
            pieces.append(self._next(min(size - held, _READ_BYTES)))
            held += len(pieces[-1])
        data = b"".join(pieces)
        stop = min(size, held)
        if data.endswith(b"\r", 0, stop):
            stop -= 1
        self._ready = data[stop:]
        return data[:stop]

    def close(self) -> None:
        """Do nothing: the stream is the caller's."""

    def _next(self, size: int) -> bytes:
        data = self._stream.read(max(size, len(naming.UTF8_BOM)))
        text = self._text(data)
        self._begun = True
        if data:
            self._last = data[-1:]
            return text
        self._ended = True
        return text + (b"" if self._last in b"\r\n" else b"\n") + self._sentinel

    def _text(self, data: bytes) -> bytes:
        if self._latin:
            return as_latin(data)
        try:
            self._decoder.decode(data, final=not data)
        except UnicodeDecodeError:
            raise NotUtf8Error from None
        marked = not self._begun and data.startswith(naming.UTF8_BOM)
        return naming.UTF8_BOM + data if marked else data  # Arrow takes a U+FEFF that comes first for a byte order mark
