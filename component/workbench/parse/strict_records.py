"""Delimited text to rows of cells, strictly: as the platform's CSV is read, whatever a file's packing and options."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

from component.errors import Place, UserError
from component.formats.csv.blocks import RecordTooLongError, UnclosedError, record_blocks
from component.formats.csv.dialect import Dialect
from component.formats.csv.faults import TOO_LONG, read_record
from component.formats.csv.parse import Parser, bad_row
from component.formats.csv.source import ByteStream
from component.formats.rows import REMEDIES, BadRow
from component.naming import MIB
from component.tables.types import Column, TableSchema

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
        raise _error(bad_row(1, error.fault, error.text, _schema(0)), done, place) from None
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
