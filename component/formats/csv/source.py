"""Where one split's bytes come from: a range of plain text, or a gzip stream from its beginning."""

from __future__ import annotations

import codecs
import csv
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from isal import igzip, isal_zlib

from component import naming
from component.errors import Place, UserError
from component.folder.magic import refuse_html
from component.formats.csv.dialect import Dialect
from component.formats.csv.faults import TOO_LONG, find_records, first_record
from component.formats.csv.split import ByteRange
from component.formats.rows import REASONS, REMEDIES
from component.staging.locations import Location, open_location, size_of

GZIP_ERRORS: Final[tuple[type[BaseException], ...]] = (
    EOFError,
    igzip.BadGzipFile,
    cast("type[Exception]", isal_zlib.error),
    zlib.error,
)
HEADER_PIECE: Final = 64 * naming.KIB
_READ_BYTES: Final = 1 * naming.MIB


@dataclass(frozen=True, slots=True)
class CsvSplit:
    """One unit of reading: whole records of one slice.

    `range` counts bytes of the file or object; a gzip slice is always one split, from 0. The records of a plain slice
    begin at `data_start`, after BOM and header; a gzip stream with a header says so by `skip_header`. `exact` asks for
    record ends that do not need enclosures to pair up.
    """

    table: str
    slice: str
    location: Location
    gzip: bool
    range: ByteRange
    data_start: int = 0
    skip_header: bool = False
    exact: bool = False
    guessed: bool = False
    block_bytes: int = naming.BLOCK_BYTES

    def whole(self) -> CsvSplit:
        """Return the split that reads all of this slice, without trusting enclosures to pair up.

        A plain slice is read from its first data byte, `data_start`, to its end.
        """
        return replace(self, range=ByteRange(self.data_start, size_of(self.location)), exact=True, guessed=False)

    @property
    def place(self) -> Place:
        """Where errors of this split are."""
        return Place(table=self.table, slice=self.slice)

    @property
    def start(self) -> int:
        """Where it begins in its slice, in bytes."""
        return self.range.start

    @property
    def size(self) -> int:
        """Bytes that reading it takes."""
        return self.range.size


class ByteStream:
    """Bytes of a file from where it stands; `size` of them, all there are when it is None."""

    def __init__(self, file: Any, size: int | None = None, packed: Any = None) -> None:
        self._file = file
        self._left = size
        self._back = b""
        self._packed = packed
        self._read = 0

    @property
    def position(self) -> int:
        """Bytes that were read so far: of `packed`, the file that the bytes are unpacked from, if there is one."""
        return self._read if self._packed is None else int(self._packed.tell())

    def fill(self, view: memoryview) -> int:
        """Read into a view; return how many bytes, fewer than it takes only at the end."""
        filled = min(len(view), len(self._back))
        view[:filled] = self._back[:filled]
        self._back = self._back[filled:]
        while filled < len(view):
            most = min(len(view) - filled, _READ_BYTES)
            wanted = most if self._left is None else min(most, self._left)
            read = self._file.readinto(view[filled : filled + wanted]) if wanted else 0
            if not read:
                break
            filled += read
            self._read += read
            self._left = None if self._left is None else self._left - read
        return filled

    def read(self, size: int) -> bytes:
        """Return as many bytes, fewer only at the end."""
        buffer = bytearray(size)
        filled = self.fill(memoryview(buffer))
        return bytes(memoryview(buffer)[:filled])

    def unread(self, data: bytes) -> None:
        """Give back what was read last."""
        self._back = data + self._back


@contextmanager
def open_split(split: CsvSplit, dialect: Dialect) -> Iterator[ByteStream]:
    """Open a split's bytes, from its first record on: BOM and header are read past.

    UserError `gzip.truncated` when a gzip stream ends early or is damaged, also while the caller reads.
    """
    with _open_from(split) as stream:
        if split.range.start == 0:
            _skip_mark(stream)
            if split.skip_header:
                _first_record(stream, dialect, split.place)
        yield stream


@contextmanager
def _open_from(split: CsvSplit) -> Iterator[ByteStream]:
    """Open a split's bytes, BOM and header included."""
    plain = not split.gzip
    start, stop = (split.range.start, split.range.stop) if plain else (0, None)
    try:
        with open_location(split.location, start, stop) as raw, _unpacked(raw, gzip=split.gzip) as file:
            packed = raw if split.gzip and isinstance(split.location, Path) else None
            yield ByteStream(file, split.range.size if plain else None, packed)
    except GZIP_ERRORS as error:
        raise damaged_gzip(split.place, error) from error


