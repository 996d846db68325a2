"""One split to batches of typed rows, with the rows that do not fit."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa

from component import naming
from component.errors import Place, UserError
from component.formats.csv.careful import (
    LongRecordError,
    SplitIsNotExactError,
    UnclosedError,
    parse_stream,
    sentinel_record,
)
from component.formats.csv.dialect import Dialect
from component.formats.csv.parse import Parser, keep_mark
from component.formats.csv.source import (
    GZIP_ERRORS,
    ByteStream,
    CsvSplit,
    RecordTooLongError,
    damaged_gzip,
    decode,
    open_split,
    record_blocks,
    skip_start,
)
from component.formats.rows import Parsed
from component.tables.types import TableSchema


class ReadAgainError(Exception):
    """What was read of a split must be dropped, and `split` read instead.

    `whole_slice`: the other splits of the slice must be dropped too, since `split` covers all of it.
    """

    def __init__(self, split: CsvSplit, *, whole_slice: bool) -> None:
        super().__init__(split, whole_slice)
        self.split = split
        self.whole_slice = whole_slice


@dataclass(frozen=True, slots=True)
class CsvReader:
    """Reads splits of one table. `reject`: rows that do not fit are returned instead of raised."""

    schema: TableSchema
    dialect: Dialect
    reject: bool = False

    def read(self, split: CsvSplit) -> Iterator[Parsed]:
        """Yield the split's rows block by block; the rows of `bad` are numbered from 1 within the split.

        Raises ReadAgainError when another split must be read instead; UserError `cell.type`, `row.cells`,
        `csv.encoding`, `csv.unclosed_quote`, `gzip.truncated`.
        """
        done = 0
        try:
            for parsed in self._read_exactly(split) if split.exact else self._read_blocks(split):
                numbered = parsed if split.exact else _renumber(parsed, done)
                if numbered.bad and not self.reject:
                    raise numbered.bad[0].error(split.place)
                yield numbered
                done += parsed.records
        except GZIP_ERRORS as error:
            raise damaged_gzip(split.place, error) from error

    def _read_blocks(self, split: CsvSplit) -> Iterator[Parsed]:
        parser = Parser(self.schema, self.dialect)
        with open_split(split) as stream:
            try:
                for block in record_blocks(stream, split, self.dialect):
                    parsed = parser.parse(block.data)
                    if not self.reject and any(row.code == "csv.encoding" for row in parsed.bad):
                        decode(block.data, split.place, block.offset)
                    yield parsed
            except (SplitIsNotExactError, RecordTooLongError):
                raise ReadAgainError(split.whole(), whole_slice=True) from None

    def _read_exactly(self, split: CsvSplit) -> Iterator[Parsed]:
        try:
            with open_split(split) as stream:
                _, beyond = skip_start(stream, split, self.dialect) if split.range.start == 0 else (0, b"")
                beyond += stream.read(len(naming.UTF8_BOM))
                beyond = keep_mark(beyond) + beyond
                source = _WithSentinel(beyond, stream, sentinel_record(self.schema, self.dialect))
                yield from parse_stream(
                    pa.PythonFile(source, "r"), self.schema, self.dialect, block_bytes=split.block_bytes
                )
        except LongRecordError as error:
            if split.block_bytes >= naming.RECORD_LIMIT:
                raise _unclosed_quote(split.place, error.row) from None
            raise ReadAgainError(replace(split, block_bytes=naming.RECORD_LIMIT), whole_slice=False) from None
        except UnclosedError as error:
            raise _unclosed_quote(split.place, error.row) from None


def _renumber(parsed: Parsed, done: int) -> Parsed:
    if not parsed.bad or not done:
        return parsed
    return Parsed(parsed.rows, tuple(replace(row, row=row.row + done) for row in parsed.bad), parsed.records)


def _unclosed_quote(place: Place, row: int) -> UserError:
    return UserError(
        "csv.unclosed_quote",
        f"A quoted cell is not closed, not within {naming.RECORD_LIMIT // naming.MIB} MiB",
        place=Place(place.table, place.slice, row),
        remedy="Close the cell with the enclosure, and double an enclosure that belongs to its text.",
    )


class _WithSentinel(io.RawIOBase):
    """A stream followed by the sentinel record; a line end is added before it where the text has none."""

    def __init__(self, beyond: bytes, stream: ByteStream, sentinel: bytes) -> None:
        super().__init__()
        self._ready = beyond
        self._stream = stream
        self._sentinel = sentinel
        self._last = b"\n"
        self._ended = False

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        if not self._ready and not self._ended:
            self._ready = self._stream.read(size if size > 0 else naming.BLOCK_BYTES)
            if not self._ready:
                self._ended = True
                self._ready = (b"" if self._last in b"\r\n" else b"\n") + self._sentinel
        data = self._ready if size < 0 else self._ready[:size]
        self._ready = self._ready[len(data) :]
        self._last = data[-1:] or self._last
        return data
