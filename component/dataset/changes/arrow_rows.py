"""Rows that somebody has in memory, in the types of a dataset: anything with the Arrow C stream interface, or several.

A block of rows at a time is read and cast, so memory is that of a block, whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

import pyarrow as pa

from component import naming
from component.dataset.changes.column_edits import widens
from component.dataset.format.schema import normal_type, same_flavour, takes
from component.errors import Place, UserError
from component.formats.columns import check_names, fitted_column
from component.tables.logical import stored_column, stored_type
from component.tables.types import Column, TableSchema, is_text

_REMEDY: Final = (
    "Give a pyarrow Table or RecordBatchReader, a frame of pandas, polars or duckdb, or an iterable of such."
)


@dataclass(frozen=True, slots=True)
class GivenRows:
    """Rows that can be read once: their columns in the types of a dataset, and the batches as they were given.

    Of `untyped` columns the type is not known, since they came with Arrow's null type.
    """

    schema: TableSchema
    batches: Iterator[pa.RecordBatch]
    place: Place
    untyped: frozenset[str] = frozenset()

    def towards(self, existing: pa.Schema) -> GivenRows:
        """Return the rows in the types of a dataset, where each of theirs holds exactly in it; else in their own."""
        names = set(existing.names)
        columns = (
            self._towards(one, existing.field(one.name).type if one.name in names else None)
            for one in self.schema.columns
        )
        return replace(self, schema=TableSchema(tuple(columns)))

    def _towards(self, column: Column, wanted: pa.DataType | None) -> Column:
        if wanted is None:
            return column
        same = column.name in self.untyped or same_flavour(column.arrow, wanted)
        if same and column.name not in self.untyped and not pa.types.is_nested(wanted):
            return column  # narrower numbers stay as they are: data files may hold them
        is_taken = same or _goes_into(column.arrow, wanted)
        return stored_column(column.name, wanted) if is_taken else column

    def tables(self) -> Iterator[pa.Table]:
        """Yield the rows block by block; UserError `cell.type` for a value that does not fit its column's type."""
        for block in _blocks(self.batches):
            if set(block.schema.names) != set(self.schema.names) or len(block.schema) != len(self.schema.columns):
                raise UserError(
                    "dataset.schema",
                    f"Some of the rows have the columns {', '.join(block.schema.names)}",
                    place=self.place,
                    remedy=f"Give all of them the columns of the first: {', '.join(self.schema.names)}.",
                )
            yield pa.table([self._fitted(block, column) for column in self.schema.columns], schema=self.schema.arrow)

    def _fitted(self, block: pa.Table, column: Any) -> pa.ChunkedArray:
        values = block[column.name]
        if pa.types.is_null(values.type):
            return pa.chunked_array([pa.nulls(len(values), column.arrow)])
        if is_text(values.type) and not pa.types.is_string(column.arrow):
            raise _other_type(values.type, column.arrow, self.place, column.name)
        return pa.chunked_array([fitted_column(part, column, self.place) for part in values.chunks], column.arrow)


def _other_type(found: pa.DataType, wanted: pa.DataType, place: Place, column: str) -> UserError:
    return UserError(
        "dataset.schema",
        f"The column is {found} in some of the rows and {wanted} in others",
        place=Place(table=place.table, column=column),
        remedy="Give it one type in all of them.",
    )


def _goes_into(given: pa.DataType, wanted: pa.DataType) -> bool:
    if pa.types.is_string(wanted):
        return bool(pa.types.is_time(given))
    return widens(given, wanted) or takes(given, wanted)


def given_rows(rows: Any, uuid: str) -> GivenRows:
    """Return rows that were given to be written to a dataset.

    UserError `source.format` for what holds no rows that Arrow knows, `column.type` and `column.duplicate` for columns
    that no dataset can have.
    """
    place = Place(table=uuid)
    if hasattr(rows, "__arrow_c_stream__"):
        reader = pa.RecordBatchReader.from_stream(rows)
        return _given(reader.schema, _batches(reader), place, stored_column)
    batches = chain.from_iterable(_batches_of(one, uuid) for one in _several(rows, uuid))
    first = next(batches, None)
    if first is None:
        raise UserError("source.format", "There are no rows, and so no columns are known", place=place, remedy=_REMEDY)
    return _given(first.schema, chain([first], batches), place, _wide_column)


def _wide_column(name: str, data_type: pa.DataType) -> Column:
    """Return a column with numbers in the widest type of their class: what comes later may need it."""
    return stored_column(name, normal_type(stored_type(data_type)))


def _given(
    schema: pa.Schema,
    batches: Iterator[pa.RecordBatch],
    place: Place,
    column_of: Callable[[str, pa.DataType], Column],
) -> GivenRows:
    untyped = frozenset(field.name for field in schema if pa.types.is_null(field.type))
    check_names(schema.names, place)
    columns = tuple(column_of(field.name, field.type) for field in schema)
    return GivenRows(TableSchema(columns), batches, place, untyped)


def _several(rows: Any, uuid: str) -> Iterable[Any]:
    if hasattr(rows, "__arrow_c_array__"):
        return (rows,)
    if isinstance(rows, Iterable) and not isinstance(rows, (str, bytes, dict)):
        return rows
    raise _no_rows(rows, uuid)


def _batches_of(rows: Any, uuid: str) -> Iterator[pa.RecordBatch]:
    if hasattr(rows, "__arrow_c_stream__"):
        return _batches(pa.RecordBatchReader.from_stream(rows))
    if hasattr(rows, "__arrow_c_array__"):
        return iter((pa.record_batch(rows),))
    raise _no_rows(rows, uuid)


def _batches(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a reader, and one without rows where it has none: so its columns are known."""
    with reader:
        empty = True
        for batch in reader:
            empty = False
            yield batch
        if empty:
            yield pa.RecordBatch.from_pylist([], schema=reader.schema)


def _no_rows(rows: Any, uuid: str) -> UserError:
    name = type(rows).__name__
    return UserError(
        "source.format", f"A {name} holds no rows that Arrow reads", place=Place(table=uuid), remedy=_REMEDY
    )


def _blocks(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield batches of one schema together, up to some megabytes at a time; a large one in parts."""
    held: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        if held and (size + batch.nbytes > naming.BLOCK_BYTES or not batch.schema.equals(held[0].schema)):
            yield pa.Table.from_batches(held)
            held, size = [], 0
        if batch.nbytes > naming.BLOCK_BYTES:
            rows = max(1, batch.num_rows * naming.BLOCK_BYTES // batch.nbytes)
            yield from (pa.Table.from_batches([batch.slice(at, rows)]) for at in range(0, batch.num_rows, rows))
            continue
        held.append(batch)
        size += batch.nbytes
    if held:
        yield pa.Table.from_batches(held)
