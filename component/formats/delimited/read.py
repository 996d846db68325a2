"""One split of delimited text to batches of typed rows, with the rows that do not fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from component import naming
from component.errors import Place, UserError
from component.formats.csv.dialect import Dialect
from component.formats.csv.parse import with_mark
from component.formats.csv.source import HEADER_PIECE
from component.formats.csv.split import ByteRange
from component.formats.delimited.blocks import Block, NotWholeError, OpenRecordError, read_blocks
from component.formats.delimited.canonical import Canonical
from component.formats.delimited.cells import cast_cells, reason_for
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.source import DelimitedSplit, open_source
from component.formats.delimited.text import Utf8Text
from component.formats.delimited.tokenizer import Ending, EndsEarlyError, Record, tokenize
from component.formats.rows import REASONS, BadRow, Parsed, RecordTooLongError, taken_in
from component.staging.locations import Location, size_of
from component.tables.types import TableSchema

TEXT_FAULTS: Final = (EndsEarlyError, RecordTooLongError, NotWholeError)
_PLAIN_CSV = Dialect()


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
        parser = DelimitedParser(
            self.schema, self.dialect, keep_quoted_empty=self.keep_quoted_empty, assume_tz=self.assume_tz
        )
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


def _parsed(blocks: Iterator[Block], parser: DelimitedParser) -> Iterator[Parsed]:
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
    wanted = HEADER_PIECE
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


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of the records that have as many as there are columns, as text, and all other records.

    `numbers`: which record, from 1, each row is; `others`: the faults of the other records.
    """

    columns: Sequence[pa.Array]
    numbers: Any
    others: Sequence[BadRow]
    records: int


