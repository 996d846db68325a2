"""Parquet as input, in files or in a bucket: splits of row groups, typed by the file, read batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from component import naming
from component.errors import Place, UserError
from component.formats.rows import Parsed
from component.staging.locations import Location, open_seekable
from component.tables.cast import CALENDAR, apply_null_rule, cast_text, is_within_calendar
from component.tables.numeric import cast_values
from component.tables.types import Column, TableSchema, TypeName, column_of_arrow, is_text

_BATCH_ROWS: Final = 131_072
_READ_BYTES: Final = 1 * naming.MIB
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
                    _cast_column(batch.column(column.name), column, split.place) for column in self.schema.columns
                ]
                yield Parsed(pa.table(columns, schema=self.schema.arrow), (), batch.num_rows)

    def _names_in(self, file: pq.ParquetFile, place: Place) -> list[str]:
        there = set(file.schema_arrow.names)
        for name in self.schema.names:
            if name not in there:
                raise UserError("column.missing", "The column is not in the file", place=replace(place, column=name))
        return list(self.schema.names)


def _cast_column(values: pa.Array, column: Column, place: Place) -> pa.Array:
    """Cast one column as it is in the file, or read its text as a CSV cell is read."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    try:
        if is_text(values.type) and column.type is not TypeName.STRING:
            return _cast_texts(values.cast(pa.string()), column, place)
        cast = cast_values(values, column.arrow)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise _misfit(column, place, f": {error}") from error
    if column.type in CALENDAR and not is_within_calendar(cast, column.type):
        raise _misfit(column, place, ", which has the years 1 to 9999")
    return cast


def _cast_texts(texts: pa.Array, column: Column, place: Place) -> pa.Array:
    ruled = apply_null_rule(texts, quoted_empty=True, column=column)
    cast = cast_text(ruled, column)
    if cast.bad:
        raise _misfit(column, replace(place, value=ruled[cast.bad[0]].as_py()), "")
    return cast.values


def _misfit(column: Column, place: Place, why: str) -> UserError:
    return UserError(
        "cell.type",
        f"A cell does not fit the type {column.type.value}{why}",
        place=replace(place, column=column.name),
        remedy="Change the column's type.",
    )


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
            self._file = pq.ParquetFile(source, pre_buffer=not is_file, buffer_size=_READ_BYTES if is_file else 0)
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


def parquet_schema(location: Location, place: Place) -> TableSchema:
    """Return the columns of a Parquet file.

    UserError `column.type` for types that have no form in a table, `column.duplicate` for a name that is there twice.
    """
    with opened(location, place) as file:
        fields = list(file.schema_arrow)
    for name, count in Counter(field.name for field in fields).items():
        if count > 1:
            raise UserError("column.duplicate", "The file has a column twice", place=replace(place, column=name))
    return TableSchema(tuple(column_of_arrow(field.name, field.type) for field in fields))


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
