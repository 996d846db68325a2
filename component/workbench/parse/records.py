"""Delimited text to rows of cells: leniently or strictly (`strict_records`).

The lenient way is the machine of Workbench, which never fails (reference workbench 5, "CSV machine").

A quote opens only at the beginning of a cell; two of them inside of one are one; text after a closing quote is appended
and counted; the end of the text closes a cell; LF, CR and CRLF end a record; records without a character are none.

The strict way is that of the platform's CSV, whatever a file's packing and options.
"""

from __future__ import annotations

import csv
import io
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, zip_longest
from typing import Final

from component.errors import Place, UserError
from component.formats.csv.blocks import UnclosedError, record_blocks
from component.formats.csv.dialect import Dialect
from component.formats.csv.faults import TOO_LONG, read_record
from component.formats.csv.parse import Parser, bad_row
from component.formats.csv.source import ByteStream
from component.formats.rows import REMEDIES, BadRow, RecordTooLongError
from component.naming import MIB
from component.tables.types import Column, TableSchema

Row = list[str]
MOST_CELL: Final = 256 * MIB
"""Characters of the longest cell; a quote that nothing closes takes all that follows it for one."""
_BATCH_ROWS: Final = 1000
_FIELD_LIMIT: Final = threading.Lock()


@dataclass(slots=True)
class Repairs:
    """What was repaired: cells with text after a closing quote, and a cell that nothing closed.

    `empty` counts the lines without a character, which are left out.
    """

    count: int = 0
    empty: int = 0
    first: tuple[int, int] | None = None
    closed_by_end: bool = False

    def note(self, row: int, column: int) -> None:
        """Take note of a cell by its row and column, from 1."""
        self.count += 1
        self.first = self.first or (row, column)


@dataclass(slots=True)
class RecordReader:
    """The records of a text that comes in blocks, which can be read twice.

    Python's csv module reads what needs no repair; from where it refuses the text, it is read cell by cell.
    UserError `row.length` for a cell of more than `MOST_CELL` characters.
    """

    blocks: Callable[[], Iterable[str]]
    delimiter: str
    place: Place = field(default_factory=Place)
    repairs: Repairs = field(default_factory=Repairs)

    def __iter__(self) -> Iterator[Row]:
        """Yield the records; `repairs` is complete after the last one."""
        count = 0
        batches = _read_flawless(self.blocks(), self.delimiter, self.repairs)
        try:
            for rows in batches:
                count += len(rows)
                yield from rows
        except csv.Error:
            self.repairs.empty = 0
            yield from islice(read_carefully(self.blocks(), self.delimiter, self.repairs, self.place), count, None)


def _read_flawless(blocks: Iterable[str], delimiter: str, repairs: Repairs) -> Iterator[list[Row]]:
    """Yield rows; raise csv.Error after the rows before what needs repair."""
    reader = csv.reader(_lines(blocks), delimiter=delimiter, strict=True)
    fault: csv.Error | None = None
    while fault is None:
        rows: list[Row] = []
        with _FIELD_LIMIT:  # the limit is one for the whole process
            before = csv.field_size_limit(MOST_CELL)
            try:
                rows.extend(islice(reader, _BATCH_ROWS))
            except csv.Error as error:
                fault = error
            finally:
                csv.field_size_limit(before)
        if not rows and fault is None:
            return
        whole = [row for row in rows if row]
        repairs.empty += len(rows) - len(whole)
        yield whole
    raise fault


def _lines(blocks: Iterable[str]) -> Iterator[str]:
    """Yield lines with their ends: LF, CR or CRLF, and nothing else."""
    begun: list[str] = []
    length = 0
    for block in blocks:
        begun.append(block)
        length += len(block)
        if "\n" not in block and "\r" not in block and length <= MOST_CELL:
            continue
        *whole, last = io.StringIO("".join(begun), newline="").readlines() or [""]
        yield from whole
        begun, length = [last], len(last)
        if last.endswith("\n"):
            yield last
            begun, length = [], 0
        elif length > MOST_CELL:
            raise csv.Error("a line is too long")
    yield from io.StringIO("".join(begun), newline="").readlines()


def read_carefully(blocks: Iterable[str], delimiter: str, repairs: Repairs, place: Place) -> Iterator[Row]:
    """Yield what `RecordReader` does, cell by cell."""
    cell, text = _cell(delimiter), _Text(iter(blocks), place)
    row: Row = []
    number, last = 1, ""
    while text.has():
        if not row and text.next in "\r\n":
            repairs.empty += not (last == "\r" and text.next == "\n")
            last = text.next
            text.at += 1
            continue
        row.append(_take(text, cell, repairs, number, len(row) + 1))
        if text.has() and text.next == delimiter:
            text.at += 1
            if text.has() and text.next not in "\r\n":
                continue
            row.append("")
        last = text.next if text.has() else ""
        text.at += 1  # LF, CR, the CR of a CRLF, whose LF is an empty record, or the end
        yield row
        row, number = [], number + 1


