"""Rows of a table as the comparison takes them, whatever file they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from component.tables.types import Column

Restart = Callable[[], None]
"""Called when the rows of the current slice must be dropped, because they are read again from its beginning."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of one slice.

    `columns` are as many arrays of text as the source has columns, null where a cell is null; `numbers` counts the rows
    in their slice from 1. `broken` are rows that have no cells: their number, and their text.
    """

    slice: str
    columns: Sequence[pa.Array]
    numbers: Sequence[int]
    broken: Sequence[tuple[int, str]] = ()


class RowSource(Protocol):
    """A table: the names of its columns, in order, what is known of their types, its size in bytes, and its rows."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names in file order."""
        ...

    @property
    def types(self) -> Mapping[str, Column]:
        """Columns of known type, by name."""
        ...

    @property
    def key(self) -> tuple[str, ...]:
        """The primary key, empty where it is not known."""
        ...

    @property
    def size(self) -> int:
        """Bytes on disk."""
        ...

    def batches(self, restart: Restart) -> Iterator[Batch]:
        """Yield the rows in order of slice and row; UserError for what cannot be read at all."""
        ...
