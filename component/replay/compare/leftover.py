"""The rows that only one side has, found again by their digests, in order of slice and row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from component.replay.compare.cells import digest_of, digests
from component.replay.compare.multiset import Unequal
from component.replay.compare.rows import Batch, RowSource

Chosen = Callable[[Batch], Sequence[pa.Array]]
"""Returns the comparable arrays of a batch, in the order of the compared columns."""


@dataclass(frozen=True, slots=True)
class LeftRow:
    """A row of one side: where it is, and its compared cells; a row without cells has its text alone."""

    slice: str
    number: int
    cells: tuple[str | None, ...]
    broken: bool = False


class Never(Exception):  # noqa: N818 - no error: it cannot happen
    """A slice was to be read again although it is known how it must be read."""


def no_restart() -> None:
    """Stand for the restart that only a first reading needs."""
    raise Never


def left_rows(source: RowSource, chosen: Chosen, unequal: Unequal, sign: int) -> Iterator[LeftRow]:
    """Yield the rows of one side that are not on the other: `sign` is 1 for the expected side, -1 for the actual one.

    A row that is there three times here and twice there is yielded once. The source must have been read before.
    """
    left = np.where(unequal.counts * sign > 0, unequal.counts * sign, 0)
    for batch in source.batches(no_restart):
        if not left.any():
            return
        arrays = chosen(batch)
        for at in _found(digests(arrays, len(batch.numbers)), unequal.digests, left):
            cells = tuple(array[at].as_py() for array in arrays)
            yield LeftRow(batch.slice, batch.numbers[at], cells)
        for number, text in batch.broken:
            for _ in _found(np.array([digest_of(text)]), unequal.digests, left):
                yield LeftRow(batch.slice, number, (text,), broken=True)


def _found(rows: np.ndarray, digests_left: np.ndarray, left: np.ndarray) -> Iterator[int]:
    """Yield the positions of rows that are left, and count them off."""
    if not len(digests_left):
        return
    places = np.minimum(np.searchsorted(digests_left, rows), len(digests_left) - 1)
    for at in np.flatnonzero(digests_left[places] == rows):
        place = places[at]
        if left[place] > 0:
            left[place] -= 1
            yield int(at)
