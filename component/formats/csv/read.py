"""One split to batches of typed rows, with the rows that do not fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import pyarrow as pa

from component import naming
from component.errors import Place, TablemillError, UserError
from component.formats.csv.blocks import UnclosedError, record_blocks
from component.formats.csv.dialect import Dialect
from component.formats.csv.faults import TOO_LONG
from component.formats.csv.parse import Parser, bad_row, framed
from component.formats.csv.sentinel import SplitIsNotExactError
from component.formats.csv.source import CsvSplit, first_byte_not_utf8, open_split
from component.formats.rows import REMEDIES, BadRow, Parsed, RecordTooLongError, taken_in
from component.tables.types import TableSchema

TOGETHER_BYTES: Final = 64 * naming.KIB
"""Largest slice that is read together with others."""


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
        `csv.encoding`, `csv.after_quote`, `csv.quote_in_cell`, `csv.nul`, `csv.unclosed_quote`, `row.length`,
        `gzip.truncated`. An error of a row is certain when the split begins at a record: when no split before it in its
        slice raises ReadAgainError.
        """
        for parsed in self._read_blocks(split):
            if parsed.bad and not self.reject:
                raise self._error(split, parsed.bad[0])
            yield parsed

    def read_together(self, splits: Sequence[CsvSplit]) -> tuple[pa.Table, list[int]] | None:
        """Return the rows of small slices of one split each, and how many each has; None: each must be read by itself.

        Read as one text they take a tenth of the time. That is done where nothing has to be said of a single record:
        all are strict, so a slice whose enclosures pair up ends outside of them, all fit, and none holds a line end.
        """
        if any(split.exact or split.size > TOGETHER_BYTES for split in splits):
            return None
        texts: list[bytes] = []
        try:
            for split in splits:
                with open_split(split, self.dialect) as stream:
                    text = stream.read(TOGETHER_BYTES + 1)
                if len(text) > TOGETHER_BYTES or not self._stands_alone(text):
                    return None
                texts.append(framed(text, b""))
            parsed = Parser(self.schema, self.dialect).parse(b"".join(texts))
        except (UserError, SplitIsNotExactError):
            return None
        counts = [text.count(b"\n") for text in texts]
        # a line end in a cell, or an empty line, would make one of the counts too large, and none is ever too small
        if parsed.bad or parsed.mended or parsed.records != sum(counts):
            return None
        return parsed.rows, counts

    def _stands_alone(self, text: bytes) -> bool:
        """Say whether a text means the same with another one before and after it, if it is strict."""
        quote = self.dialect.quote
        return not (quote and text.count(quote) % 2) and text.count(b"\r") == text.count(b"\r\n")

    def _read_blocks(self, split: CsvSplit) -> Iterator[Parsed]:
        parser = Parser(self.schema, self.dialect)
        done = read = 0
        try:
            with open_split(split, self.dialect) as stream:
                blocks = record_blocks(
                    stream, self.dialect, block_bytes=split.block_bytes, tail=parser.tail, exact=split.exact
                )
                for block in blocks:
                    parsed = _renumber(parser.parse_framed(block), done)
                    before, read = read, stream.position
                    yield replace(parsed, bytes=read - before)
                    done += parsed.records
        except UnclosedError as error:
            yield self._unclosed(error, done + 1)
        except RecordTooLongError:
            if split.exact:
                raise _too_long(split.place, done + 1) from None
            raise ReadAgainError(split.whole(), whole_slice=True) from None
        except SplitIsNotExactError:
            if split.exact:
                raise  # it cannot be
            raise ReadAgainError(split.whole(), whole_slice=True) from None

    def _error(self, split: CsvSplit, bad: BadRow) -> TablemillError:
        error = bad.error(split.place)
        if bad.code != "csv.encoding" or self.dialect.original is not None:
            return error  # a byte of a text that was made from a file is none of the file
        return error.at(byte=first_byte_not_utf8(split))

    def _unclosed(self, error: UnclosedError, row: int) -> Parsed:
        """Return the last record of a slice, which its open enclosure makes a bad row in any reading."""
        bad = bad_row(row, replace(error.fault, code="csv.unclosed_quote"), error.text, self.schema, self.dialect)
        taken = taken_in(self.dialect.in_file(error.text.decode(errors="replace")))
        return Parsed(self.schema.arrow.empty_table(), (replace(bad, reason=bad.reason + taken),), 1)


def _renumber(parsed: Parsed, done: int) -> Parsed:
    if not parsed.bad or not done:
        return parsed
    return replace(parsed, bad=tuple(replace(row, row=row.row + done) for row in parsed.bad))


def _too_long(place: Place, row: int) -> UserError:
    return UserError(
        "csv.unclosed_quote",
        TOO_LONG,
        place=replace(place, row=row),
        remedy=f"{REMEDIES['csv.unclosed_quote']}.",
    )
