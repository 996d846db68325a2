"""Which row groups of a data file may hold rows for predicates, by the statistics in its footer."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from component.dataset.files.bounds import Bounds, bounds_of, check_of
from component.dataset.files.predicates import Predicates, columns_of


def groups_wanted(parquet: pq.ParquetFile, schema: pa.Schema, keep: Predicates) -> list[int]:
    """Return the row groups in which some conjunction may be true of a row; the others hold no such row, surely.

    `schema` is the dataset's. A column that the file lacks is null in every row.
    """
    places = column_places(parquet.schema_arrow, columns_of(keep))
    checks = [[(condition.column, check_of(condition)) for condition in conjunction] for conjunction in keep]
    wanted = []
    for number in range(parquet.num_row_groups):
        bounds = _bounds(parquet, number, schema, places)
        if parquet.metadata.row_group(number).num_rows and any(
            all(check(bounds[column]) for column, check in conjunction) for conjunction in checks
        ):
            wanted.append(number)
    return wanted


def _bounds(
    parquet: pq.ParquetFile, number: int, schema: pa.Schema, places: dict[str, int | None]
) -> dict[str, Bounds]:
    group, stored = parquet.metadata.row_group(number), parquet.schema_arrow
    rows = group.num_rows
    return {
        name: Bounds(rows, rows, None, None)
        if place is None
        else bounds_of(group.column(place), rows, stored.field(name).type, schema.field(name).type)
        for name, place in places.items()
    }


def column_places(stored: pa.Schema, names: Sequence[str] | frozenset[str]) -> dict[str, int | None]:
    """Return where the file has the chunks of columns, among which a nested one has several; None: it lacks them."""
    places: dict[str, int | None] = dict.fromkeys(names)
    place = 0
    for field in stored:
        if field.name in places:
            places[field.name] = place
        place += _leaves(field.type)
    return places


def _leaves(data_type: pa.DataType) -> int:
    """Return how many column chunks values of a type are cut into."""
    return sum(_leaves(data_type.field(number).type) for number in range(data_type.num_fields)) or 1
