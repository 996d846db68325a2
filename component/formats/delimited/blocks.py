"""Text cut into blocks of whole records, in bounded memory.

Where records end in canonical text that begins at one is proven, or left to the tokenizer. Whether a byte is quoted
follows from counting the quotes before it, provided that each of them opens or closes a cell: every first one stands at
the beginning of a cell, and every second one before a delimiter, a record's end, or its double. All quotes are checked,
so nothing is guessed. Where that does not hold (a quote in the middle of a cell, text after a closed quote), the
tokenizer reads the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from component import naming
from component.formats.delimited.canonical import FEED, Canonical, canonical
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.path import Way, choose_way
from component.formats.delimited.text import Utf8Text
from component.formats.delimited.tokenizer import EndsEarlyError, Record, tokenize
from component.formats.rows import RecordTooLongError

_CAREFUL: Final = 64 * naming.KIB
"""Characters that the tokenizer reads at once: what follows is often read the fast way again."""
_UNREADABLE: Final = b"x"
"""Stands for a byte that cannot be decoded, so that its record is the last."""
_ESCAPE: Final = b"\\"
_NEAR: Final = 65536
"""Bytes at the end of a text in which its last record's end is looked for first."""
_NEUTRAL: Final = ord("x")


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


def last_record_end(form: Canonical, dialect: DelimitedDialect) -> int | None:
    """Return the offset after the last record that is known to end in a text; 0 when none ends.

    None when the first record has a quote that neither opens nor closes a cell.
    """
    quote = None if dialect.quote is None else dialect.quote.encode()
    if quote is None or quote not in form.text:
        return _last_feed(form.text, escaped=dialect.escape is not None)
    bytes_ = _ended(_without_escaped(form.text, dialect))
    quotes = np.flatnonzero(bytes_ == quote[0])
    stop = _last_outside(bytes_[:-1], quotes)
    odd = _first_odd(bytes_, quotes[: np.searchsorted(quotes, stop)] if stop else quotes, form, dialect)
    if odd is None:
        return stop
    return _last_outside(bytes_[:odd], quotes) or None


def is_whole(form: Canonical, dialect: DelimitedDialect) -> bool:
    """Say whether a last record without terminator is known to end well: outside of quotes, not after an escape."""
    if dialect.escape is not None and _run_before(form.text, len(form.text)) % 2:
        return False
    quote = None if dialect.quote is None else dialect.quote.encode()
    if quote is None or quote not in form.text:
        return True
    bytes_ = _ended(_without_escaped(form.text, dialect))
    quotes = np.flatnonzero(bytes_ == quote[0])
    return len(quotes) % 2 == 0 and _first_odd(bytes_, quotes, form, dialect) is None


def _last_feed(text: bytes, *, escaped: bool) -> int:
    at = text.rfind(FEED)
    while escaped and at >= 0 and _run_before(text, at) % 2:
        at = text.rfind(FEED, 0, at)
    return at + 1


def _run_before(text: bytes, stop: int) -> int:
    """Return how many escapes stand right before an offset."""
    at = stop
    while at > 0 and text[at - 1] == _ESCAPE[0]:
        at -= 1
    return stop - at


def _without_escaped(text: bytes, dialect: DelimitedDialect) -> Any:
    """Return the bytes of a text, those that are escaped overwritten with one that means nothing."""
    data = np.frombuffer(text, np.uint8)
    if dialect.escape is None or _ESCAPE not in text:
        return data
    escapes = np.flatnonzero(data == _ESCAPE[0])
    begins = np.r_[True, escapes[1:] != escapes[:-1] + 1]
    order = np.arange(len(escapes))
    in_run = order - np.maximum.accumulate(np.where(begins, order, 0))
    escaped = escapes[in_run % 2 == 0] + 1
    neutral = data.copy()
    neutral[escaped[escaped < len(data)]] = _NEUTRAL
    return neutral


def _ended(bytes_: Any) -> Any:
    """Return bytes with a line end, so that one follows each of them."""
    return np.append(bytes_, np.uint8(FEED[0]))


def _last_outside(bytes_: Any, quotes: Any) -> int:
    """Return the offset after the last line end that an even number of quotes is before; 0 when there is none."""
    for start in (max(0, len(bytes_) - _NEAR), 0):
        feeds = np.flatnonzero(bytes_[start:] == FEED[0]) + start
        outside = feeds[np.searchsorted(quotes, feeds) % 2 == 0]
        if len(outside):
            return int(outside[-1]) + 1
    return 0


def _first_odd(bytes_: Any, quotes: Any, form: Canonical, dialect: DelimitedDialect) -> int | None:
    """Return where the first quote stands that does not open or close a cell in its turn. A byte follows the last."""
    opens, closes = quotes[0::2], quotes[1::2]
    edges = np.zeros(256, np.bool_)
    edges[[form.delimiter[0], FEED[0]]] = True
    edges[ord(dialect.quotechar)] = dialect.doublequote
    before = bytes_[opens - 1]  # of the first byte it is the last, which is a line end
    wrong = [at[~edges[beside]] for at, beside in ((opens, before), (closes, bytes_[closes + 1]))]
    return min((int(at[0]) for at in wrong if len(at)), default=None)