@contextmanager
def _open(location: Location, start: int = 0, stop: int | None = None, *, gzip: bool) -> Iterator[Any]:
    with open_location(location, start, stop) as raw, _unpacked(raw, gzip=gzip) as file:
        yield file


@contextmanager
def _unpacked(raw: Any, *, gzip: bool) -> Iterator[Any]:
    if not gzip:
        yield raw
        return
    with igzip.open(raw, "rb") as text:  # type: ignore[no-untyped-call]
        yield text


def damaged_gzip(place: Place, error: BaseException) -> UserError:
    """Return the error for a gzip stream that cannot be read to its end."""
    return UserError(
        "gzip.truncated",
        f"The gzip file ends early or is damaged: {error}",
        place=place,
        remedy="Write or transfer the file again.",
    )


def read_header(location: Location, dialect: Dialect, *, gzip: bool, place: Place) -> tuple[tuple[str, ...], int]:
    """Return the names in the first record and the offset just after it, BOM included.

    No names and offset 0 for an empty file. Raises UserError `csv.unclosed_quote`, `csv.encoding`, `source.format` or
    `gzip.truncated`; for an object what reading it can raise (`staging.objects`).
    """
    try:
        with _open(location, gzip=gzip) as file:
            stream = ByteStream(file)
            start = _skip_mark(stream)
            record = _first_record(stream, dialect, place)
    except GZIP_ERRORS as error:
        raise damaged_gzip(place, error) from error
    text = _decode(record, place, start)
    if dialect.strict:
        refuse_html(record, place)
        hold_strict(record, dialect, place)
    lines = io.StringIO(text, newline="")
    if dialect.enclosure:
        rows = csv.reader(lines, delimiter=dialect.delimiter, quotechar=dialect.enclosure)
    else:
        rows = csv.reader(lines, delimiter=dialect.delimiter, quoting=csv.QUOTE_NONE)
    try:
        return tuple(next(rows, [])), start + len(record)
    except csv.Error as error:
        raise UserError("source.format", f"The header cannot be read: {error}", place=place) from error


def hold_strict(header: bytes, dialect: Dialect, place: Place) -> None:
    """Raise UserError for the records of a header that break RFC 4180."""
    found = find_records(header, dialect, final=True)
    for fault in (*found.faults, *([found.open] if found.open else [])):
        value = dialect.in_file(fault.value.decode(errors="replace"))
        raise UserError(
            fault.code,
            f"{REASONS[fault.code]}, in the header",
            place=replace(place, value=value),
            remedy=f"{REMEDIES[fault.code]}, or set quotes to lenient.",
        )


def _skip_mark(stream: ByteStream) -> int:
    """Read past a byte order mark; return its bytes."""
    data = stream.read(len(naming.UTF8_BOM))
    if data == naming.UTF8_BOM:
        return len(data)
    stream.unread(data)
    return 0


def _first_record(stream: ByteStream, dialect: Dialect, place: Place) -> bytes:
    """Read the first record, with its line end."""
    data = stream.read(HEADER_PIECE)
    while True:
        found = first_record(data, dialect)
        if found.ended:
            stream.unread(data[found.stop :])
            return data[: found.stop]
        piece = stream.read(len(data))
        if not piece and not found.is_open:
            return data
        if not piece or len(data) > naming.RECORD_LIMIT:
            raise UserError(
                "csv.unclosed_quote",
                f"{REASONS['csv.unclosed_quote']}, in the header" if not piece else TOO_LONG,
                place=place,
                remedy=f"{REMEDIES['csv.unclosed_quote']}.",
            )
        data += piece


def _decode(data: bytes, place: Place, offset: int) -> str:
    """Decode UTF-8, or raise UserError `csv.encoding` with the position of the first byte that is not."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UserError(
            "csv.encoding",
            f"Byte 0x{data[error.start]:02x} is not valid UTF-8",
            place=replace(place, byte=offset + error.start),
            remedy="Save the file as UTF-8, or name its encoding.",
        ) from error


def first_byte_not_utf8(split: CsvSplit) -> int | None:
    """Return where, in the decompressed slice, the first byte of a split stands that is not valid UTF-8."""
    offset = split.range.start
    decoder = codecs.getincrementaldecoder("utf-8")()
    with _open_from(split) as stream:
        while True:
            piece = stream.read(_READ_BYTES)
            begun = len(decoder.getstate()[0])
            try:
                decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as error:
                return offset - begun + error.start
            if not piece:
                return None
            offset += len(piece)
