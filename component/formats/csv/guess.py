"""Splits found by looking around each cut only, to be proven by reading.

Counting all enclosures of a file costs a pass over it. What lies around a cut nearly always tells whether the cut is
inside an enclosed cell: enclosures open after a delimiter or a line end and close before one, and only one of the two
readings fits. Nothing depends on the guess being right: the reader proves every split (`spark.jobs.ledger`), and a
slice with a wrong cut is cut again by `split.plan_splits`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from component.formats.csv.dialect import Dialect
from component.formats.csv.split import SEARCH_BYTES, ByteRange, first_record_end
from component.staging.locations import Location, ReadAt, reading_at, size_of

_WINDOW: Final = SEARCH_BYTES
_AT_ONCE: Final = 16
"""Cuts of an object that are looked at at the same time: each takes a request."""


def guess_splits(location: Location, dialect: Dialect, *, start: int, split_bytes: int) -> tuple[ByteRange, ...]:
    """Cut a plain file or object from `start` into ranges of about `split_bytes` that most likely hold whole records.

    Of an object as much is read as of a file: the window around each cut.
    """
    size = size_of(location)
    if start >= size:
        return ()
    begins = range(start, size, split_bytes)[1:]
    with reading_at(location) as read_at:
        guess = partial(_guess_end, read_at, dialect, size)
        ends = list(map(guess, begins)) if isinstance(location, Path) else _at_once(guess, begins)
    return tuple(ByteRange(begin, end) for begin, end in pairwise(_ascending([start, *ends, size])))


def _at_once(guess: Callable[[int], int], begins: Sequence[int]) -> list[int]:
    with ThreadPoolExecutor(_AT_ONCE, "cuts") as pool:
        return list(pool.map(guess, begins))


def _ascending(boundaries: Sequence[int]) -> list[int]:
    """Leave out boundaries that do not go on: a chunk without a record end gives the next chunk's again."""
    kept = list(boundaries[:1])
    for boundary in boundaries[1:]:
        if boundary > kept[-1]:
            kept.append(boundary)
    return kept


def _guess_end(read_at: ReadAt, dialect: Dialect, size: int, begin: int) -> int:
    window = read_at(begin - 1, _WINDOW + 1)

    def read_again(offset: int, count: int) -> bytes:
        """Read what the window holds from there, since the search for a record's end begins with the same bytes."""
        return window[1:] if (offset, count) == (begin, _WINDOW) else read_at(offset, count)

    return first_record_end(read_again, dialect, begin, size, inside=likely_inside(window, dialect))


def likely_inside(window: bytes, dialect: Dialect) -> bool:
    """Say whether the second byte of a window most likely lies inside an enclosed cell.

    The first byte is only looked back at. Outside is the answer where both readings fit, or neither.
    """
    if not dialect.quote or dialect.quote not in window[1:]:
        return False
    data = np.frombuffer(window, np.uint8)
    quotes = np.flatnonzero(data == dialect.quote[0])
    quotes = quotes[(quotes > 0) & (quotes < len(data) - 1)]
    edges = np.zeros(256, np.bool_)
    edges[[dialect.delimiter.encode()[0], *b"\r\n", dialect.quote[0]]] = True
    opens, closes = edges[data[quotes - 1]], edges[data[quotes + 1]]
    outside = opens[0::2].all() and closes[1::2].all()
    inside = closes[0::2].all() and opens[1::2].all()
    return bool(inside and not outside)
