"""Splits found by looking around each cut only, to be proven by reading.

Counting all enclosures of a file costs a pass over it. What lies around a cut nearly always tells whether the cut is
inside an enclosed cell: enclosures open after a delimiter or a line end and close before one, and only one of the two
readings fits. Nothing depends on the guess being right: the reader proves every split (`spark.ledger`), and a slice
with a wrong cut is cut again by `split.plan_splits`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from component import naming
from component.formats.csv.dialect import Dialect
from component.formats.csv.split import ByteRange, first_record_end

_WINDOW: Final = 64 * naming.KIB


def guess_splits(path: Path, dialect: Dialect, *, start: int, split_bytes: int) -> tuple[ByteRange, ...]:
    """Cut a plain file from `start` into ranges of about `split_bytes` that most likely hold whole records."""
    size = path.stat().st_size
    if start >= size:
        return ()
    with path.open("rb", buffering=0) as file:
        ends = [_guess_end(file.fileno(), dialect, begin, size) for begin in range(start, size, split_bytes)[1:]]
    return tuple(ByteRange(begin, end) for begin, end in pairwise(_ascending([start, *ends, size])))


def _ascending(boundaries: Sequence[int]) -> list[int]:
    """Leave out boundaries that do not go on: a chunk without a record end gives the next chunk's again."""
    kept = list(boundaries[:1])
    for boundary in boundaries[1:]:
        if boundary > kept[-1]:
            kept.append(boundary)
    return kept


def _guess_end(descriptor: int, dialect: Dialect, begin: int, size: int) -> int:
    window = os.pread(descriptor, _WINDOW + 1, begin - 1)
    return first_record_end(descriptor, dialect, begin, size, inside=likely_inside(window, dialect))


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
