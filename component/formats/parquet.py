"""Parquet files as input: splits of row groups, typed by the file, read batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from component.errors import Place, UserError
from component.formats.rows import Parsed
from component.tables.types import TableSchema, column_of_arrow

_BATCH_ROWS: Final = 131_072


@dataclass(frozen=True, slots=True)
class ParquetSplit:
    """Row groups of one file, `first` up to but not including `stop`. `size` is their share of the file in bytes."""

    table: str
    slice: str
    path: Path
    first: int
    stop: int
    size: int

    @property
    def place(self) -> Place:
        """Where errors of this split are."""
        return Place(table=self.table, slice=self.slice)


@dataclass(frozen=True, slots=True)
class ParquetReader:
    """Reads splits of one table into its schema; columns are found by name."""

    schema: TableSchema

    def read(self, split: ParquetSplit) -> Iterator[Parsed]:
        """Yield batches of rows. UserError `source.format` for a damaged file, `cell.type` for what does not fit."""
        names = list(self.schema.names)
        with opened(split.path, split.place) as file:
            groups = list(range(split.first, split.stop))
            for batch in file.iter_batches(_BATCH_ROWS, row_groups=groups, columns=names, use_threads=False):
                rows = pa.Table.from_batches([batch]).select(names)
                yield Parsed(_cast(rows, self.schema, split.place), (), rows.num_rows)


def _cast(rows: pa.Table, schema: TableSchema, place: Place) -> pa.Table:
    try:
        return rows.cast(schema.arrow)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise UserError("cell.type", f"A cell does not fit its column: {error}", place=place) from error


class opened:  # noqa: N801 - used like a function, as contextlib's own
    """Open a Parquet file; what pyarrow says of a damaged one becomes UserError `source.format`."""

    def __init__(self, path: Path, place: Place) -> None:
        self._path = path
        self._place = place

    def __enter__(self) -> pq.ParquetFile:
        try:
            self._file = pq.ParquetFile(self._path)
        except (pa.ArrowException, OSError) as error:
            raise self._damaged(error) from error
        return self._file

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._file.close()
        if isinstance(error, (pa.ArrowException, OSError)):
            raise self._damaged(error) from error

    def _damaged(self, error: BaseException) -> UserError:
        first = str(error).splitlines()[0]
        return UserError("source.format", f"The Parquet file cannot be read: {first}", place=self._place)


def parquet_schema(path: Path, place: Place) -> TableSchema:
    """Return the columns of a Parquet file; UserError `column.type` for types that have no form in a table."""
    with opened(path, place) as file:
        return TableSchema(tuple(column_of_arrow(field.name, field.type) for field in file.schema_arrow))


def parquet_splits(path: Path, place: Place, *, split_bytes: int) -> tuple[ParquetSplit, ...]:
    """Cut a file into runs of row groups of about `split_bytes` of text each, reckoned as twice their size."""
    table, slice_name = place.table or path.name, place.slice or path.name
    with opened(path, place) as file:
        sizes = [file.metadata.row_group(n).total_byte_size for n in range(file.metadata.num_row_groups)]
    splits: list[ParquetSplit] = []
    first, size = 0, 0
    for number, group in enumerate(sizes):
        size += group
        if size * 2 >= split_bytes or number == len(sizes) - 1:
            splits.append(ParquetSplit(table, slice_name, path, first, number + 1, size))
            first, size = number + 1, 0
    return tuple(splits)
