"""Plain files of a dialect cut into splits that hold whole records, exactly, by looking around each cut only.

Without quoting the bytes before a terminator say whether it ends a record (`path.choose_cutting` has the reasons); a
terminator's bytes stand nowhere else, since UTF-8 tells the beginnings of characters, and other encodings that can be
cut have one byte each. A file of any other dialect is one split.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from component import naming
from component.formats.csv.split import ByteRange
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.path import choose_cutting
from component.formats.delimited.source import DelimitedSplit
from component.staging.locations import Location, ReadAt, reading_at, size_of

_WINDOW: Final = 64 * naming.KIB
_AT_ONCE: Final = 16
"""Cuts of an object that are looked at at the same time: each takes a request."""


def plan_splits(
    location: Location, dialect: DelimitedDialect, *, table: str, name: str, split_bytes: int
) -> tuple[DelimitedSplit, ...]:
    """Return the splits of one slice, of about `split_bytes` where the dialect allows to cut; none of an empty file."""
    size = size_of(location)
    ranges = cut_ranges(location, dialect, size, split_bytes)
    return tuple(DelimitedSplit(table, name, location, part) for part in ranges)


def cut_ranges(location: Location, dialect: DelimitedDialect, size: int, split_bytes: int) -> tuple[ByteRange, ...]:
    """Return ranges of a file that hold whole records."""
    if size == 0:
        return ()
    begins = range(split_bytes, size, split_bytes) if choose_cutting(dialect).possible else range(0)
    with reading_at(location) as read_at:
        search = _Search(read_at, dialect.record_terminator.encode(dialect.codec), dialect.escape is not None, size)
        ends = [search.end_after(begin) for begin in begins] if isinstance(location, Path) else _all(search, begins)
    return tuple(ByteRange(start, stop) for start, stop in pairwise(_ascending([0, *ends, size])))


def _all(search: _Search, begins: Sequence[int]) -> list[int]:
    with ThreadPoolExecutor(_AT_ONCE, "cuts") as pool:
        return list(pool.map(search.end_after, begins))


def _ascending(boundaries: Sequence[int]) -> list[int]:
    return sorted(set(boundaries))


@dataclass(frozen=True, slots=True)
class _Search:
    """Looks for the ends of records in a file of `size` bytes."""

    read_at: ReadAt
    terminator: bytes
    with_escape: bool
    size: int

    def end_after(self, begin: int) -> int:
        """Return where the first record ends that ends after `begin`; the file's end where none does within a record.

        No longer record is read, so none is looked for.
        """
        shared = len(self.terminator) - 1
        offset = begin - min(begin, shared)
        stop = min(self.size, begin + naming.RECORD_LIMIT)
        while offset < stop:
            window = self.read_at(offset, _WINDOW + shared)
            at = window.find(self.terminator)
            while at >= 0 and self._is_escaped(window, offset, at):
                at = window.find(self.terminator, at + 1)
            if at >= 0:
                return offset + at + len(self.terminator)
            offset += _WINDOW
        return self.size

    def _is_escaped(self, window: bytes, offset: int, at: int) -> bool:
        """Say whether an odd number of escapes stands right before a place in a window that begins at `offset`."""
        if not self.with_escape:
            return False
        before = window[:at]
        run = len(before) - len(before.rstrip(b"\\"))
        while run == len(before) and offset > 0:
            start = max(0, offset - _WINDOW)
            piece = self.read_at(start, offset - start)
            before = piece + before
            offset = start
            run = len(before) - len(before.rstrip(b"\\"))
        return run % 2 == 1
