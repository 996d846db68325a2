"""Exact splits of RFC 4180 text: any file is cut into ranges that begin and end at records, with no guess.

Pass 1 counts enclosures per chunk, in parallel. A prefix sum of the parities says for each chunk whether it begins
inside an enclosed cell. Pass 2 finds, from each chunk's beginning, the end of the first record there. A split is the
range between two such ends.

Parity decides only in text that keeps to RFC 4180, where enclosures stand around cells and are doubled inside. A stray
enclosure (`5" pipe`) is legal for Python's csv module; the reader notices it (`sentinel.SplitIsNotExactError`) and the
file is then read as one split. So a wrong cut never becomes a wrong row.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from component import naming
from component.formats.csv.dialect import Dialect
from component.staging.locations import ReadAt, reading_at

Bytes = bytes | bytearray | memoryview

_COUNT_BYTES: Final = 256 * naming.KIB
SEARCH_BYTES: Final = 64 * naming.KIB
_FIRST_STEP: Final = 4 * naming.KIB
_STEP: Final = 256 * naming.KIB
"""Bytes looked at at once: they and what is computed of them stay in the processor's cache."""
_FEED: Final = ord("\n")
_RETURN: Final = ord("\r")


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
    with path.open("rb", buffering=0) as file, reading_at(path) as read_at:
        counts = _count_enclosures(file.fileno(), dialect, begins, size, threads)
        if sum(counts) % 2:
            return (ByteRange(start, size),)
        inside = [total % 2 == 1 for total in accumulate(counts, initial=0)]
        boundaries = [start]
        for begin, state in zip(begins[1:], inside[1:], strict=False):
            if begin >= boundaries[-1]:  # else the record that holds `begin` has been passed already
                boundaries.append(first_record_end(read_at, dialect, begin, size, inside=state))
    return tuple(ByteRange(begin, end) for begin, end in pairwise([*boundaries, size]) if begin < end)


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


def first_record_end(read_at: ReadAt, dialect: Dialect, start: int, size: int, *, inside: bool) -> int:
    """Return the offset just after the first line end at or after `start` that ends a record; `size` without any.

    `inside` says whether `start` lies inside an enclosed cell. A record ends at LF, CR or CRLF outside of enclosures.
    """
    offset = start
    while offset < size:
        piece = read_at(offset, SEARCH_BYTES)
        if not piece:
            break
        found, inside = find_record_end(piece, dialect.quote, inside=inside)
        if found is not None:
            end = offset + found
            ended_in_return = piece[found - 1 : found] == b"\r"
            follows = piece[found : found + 1] or read_at(end, 1)
            return end + 1 if ended_in_return and follows == b"\n" else end
        offset += len(piece)
    return size


def find_record_end(piece: Bytes, quote: bytes, *, inside: bool) -> tuple[int | None, bool]:
    """Find the first record end in a piece: the offset just after its LF or CR, and the state after what was passed.

    `inside` says whether the piece begins inside an enclosed cell. Python sees no single byte, however many line ends
    and enclosures the cells hold.
    """
    values = np.frombuffer(piece, np.uint8)
    start, step = 0, _FIRST_STEP
    while start < len(values):
        ends, inside = _line_ends(values[start : start + step], quote, inside=inside)
        if len(ends):
            return start + int(ends[0]) + 1, False
        start, step = start + step, _STEP
    return None, inside


def last_record_end(piece: Bytes, quote: bytes) -> int:
    """Return the offset just after the last record end in a piece that begins at a record; 0 when there is none.

    A CR as the last byte is no safe end: an LF may follow.
    """
    values = np.frombuffer(piece, np.uint8)
    stop = len(values) - int(len(values) > 0 and values[-1] == _RETURN)
    inside = _count(values[:stop], quote) % 2 == 1
    step = _FIRST_STEP
    while stop > 0:
        start = max(0, stop - step)
        inside ^= _count(values[start:stop], quote) % 2 == 1
        ends, _ = _line_ends(values[start:stop], quote, inside=inside)
        if len(ends):
            return start + int(ends[-1]) + 1
        stop, step = start, _STEP
    return 0


def _line_ends(values: Any, quote: bytes, *, inside: bool) -> tuple[Any, bool]:
    """Return the positions of LF and CR outside of enclosures, and the state after the last value."""
    ends = (values == _FEED) | (values == _RETURN)
    if quote:
        passed = np.cumsum(values == quote[0], dtype=np.uint8)  # it wraps at an even number
        ends &= (passed & 1) == inside
        inside ^= bool(passed[-1] & 1)
    return np.flatnonzero(ends), inside


def _count(values: Any, quote: bytes) -> int:
    if not quote:
        return 0
    pieces = range(0, len(values), _STEP)
    return sum(int(np.count_nonzero(values[start : start + _STEP] == quote[0])) for start in pieces)


def is_utf8(data: Bytes) -> bool:
    """Say whether bytes are valid UTF-8."""
    offsets = pa.py_buffer(np.array([0, len(data)], np.int64))
    text = pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(data)])
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True
