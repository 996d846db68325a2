"""What the rest of the house asks of a format: splits that one task reads each, readers of them, and writers.

A format is a module or package of this room; `typed.py`, `plan/splits.py` and `outputs/file_formats.py` say which
there are.
Splits, readers and writers' descriptions travel to workers, so they are small values that pickle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

import pyarrow as pa

from component.errors import Place
from component.formats.loss import Loss
from component.formats.rows import Parsed
from component.staging.locations import Location
from component.tables.types import TableSchema

Attributes = Mapping[str, Mapping[str, str]]
"""What is known of columns beyond their types (`Column.attributes`), by column."""


class Split(Protocol):
    """What one task reads: whole records of one slice of a table."""

    @property
    def slice(self) -> str:
        """Name of the slice."""

    @property
    def place(self) -> Place:
        """Where errors of this split are: table and slice."""

    @property
    def location(self) -> Location:
        """The file or object that it is of."""

    @property
    def start(self) -> int:
        """Where the split begins in its slice, in whatever the format counts: it orders the splits of a slice."""

    @property
    def size(self) -> int:
        """Bytes that reading it takes."""


class Reader(Protocol):
    """Reads splits of one table into the types of a schema."""

    @property
    def schema(self) -> TableSchema:
        """The columns of the rows that come."""

    def read(self, split: Any, /) -> Iterator[Parsed]:
        """Yield the split's rows; bad rows are numbered from 1 within the split. Raises UserError for what is wrong."""


@runtime_checkable
class ReadsTogether(Protocol):
    """A reader that can read many small slices at once."""

    def read_together(self, splits: Sequence[Any], /) -> tuple[pa.Table, list[int]] | None:
        """Return the rows of slices of one split each, and how many each has; None: each must be read by itself."""


class Writer(Protocol):
    """Writes one file. The file is whole only after `close`."""

    def write(self, table: pa.Table, /) -> None:
        """Write rows."""

    def close(self) -> None:
        """End the file."""


class Writing(Protocol):
    """How files of a format are written: what a task needs to open a writer.

    A format that `keeps_arrow_types` takes rows of any Arrow type; others take those of base columns only.
    """

    keeps_arrow_types: ClassVar[bool]

    def losses(self, schema: pa.Schema, attributes: Attributes) -> Iterable[Loss]:
        """Say what files cannot carry of rows of a schema, by column; UserError as `open`."""

    def open(self, target: Path, schema: pa.Schema, attributes: Attributes) -> Writer:
        """Begin a file for rows of a schema. UserError for columns that the format cannot carry."""
