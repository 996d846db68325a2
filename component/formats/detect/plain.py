"""A whole file of any dialect as text that the CSV reader takes: in one pass, and in bounded memory.

Packing, encoding, comments and lines before the table are taken away. Delimiters that are not one ASCII character, and
characters that are escaped, become control characters; these, where the text itself has them, become two characters
each. A byte that is not of the encoding becomes one that is not UTF-8. No cell is touched, no fault mended and no
record dropped: the reader of all CSV finds the rows and the faults, and gives both as they stand in the file
(`Original`).
"""

from __future__ import annotations

import bz2
import codecs
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import ascii_letters
from typing import Any, Final

import pyarrow as pa
from isal import igzip

from component import naming
from component.errors import Place, UserError
from component.file_types import BZIP2, GZIP, ZSTD
from component.formats.csv.dialect import Dialect, Original
from component.formats.csv.faults import TOO_LONG
from component.formats.csv.source import GZIP_ERRORS, damaged_gzip, hold_strict
from component.formats.detect.cutting import Marks, cut
from component.formats.detect.dialect import UTF8, TextDialect
from component.formats.rows import REMEDIES
from component.staging.locations import Location, open_location, reading_at, size_of

_PIECE: Final = naming.MIB
_SPARE: Final = "".join(map(chr, (*range(0x1F, 0x0D, -1), *range(0x08, 0x00, -1))))
"""Stand for a delimiter that is not one ASCII character, and for characters that mean more unless they are escaped."""
_LINES: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
_LINE_END: Final = r"(?:\r\n|\n|\r(?!\Z))"
"""The end of a line in a text that may go on: an LF may follow a CR at the end."""
_SKIPPED: Final = re.compile(rf"[^\r\n]*{_LINE_END}")
_NO_TEXT: Final = "tablemill.no_text"
"""The name under which codecs know how faults of an encoding are kept."""
_MARK: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class HeaderRecords:
    """The records that hold names, where the data begin in bytes, and how many cells a record has.

    `first` is the first record, whether it holds names or not.
    """

    records: tuple[tuple[str, ...], ...]
    data_start: int
    width: int
    first: tuple[str, ...] = ()


def _is_single(dialect: TextDialect) -> bool:
    return len(dialect.delimiter) == 1 and dialect.delimiter.isascii()


def read_head(
    location: Location,
    dialect: TextDialect,
    place: Place,
    *,
    strict: bool = True,
    not_encoded: UserError | None = None,
) -> HeaderRecords:
    """Return the header of a text as `write_text` leaves it, or of a plain file, `skip_rows` lines left out.

    UserError `csv.unclosed_quote` for a header that does not end, `csv.encoding` for one that is not UTF-8, which is
    `not_encoded` where `write_text` found it; if it is `strict`, also for one that breaks RFC 4180.
    """
    plain = csv_dialect(dialect)
    marks = Marks(plain.delimiter, plain.enclosure)
    size, wanted = size_of(location), min(size_of(location), 4 * naming.KIB)
    while True:
        with reading_at(location) as read_at:
            data = read_at(0, wanted)
        text = codecs.getincrementaldecoder(UTF8)("surrogateescape").decode(data, wanted >= size)
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
    data_start = len(_bytes(text[:stop]))
    try:
        head = text[start:stop].encode()
    except UnicodeEncodeError as error:
        at = len(_bytes(text[: start + error.start]))
        raise (not_encoded or _not_encoded(data[at], UTF8, at, place)) from error
    if strict:
        hold_strict(head, plain, place)
    first = (
        tuple(plain.cell(_bytes(cell).decode(errors="replace")) for cell in found.records[0]) if found.records else ()
    )
    records = tuple(tuple(map(plain.cell, record)) for record in heads)
    return HeaderRecords(records, data_start, width, first)


def _bytes(text: str) -> bytes:
    """Return the bytes that a text was decoded from, those that are not UTF-8 too."""
    return text.encode(errors="surrogateescape")


