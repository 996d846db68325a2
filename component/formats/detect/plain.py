"""A whole file of any dialect in the form that the CSV reader takes: strictly, in bounded memory.

What only concerns lines and bytes (packing, encoding, comments, lines before the table) is taken away first. Where
cells are separated or escaped in another way, they are then read by the rules of `formats.delimited` and written again.
An empty cell stays enclosed or bare, so that null and the empty text mean what they mean in any CSV file.
"""

from __future__ import annotations

import bz2
import codecs
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from isal import igzip

from component import naming
from component.errors import Place, UserError
from component.formats.csv.source import GZIP_ERRORS, damaged_gzip
from component.formats.csv.split import ByteRange
from component.formats.csv.write import CsvWriter
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.read import DelimitedReader
from component.formats.delimited.source import DelimitedSplit
from component.formats.detect.cutting import Marks, cut
from component.formats.detect.dialect import UTF8, TextDialect
from component.staging.locations import Location, open_location, reading_at, size_of
from component.tables.types import Column, TableSchema

_PIECE: Final = naming.MIB
_SEPARATOR: Final = "\x1f"
"""Stands for a delimiter that is not one ASCII character while cells are read."""
_LINES: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
_MARK: Final = "\ufeff"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_PACKED: Final = (b"\x1f\x8b", b"BZh", _ZSTD)


@dataclass(frozen=True, slots=True)
class Header:
    """The records that hold names, where the data begin in bytes, and how many cells a record has.

    `first` is the first record, whether it holds names or not.
    """

    records: tuple[tuple[str, ...], ...]
    data_start: int
    width: int
    first: tuple[str, ...] = ()


def is_packed(location: Location) -> bool:
    """Say whether a file or object is compressed with gzip, bzip2 or zstd."""
    with reading_at(location) as read_at:
        return read_at(0, 4).startswith(_PACKED)


def is_line_wise(dialect: TextDialect) -> bool:
    """Say whether only lines and bytes of a text need a change, and no cells."""
    return _is_single(dialect) and not dialect.escape


def _is_single(dialect: TextDialect) -> bool:
    return len(dialect.delimiter) == 1 and dialect.delimiter.isascii()


def read_head(location: Location, dialect: TextDialect, place: Place) -> Header:
    """Return the header of a text as `write_lines` leaves it, or of a plain file, `skip_rows` lines left out.

    UserError `csv.unclosed_quote` for a header that does not end, `csv.encoding` for one that is not UTF-8.
    """
    delimiter = dialect.delimiter if _is_single(dialect) else _SEPARATOR
    marks = Marks(delimiter, dialect.enclosure, dialect.escape)
    size, wanted = size_of(location), min(size_of(location), 4 * naming.KIB)
    while True:
        with reading_at(location) as read_at:
            data = read_at(0, wanted)
        text = _decoded_head(data, place, whole=wanted >= size)
        start = _after_skipped(text, dialect.skip_rows)
        found = cut(text[start:], marks, most=dialect.header_rows + 1, whole=wanted >= size)
        if wanted >= size or len(found.records) > dialect.header_rows:
            break
        if wanted > naming.RECORD_LIMIT:
            raise UserError(
                "csv.unclosed_quote",
                "The header does not end: a cell in it is not closed",
                place=place,
                remedy="Close the cell, or say how the file is delimited.",
            )
        wanted = min(size, wanted * 4)
    heads = found.records[: dialect.header_rows]
    stop = start + (found.stops[len(heads) - 1] if heads else 0)
    width = len(found.records[min(len(heads), len(found.records) - 1)]) if found.records else 0
    first = tuple(found.records[0]) if found.records else ()
    return Header(tuple(map(tuple, heads)), len(text[:stop].encode()), width, first)


def _decoded_head(data: bytes, place: Place, *, whole: bool) -> str:
    try:
        return codecs.getincrementaldecoder(UTF8)().decode(data, whole)
    except UnicodeDecodeError as error:
        raise _not_encoded(data[error.start], UTF8, error.start, place) from error


def _after_skipped(text: str, count: int) -> int:
    at = len(_MARK) if text.startswith(_MARK) else 0
    for _ in range(count):
        found = _LINES.match(text, at)
        at = found.end() if found else at
    return at


def write_lines(location: Location, target: Path, dialect: TextDialect, place: Place) -> int:
    """Write a file as UTF-8 text, unpacked, without mark, skipped lines and comments; return how many of these it had.

    A delimiter that is not one ASCII character becomes the unit separator, U+001F. UserError `csv.encoding`,
    `gzip.truncated`, and `source.format` for a text that holds this character itself.
    """
    swap = "" if _is_single(dialect) else dialect.delimiter
    lines = Lines(dialect)
    with target.open("w", encoding=UTF8, newline="") as file:
        for piece in swapped(_texts(location, dialect.encoding, place), swap, place):
            file.write(lines.kept(piece))
        file.write(lines.rest())
    return lines.comments


def _texts(location: Location, encoding: str, place: Place) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    at, is_first = 0, True
    with open_unpacked(location, place) as file:
        while True:
            data = file.read(_PIECE)
            waiting = decoder.getstate()[0]
            try:
                text = decoder.decode(data, not data)
            except UnicodeDecodeError as error:
                byte = (waiting + data)[error.start]
                raise _not_encoded(byte, encoding, at - len(waiting) + error.start, place) from error
            if is_first and text:
                text, is_first = text.removeprefix(_MARK), False
            yield text
            at += len(data)
            if not data:
                return


