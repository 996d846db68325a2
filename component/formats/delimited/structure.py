"""Where records end in canonical text that begins at one, proven: or the answer that the tokenizer must be asked.

Whether a byte is quoted follows from counting the quotes before it, if each of them opens or closes a cell: if every
first one stands at the beginning of a cell, and every second one before a delimiter, a record's end, or its double.
That is looked at for all quotes, so nothing is guessed. Where it does not hold (a quote in the middle of a cell, text
after a closed quote), the tokenizer reads the text.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from component.formats.delimited.canonical import FEED, Canonical
from component.formats.delimited.dialect import DelimitedDialect

_ESCAPE: Final = b"\\"
_NEAR: Final = 65536
"""Bytes at the end of a text in which its last record's end is looked for first."""
_NEUTRAL: Final = ord("x")


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
