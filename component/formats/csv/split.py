"""Exact splits of RFC 4180 text: any file is cut into ranges that begin and end at records, with no guess.

Pass 1 counts enclosures per chunk, in parallel. A prefix sum of the parities says for each chunk whether it begins
inside an enclosed cell. Pass 2 finds, from each chunk's beginning, the end of the first record there. A split is the
range between two such ends.

Parity decides only in text that keeps to RFC 4180, where enclosures stand around cells and are doubled inside. A stray
enclosure (`5" pipe`) is legal for Python's csv module; the reader notices it (`careful.SplitIsNotExactError`) and the
file is then read as one split. So a wrong cut never becomes a wrong row.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np

from component import naming
from component.formats.csv.dialect import Dialect

_COUNT_BYTES = 1 * naming.MIB
_SEARCH_BYTES = 64 * naming.KIB


@dataclass(frozen=True, slots=True)
class ByteRange:
    """A half-open range of one file's bytes that holds whole records."""

    start: int
    stop: int

    @property
    def size(self) -> int:
        """Bytes in the range."""
        return self.stop - self.start


def plan_splits(path: Path, dialect: Dialect, *, start: int, split_bytes: int, threads: int) -> tuple[ByteRange, ...]:
    """Cut a plain file from `start` (after BOM and header) into ranges of about `split_bytes` that hold whole records.

    Empty when nothing follows `start`. One range when the enclosures of the file do not pair up, since then parity says
    nothing.
    """
    size = path.stat().st_size
    if start >= size:
        return ()
    begins = range(start, size, split_bytes)
    with path.open("rb", buffering=0) as file:
        counts = _count_enclosures(file.fileno(), dialect, begins, size, threads)
        if sum(counts) % 2:
            return (ByteRange(start, size),)
        inside = [total % 2 == 1 for total in accumulate(counts, initial=0)]
        ends = [
            first_record_end(file.fileno(), dialect, begin, size, inside=state)
            for begin, state in zip(begins[1:], inside[1:], strict=False)
        ]
    return tuple(_ranges([start, *ends, size]))


def _ranges(boundaries: Sequence[int]) -> Iterator[ByteRange]:
    """Yield the ranges between boundaries; a chunk without a record end gives the next chunk's boundary twice."""
    for begin, end in pairwise(boundaries):
        if begin < end:
            yield ByteRange(begin, end)


def _count_enclosures(
    descriptor: int, dialect: Dialect, begins: Iterable[int], size: int, threads: int
) -> Sequence[int]:
    if not dialect.quote:
        return [0 for _ in begins]
    starts = list(begins)
    stops = [*starts[1:], size]
    with ThreadPoolExecutor(threads) as pool:
        return list(
            pool.map(lambda pair: count_byte(descriptor, dialect.quote, *pair), zip(starts, stops, strict=True))
        )


def count_byte(descriptor: int, byte: bytes, start: int, stop: int) -> int:
    """Count one byte in a range of an open file, at memory speed: numpy lets other threads run meanwhile."""
    buffer = np.empty(_COUNT_BYTES, np.uint8)
    wanted = np.uint8(byte[0])
    total = 0
    while start < stop:
        read = os.preadv(descriptor, [buffer.data[: min(_COUNT_BYTES, stop - start)]], start)
        if read == 0:
            break
        total += int(np.count_nonzero(buffer[:read] == wanted))
        start += read
    return total


def first_record_end(descriptor: int, dialect: Dialect, start: int, size: int, *, inside: bool) -> int:
    """Return the offset just after the first record end at or after `start`; `size` when there is none.

    `inside` says whether `start` lies inside an enclosed cell. A record ends at LF, CR or CRLF outside of enclosures.
    """
    offset = start
    while offset < size:
        piece = os.pread(descriptor, _SEARCH_BYTES, offset)
        if not piece:
            break
        found, inside = find_record_end(piece, dialect.quote, inside=inside)
        if found is not None:
            end = offset + found
            ended_in_return = piece[found - 1 : found] == b"\r"
            follows = piece[found : found + 1] or os.pread(descriptor, 1, end)
            return end + 1 if ended_in_return and follows == b"\n" else end
        offset += len(piece)
    return size


def find_record_end(piece: bytes, quote: bytes, *, inside: bool) -> tuple[int | None, bool]:
    """Find the first record end in a piece: the offset just after its LF or CR, and the state after what was passed.

    Each byte is looked at a bounded number of times, however many line ends the enclosed cells hold.
    """
    position = 0
    feed, carriage = piece.find(b"\n"), piece.find(b"\r")
    while True:
        candidates = [at for at in (feed, carriage) if at >= 0]
        stop = min(candidates, default=len(piece))
        if quote and piece.count(quote, position, stop) % 2:
            inside = not inside
        if not candidates:
            return None, inside
        if not inside:
            return stop + 1, inside
        position = stop + 1
        feed = piece.find(b"\n", position) if feed == stop else feed
        carriage = piece.find(b"\r", position) if carriage == stop else carriage


def last_record_end(piece: bytes | bytearray, quote: bytes, *, at_end: bool) -> int:
    """Return the offset just after the last record end in a piece that begins at a record; 0 when there is none.

    A CR as the last byte is no safe end unless nothing follows (`at_end`): an LF may come with the next piece.
    """
    stop = len(piece) if at_end or not piece.endswith(b"\r") else len(piece) - 1
    inside = bool(quote) and piece.count(quote, 0, stop) % 2 == 1
    feed, carriage = piece.rfind(b"\n", 0, stop), piece.rfind(b"\r", 0, stop)
    while True:
        last = max(feed, carriage)
        if last < 0:
            return 0
        if quote and piece.count(quote, last, stop) % 2:
            inside = not inside
        if not inside:
            return last + 1
        stop = last
        feed = piece.rfind(b"\n", 0, stop) if feed == last else feed
        carriage = piece.rfind(b"\r", 0, stop) if carriage == last else carriage