@dataclass(slots=True)
class _Text:
    """A window on a text that comes in blocks."""

    blocks: Iterator[str]
    place: Place
    text: str = ""
    at: int = 0
    ended: bool = False

    def has(self) -> bool:
        """Say whether there is a character at the position."""
        while self.at >= len(self.text) and not self.ended:
            self.grow()
        return self.at < len(self.text)

    @property
    def next(self) -> str:
        """The character at the position."""
        return self.text[self.at]

    def grow(self) -> None:
        """Take in at least as much as there is left."""
        left = [self.text[self.at :]]
        self.at = max(0, self.at - len(self.text))
        wanted = max(len(left[0]), 1)
        if wanted > MOST_CELL:
            raise UserError(
                "row.length",
                f"A cell has more than {MOST_CELL:,} characters",
                place=self.place,
                remedy="Close its quote, or say another delimiter.",
            )
        while wanted > 0 and not self.ended:
            block = next(self.blocks, None)
            self.ended = block is None
            left.append(block or "")
            wanted -= len(block or "")
        self.text = "".join(left)


def _take(text: _Text, cell: re.Pattern[str], repairs: Repairs, row: int, column: int) -> str:
    while True:
        found = cell.match(text.text, text.at)
        if found is None:
            raise AssertionError  # pragma: no cover - the pattern matches the empty cell
        if found.end() < len(text.text) or text.ended:
            break
        text.grow()
    text.at = found.end()
    quoted, closed, after, plain = found.groups()
    if quoted is None:
        return str(plain)
    if closed is None:
        repairs.closed_by_end = True
    if after:
        repairs.note(row, column)
    return quoted.replace('""', '"') + (after or "")


@cache
def _cell(delimiter: str) -> re.Pattern[str]:
    """Return the pattern of a cell: what is between quotes, the closing quote, what is after it; or a bare text."""
    other = rf"[^{re.escape(delimiter)}\r\n]"
    return re.compile(rf'"([^"]*(?:""[^"]*)*)(?:(")({other}*))?|({other}*)')


def columns_of(rows: Sequence[Sequence[str | None]]) -> list[list[str | None]]:
    """Return the columns of rows; a cell that a row does not have is None."""
    return [list(column) for column in zip_longest(*rows)]


_BLOCK_BYTES = 4 * MIB


def strict_records(blocks: Iterable[str], delimiter: str, place: Place) -> Iterator[list[str | None]]:
    """Yield the records of a text. An empty cell is None unless it is enclosed.

    A line without a character is a record where the others have one cell, elsewhere none. UserError `row.cells` for a
    record that has not as many cells as the first, and the codes of text that breaks RFC 4180, with row and value.
    """
    dialect = Dialect(delimiter)
    stream = ByteStream(io.BufferedReader(_Utf8(iter(blocks))))
    parser: Parser | None = None
    done = blank = 0
    try:
        for block in record_blocks(stream, dialect, block_bytes=_BLOCK_BYTES, exact=True):
            if parser is None:
                before, width = _beginning(block, dialect)
                if not width:  # whether blank lines are records is not known yet
                    blank += before
                    continue
                parser = Parser(_schema(width), dialect)
                done = blank if width == 1 else 0
                yield from _blank_rows(done)
            parsed = parser.parse(block)
            if parsed.bad:
                raise _error(parsed.bad[0], done, place)
            done += parsed.records
            for row in zip(*(column.to_pylist() for column in parsed.rows.columns), strict=True):
                yield list(row)
        if parser is None:
            yield from _blank_rows(blank)
    except UnclosedError as error:
        if parser is None and read_record(error.text, 0, dialect).cells == 1:
            done = blank
        raise _error(bad_row(1, error.fault, error.text, _schema(0), dialect), done, place) from None
    except RecordTooLongError:
        raise _error(BadRow(1, "csv.unclosed_quote", TOO_LONG, None, None, ""), done, place) from None


def _schema(width: int) -> TableSchema:
    return TableSchema(tuple(Column(str(number)) for number in range(width)))


def _blank_rows(count: int) -> Iterator[list[str | None]]:
    return ([None] for _ in range(count))


def _beginning(block: memoryview, dialect: Dialect) -> tuple[int, int]:
    """Return how many blank lines a block begins with, and how many cells the next record has; 0 without one."""
    at = blank = 0
    while at < len(block):
        record = read_record(block, at, dialect)
        if bytes(block[at : record.stop]).strip(b"\r\n"):
            return blank, record.cells
        at, blank = record.stop, blank + 1
    return blank, 0


def _error(bad: BadRow, done: int, place: Place) -> UserError:
    remedy = f"{REMEDIES.get(bad.code, 'Correct the row')}, or set reading to lenient."
    return UserError(
        bad.code, bad.reason, place=Place(place.table, place.slice, done + bad.row, None, bad.value), remedy=remedy
    )


class _Utf8(io.RawIOBase):
    """The bytes of a text that comes in blocks."""

    def __init__(self, blocks: Iterator[str]) -> None:
        super().__init__()
        self._blocks = blocks
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, target: bytearray | memoryview, /) -> int:  # type: ignore[override]
        """Fill a buffer from the front; return how many bytes, none at the end."""
        while not self._ready:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._ready = memoryview(block.encode())
        size = min(len(target), len(self._ready))
        target[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size
