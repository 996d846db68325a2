"""The first rows that differ, each beside the row of the other side that is most like it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from component.errors import shorten
from component.replay.compare.leftover import LeftRow
from component.report.results.replayed import Row

SAMPLED: Final = 200
"""Rows of each side among which partners are looked for."""
_MOST_CELLS: Final = 12
_BROKEN: Final = "the row, which has another number of cells"


def sample(
    expected: Sequence[LeftRow], actual: Sequence[LeftRow], names: Sequence[str], key: Sequence[str], show: int
) -> tuple[Row, ...]:
    """Return at most `show` rows of either side; a row and its partner follow each other.

    A partner has the same primary key; where no key is known, at least half of the cells in common.
    """
    places = tuple(names.index(name) for name in key if name in names) if set(key) <= set(names) else ()
    free = list(actual)
    shown: list[Row] = []
    for row in expected[:show]:
        partner = _partner(row, free, places)
        changed = _changed(row, partner, names) if partner is not None else ()
        shown.append(_row("expected", row, names, places, changed))
        if partner is not None:
            free.remove(partner)
            shown.append(_row("actual", partner, names, places, changed))
    left = show - sum(row.side == "actual" for row in shown)
    return (*shown, *(_row("actual", row, names, places, ()) for row in free[:left]))


def _partner(row: LeftRow, free: Sequence[LeftRow], key: tuple[int, ...]) -> LeftRow | None:
    like = [other for other in free if not other.broken] if not row.broken else []
    if key:
        return next((other for other in like if all(other.cells[at] == row.cells[at] for at in key)), None)
    best = max(like, key=lambda other: _shared(row, other), default=None)
    return best if best is not None and 2 * _shared(row, best) >= len(row.cells) and _shared(row, best) else None


def _shared(left: LeftRow, right: LeftRow) -> int:
    return sum(one == other for one, other in zip(left.cells, right.cells, strict=True))


def _changed(left: LeftRow, right: LeftRow, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name, one, other in zip(names, left.cells, right.cells, strict=True) if one != other)


def _row(side: str, row: LeftRow, names: Sequence[str], key: tuple[int, ...], changed: tuple[str, ...]) -> Row:
    if row.broken:
        return Row(side, row.slice, row.number, ((_BROKEN, shorten(row.cells[0] or "", 200)),))
    wanted = [at for at, name in enumerate(names) if at in key or name in changed]
    chosen = [*wanted, *(at for at in range(len(names)) if at not in wanted)][:_MOST_CELLS]
    cells = tuple((names[at], _short(row.cells[at])) for at in sorted(chosen))
    return Row(side, row.slice, row.number, cells, changed)


def _short(cell: str | None) -> str | None:
    return None if cell is None else shorten(cell)
