"""What breaks RFC 4180 in a text, and where its records end nevertheless.

Strict text has enclosures only around whole cells and doubled inside them, no NUL, and no escape at its end. Whether
an enclosure opens or closes a cell follows from counting those before it, so all of them are held to that at once, as
bits of machine words: an opening one has a delimiter, a line end or the enclosure it doubles before it, a closing one
has such a byte behind it. What is sound costs a few passes at the speed of memory; from a byte that is not, records are
read cell by cell until a few in a row are sound again.

A record with a fault ends at the first line end at which no enclosure is open. What follows a closing enclosure opens
nothing until the next delimiter. That is how Arrow's reader and Python's csv module cut text, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from component import naming
from component.formats.csv.dialect import Dialect
from component.formats.csv.split import Bytes, last_record_end

_STEPS: Final = tuple(np.uint64(1 << power) for power in range(6))
_ONE: Final = np.uint64(1)
_LAST: Final = np.uint64(63)
_FIRST_PIECE: Final = 4 * naming.KIB
_PIECE: Final = 256 * naming.KIB
"""Bytes looked at at once; a multiple of 64. They and what is computed of them stay in the processor's cache."""
_SOUND_AGAIN: Final = 4
"""Sound records in a row after which the fast way is worth while again."""


TOO_LONG: Final = (
    f"No record ends within {naming.RECORD_LIMIT // naming.MIB} MiB: an enclosed cell seems not to be closed"
)


@dataclass(frozen=True, slots=True)
class RecordFault:
    """A record that is not strict: where it stands, the code of its first fault, and in which cell, from 0.

    `value` is that cell as it stands in the text.
    """

    start: int
    stop: int
    code: str
    cell: int
    value: bytes


@dataclass(frozen=True, slots=True)
class Records:
    """The whole records of a text: where the last one ends, those with faults, and the one that is open.

    `open`: the record after the last whole one has an enclosure that the text does not close.
    """

    stop: int
    faults: tuple[RecordFault, ...] = ()
    open: RecordFault | None = None


def find_records(text: Bytes, dialect: Dialect, *, final: bool) -> Records:
    """Find the records of a text that begins at one. `final`: nothing follows, so its end may end the last record."""
    faults: list[RecordFault] = []
    at = 0
    while True:
        odd = first_odd(text, dialect, at)
        if odd is None:
            return _sound_to_the_end(text, dialect, at, faults, final=final)
        at += last_record_end(memoryview(text)[at:odd], dialect.quote)
        sound = 0
        while sound < _SOUND_AGAIN and at < len(text):
            record = read_record(text, at, dialect)
            if record.is_open and final:
                return Records(at, tuple(faults), record.fault)
            if not final and not record.ended:
                return Records(at, tuple(faults))
            sound = 0 if record.fault else sound + 1
            faults += [record.fault] if record.fault else []
            at = record.stop


def is_strict(text: Bytes, dialect: Dialect) -> bool:
    """Say whether a text that begins at a record keeps to RFC 4180 as far as it goes; its last cell may be open."""
    return first_odd(text, dialect, 0) is None


def _sound_to_the_end(text: Bytes, dialect: Dialect, at: int, faults: list[RecordFault], *, final: bool) -> Records:
    """Return the records of a text without a fault from `at` on."""
    rest = memoryview(text)[at:]
    if final and not (dialect.quote and np.count_nonzero(np.frombuffer(rest, np.uint8) == dialect.quote[0]) % 2):
        return Records(len(text), tuple(faults))
    stop = at + last_record_end(rest, dialect.quote)
    return Records(stop, tuple(faults), read_record(text, stop, dialect).fault if final else None)


def first_odd(text: Bytes, dialect: Dialect, start: int) -> int | None:
    """Return where the first byte stands, from `start` on, that no strict text has there; None when all is sound.

    A record begins at `start`.
    """
    values = np.frombuffer(text, np.uint8)
    found = _first_odd_enclosure(values, dialect, start) if dialect.quote else None
    ends = len(values) if found is None else found
    if ends > start and values[start:ends].min() == 0:
        found = start + int(np.flatnonzero(values[start:ends] == 0)[0])
    if not dialect.dangling:
        return found
    escapes = np.flatnonzero(values[start:found] == dialect.dangling[0])
    return start + int(escapes[0]) if len(escapes) else found


def _first_odd_enclosure(values: Any, dialect: Dialect, start: int) -> int | None:
    quote, delimiter = dialect.quote[0], dialect.delimiter.encode()[0]
    ends = {quote, delimiter, *b"\r\n"}
    size, step, begin, inside = len(values), _FIRST_PIECE if start else _PIECE, start, False
    is_edge, is_other, is_quote = (np.empty(min(_PIECE, size), np.bool_) for _ in range(3))
    while start < size:
        stop = min(start + step, size)
        piece, count = values[start:stop], stop - start
        quotes = np.equal(piece, quote, out=is_quote[:count])
        if quotes.any():
            edges = np.equal(piece, delimiter, out=is_edge[:count])
            for end in b"\r\n":
                np.logical_or(edges, np.equal(piece, end, out=is_other[:count]), out=edges)
            np.logical_or(edges, quotes, out=edges)
            around = (start == begin or values[start - 1] in ends, stop == size or values[stop] in ends)
            odd, inside = _odd_bit(_words(quotes), _words(edges), inside, around, count)
            if odd is not None:
                return start + odd
        start, step = stop, min(4 * step, _PIECE)
    return None


