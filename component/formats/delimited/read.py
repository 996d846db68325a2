"""One split of delimited text to batches of typed rows, with the rows that do not fit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from component import naming
from component.errors import Place, UserError
from component.formats.csv.split import ByteRange
from component.formats.delimited.blocks import Block, NotWholeError, OpenRecordError, RecordTooLongError, read_blocks
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.parse import Parser
from component.formats.delimited.source import DelimitedSplit, open_source
from component.formats.delimited.text import Utf8Text
from component.formats.delimited.tokenizer import Ending, EndsEarlyError, Record, tokenize
from component.formats.rows import Parsed
from component.staging.locations import Location, size_of
from component.tables.types import TableSchema

_HEADER_PIECE: Final = 64 * naming.KIB
TEXT_FAULTS: Final = (EndsEarlyError, RecordTooLongError, NotWholeError)


@dataclass(frozen=True, slots=True)
class DelimitedReader:
    """Reads splits of one table. `reject`: rows that do not fit are returned instead of raised.

    `keep_quoted_empty`: a quoted empty cell of a string column is the empty string, for files of writers that tell it
    from null so (reference records 9.3). By default it is null, as for records-mover and Redshift's EMPTYASNULL.
    `assume_tz`: the zone of instants without offset, UTC by default.
    """

    schema: TableSchema
    dialect: DelimitedDialect
    reject: bool = False
    keep_quoted_empty: bool = False
    assume_tz: str | None = None

    def read(self, split: DelimitedSplit) -> Iterator[Parsed]:
        """Yield the split's rows block by block; the rows of `bad` are numbered from 1 within the split.

        Raises UserError: `cell.type`, `row.cells`, `csv.after_quote`, `csv.unclosed_quote` and `csv.escape` unless rows
        are rejected; `csv.encoding`, `row.length`, `source.format`, `gzip.truncated` always.
        """
        parser = Parser(self.schema, self.dialect, keep_quoted_empty=self.keep_quoted_empty, assume_tz=self.assume_tz)
        done = 0
        with open_text(split, self.dialect) as text:
            if self.dialect.header_row and split.start == 0:
                _pass_header(text, self.dialect, split.place)
            try:
                for parsed in _parsed(read_blocks(text, self.dialect, block_bytes=split.block_bytes), parser):
                    numbered = _renumbered(parsed, done)
                    if numbered.bad and not self.reject:
                        raise numbered.bad[0].error(split.place)
                    yield numbered
                    done += parsed.records
            except TEXT_FAULTS as error:
                raise _text_error(error, text, replace(split.place, row=done + 1)) from None


def _parsed(blocks: Iterator[Block], parser: Parser) -> Iterator[Parsed]:
    """Yield the rows of blocks, and of a last record that does not end the row that it is no more."""
    try:
        yield from map(parser.parse, blocks)
    except OpenRecordError as last:
        yield parser.parse_open(last)


@contextmanager
def open_text(split: DelimitedSplit, dialect: DelimitedDialect) -> Iterator[Utf8Text]:
    """Open a split's text as UTF-8; errors as `source.open_source`."""
    with open_source(split, dialect) as source:
        yield Utf8Text(source, dialect, offset=split.start)


def read_header(location: Location, dialect: DelimitedDialect, *, place: Place) -> tuple[str, ...]:
    """Return the cells of the first record of a file or object; none for one that is empty.

    UserError as `DelimitedReader.read`.
    """
    split = DelimitedSplit(place.table or "", place.slice or "", location, ByteRange(0, size_of(location)))
    with open_text(split, dialect) as text:
        record = _pass_header(text, dialect, place)
    return () if record is None else tuple(cell.text for cell in record.cells)


def _pass_header(text: Utf8Text, dialect: DelimitedDialect, place: Place) -> Record | None:
    """Read past the first record and return it."""
    try:
        record = _take_record(text, dialect)
    except TEXT_FAULTS as error:
        raise _text_error(error, text, place) from None
    if record is not None and record.after_quote:
        raise UserError(
            "csv.after_quote",
            "A quoted name in the header is followed by other than a delimiter or the end of its record",
            place=place,
            remedy="Double or escape a quotechar that belongs to a name.",
        )
    return record


def _take_record(text: Utf8Text, dialect: DelimitedDialect) -> Record | None:
    data = b""
    wanted = _HEADER_PIECE
    while piece := text.read(wanted):
        data += piece
        found = _first_record(data.decode(), dialect)
        if found is not None:
            record, rest = found
            text.unread(rest.encode())
            return record
        if len(data) >= naming.RECORD_LIMIT:
            raise RecordTooLongError
        wanted = len(data)
    if text.fault is not None:
        raise NotWholeError
    return next(tokenize(data.decode(), dialect), None)


def _first_record(text: str, dialect: DelimitedDialect) -> tuple[Record, str] | None:
    """Return the first record and what follows; None where more text might make it longer."""
    try:
        record = next(tokenize(text, dialect), None)
    except EndsEarlyError:
        return None
    return (record, text[record.end :]) if record is not None and record.end < len(text) else None


def _renumbered(parsed: Parsed, done: int) -> Parsed:
    if not parsed.bad or not done:
        return parsed
    return replace(parsed, bad=tuple(replace(row, row=row.row + done) for row in parsed.bad))


def _text_error(error: Exception, text: Utf8Text, place: Place) -> UserError:
    """Return the error for text that cannot be read on."""
    if isinstance(error, NotWholeError) and text.fault is not None:
        return UserError(
            "csv.encoding",
            text.fault.reason,
            place=replace(place, byte=text.fault.byte),
            remedy="Correct the hint encoding, or the file.",
        )
    if isinstance(error, RecordTooLongError):
        return UserError(
            "row.length",
            f"No record ends within {naming.RECORD_LIMIT // naming.MIB} MiB",
            place=place,
            remedy="Correct the hint record-terminator, or close the quoted cell that goes on to the end.",
        )
    if isinstance(error, EndsEarlyError) and error.ending is Ending.ESCAPE:
        return UserError(
            "csv.escape",
            "The file ends after an escape",
            place=place,
            remedy="Transfer the file again if it was cut off; an escape that is data is written twice.",
        )
    return UserError(
        "csv.unclosed_quote",
        "A quoted cell is not closed before the file ends",
        place=place,
        remedy="Close the cell, and double or escape a quotechar that belongs to its text.",
    )