def swapped(texts: Iterator[str], delimiter: str, place: Place) -> Iterator[str]:
    """Yield texts with the unit separator in the place of a delimiter, also of one that two texts share."""
    held = ""
    for text in texts:
        if _SEPARATOR in text and delimiter and delimiter != _SEPARATOR:
            raise UserError(
                "source.format",
                "The text holds the control character U+001F",
                place=place,
                remedy="Write the file with a delimiter of one ASCII character.",
            )
        if len(delimiter) < 2:
            yield text.replace(delimiter, _SEPARATOR) if delimiter else text
            continue
        whole = held + text
        pieces = whole.split(delimiter)
        last = pieces[-1]
        kept = next(
            (size for size in range(min(len(delimiter) - 1, len(last)), 0, -1) if delimiter.startswith(last[-size:])), 0
        )
        held = last[len(last) - kept :]
        pieces[-1] = last[: len(last) - kept]
        yield _SEPARATOR.join(pieces)
    yield held


class Lines:
    """Takes the first lines away from a text that comes in pieces, and the lines that are comments."""

    def __init__(self, dialect: TextDialect) -> None:
        self._skip = dialect.skip_rows
        self._comment = dialect.comment
        self._quote = dialect.enclosure
        self._escape = dialect.escape
        self._inside = False
        self._begun = ""
        self.comments = 0

    def kept(self, piece: str) -> str:
        """Return what is left of the whole lines so far."""
        if not self._skip and not self._comment:
            text, self._begun = self._begun + piece, ""
            return text
        text = self._begun + piece
        end = max(text.rfind("\n"), text.rfind("\r", 0, len(text) - 1)) + 1
        self._begun = text[end:]
        return self._of_lines(text[:end])

    def rest(self) -> str:
        """Return what is left of the last line."""
        return self._of_lines(self._begun)

    def _of_lines(self, text: str) -> str:
        kept = []
        for match in _LINES.finditer(text):
            line = match[0]
            if self._skip:
                self._skip -= 1
            elif self._comment and not self._inside and line.startswith(self._comment):
                self.comments += 1
            else:
                kept.append(line)
                self._inside ^= bool(self._count(line) % 2)
        return "".join(kept)

    def _count(self, line: str) -> int:
        if not self._quote:
            return 0
        if self._escape and self._escape in line:
            line = re.sub(re.escape(self._escape) + r"[\s\S]", "", line)
        return line.count(self._quote)


def write_cells(
    path: Path, target: Path, names: Sequence[str], dialect: TextDialect, start: int, nulls: Sequence[str], place: Place
) -> None:
    """Write the records of a text, from a byte on, as plain CSV without header; cells that are one of `nulls` as null.

    `path` is what `write_lines` left. UserError as `DelimitedReader.read`: for a record that has not as many cells as
    there are names, for text after a closing enclosure, and for an enclosure that is not closed.
    """
    single = _is_single(dialect)
    schema = TableSchema(tuple(Column(str(number)) for number in range(len(names))))
    reader = DelimitedReader(schema, _delimited(path, dialect, start, single=single), keep_quoted_empty=True)
    split = DelimitedSplit(place.table or "", place.slice or "", path, ByteRange(start, path.stat().st_size))
    swapped = "" if single else dialect.delimiter
    with closing(CsvWriter(target, schema.arrow, header=False, gzip=False)) as writer:
        for parsed in reader.read(split) if split.size else ():
            columns = [_cells(column, swapped, nulls) for column in parsed.rows.columns]
            writer.write(pa.table(columns, schema=schema.arrow))


def _delimited(path: Path, dialect: TextDialect, start: int, *, single: bool) -> DelimitedDialect:
    delimiter = dialect.delimiter if single else _SEPARATOR
    return DelimitedDialect(
        field_delimiter=delimiter,
        record_terminator=_terminator(path, Marks(delimiter, dialect.enclosure, dialect.escape), start),
        quoting="minimal" if dialect.enclosure else None,
        quotechar=dialect.enclosure or naming.ENCLOSURE,
        doublequote=bool(dialect.enclosure),
        escape=dialect.escape,
    )


def _terminator(path: Path, marks: Marks, start: int) -> str:
    """Return the line end after the first record."""
    with reading_at(path) as read_at:
        text = read_at(start, _PIECE).decode(UTF8, "replace")
    found = cut(text, marks, most=1)
    record = text[: found.stops[0]] if found.stops else ""
    return next((end for end in ("\r\n", "\n", "\r") if record.endswith(end)), "\n")


def _cells(column: Any, delimiter: str, nulls: Sequence[str]) -> Any:
    if delimiter:
        column = pc.replace_substring(column, _SEPARATOR, delimiter)
    if nulls:
        column = pc.if_else(
            pc.is_in(column, value_set=pa.array(nulls, pa.string())), pa.scalar(None, pa.string()), column
        )
    return column


@contextmanager
def open_unpacked(location: Location, place: Place) -> Iterator[Any]:
    """Open the bytes of a file or object, unpacked where it is compressed; UserError `gzip.truncated` for damage."""
    with reading_at(location) as read_at:
        magic = read_at(0, 4)
    try:
        with open_location(location) as file:
            if magic.startswith(_PACKED[0]):
                with igzip.open(file, "rb") as text:  # type: ignore[no-untyped-call]
                    yield text
            elif magic.startswith(_PACKED[1]):
                with bz2.open(file, "rb") as text:
                    yield text
            elif magic == _ZSTD:
                with pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd") as text:
                    yield text
            else:
                yield file
    except (*GZIP_ERRORS, pa.ArrowException) as error:
        raise damaged_gzip(place, error) from error


def _not_encoded(byte: int, encoding: str, position: int, place: Place) -> UserError:
    return UserError(
        "csv.encoding",
        f"Byte 0x{byte:02x} is not valid {encoding}",
        place=Place(place.table, place.slice, byte=position),
        remedy="Name the encoding of the file, or save it as UTF-8.",
    )