def _words(mask: Any) -> Any:
    """Return a mask as bits of words, the first one lowest."""
    packed = np.packbits(mask, bitorder="little")
    return np.append(packed, np.zeros(-len(packed) % 8, np.uint8)).view(np.uint64)


def _odd_bit(quotes: Any, edges: Any, inside: bool, around: tuple[bool, bool], count: int) -> tuple[int | None, bool]:
    """Return the first enclosure that neither opens nor closes a cell in its turn, and the state after the last byte.

    `edges` are delimiters, line ends and enclosures; `around`: whether such a one stands before the first of the
    `count` bits, and behind the last.
    """
    counted = quotes.copy()  # becomes: an odd number of enclosures up to here, this one included
    for width in _STEPS:
        counted ^= counted << width
    carried = np.bitwise_xor.accumulate(np.append(np.uint64(inside), counted >> _LAST))
    counted ^= np.uint64(0) - carried[:-1]
    before = edges << _ONE
    before[1:] |= edges[:-1] >> _LAST
    before[0] |= np.uint64(around[0])
    behind = edges >> _ONE
    behind[:-1] |= edges[1:] << _LAST
    if around[1]:
        behind[(count - 1) // 64] |= _ONE << np.uint64((count - 1) % 64)
    opening = quotes & counted
    odd = (opening & ~before) | ((quotes ^ opening) & ~behind)
    found = np.flatnonzero(odd)
    if len(found):
        word = int(odd[found[0]])
        return 64 * int(found[0]) + (word & -word).bit_length() - 1, False
    return None, bool(carried[-1])


@dataclass(frozen=True, slots=True)
class RecordSpan:
    """One record, and how many cells it has; `ended`: it is known to go no further, whatever follows the text."""

    stop: int
    fault: RecordFault | None
    is_open: bool
    ended: bool
    cells: int


def first_record(text: Bytes, dialect: Dialect) -> RecordSpan:
    """Read the first record of a text."""
    return read_record(text, 0, dialect)


def read_record(text: Bytes, start: int, dialect: Dialect) -> RecordSpan:
    """Read the record at `start` cell by cell."""
    pattern, size, delimiter = _cell(dialect), len(text), dialect.delimiter.encode()[0]
    first: tuple[str, int, bytes] | None = None
    at, cell, is_open = start, 0, False
    while True:
        found = pattern.match(text, at)
        if found is None:
            raise AssertionError  # pragma: no cover - the pattern matches the empty cell
        is_open = found["inside"] is not None and found["close"] is None
        first = first or _fault_of(found, cell, dialect, is_open=is_open)
        at = found.end()
        if at == size or text[at] != delimiter:
            break
        at, cell = at + 1, cell + 1
    ends = bytes(text[at : at + 2])
    stop = at + (2 if ends == b"\r\n" else len(ends[:1]))
    fault = None if first is None else RecordFault(start, stop, *first)
    return RecordSpan(stop, fault, is_open, ended=at < size and ends != b"\r", cells=cell + 1)


def _fault_of(found: re.Match[bytes], cell: int, dialect: Dialect, *, is_open: bool) -> tuple[str, int, bytes] | None:
    text = found[0]
    if is_open:
        return "csv.unclosed_quote", cell, text
    if found["after"]:
        return "csv.after_quote", cell, text
    if found["inside"] is None and dialect.quote and dialect.quote in text:
        return "csv.quote_in_cell", cell, text
    if b"\0" in text:
        return "csv.nul", cell, text
    return ("csv.escape", cell, text) if dialect.dangling and dialect.dangling in text else None


@lru_cache(maxsize=64)
def _cell(dialect: Dialect) -> re.Pattern[bytes]:
    """Return the pattern of a cell: what is enclosed, the closing enclosure, what follows it; or a bare text."""
    other = rb"[^%b\r\n]*" % re.escape(dialect.delimiter.encode())
    if not dialect.quote:
        return re.compile(rb"(?P<inside>(?!))?(?P<close>(?!))?(?P<after>(?!))?%b" % other)
    quote = re.escape(dialect.quote)
    inside = rb"%b(?P<inside>[^%b]*(?:%b%b[^%b]*)*)(?:(?P<close>%b)(?P<after>%b))?" % (
        *(quote,) * 5,
        quote,
        other,
    )
    return re.compile(rb"%b|%b" % (inside, other))