class DelimitedParser:
    """Parses blocks of one table; keeps nothing between them.

    `keep_quoted_empty`: a quoted empty cell is the empty string; otherwise it is null like one without quotes.
    """

    def __init__(
        self,
        schema: TableSchema,
        dialect: DelimitedDialect,
        *,
        keep_quoted_empty: bool = False,
        assume_tz: str | None = None,
    ) -> None:
        self._schema = schema
        self._arrow = schema.arrow
        self._dialect = dialect
        self._keep_quoted_empty = keep_quoted_empty
        self._assume_tz = assume_tz
        self._names = [str(number) for number in range(len(schema.columns))]

    def parse(self, block: Block) -> Parsed:
        """Parse a block; rows are numbered from 1. A blank record is a row only in a table of one column."""
        return self._cast(self._cut(block.form) if block.form is not None else self._collect(block.records or ()))

    def parse_open(self, last: OpenRecordError) -> Parsed:
        """Return the row of a last record that never ends: a bad one, with all that it takes in."""
        error = last.error
        code = "csv.escape" if error.ending is Ending.ESCAPE else "csv.unclosed_quote"
        column = self._schema.names[error.cell] if error.cell < len(self._schema.columns) else None
        text = last.text[error.start :]
        bad = BadRow(1, code, REASONS[code] + taken_in(text), column, last.text[error.cell_start :], text)
        return Parsed(self._arrow.empty_table(), (bad,), 1)

    def _cut(self, form: Canonical) -> _Cells:
        """Let Arrow cut a block into cells."""
        wrong: list[tuple[int, int, str]] = []

        def note(row: Any) -> str:
            wrong.append((row.number, row.actual_columns, row.text))
            return "skip"

        text = with_mark(form.text)
        if text[-1:] == form.delimiter:  # else Arrow takes the empty last cell for enclosed when the first one was
            text = bytes(text) + b"\n"
        table = pacsv.read_csv(
            pa.BufferReader(text),
            read_options=pacsv.ReadOptions(use_threads=False, column_names=self._names, block_size=len(text) + 1),
            parse_options=self._parse_options(form, note),
            convert_options=self._convert_options(),
        )
        records = table.num_rows + len(wrong)
        numbers = np.setdiff1d(np.arange(1, records + 1), [number for number, _, _ in wrong], assume_unique=True)
        columns = [form.cells(_joined(column)) for column in table.columns]
        others = [self._wrong_count(number, count, form.record(text)) for number, count, text in wrong]
        return _Cells(columns, numbers, others, records)

    def _parse_options(self, form: Canonical, note: Any) -> pacsv.ParseOptions:
        options = pacsv.ParseOptions(
            delimiter=form.delimiter.decode(),
            quote_char=self._dialect.quote or False,
            double_quote=self._dialect.doublequote and self._dialect.quote is not None,
            escape_char=self._dialect.escape or False,
            newlines_in_values=True,
            ignore_empty_lines=len(self._names) != 1,
        )
        options.invalid_row_handler = note
        return options

    def _convert_options(self) -> pacsv.ConvertOptions:
        return pacsv.ConvertOptions(
            check_utf8=False,  # the text has been checked as a whole
            column_types=dict.fromkeys(self._names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=not self._keep_quoted_empty,
        )

    def _collect(self, records: Sequence[Record]) -> _Cells:
        """Sort what the tokenizer read into rows and others."""
        width = len(self._names)
        real = [record for record in records if width == 1 or not record.is_blank]
        rows: list[Record] = []
        numbers: list[int] = []
        others: list[BadRow] = []
        for number, record in enumerate(real, 1):
            if record.after_quote:
                others.append(_after_quote(number, record))
            elif len(record.cells) != width:
                others.append(_wrong_count(number, record, width))
            else:
                rows.append(record)
                numbers.append(number)
        columns = [pa.array([self._text(row, place) for row in rows], pa.string()) for place in range(width)]
        return _Cells(columns, np.array(numbers, np.int64), others, len(real))

    def _text(self, row: Record, place: int) -> str | None:
        cell = row.cells[place]
        return cell.text if cell.text or (cell.quoted and self._keep_quoted_empty) else None

    def _wrong_count(self, number: int, count: int, text: str) -> BadRow:
        if _ends_in_escape(text, self._dialect):
            text += self._dialect.record_terminator  # Arrow takes line ends off the text that it gives, escaped or not
        record = next(tokenize(text, self._dialect), Record((), 0))
        return replace(_wrong_count(number, record, len(self._names)), reason=_width(count, len(self._names)))

    def _cast(self, cells: _Cells) -> Parsed:
        """Cast the columns. A row with several faults is reported once, by its first column."""
        faults: dict[int, BadRow] = {}
        values = []
        for column, texts in zip(self._schema.columns, cells.columns, strict=True):
            cast = cast_cells(
                texts, column, self._dialect, quoted_empty=self._keep_quoted_empty, assume_tz=self._assume_tz
            )
            values.append(cast.values)
            for at in cast.bad:
                if at not in faults:
                    reason, number = reason_for(column, self._dialect), int(cells.numbers[at])
                    faults[at] = BadRow(number, "cell.type", reason, column.name, texts[at].as_py(), _record(cells, at))
        table = pa.table(values, schema=self._arrow)
        if faults:
            kept = np.ones(table.num_rows, np.bool_)
            kept[list(faults)] = False
            table = table.filter(pa.array(kept))
        bad = sorted([*cells.others, *faults.values()], key=lambda row: row.row)
        return Parsed(table, tuple(bad), cells.records)


def _ends_in_escape(text: str, dialect: DelimitedDialect) -> bool:
    return dialect.escape is not None and (len(text) - len(text.rstrip(dialect.escape))) % 2 == 1


def _joined(cells: pa.ChunkedArray) -> pa.Array:
    return cells.chunk(0) if cells.num_chunks == 1 else cells.combine_chunks()


def _record(cells: _Cells, at: int) -> str:
    """Return a record as RFC 4180 text, whatever the dialect, as rejected rows are written."""
    return _PLAIN_CSV.join([column[at].as_py() for column in cells.columns])


def _wrong_count(number: int, record: Record, width: int) -> BadRow:
    text = _PLAIN_CSV.join([cell.text or None for cell in record.cells])
    return BadRow(number, "row.cells", _width(len(record.cells), width), None, None, text)


def _width(count: int, width: int) -> str:
    return f"The row has {count} cells where {width} are expected"


def _after_quote(number: int, record: Record) -> BadRow:
    text = _PLAIN_CSV.join([cell.text or None for cell in record.cells])
    reason = "A quoted cell is followed by other than a delimiter or the end of its record"
    return BadRow(number, "csv.after_quote", reason, None, None, text)
