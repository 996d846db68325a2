"""One split to batches of typed rows, with the rows that do not fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from component import naming
from component.errors import Place, TablemillError, UserError
from component.formats.csv.blocks import RecordTooLongError, record_blocks
from component.formats.csv.dialect import Dialect
from component.formats.csv.exact import LongRecordError, NotUtf8Error, UnclosedError, parse_stream
from component.formats.csv.parse import Parser
from component.formats.csv.sentinel import SplitIsNotExactError
from component.formats.csv.source import CsvSplit, first_byte_not_utf8, open_split
from component.formats.rows import BadRow, Parsed
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
        `csv.encoding`, `csv.unclosed_quote`, `gzip.truncated`. An error of a row is certain when the split begins at a
        record: when no split before it in its slice raises ReadAgainError.
        """
        for parsed in self._read_exactly(split) if split.exact else self._read_blocks(split):
            if parsed.bad and not self.reject:
                raise _error(split, parsed.bad[0])
            yield parsed

    def _read_blocks(self, split: CsvSplit) -> Iterator[Parsed]:
        parser = Parser(self.schema, self.dialect)
        done = 0
        try:
            with open_split(split, self.dialect) as stream:
                blocks = record_blocks(stream, self.dialect, block_bytes=split.block_bytes, tail=parser.tail)
                for block in blocks:
                    parsed = _renumber(parser.parse_framed(block), done)
                    yield parsed
                    done += parsed.records
        except (SplitIsNotExactError, RecordTooLongError):
            raise ReadAgainError(split.whole(), whole_slice=True) from None

    def _read_exactly(self, split: CsvSplit) -> Iterator[Parsed]:
        try:
            with open_split(split, self.dialect) as stream:
                yield from parse_stream(
                    stream, self.schema, self.dialect, block_bytes=split.block_bytes, latin=split.not_utf8
                )
        except NotUtf8Error:
            raise ReadAgainError(replace(split, not_utf8=True), whole_slice=False) from None
        except LongRecordError as error:
            if split.block_bytes >= naming.RECORD_LIMIT:
                raise _unclosed_quote(split.place, error.row) from None
            raise ReadAgainError(replace(split, block_bytes=naming.RECORD_LIMIT), whole_slice=False) from None
        except UnclosedError as error:
            raise _unclosed_quote(split.place, error.row) from None


def _error(split: CsvSplit, bad: BadRow) -> TablemillError:
    error = bad.error(split.place)
    return error.at(byte=first_byte_not_utf8(split)) if bad.code == "csv.encoding" else error


def _renumber(parsed: Parsed, done: int) -> Parsed:
    if not parsed.bad or not done:
        return parsed
    return Parsed(parsed.rows, tuple(replace(row, row=row.row + done) for row in parsed.bad), parsed.records)


def _unclosed_quote(place: Place, row: int) -> UserError:
    return UserError(
        "csv.unclosed_quote",
        f"A quoted cell is not closed, not within {naming.RECORD_LIMIT // naming.MIB} MiB",
        place=replace(place, row=row),
        remedy="Close the cell with the enclosure, and double an enclosure that belongs to its text.",
    )
