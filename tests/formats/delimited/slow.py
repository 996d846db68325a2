"""The tokenizer of reference records 9.3, character by character: slow and obvious."""

from __future__ import annotations

from collections.abc import Iterator

from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.tokenizer import CellText, Ending, EndsEarlyError, Record


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
    cells: list[CellText] = []
    buffer: list[str] = []
    was_quoted = in_quotes = after_quote = False
    at = start
    while at < len(text):
        character = text[at]
        if character == dialect.escape:
            if at + 1 == len(text):
                raise EndsEarlyError(Ending.ESCAPE, start)
            after_quote |= was_quoted and not in_quotes
            buffer.append(text[at + 1])
            at += 2
        elif in_quotes:
            doubled = dialect.doublequote and text[at : at + 2] == dialect.quotechar * 2
            if doubled or character != dialect.quote:
                buffer.append(character)
            else:
                in_quotes = False
            at += 1 + doubled
        elif character == dialect.quote and not buffer and not was_quoted:
            in_quotes = was_quoted = True
            at += 1
        elif character == dialect.field_delimiter:
            cells.append(CellText("".join(buffer), was_quoted))
            buffer, was_quoted = [], False
            at += 1
        elif text.startswith(dialect.record_terminator, at):
            cells.append(CellText("".join(buffer), was_quoted))
            return Record(tuple(cells), at + len(dialect.record_terminator), after_quote)
        else:
            after_quote |= was_quoted
            buffer.append(character)
            at += 1
    if in_quotes:
        raise EndsEarlyError(Ending.QUOTE, start)
    cells.append(CellText("".join(buffer), was_quoted))
    return Record(tuple(cells), at, after_quote)
