"""A whole file of any dialect in the form that the CSV reader takes: strictly, in bounded memory.

What only concerns lines and bytes (packing, encoding, comments, lines before the table) is taken away first. Delimiters
that are not one ASCII character, and characters that are escaped, become control characters that the text lacks. Then
the reader of all CSV cuts the text into cells, so that what it refuses is refused in every dialect, and the cells are
written again with the characters that they had. An empty cell stays enclosed or bare, so that null and the empty text
mean what they mean in any CSV file.
"""

from __future__ import annotations

import bz2
import codecs
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from isal import igzip

from component import naming
from component.errors import Place, UserError
from component.file_types import BZIP2, GZIP, ZSTD
from component.formats.csv.dialect import Dialect
from component.formats.csv.read import CsvReader
from component.formats.csv.source import GZIP_ERRORS, CsvSplit, damaged_gzip, hold_strict
from component.formats.csv.split import ByteRange
from component.formats.csv.write import CsvWriter
from component.formats.detect.cutting import Marks, cut
from component.formats.detect.dialect import UTF8, TextDialect
from component.formats.rows import REASONS, REMEDIES, BadRow
from component.staging.locations import Location, open_location, reading_at, size_of
from component.tables.types import Column, TableSchema

_PIECE: Final = naming.MIB
_SEPARATOR: Final = "\x1f"
"""Stands for a delimiter that is not one ASCII character while cells are read."""
_SPARE: Final = "".join(map(chr, (*range(0x1E, 0x0D, -1), *range(0x08, 0x00, -1))))
"""Stand for the characters that separate, enclose or end cells where they are escaped."""
_LINES: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
_MARK: Final = "\ufeff"
_PACKED: Final = (GZIP.magic, BZIP2.magic, ZSTD.magic)


@dataclass(frozen=True, slots=True)
class HeaderRecords:
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


