"""What the text of any dialect means: the rules of reference records 9.3, on characters, never bytes.

It reads what Arrow cannot (see `path` and `blocks`), and goes on after a fault that does not hide where the record
ends, so that each fault is found. Characters without meaning are taken in runs; `tests/formats/delimited/slow.py` has
the rules character by character, and all ways of reading are held to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from component.formats.delimited.dialect import DelimitedDialect


@dataclass(frozen=True, slots=True)
class CellText:
    """The text of a cell, and whether it was quoted."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Record:
    """The cells of a record, and where it ends in the text, terminator included.

    `after_quote`: a closed quote is followed by other than a delimiter or the record's end; what follows is taken as
    part of the cell.
    """

    cells: tuple[CellText, ...]
    end: int
    after_quote: bool = False

    @property
    def is_blank(self) -> bool:
        """Whether nothing stands in the record: it is real only in a table of one column."""
        return self.cells == (CellText("", quoted=False),)


class Ending(StrEnum):
    """How a text can end too early."""

    ESCAPE = "escape"
    QUOTE = "quote"


class EndsEarlyError(Exception):
    """The text ends after an escape, or inside quotes.

    `start` is where the record begins, `cell` the number of the open cell, from 0, and `cell_start` where that begins.
    """

    def __init__(self, ending: Ending, start: int, cell: int = 0, cell_start: int | None = None) -> None:
        super().__init__(ending, start)
        self.ending = ending
        self.start = start
        self.cell = cell
        self.cell_start = start if cell_start is None else cell_start


def tokenize(text: str, dialect: DelimitedDialect) -> Iterator[Record]:
    """Yield the records of a text that begins at a record.

    The last may lack its terminator; an empty remainder is no record. Raises EndsEarlyError.
    """
    at = 0
    while at < len(text):
        record = _read_record(text, at, dialect)
        yield record
        at = record.end


def _read_record(text: str, start: int, dialect: DelimitedDialect) -> Record:
    delimiter, terminator = dialect.field_delimiter, dialect.record_terminator
    cells: list[CellText] = []
    at, after_quote = start, False
    while True:
        begun = at
        try:
            cell, at, goes_on = _read_cell(text, at, start, dialect)
        except EndsEarlyError as error:
            raise EndsEarlyError(error.ending, start, len(cells), begun) from None
        cells.append(cell)
        after_quote |= goes_on
        if not text.startswith(delimiter, at):
            return Record(tuple(cells), min(at + len(terminator), len(text)), after_quote)
        at += len(delimiter)


def _read_cell(text: str, at: int, start: int, dialect: DelimitedDialect) -> tuple[CellText, int, bool]:
    """Read the cell at `at`; return it, where it ends, and whether more than its end follows a closed quote.

    A quote opens a cell only at its beginning; further on it is data.
    """
    before = ""
    is_quoted = text.startswith(dialect.quote, at) if dialect.quote else False
    if is_quoted:
        before, at = _read_quoted(text, at + 1, start, dialect)
    bare, end = _read_bare(text, at, start, dialect)
    return CellText(before + bare, is_quoted), end, is_quoted and end > at


def _read_quoted(text: str, at: int, start: int, dialect: DelimitedDialect) -> tuple[str, int]:
    """Read up to the quote that closes; return the text and where the next character is."""
    plain = _runs(dialect)[0]
    doubled = dialect.quotechar * 2 if dialect.doublequote else None
    pieces: list[str] = []
    while at < len(text):
        if found := plain.match(text, at):
            pieces.append(found[0])
            at = found.end()
        elif text[at] == dialect.escape:
            pieces.append(_escaped(text, at, start))
            at += 2
        elif doubled and text.startswith(doubled, at):
            pieces.append(dialect.quotechar)
            at += 2
        else:
            return "".join(pieces), at + 1
    raise EndsEarlyError(Ending.QUOTE, start)


def _read_bare(text: str, at: int, start: int, dialect: DelimitedDialect) -> tuple[str, int]:
    """Read up to a delimiter, a terminator or the end; return the text and where that is."""
    plain = _runs(dialect)[1]
    pieces: list[str] = []
    while at < len(text):
        if found := plain.match(text, at):
            pieces.append(found[0])
            at = found.end()
        elif text[at] == dialect.escape:
            pieces.append(_escaped(text, at, start))
            at += 2
        elif text.startswith((dialect.field_delimiter, dialect.record_terminator), at):
            break
        else:  # the beginning of a terminator that does not go on
            pieces.append(text[at])
            at += 1
    return "".join(pieces), at


def _escaped(text: str, at: int, start: int) -> str:
    if at + 1 == len(text):
        raise EndsEarlyError(Ending.ESCAPE, start)
    return text[at + 1]


@lru_cache(maxsize=16)
def _runs(dialect: DelimitedDialect) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns of characters without meaning: within quotes, and outside."""
    escape = dialect.escape or ""
    inside = re.escape(dialect.quotechar + escape)
    outside = re.escape(dialect.field_delimiter + dialect.record_terminator[0] + escape)
    return re.compile(f"[^{inside}]+"), re.compile(f"[^{outside}]+")
