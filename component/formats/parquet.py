"""Parquet: as input in splits of row groups, typed by the file, read batch by batch; and as output."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final

import pyarrow as pa
import pyarrow.parquet as pq

from component import naming
from component.errors import Place, UserError
from component.formats.columns import FileColumns, file_columns, fitted_column
from component.formats.contract import Attributes
from component.formats.losses import Loss
from component.formats.rows import Parsed
from component.staging.locations import Location, open_seekable
from component.tables.logical import FullRows
from component.tables.types import TableSchema

_BATCH_ROWS: Final = 131_072
_READ_BUFFER: Final = 1 * naming.MIB
"""Bytes read of a column at a time: without it all of a row group's column is held."""


@dataclass(frozen=True, slots=True)
class ParquetSplit:
    """Row groups of one file or object, `first` up to but not including `stop`. `size` is their share in bytes."""

    table: str
    slice: str
    location: Location
    first: int
    stop: int
    size: int

    @property
    def place(self) -> Place:
        """Where errors of this split are."""
        return Place(table=self.table, slice=self.slice)

    @property
    def start(self) -> int:
        """Its first row group."""
        return self.first


@dataclass(frozen=True, slots=True)
class ParquetReader:
    """Reads splits of one table into its schema; columns are found by name."""

    schema: TableSchema

    def read(self, split: ParquetSplit) -> Iterator[Parsed]:
        """Yield batches of rows. UserError `source.format` for a damaged file, `column.missing`, `cell.type`."""
        with opened(split.location, split.place) as file:
            names = self._names_in(file, split.place)
            groups = list(range(split.first, split.stop))
            for batch in file.iter_batches(_BATCH_ROWS, row_groups=groups, columns=names, use_threads=False):
                columns = [
                    fitted_column(batch.column(column.name), column, split.place) for column in self.schema.columns
                ]
                yield Parsed(pa.table(columns, schema=self.schema.arrow), (), batch.num_rows)

    def _names_in(self, file: pq.ParquetFile, place: Place) -> list[str]:
        there = set(file.schema_arrow.names)
        for name in self.schema.names:
            if name not in there:
                raise UserError("column.missing", "The column is not in the file", place=replace(place, column=name))
        return list(self.schema.names)


class opened:  # noqa: N801 - used like a function, as contextlib's own
    """Open Parquet; what pyarrow says of a damaged file becomes UserError `source.format`.

    Of an object, the columns of a split are asked for at once, in few large requests; it has the errors of reading one.
    """

    def __init__(self, location: Location, place: Place) -> None:
        self._location = location
        self._place = place

    def __enter__(self) -> pq.ParquetFile:
        is_file = isinstance(self._location, Path)
        source = self._location if is_file else open_seekable(self._location)
        try:
            self._file = pq.ParquetFile(source, pre_buffer=not is_file, buffer_size=_READ_BUFFER if is_file else 0)
        except (pa.ArrowException, OSError) as error:
            raise self._damaged(error) from error
        return self._file

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._file.close()
        if isinstance(error, (pa.ArrowException, OSError)):
            raise self._damaged(error) from error

    def _damaged(self, error: BaseException) -> UserError:
        first = str(error).splitlines()[0]
        what = "is truncated: its end is missing" if "magic bytes not found" in first else f"cannot be read: {first}"
        remedy = "Fetch or write the file again."
        return UserError("source.format", f"The Parquet file {what}", place=self._place, remedy=remedy)


def parquet_columns(location: Location, place: Place) -> FileColumns:
    """Return the columns of a Parquet file, and their types there.

    UserError `column.type` for types that have no form in a table, `column.duplicate` for a name that is there twice.
    """
    with opened(location, place) as file:
        return file_columns(file.schema_arrow, place)


def parquet_schema(location: Location, place: Place) -> TableSchema:
    """Return the columns of a Parquet file; UserError as `parquet_columns`."""
    return parquet_columns(location, place).schema


def parquet_rows(location: Location, place: Place) -> int:
    """Return how many rows a Parquet file says it has."""
    with opened(location, place) as file:
        rows: int = file.metadata.num_rows
    return rows


def parquet_splits(location: Location, place: Place, *, split_bytes: int) -> tuple[ParquetSplit, ...]:
    """Cut a file into runs of row groups of about `split_bytes` of text each, reckoned as twice their size."""
    table, slice_name = place.table or "", place.slice or ""
    with opened(location, place) as file:
        sizes = [file.metadata.row_group(n).total_byte_size for n in range(file.metadata.num_row_groups)]
    splits: list[ParquetSplit] = []
    first, size = 0, 0
    for number, group in enumerate(sizes):
        size += group
        if size * 2 >= split_bytes or number == len(sizes) - 1:
            splits.append(ParquetSplit(table, slice_name, location, first, number + 1, size))
            first, size = number + 1, 0
    return tuple(splits)


@dataclass(frozen=True, slots=True)
class ParquetWriting:
    """Parquet files, snappy; times and instants in their own types."""

    keeps_arrow_types: ClassVar = True

    def losses(self, schema: pa.Schema, attributes: Attributes) -> tuple[Loss, ...]:
        """Say that everything is kept."""
        del schema, attributes
        return ()

    def open(self, target: Path, schema: pa.Schema, attributes: Attributes) -> ParquetWriter:
        """Begin a file."""
        return ParquetWriter(target, schema, attributes)


class ParquetWriter:
    """Writes one Parquet file batch by batch."""

    def __init__(self, target: Path, schema: pa.Schema, attributes: Attributes) -> None:
        self._full = FullRows(schema, attributes)
        self._writer = pq.ParquetWriter(target, self._full.schema, compression="snappy")

    def write(self, table: pa.Table) -> None:
        """Write rows. UserError `cell.type` for a text in a column of times that is none."""
        self._writer.write_table(self._full.of(table))

    def close(self) -> None:
        """Write the footer."""
        self._writer.close()
