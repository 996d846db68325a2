"""Which tasks share one task of Spark's: starting one costs as much as reading a small file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from component import naming

MOST_TASKS: Final = 64
"""So that a batch of small files takes less than a second: what a batch says comes when all of it is done."""
LARGE: Final = 4 * naming.MIB
"""Bytes from which a task is worth one of Spark's."""
PER_CORE: Final = 4


def batches(sizes: Sequence[int], cores: int) -> list[range]:
    """Return which tasks run together, by the bytes of each: neighbours, in their order, each task once.

    A batch has at most `LARGE` bytes and `MOST_TASKS` tasks, unless it is one task; and every core has some batches.
    """
    most = min(MOST_TASKS, -(-len(sizes) // (cores * PER_CORE)))
    found: list[range] = []
    start = held = 0
    for number, size in enumerate(sizes):
        if number > start and (number - start >= most or held + size > LARGE):
            found.append(range(start, number))
            start, held = number, 0
        held += size
    if sizes:
        found.append(range(start, len(sizes)))
    return found