def read_head(location: Location, dialect: TextDialect, place: Place, *, strict: bool = True) -> HeaderRecords:
    """Return the header of a text as `write_lines` leaves it, or of a plain file, `skip_rows` lines left out.

    UserError `csv.unclosed_quote` for a header that does not end, `csv.encoding` for one that is not UTF-8; if it is
    `strict`, also for one that breaks RFC 4180.
    """
    marks = Marks(_delimiter(dialect), dialect.enclosure)
    stands = stand_ins(dialect)
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
    if strict:
        hold_strict(text[start:stop].encode(), Dialect(marks.delimiter, marks.enclosure), place)
    first = tuple(restored(cell, stands) for cell in found.records[0]) if found.records else ()
    records = tuple(tuple(restored(cell, stands) for cell in record) for record in heads)
    return HeaderRecords(records, len(text[:stop].encode()), width, first)


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

    Delimiters that are not one ASCII character and escaped characters become what `stand_ins` says. UserError
    `csv.encoding`, `gzip.truncated`, `csv.escape` for a text that ends after an escape, and `source.format` for one
    that holds a character that stands in.
    """
    lines, stands = Lines(dialect), stand_ins(dialect)
    texts = without(stands, _kept(_texts(location, dialect.encoding, place), lines), place)
    if dialect.escape:
        marks = {one: mark for mark, one in stands.items() if mark != _SEPARATOR}
        texts = unescaped(texts, dialect.escape, marks, place)
    with target.open("w", encoding=UTF8, newline="") as file:
        file.writelines(swapped(texts, "" if _is_single(dialect) else dialect.delimiter))
    return lines.comments


def stand_ins(dialect: TextDialect) -> dict[str, str]:
    """Return the control characters that stand for others while the cells of a dialect are read, and for which."""
    found = {} if _is_single(dialect) else {_SEPARATOR: dialect.delimiter}
    special = dict.fromkeys(f"{dialect.delimiter}{dialect.enclosure}\r\n") if dialect.escape else {}
    spare = (mark for mark in _SPARE if mark not in special)
    return found | {next(spare): one for one in special}


def restored(text: str, stands: Mapping[str, str]) -> str:
    """Return a text with the characters that others stand for."""
    return text.translate({ord(mark): one for mark, one in stands.items()}) if stands else text


def _delimiter(dialect: TextDialect) -> str:
    return dialect.delimiter if _is_single(dialect) else _SEPARATOR


def _kept(texts: Iterator[str], lines: Lines) -> Iterator[str]:
    for text in texts:
        yield lines.kept(text)
    yield lines.rest()


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


def without(marks: Iterable[str], texts: Iterator[str], place: Place) -> Iterator[str]:
    """Yield texts that hold none of some characters; UserError `source.format` for one that does."""
    wanted = "".join(marks)
    found = re.compile(f"[{re.escape(wanted)}]") if wanted else None
    for text in texts:
        if found is not None and (match := found.search(text)):
            raise UserError(
                "source.format",
                f"The text holds the control character U+{ord(match[0]):04X}",
                place=place,
                remedy="Write the file with a delimiter of one ASCII character, and enclosures in place of escapes.",
            )
        yield text


def unescaped(texts: Iterator[str], escape: str, marks: Mapping[str, str], place: Place) -> Iterator[str]:
    """Yield texts without escapes, in the place of an escaped character its mark, or itself where it has none.

    UserError `csv.escape` where nothing follows the last one.
    """
    pattern, held = re.compile(re.escape(escape) + r"([\s\S])"), ""
    for piece in texts:
        text, held = held + piece, ""
        if (len(text) - len(text.rstrip(escape))) % 2:
            text, held = text[:-1], escape
        yield pattern.sub(lambda match: marks.get(match[1], match[1]), text) if escape in text else text
    if held:
        raise UserError("csv.escape", REASONS["csv.escape"], place=place, remedy=f"{REMEDIES['csv.escape']}.")


def swapped(texts: Iterator[str], delimiter: str) -> Iterator[str]:
    """Yield texts with the unit separator in the place of a delimiter, also of one that two texts share."""
    held = ""
    for text in texts:
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
    path: Path,
    target: Path,
    names: Sequence[str],
    dialect: TextDialect,
    start: int,
    nulls: Sequence[str],
    place: Place,
    *,
    strict: bool = True,
) -> int:
    """Write the records of a text, from a byte on, as plain CSV without header; cells that are one of `nulls` as null.

    `path` is what `write_lines` left. UserError for the first row that the CSV reader refuses: not as many cells as
    there are names, and, if it is `strict`, text that breaks RFC 4180. Return how many rows it mended otherwise.
    """
    stands, mended = stand_ins(dialect), 0
    schema = TableSchema(tuple(Column(str(number)) for number in range(len(names))))
    reader = CsvReader(schema, Dialect(_delimiter(dialect), dialect.enclosure, strict), reject=True)
    every = ByteRange(start, path.stat().st_size)
    split = CsvSplit(place.table or "", place.slice or "", path, gzip=False, range=every, data_start=start, exact=True)
    with closing(CsvWriter(target, schema.arrow, header=False, gzip=False, checked=False)) as writer:
        for parsed in reader.read(split) if split.size else ():
            if parsed.bad:
                raise _refused(parsed.bad[0], names, stands, place)
            columns = [_cells(column, stands, nulls) for column in parsed.rows.columns]
            writer.write(pa.table(columns, schema=schema.arrow))
            mended += parsed.mended
    return mended


def _refused(bad: BadRow, names: Sequence[str], stands: Mapping[str, str], place: Place) -> UserError:
    """Return the error for a row that a text of another dialect has."""
    remedy = f"{REMEDIES[bad.code]}, or set quotes to lenient" if bad.code in REMEDIES else "Correct the row"
    column = None if bad.column is None else names[int(bad.column)]
    value = None if bad.value is None else restored(bad.value, stands)
    at = Place(place.table, place.slice, bad.row, column, value)
    return UserError(bad.code, bad.reason, place=at, remedy=f"{remedy}.")


def _cells(column: Any, stands: Mapping[str, str], nulls: Sequence[str]) -> Any:
    for mark, one in stands.items():
        column = pc.replace_substring(column, mark, one)
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
            if magic.startswith(GZIP.magic):
                with igzip.open(file, "rb") as text:  # type: ignore[no-untyped-call]
                    yield text
            elif magic.startswith(BZIP2.magic):
                with bz2.open(file, "rb") as text:
                    yield text
            elif magic == ZSTD.magic:
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
