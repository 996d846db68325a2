"""Rows that differ only by numbers within a tolerance, paired on disk, so that memory does not grow with them."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from component.replay.compare.leftover import LeftRow

MOST_TOLERANCE: Final = 0.5
_SCHEMA: Final = (
    "CREATE TABLE rows (expected INT, slice TEXT, number INT, cells TEXT, broken INT, key TEXT, first REAL);"
    "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
)


@dataclass(frozen=True, slots=True)
class Unpaired:
    """What is left when rows within the tolerance are taken for equal: counts, and the first rows of each side."""

    missing: int
    extra: int
    expected: tuple[LeftRow, ...]
    actual: tuple[LeftRow, ...]


@dataclass(frozen=True, slots=True)
class _Stored:
    key: str
    first: float
    row: LeftRow


def pair_near(
    expected: Iterable[LeftRow],
    actual: Iterable[LeftRow],
    *,
    numeric: Sequence[bool | None],
    tolerance: float,
    work: Path,
    show: int,
) -> Unpaired:
    """Pair rows whose numbers differ by no more than `tolerance` times the larger of 1 and their size.

    `numeric` says of each column whether it holds numbers; None: if all cells of the rows at hand are numbers. The
    tolerance is below `MOST_TOLERANCE`. All other cells are equal in a pair. `work` is a file that is made and removed.
    """
    try:
        with closing(sqlite3.connect(work)) as base:
            base.executescript(_SCHEMA)
            _store(base, expected, side=1)
            _store(base, actual, side=0)
            near = _numeric_columns(base, numeric)
            _set_keys(base, near)
            return _paired(base, near, tolerance, show)
    finally:
        work.unlink(missing_ok=True)


def is_near(left: float, right: float, tolerance: float) -> bool:
    """Whether two numbers are equal within a tolerance; no number is near to NaN but NaN."""
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    return left == right or abs(left - right) <= tolerance * max(1.0, abs(left), abs(right))


def _store(base: sqlite3.Connection, rows: Iterable[LeftRow], *, side: int) -> None:
    base.executemany(
        "INSERT INTO rows (expected, slice, number, cells, broken) VALUES (?, ?, ?, ?, ?)",
        ((side, row.slice, row.number, json.dumps(row.cells), row.broken) for row in rows),
    )


def _numeric_columns(base: sqlite3.Connection, numeric: Sequence[bool | None]) -> tuple[int, ...]:
    open_question = {at for at, known in enumerate(numeric) if known is None}
    if open_question:
        for (cells,) in base.execute("SELECT cells FROM rows WHERE NOT broken"):
            values = json.loads(cells)
            open_question = {at for at in open_question if values[at] is None or _number(values[at]) is not None}
    return tuple(at for at, known in enumerate(numeric) if known or at in open_question)


def _set_keys(base: sqlite3.Connection, near: tuple[int, ...]) -> None:
    base.create_function("key_of", 2, lambda cells, broken: _key(json.loads(cells), near, broken=broken))
    base.create_function("first_of", 2, lambda cells, broken: 0.0 if broken else _first(json.loads(cells), near))
    base.execute("UPDATE rows SET key = key_of(cells, broken), first = first_of(cells, broken)")
    base.execute("CREATE INDEX ordered ON rows (expected, key, first)")


def _key(cells: list[str | None], near: tuple[int, ...], *, broken: bool) -> str:
    """Return what must be equal: all cells that are no numbers, and which numbers are null."""
    if broken:
        return json.dumps(["broken", cells])
    return json.dumps([_number(cell) is not None if at in near else cell for at, cell in enumerate(cells)])


def _first(cells: list[str | None], near: tuple[int, ...]) -> float:
    numbers = _numbers(cells, near)
    return numbers[0] if numbers and math.isfinite(numbers[0]) else 0.0


def _numbers(cells: Sequence[str | None], near: tuple[int, ...]) -> list[float]:
    return [number for at in near if (number := _number(cells[at])) is not None]


def _number(cell: str | None) -> float | None:
    if cell is None or "_" in cell:
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def _rows(base: sqlite3.Connection, side: int) -> Iterator[_Stored]:
    query = "SELECT key, first, slice, number, cells, broken FROM rows WHERE expected = ? ORDER BY key, first"
    for key, first, name, number, cells, broken in base.execute(query, (side,)):
        yield _Stored(key, first, LeftRow(name, number, tuple(json.loads(cells)), bool(broken)))


def _paired(base: sqlite3.Connection, near: tuple[int, ...], tolerance: float, show: int) -> Unpaired:
    missing: list[LeftRow] = []
    extra: list[LeftRow] = []
    counts = [0, 0]
    for side, row in _unpaired(_rows(base, 1), _rows(base, 0), near, tolerance):
        counts[side] += 1
        kept = (missing, extra)[side]
        if len(kept) < show:
            kept.append(row)
    return Unpaired(counts[0], counts[1], tuple(missing), tuple(extra))


def _unpaired(
    expected: Iterator[_Stored], actual: Iterator[_Stored], near: tuple[int, ...], tolerance: float
) -> Iterator[tuple[int, LeftRow]]:
    """Yield rows without a partner: 0 and a row of the expected side, 1 and one of the actual side.

    Both sides are in order of key and first number, so partners of a row lie in a window of the other side.
    """
    window: deque[_Stored] = deque()
    coming = next(actual, None)
    for row in expected:
        reach = 2 * tolerance * max(1.0, abs(row.first))
        while coming is not None and (coming.key, coming.first) <= (row.key, row.first + reach):
            window.append(coming)
            coming = next(actual, None)
        while window and (window[0].key, window[0].first) < (row.key, row.first - reach):
            yield 1, window.popleft().row
        partner = next((one for one in window if one.key == row.key and _near(row, one, near, tolerance)), None)
        if partner is None:
            yield 0, row.row
        else:
            window.remove(partner)
    yield from ((1, one.row) for one in window)
    if coming is not None:
        yield 1, coming.row
    yield from ((1, one.row) for one in actual)


def _near(left: _Stored, right: _Stored, near: tuple[int, ...], tolerance: float) -> bool:
    if left.row.broken:
        return True  # the key holds all of it
    pairs = zip(_numbers(left.row.cells, near), _numbers(right.row.cells, near), strict=True)
    return all(is_near(one, other, tolerance) for one, other in pairs)
