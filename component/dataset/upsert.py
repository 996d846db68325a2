"""Rows that replace those of the same key, and are added where there is none: one commit, touched files only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component.dataset.change import Base, Change, apply_change
from component.dataset.commit import Prepared
from component.dataset.fit import fitted_rows
from component.dataset.reader import FileScan, plan_scan, read_scan
from component.errors import Place, UserError
from component.store.base import Store

_ROW: Final = "row number"
_MOST_ASKED: Final = 10_000
"""More values than these are not looked up one by one: the files' own keys are read instead."""


def upsert(store: Store, uuid: str, rows: pa.Table, key: Sequence[str] = ()) -> Prepared | None:
    """Replace the rows that have the key of a new row, and add the new rows; None when there are no new rows.

    `key` are the columns that name a row; by default the primary key of the dataset. Files that hold none of the keys
    are not written again; they are left out by secondary indices and partition values where these are part of the key,
    else by reading their key columns. UserError `dataset.key` for a key that is unknown, holds nulls, or stands twice
    in the new rows; `dataset.schema` for rows that do not fit.
    """

    def decide(base: Base) -> Change | None:
        columns = tuple(key) or tuple(base.dataset.header.extras.get("primary_key", ()))
        new = fitted_rows(rows, base.layout.schema, uuid)
        _check_key(new, columns, uuid)
        if not new.num_rows:
            return None
        keys = new.select(columns)
        touched = [scan for scan in _candidates(base, keys) if _matches(_read(base, scan, columns), keys)]
        kept = (_without(_read(base, scan, base.dataset.columns), keys) for scan in touched)
        return Change("upsert", rows=[_filled(kept, new)], removed=[scan.label for scan in touched])

    return apply_change(store, uuid, decide)


def _filled(kept: Iterator[pa.Table], new: pa.Table) -> Iterator[pa.Table]:
    yield from (rows for rows in kept if rows.num_rows)
    yield new


def _check_key(rows: pa.Table, key: tuple[str, ...], uuid: str) -> None:
    if not key or not set(key) <= set(rows.column_names):
        raise UserError(
            "dataset.key",
            "The key of an upsert is not known" if not key else f"The key {', '.join(key)} is not among the columns",
            place=Place(table=uuid),
            remedy="Name the columns of the key, or give the dataset a primary key.",
        )
    for name in key:
        if rows[name].null_count:
            raise UserError("dataset.key", "A key of the new rows is null", place=Place(table=uuid, column=name))
    counts = rows.group_by(list(key)).aggregate([([], "count_all")])
    twice = counts.filter(pc.greater(counts["count_all"], 1))
    if twice.num_rows:
        value = ", ".join(str(twice[name][0]) for name in key)
        raise UserError(
            "dataset.key",
            f"{twice.num_rows} keys stand more than once in the new rows",
            place=Place(table=uuid, column=", ".join(key), value=value),
            remedy="Give one row for each key.",
        )


def _candidates(base: Base, keys: pa.Table) -> tuple[FileScan, ...]:
    """Return the files that may hold one of the keys, as far as indices and partition values tell."""
    header = base.dataset.header
    told = [name for name in keys.column_names if name in header.indices or name in header.partition_keys]
    asked = [[name, "in", values] for name in told if len(values := pc.unique(keys[name]).to_pylist()) <= _MOST_ASKED]
    scans = plan_scan(base.dataset, [asked] if asked else None)
    return tuple(replace(scan, keep=()) for scan in scans)


def _read(base: Base, scan: FileScan, columns: Sequence[str]) -> pa.Table:
    return read_scan(base.dataset.store, base.dataset.schema, scan, columns)


def _matches(rows: pa.Table, keys: pa.Table) -> bool:
    return bool(rows.join(keys, keys=keys.column_names, join_type="left semi", use_threads=False).num_rows)


def _without(rows: pa.Table, keys: pa.Table) -> pa.Table:
    """Return the rows that have none of the keys, in their order, which a join does not promise."""
    numbered = rows.select(keys.column_names).append_column(_ROW, pa.array(range(rows.num_rows), pa.int64()))
    left: Any = numbered.join(keys, keys=keys.column_names, join_type="left anti", use_threads=False)[_ROW]
    return rows.take(left.combine_chunks().sort())
