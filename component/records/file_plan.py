"""How many files a records directory has, and which rows each: a pure decision over the sizes of what is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from component.errors import UserError

FILE_BYTES: Final = 256 * 1000 * 1000
"""Bytes of a file where nothing is asked for: enough to be read at speed, and few enough to be loaded in parallel."""
MOST_FILES: Final = 10_000


@dataclass(frozen=True, slots=True)
class RowShare:
    """What the rows come from: how many there are, and about how many bytes they take as written."""

    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class RowRange:
    """Rows of one part, from `start` up to `stop`."""

    part: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """One file: its number from 1, and the rows that it holds in their order."""

    number: int
    ranges: tuple[RowRange, ...]

    @property
    def rows(self) -> int:
        """Rows of the file."""
        return sum(one.stop - one.start for one in self.ranges)


def plan_files(
    parts: Sequence[RowShare], *, files: int | None = None, file_bytes: int | None = None, cores: int = 1
) -> tuple[PlannedFile, ...]:
    """Return the files of a directory: together they hold all rows in their order, each about as many bytes.

    `files` is how many there are, fewer only where there are fewer rows. Otherwise none has more than about
    `file_bytes`, or `FILE_BYTES`, and there is one for each core if all of them have something to write. There is at
    least one file, so that a directory without rows has its columns. UserError `config.value` when both are given, when
    one of them is no positive number, or when it makes more than `MOST_FILES`.
    """
    _check(files, file_bytes)
    rows, total = sum(part.rows for part in parts), sum(part.bytes for part in parts)
    wanted = files or max(-(-total // (file_bytes or FILE_BYTES)), 1 if file_bytes else _share(total, cores))
    if wanted > MOST_FILES:
        text = f"{total} bytes would be written to {wanted} files"
        raise UserError("config.value", text, remedy=f"Ask for larger files: there are at most {MOST_FILES}.")
    count = max(1, min(wanted, rows))
    cuts = _cuts(parts, count) if rows else [0, 0]
    return tuple(PlannedFile(number, ranges) for number, ranges in enumerate(_ranges(parts, cuts), 1))


_LEAST_SHARE: Final = 8 * 1000 * 1000
"""Bytes that are worth a file of their own when nobody asked for one."""


def _share(total: int, cores: int) -> int:
    return max(1, min(cores, total // _LEAST_SHARE))


def _check(files: int | None, file_bytes: int | None) -> None:
    if files is not None and file_bytes is not None:
        text = "Both the number and the size of files are given"
        raise UserError("config.value", text, remedy="Give one of them.")
    for name, value in (("number", files), ("size", file_bytes)):
        if value is not None and value < 1:
            raise UserError("config.value", f"The {name} of files is {value}", remedy="Give a positive number.")


def _cuts(parts: Sequence[RowShare], count: int) -> list[int]:
    """Return the rows at which files begin, and the end of the last: equal shares of bytes, one row at least each."""
    rows, total = sum(part.rows for part in parts), sum(part.bytes for part in parts)
    cuts = [0]
    number, row, passed = 0, 0, 0
    for wanted in range(1, count):
        share = total * wanted // count
        while number < len(parts) - 1 and passed + parts[number].bytes < share:
            row, passed = row + parts[number].rows, passed + parts[number].bytes
            number += 1
        part = parts[number]
        found = row + part.rows * (share - passed) // max(part.bytes, 1)
        cuts.append(min(max(found, cuts[-1] + 1), rows - (count - wanted)))
    return [*cuts, rows]


def _ranges(parts: Sequence[RowShare], cuts: Sequence[int]) -> Iterator[tuple[RowRange, ...]]:
    """Yield the rows between each two cuts, by the parts that they are in."""
    number, before = 0, 0
    for start, stop in pairwise(cuts):
        found, at = [], start
        while at < stop:
            end = min(stop, before + parts[number].rows)
            if at < end:
                found.append(RowRange(number, at - before, end - before))
                at = end
            if at < stop:
                before += parts[number].rows
                number += 1
        yield tuple(found)
