"""Where one split's bytes come from: a range of a plain file, or a gzip stream from its beginning."""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol, cast

from isal import igzip, isal_zlib

from component import naming
from component.errors import Place, UserError
from component.formats.csv.dialect import Dialect
from component.formats.csv.split import ByteRange, find_record_end, last_record_end

GZIP_ERRORS: Final[tuple[type[BaseException], ...]] = (
    EOFError,
    igzip.BadGzipFile,
    cast("type[Exception]", isal_zlib.error),
    zlib.error,
)
_HEADER_PIECE: Final = 64 * naming.KIB


@dataclass(frozen=True, slots=True)
class CsvSplit:
    """One unit of reading: whole records of one slice.

    `range` counts bytes of the file; a gzip slice is always one split, from 0. The records of a plain slice begin at
    `data_start`, after BOM and header; a gzip stream with a header says so by `skip_header`. `exact` asks for the
    reader that does not need enclosures to pair up.
    """

    table: str
    slice: str
    path: Path
    gzip: bool
    range: ByteRange
    data_start: int = 0
    skip_header: bool = False
    exact: bool = False
    block_bytes: int = naming.BLOCK_BYTES

    def whole(self) -> CsvSplit:
        """Return the split that reads all of this slice, without trusting enclosures to pair up.

        A plain slice is read from its first data byte, `data_start`, to its end.
        """
        return replace(self, range=ByteRange(self.data_start, self.path.stat().st_size), exact=True)

    @property
    def place(self) -> Place:
        """Where errors of this split are."""
        return Place(table=self.table, slice=self.slice)


class RecordTooLongError(Exception):
    """No record ends within the limit, if the enclosures of the text pair up."""


class ByteStream(Protocol):
    """What blocks are cut from."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes; fewer only at the end."""
        ...


class _Range(io.RawIOBase):
    """The bytes of a range of a file, as a stream."""

    def __init__(self, path: Path, part: ByteRange) -> None:
        super().__init__()
        self._file = path.open("rb", buffering=0)
        self._file.seek(part.start)
        self._left = part.size

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(self._left if size < 0 else min(size, self._left)) or b""
        self._left -= len(data)
        return data

    def close(self) -> None:
        self._file.close()
        super().close()


@contextmanager
def open_split(split: CsvSplit) -> Iterator[ByteStream]:
    """Open a split's bytes; UserError `gzip.truncated` when a gzip stream ends early or is damaged."""
    try:
        with _open_gzip(split.path) if split.gzip else _Range(split.path, split.range) as stream:
            yield stream
    except GZIP_ERRORS as error:
        raise damaged_gzip(split.place, error) from error


def _open_gzip(path: Path) -> io.BufferedIOBase:
    return cast("io.BufferedIOBase", igzip.open(path, "rb"))  # type: ignore[no-untyped-call] # isal has no types


def damaged_gzip(place: Place, error: BaseException) -> UserError:
    """Return the error for a gzip stream that cannot be read to its end."""
    return UserError(
        "gzip.truncated",
        f"The gzip file ends early or is damaged: {error}",
        place=place,
        remedy="Write or transfer the file again.",
    )


def read_header(path: Path, dialect: Dialect, *, gzip: bool, place: Place) -> tuple[tuple[str, ...], int]:
    """Return the names in the first record and the offset just after it, BOM included.

    No names and offset 0 for an empty file. Raises UserError `csv.unclosed_quote`, `csv.encoding` or `gzip.truncated`.
    """
    try:
        with _open_gzip(path) if gzip else path.open("rb") as file:
            record, _ = _first_record(file, dialect, place)
    except GZIP_ERRORS as error:
        raise damaged_gzip(place, error) from error
    text = decode(record.removeprefix(naming.UTF8_BOM), place, 0)
    lines = io.StringIO(text, newline="")
    if dialect.enclosure:
        rows = csv.reader(lines, delimiter=dialect.delimiter, quotechar=dialect.enclosure)
    else:
        rows = csv.reader(lines, delimiter=dialect.delimiter, quoting=csv.QUOTE_NONE)
    return tuple(next(rows, [])), len(record)


def _first_record(file: ByteStream, dialect: Dialect, place: Place) -> tuple[bytes, bytes]:
    """Return the first record with its line end, and the bytes that were read beyond it."""
    data = b""
    while piece := file.read(_HEADER_PIECE):
        data += piece
        end, _ = find_record_end(data, dialect.quote, inside=False)
        if end is not None and end < len(data):
            stop = end + 1 if data[end - 1 : end + 1] == b"\r\n" else end
            return data[:stop], data[stop:]
        if len(data) > naming.RECORD_LIMIT:
            raise UserError("csv.unclosed_quote", "The header is never closed", place=place)
    return data, b""


def decode(data: bytes, place: Place, offset: int) -> str:
    """Decode UTF-8, or raise UserError `csv.encoding` with the position of the first byte that is not."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UserError(
            "csv.encoding",
            f"Byte 0x{data[error.start]:02x} is not valid UTF-8",
            place=Place(table=place.table, slice=place.slice, byte=offset + error.start),
            remedy="Save the file as UTF-8.",
        ) from error


@dataclass(frozen=True, slots=True)
class Block:
    """Whole records, and where they begin in the decompressed slice. `last`: nothing follows in the split."""

    data: bytes
    offset: int
    last: bool


def record_blocks(stream: ByteStream, split: CsvSplit, dialect: Dialect) -> Iterator[Block]:
    """Cut a split into blocks of whole records of about its `block_bytes`; a longer record makes its block longer.

    BOM and header are left out. Raises RecordTooLongError when no record ends within `naming.RECORD_LIMIT`.
    """
    offset, rest = skip_start(stream, split, dialect) if split.range.start == 0 else (split.range.start, b"")
    while True:
        wanted = max(split.block_bytes, len(rest))
        fresh = _read_fully(stream, wanted)
        data = rest + fresh
        at_end = len(fresh) < wanted
        stop = len(data) if at_end else last_record_end(data, dialect.quote, at_end=False)
        if stop:
            yield Block(data[:stop], offset, at_end)
            offset += stop
        elif len(data) > naming.RECORD_LIMIT:
            raise RecordTooLongError
        if at_end:
            return
        rest = data[stop:]


def _read_fully(stream: ByteStream, size: int) -> bytes:
    """Read until `size` bytes or the end: a gzip stream gives less when one of its members ends."""
    data = stream.read(size)
    if len(data) == size or not data:
        return data
    pieces = [data]
    missing = size - len(data)
    while missing and (piece := stream.read(missing)):
        pieces.append(piece)
        missing -= len(piece)
    return b"".join(pieces)


def skip_start(stream: ByteStream, split: CsvSplit, dialect: Dialect) -> tuple[int, bytes]:
    """Read past BOM and header of a stream that starts at 0; return the offset reached and what was read beyond it."""
    if not split.skip_header:
        data = stream.read(len(naming.UTF8_BOM))
        return (len(data), b"") if data == naming.UTF8_BOM else (0, data)
    record, beyond = _first_record(stream, dialect, split.place)
    return len(record), beyond
