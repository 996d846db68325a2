"""Text cut into blocks of whole records, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from component import naming
from component.formats.delimited.canonical import Canonical, canonical
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.path import Way, choose_way
from component.formats.delimited.structure import is_whole, last_record_end
from component.formats.delimited.text import Utf8Text
from component.formats.delimited.tokenizer import EndsEarlyError, Record, tokenize

_CAREFUL: Final = 64 * naming.KIB
"""Characters that the tokenizer reads at once: what follows is often read the fast way again."""
_UNREADABLE: Final = b"x"
"""Stands for a byte that cannot be decoded, so that its record is the last."""


@dataclass(frozen=True, slots=True)
class Block:
    """Whole records: in canonical form where it is proven that Arrow reads it right, else as the tokenizer reads them.

    `records` is what the tokenizer read, blank ones included; None where there is a form.
    """

    form: Canonical | None
    records: tuple[Record, ...] | None = None


class OpenRecordError(Exception):
    """The last record ends in quotes or after an escape: `error` says how, `text` is all that it takes in.

    All records before it have been yielded.
    """

    def __init__(self, error: EndsEarlyError, text: str) -> None:
        super().__init__(error, text)
        self.error = error
        self.text = text


class RecordTooLongError(Exception):
    """No record ends within `naming.RECORD_LIMIT`."""


class NotWholeError(Exception):
    """The text of the last record ends before it should, at bytes that cannot be decoded."""


def read_blocks(text: Utf8Text, dialect: DelimitedDialect, *, block_bytes: int) -> Iterator[Block]:
    """Yield the records of a text that begins at one, in blocks of about `block_bytes`.

    Raises OpenRecordError for a last record that ends in quotes or after an escape, RecordTooLongError, and
    NotWholeError where a byte cannot be decoded. All whole records before have been yielded then.
    """
    rest = b""
    wanted = block_bytes
    while piece := text.read(wanted):
        rest += piece
        wanted = _wider(rest)
        while found := _whole_records(rest, dialect):
            block, stop = found
            yield block
            rest = rest[stop:]
            wanted = block_bytes
        if wanted <= 0:
            raise RecordTooLongError
    if text.fault is not None:
        while found := _tokenized(rest + _UNREADABLE, dialect):
            yield found[0]
            rest = rest[found[1] :]
        raise NotWholeError
    if rest:
        yield from _last_records(rest, dialect)


def _wider(window: bytes) -> int:
    """Return how much more to read when no record ends in a window."""
    return min(len(window), naming.RECORD_LIMIT - len(window))


def _whole_records(window: bytes, dialect: DelimitedDialect) -> tuple[Block, int] | None:
    """Return records that end within a window, and where the last of them does; None when none ends."""
    form = _form(window, dialect)
    if form is not None:
        stop = last_record_end(form, dialect)
        if stop is not None:
            return (Block(form.until(stop)), form.source_length(stop)) if stop else None
    return _tokenized(window, dialect)


def _form(text: bytes, dialect: DelimitedDialect) -> Canonical | None:
    return canonical(text, dialect) if choose_way(dialect).way is Way.ARROW else None


def _tokenized(window: bytes, dialect: DelimitedDialect) -> tuple[Block, int] | None:
    """Return the first records of a window as the tokenizer reads them: all but the last, which may go on."""
    text = window.decode()
    records: list[Record] = []
    with suppress(EndsEarlyError):
        for record in tokenize(text, dialect):
            if record.end == len(text):
                break
            records.append(record)
            if record.end > _CAREFUL:
                break
    return (Block(None, tuple(records)), len(text[: records[-1].end].encode())) if records else None


def _last_records(rest: bytes, dialect: DelimitedDialect) -> Iterator[Block]:
    """Yield what is left of a text: mostly one record without terminator. Raises OpenRecordError after those before."""
    form = _form(rest, dialect)
    if form is not None and is_whole(form, dialect):
        yield Block(form)
        return
    text = rest.decode()
    records: list[Record] = []
    open_record: OpenRecordError | None = None
    try:
        records.extend(tokenize(text, dialect))
    except EndsEarlyError as error:
        open_record = OpenRecordError(error, text)
    yield Block(None, tuple(records))
    if open_record is not None:
        raise open_record