def _after_skipped(text: str, count: int) -> int:
    at = len(_MARK) if text.startswith(_MARK) else 0
    for _ in range(count):
        found = _LINES.match(text, at)
        at = found.end() if found else at
    return at


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a text that was written again.

    `comments` counts the lines of comments that were left out; `not_encoded` is the error for the first byte that is
    not of the encoding.
    """

    comments: int = 0
    not_encoded: UserError | None = None


def write_text(location: Location, target: Path, dialect: TextDialect, place: Place) -> Written:
    """Write a file as UTF-8 text for the CSV reader: unpacked, without mark, skipped lines and comments.

    What stands for other characters in it `csv_dialect` says. UserError `gzip.truncated`, and `csv.unclosed_quote` for
    a record that is too long to find comments after it.
    """
    source, lines, original = _Source(location, dialect.encoding, place), Lines(dialect, place), original_of(dialect)
    texts = spelled(_kept(source.texts(), lines), original)
    if dialect.escape:
        texts = escapes_marked(texts, original)
    with target.open("w", encoding=UTF8, errors=_NO_TEXT, newline="") as file:
        file.writelines(swapped(texts, original))
    return Written(lines.comments, source.not_encoded)


def original_of(dialect: TextDialect) -> Original:
    """Return what stands for what in a text of a dialect that `write_text` wrote."""
    marks = f"{dialect.delimiter}{dialect.enclosure}{dialect.escape or ''}"
    spare = (mark for mark in _SPARE if mark not in marks)
    letters = (letter for letter in ascii_letters if letter not in marks)
    separator = "" if _is_single(dialect) else next(spare)
    escaped = tuple((next(spare), one) for one in dict.fromkeys(f"{marks}\r\n")) if dialect.escape else ()
    dangling = next(spare) if dialect.escape else ""
    stand_ins, speller = [separator, *(mark for mark, _ in escaped), dangling], next(spare)
    taken = [*filter(None, stand_ins), speller] if any(stand_ins) else []
    return Original(
        encoding=dialect.encoding,
        delimiter=dialect.delimiter if separator else "",
        separator=separator,
        escape=dialect.escape or "",
        escaped=escaped,
        dangling=dangling,
        spelled=tuple((speller + next(letters), mark) for mark in taken),
    )


def csv_dialect(dialect: TextDialect, *, strict: bool = True, null_values: tuple[str, ...] = ()) -> Dialect:
    """Return how the CSV reader reads a text that `write_text` wrote."""
    original = original_of(dialect)
    return Dialect(original.separator or dialect.delimiter, dialect.enclosure, strict, original, null_values)


def _kept(texts: Iterator[str], lines: Lines) -> Iterator[str]:
    for text in texts:
        yield lines.kept(text)
    yield lines.rest()


class _Source:
    """The text of a file, piece by piece; a byte that is not of the encoding becomes what `_NO_TEXT` makes of it.

    `not_encoded` is the error for the first one.
    """

    def __init__(self, location: Location, encoding: str, place: Place) -> None:
        self._location = location
        self._encoding = encoding
        self._place = place
        self.not_encoded: UserError | None = None

    def texts(self) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder(self._encoding)("strict")
        at, is_first = 0, True
        with open_unpacked(self._location, self._place) as file:
            while True:
                data = file.read(_PIECE)
                state = decoder.getstate()
                try:
                    text = decoder.decode(data, not data)
                except UnicodeDecodeError as error:
                    start = at - len(state[0]) + error.start
                    self.not_encoded = _not_encoded((state[0] + data)[error.start], self._encoding, start, self._place)
                    decoder.setstate(state)
                    decoder.errors = _NO_TEXT
                    text = decoder.decode(data, not data)
                if is_first and text:
                    text, is_first = text.removeprefix(_MARK), False
                yield text
                at += len(data)
                if not data:
                    return


def _no_text(error: UnicodeError) -> tuple[str | bytes, int]:
    """Keep a fault of an encoding: bytes that are no text become a lone surrogate, and that a byte no UTF-8 has."""
    if isinstance(error, UnicodeDecodeError):
        return "\udcff", error.end
    if isinstance(error, UnicodeEncodeError):
        return b"\xff" * (error.end - error.start), error.end
    raise error


codecs.register_error(_NO_TEXT, _no_text)


def spelled(texts: Iterator[str], original: Original) -> Iterator[str]:
    """Yield texts in which no control character stands but for others: those of the file are spelled."""
    spellings = {one: spelling for spelling, one in original.spelled}
    found = re.compile(f"[{re.escape(''.join(spellings))}]") if spellings else None
    for text in texts:
        yield found.sub(lambda match: spellings[match[0]], text) if found else text


def escapes_marked(texts: Iterator[str], original: Original) -> Iterator[str]:
    """Yield texts with marks in the place of characters that are escaped, and of an escape that nothing follows."""
    escape, marks = original.escape, {one: mark for mark, one in original.escaped}
    pattern, held = re.compile(f"{re.escape(escape)}([{re.escape(''.join(marks))}])"), ""
    for piece in texts:
        text, held = held + piece, ""
        if (len(text) - len(text.rstrip(escape))) % 2:
            text, held = text[:-1], escape
        yield pattern.sub(lambda match: marks[match[1]], text) if escape in text else text
    if held:
        yield original.dangling


def swapped(texts: Iterator[str], original: Original) -> Iterator[str]:
    """Yield texts with the separator in the place of a delimiter, also of one that two texts share."""
    delimiter, separator, held = original.delimiter, original.separator, ""
    for text in texts:
        if len(delimiter) < 2:
            yield text.replace(delimiter, separator) if delimiter else text
            continue
        whole = held + text
        pieces = whole.split(delimiter)
        last = pieces[-1]
        kept = next(
            (size for size in range(min(len(delimiter) - 1, len(last)), 0, -1) if delimiter.startswith(last[-size:])), 0
        )
        held = last[len(last) - kept :]
        pieces[-1] = last[: len(last) - kept]
        yield separator.join(pieces)
    yield held


class Lines:
    """Takes the first lines away from a text that comes in pieces, and the lines that are comments.

    A comment stands where a record could begin: records are cut as the CSV reader cuts them, those with a fault too.
    UserError `csv.unclosed_quote` where a record goes on for too long.
    """

    def __init__(self, dialect: TextDialect, place: Place) -> None:
        self._skip = dialect.skip_rows
        self._place = place
        self._mark = dialect.comment or ""
        mark = re.escape(self._mark)
        self._comment = re.compile(rf"{mark}[^\r\n]*{_LINE_END}")
        self._records = re.compile(rf"(?:(?!{mark}){_record(dialect)})++")
        self._begun = ""
        self._enough = 0
        self.comments = 0

    def kept(self, piece: str) -> str:
        """Return what is left of the whole lines so far."""
        text, self._begun = self._begun + piece, ""
        if self._skip:
            text = self._after_skipped(text)
        return self._without_comments(text) if self._mark and not self._skip else text

    def rest(self) -> str:
        """Return what is left of the last line."""
        if self._skip:
            return ""
        self._enough = 0
        kept = self._without_comments(self._begun) if self._mark else ""
        if self._mark and self._begun.startswith(self._mark):
            self.comments += 1
            return kept
        return kept + self._begun

    def _after_skipped(self, text: str) -> str:
        """Return what follows the first lines; keep a line that is begun, or that an LF may still belong to."""
        at = 0
        while self._skip and (found := _SKIPPED.match(text, at)):
            at, self._skip = found.end(), self._skip - 1
        if self._skip:
            self._begun, at = text[at:], len(text)
        return text[at:]

    def _without_comments(self, text: str) -> str:
        """Return the whole records, and keep the one that is begun."""
        kept, at = [], 0
        while at < len(text) >= self._enough:
            if found := self._records.match(text, at):
                kept.append(found[0])
            elif found := self._comment.match(text, at):
                self.comments += 1
            else:
                break
            at = found.end()
        self._begun = text[at:]
        if len(self._begun) > naming.RECORD_LIMIT:
            raise UserError(
                "csv.unclosed_quote", TOO_LONG, place=self._place, remedy=f"{REMEDIES['csv.unclosed_quote']}."
            )
        # a record of many pieces is looked at again when it has doubled, not with each piece
        self._enough = min(2 * len(self._begun), naming.RECORD_LIMIT)
        return "".join(kept)


def _record(dialect: TextDialect) -> str:
    """Return the pattern of a record with its line end, as `formats.csv.faults` cuts records, those with faults too."""
    quote, escape = re.escape(dialect.enclosure), re.escape(dialect.escape or "")
    delimiter, first = re.escape(dialect.delimiter), re.escape(dialect.delimiter[:1])
    pair = rf"{escape}[\s\S]|" if escape else ""
    part = rf"(?!{delimiter}){first}" if len(dialect.delimiter) > 1 else r"(?!)"
    bare = rf"[^{first}\r\n{escape}]*+(?:(?:{pair}{part})[^{first}\r\n{escape}]*+)*+"
    if not quote:
        return rf"(?>{bare}(?:{delimiter}{bare})*+){_LINE_END}"
    inside = rf"[^{quote}{escape}]*+(?:(?:{pair}{quote}{quote})[^{quote}{escape}]*+)*+"
    cell = rf"(?:{quote}{inside}{quote}{bare}|(?!{quote}){bare})"
    return rf"(?>{cell}(?:{delimiter}{cell})*+){_LINE_END}"


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
