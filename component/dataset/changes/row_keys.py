"""The keys of rows: which columns they are, what they must hold, and which rows have one of some keys.

A key is the values of some columns, and names one row: none of them is null or NaN. Both zeros are one value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from component.errors import Place, UserError

Ranges = tuple[tuple[str, Any, Any], ...]
"""Columns with the smallest and the largest of their values; None and None where there are none."""
_ROW: Final = "row number"


def checked_key(names: Sequence[str], key: Sequence[str], uuid: str) -> tuple[str, ...]:
    """Return the key; UserError `dataset.key` when none is known or it is not among the columns."""
    missing = [name for name in key if name not in names]
    if not key or missing:
        raise UserError(
            "dataset.key",
            f"The key {', '.join(key)} is not among the columns" if key else "The key of the rows is not known",
            place=Place(table=uuid, column=missing[0] if missing else None),
            remedy="Name the columns of the key, or give the dataset a primary key.",
        )
    return tuple(dict.fromkeys(key))


def check_keys(keys: pa.Table, uuid: str, *, unique: bool) -> None:
    """Raise UserError `dataset.key` for a null, a NaN, and if keys are to be unique for one that stands twice."""
    for name in keys.column_names:
        missing = _missing(keys[name])
        if missing:
            raise UserError(
                "dataset.key",
                f"A key of the new rows is null or NaN in {missing:,} of {keys.num_rows:,} rows",
                place=Place(table=uuid, column=name),
                remedy="Fill the column, filter such rows out, or use another key.",
            )
    if unique:
        _check_unique(keys, uuid)


def _missing(column: pa.ChunkedArray) -> int:
    nans = pc.sum(pc.is_nan(column)).as_py() if pa.types.is_floating(column.type) else 0
    return int(column.null_count + (nans or 0))


def _check_unique(keys: pa.Table, uuid: str) -> None:
    counts = keys.group_by(keys.column_names, use_threads=False).aggregate([([], "count_all")])
    twice = counts.filter(pc.greater(counts["count_all"], 1))
    if not twice.num_rows:
        return
    first = twice.sort_by([(name, "ascending") for name in keys.column_names]).slice(0, 1).to_pylist()[0]
    raise UserError(
        "dataset.key",
        f"{twice.num_rows:,} keys stand more than once in the new rows; the first in {first['count_all']:,} rows",
        place=Place(
            table=uuid,
            column=", ".join(keys.column_names),
            value=", ".join(str(first[name]) for name in keys.column_names),
        ),
        remedy="Give one row for each key.",
    )


def distinct_keys(keys: pa.Table) -> pa.Table:
    """Return each key once."""
    return keys.group_by(keys.column_names, use_threads=False).aggregate([])


def rows_with(keys: pa.Table, rows: pa.Table) -> Any:
    """Return, for each of the rows (their keys), whether it has one of the keys, as an array of numpy.

    Keys are of types that the rows' take without loss. Null in a row is no key.
    """
    if any(pa.types.is_null(field.type) for field in rows.schema):
        return np.zeros(rows.num_rows, bool)
    keys = keys.cast(rows.schema)
    if len(keys.column_names) == 1:
        found = pc.is_in(rows.column(0).combine_chunks(), value_set=keys.column(0).combine_chunks())
        return found.to_numpy(zero_copy_only=False)
    numbered = rows.append_column(_ROW, pa.array(np.arange(rows.num_rows)))
    met = numbered.join(keys, keys=keys.column_names, join_type="left semi", use_threads=False)
    mask = np.zeros(rows.num_rows, bool)
    mask[met[_ROW].to_numpy()] = True
    return mask


def ranges_of(keys: pa.Table) -> Ranges:
    """Return the ranges of the columns; one whose values Python does not have (a year 10,000) is left out."""
    found = []
    for name in keys.column_names:
        if pa.types.is_null(keys.schema.field(name).type):
            found.append((name, None, None))
            continue
        ends = pc.min_max(keys[name])
        try:
            found.append((name, ends["min"].as_py(), ends["max"].as_py()))
        except (ValueError, OverflowError):
            continue
    return tuple(found)


def may_meet(left: Ranges, right: Ranges) -> bool:
    """Say whether rows in these ranges can have a key in common."""
    others = {name: (low, high) for name, low, high in right}
    for name, low, high in left:
        other = others.get(name)
        if other is None:
            continue
        if low is None or other[0] is None or other[1] < low or other[0] > high:
            return False
    return True
