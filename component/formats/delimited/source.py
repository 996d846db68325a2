"""Where one split's bytes come from: a range of a plain file, or a compressed one from its beginning."""

from __future__ import annotations

import re
from bz2 import BZ2Decompressor
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from isal import igzip

from component import file_types, naming
from component.errors import Place, UserError
from component.formats.csv.source import GZIP_ERRORS, damaged_gzip
from component.formats.csv.split import ByteRange
from component.formats.delimited.dialect import BZIP, GZIP, LZO, DelimitedDialect
from component.formats.delimited.lzop import LzopError, LzopFile
from component.staging.locations import Location, open_location, reading_at

_PACKED: Final = 256 * naming.KIB


_MAGIC: Final = {
    GZIP: re.compile(re.escape(file_types.GZIP.magic)),
    BZIP: file_types.BZIP2_START,
    LZO: re.compile(re.escape(file_types.LZOP.magic)),
}
"""How compressed files begin."""
_LONGEST_MAGIC: Final = 10
BLOCK_BYTES: Final = 4 * naming.MIB
"""Text read at once: as fast as more, in less memory."""


@dataclass(frozen=True, slots=True)
class DelimitedSplit:
    """One unit of reading: whole records of one slice. `range` counts its bytes as they are stored."""

    table: str
    slice: str
    location: Location
    range: ByteRange
    block_bytes: int = BLOCK_BYTES

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


class ByteSource:
    """Bytes of a file from where it stands, up to `size` of them where that is said."""

    def __init__(self, file: Any, size: int | None = None) -> None:
        self._file = file
        self._left = size

    def read(self, size: int) -> bytes:
        """Return as many bytes, fewer only at the end."""
        pieces: list[bytes] = []
        wanted = size if self._left is None else min(size, self._left)
        while wanted:
            piece = self._file.read(wanted)
            if not piece:
                break
            pieces.append(piece)
            wanted -= len(piece)
            self._left = None if self._left is None else self._left - len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


@contextmanager
def open_source(split: DelimitedSplit, dialect: DelimitedDialect) -> Iterator[ByteSource]:
    """Open the decompressed bytes of a split.

    UserError `source.format` for bytes that are not compressed as the dialect says, `gzip.truncated` for a compressed
    file that ends early or is damaged, also while the caller reads.
    """
    if split.start == 0:
        _check_magic(split, dialect.compression)
    plain = dialect.compression is None
    start, stop = (split.range.start, split.range.stop) if plain else (0, None)
    with open_location(split.location, start, stop) as file, _decompressing(file, dialect, split.place) as text:
        yield ByteSource(text, split.size if plain else None)


@contextmanager
def _decompressing(file: Any, dialect: DelimitedDialect, place: Place) -> Iterator[Any]:
    if dialect.compression == GZIP:
        try:
            with igzip.open(file, "rb") as text:  # type: ignore[no-untyped-call]
                yield text
        except GZIP_ERRORS as error:
            raise damaged_gzip(place, error) from error
    elif dialect.compression == BZIP:
        try:
            yield BzipFile(file)
        except BzipError as error:
            raise _damaged("bzip2", place, error) from error
    elif dialect.compression == LZO:
        try:
            yield LzopFile(file)
        except LzopError as error:
            raise _damaged("lzop", place, error) from error
    else:
        yield file


def _damaged(what: str, place: Place, error: BaseException) -> UserError:
    return UserError(
        "gzip.truncated",
        f"The {what} file ends early or is damaged: {error}",
        place=place,
        remedy="Write or transfer the file again.",
    )


def _check_magic(split: DelimitedSplit, declared: str | None) -> None:
    """Raise UserError `source.format` when the first bytes say something else than the hint; no bytes say nothing."""
    with reading_at(split.location) as read_at:
        head = read_at(0, _LONGEST_MAGIC)
    found = next((name for name, magic in _MAGIC.items() if magic.match(head)), None)
    if head and found != declared:
        is_said, is_true = (f"compression {name}" if name else "no compression" for name in (declared, found))
        raise UserError(
            "source.format",
            f"The hint says {is_said}, and the file has {is_true}",
            place=replace(split.place, byte=0),
            remedy="Correct the hint compression in the file _format_delimited, or the file.",
        )


class BzipError(Exception):
    """The file ends early, or is damaged."""


class BzipFile:
    """Reads the decompressed bytes of a file of one or several streams, to its last byte. Raises BzipError.

    Python's own `BZ2File` takes a later stream that is damaged at its beginning for bytes that do not belong to the
    file, and leaves out what follows without a word. Here it is an error.
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        self._stream: BZ2Decompressor | None = None
        self._packed = b""

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes; nothing only at the end."""
        text = b""
        while not text:
            if self._stream is None or self._stream.eof:
                if not self._begin():
                    return b""
            elif self._stream.needs_input and not self._packed:
                self._packed = self._file.read(_PACKED)
                if not self._packed:
                    raise BzipError("it ends early")
            text = self._unpack(size)
        return text

    def _begin(self) -> bool:
        """Begin a stream where there are bytes for one."""
        self._packed = (self._stream.unused_data if self._stream else b"") or self._file.read(_PACKED)
        self._stream = BZ2Decompressor() if self._packed else None
        return self._stream is not None

    def _unpack(self, size: int) -> bytes:
        packed, self._packed = self._packed, b""
        try:
            return self._stream.decompress(packed, size) if self._stream else b""
        except OSError as error:
            raise BzipError(str(error)) from error
