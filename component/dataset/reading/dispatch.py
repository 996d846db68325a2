"""The rows of a dataset in groups that agree on some columns, one group after the other (reference kartothek 4).

Rows whose value is null are a group too, unlike in the original clients; columns need no index.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from component import naming
from component.dataset.format.values import value_text
from component.dataset.reading.reader import Dataset, FileScan, plan_scan, read_scan
from component.errors import Place, UserError

Values: TypeAlias = tuple[Any, ...]
_HELD_BYTES: Final = naming.SPLIT_BYTES
"""Data files of one combination of partition values that are read once for all their groups; larger ones for each."""


@dataclass(frozen=True, slots=True)
class Group:
    """The rows that have these values; read when they are asked for, file by file."""

    values: Mapping[str, Any]
    _files: _Files = field(repr=False)
    _rest: Values = field(repr=False)
    _scans: tuple[FileScan, ...] = field(repr=False)

    def tables(self) -> Iterator[pa.Table]:
        """Yield the rows of each file that has some."""
        for scan in self._scans:
            yield from self._files.cut(scan).get(self._rest, ())

    def read(self) -> pa.Table:
        """Return the rows in one table."""
        return pa.concat_tables(self.tables())


def dispatch(
    dataset: Dataset,
    by: Sequence[str],
    *,
    predicates: Sequence[Sequence[Sequence[Any]]] | None = None,
    columns: Sequence[str] | None = None,
) -> Iterator[Group]:
    """Yield the rows group by group, in the order in which their partitions and files come; by nothing: all in one.

    By partition keys alone nothing is read until a group is. By others the distinct values are read first, for one
    combination of partition values at a time. UserError `column.missing`, `column.type` for lists, and as
    `bind_predicates`.
    """
    wanted = list(columns) if columns is not None else list(dataset.columns)
    for name in (*by, *wanted):
        if name not in dataset.schema.names:
            raise UserError(
                "column.missing",
                "The dataset has no such column",
                place=Place(table=dataset.header.uuid, column=name),
                remedy=f"The columns are {', '.join(dataset.columns)}.",
            )
    _check_flat(dataset.schema, by)
    keys = [name for name in by if name in dataset.header.partition_keys]
    rest = [name for name in by if name not in keys]
    folders: dict[tuple[str, ...], list[FileScan]] = {}
    for scan in plan_scan(dataset, predicates):
        folders.setdefault(tuple(value_text(_one(scan.partition_values[name])) for name in keys), []).append(scan)
    sizes = _sizes(dataset) if rest else {}
    for scans in folders.values():
        held = sum(sizes.get(scan.key, 0) for scan in scans) <= _HELD_BYTES
        files = _Files(dataset, wanted, rest, held=held and bool(rest))
        for values, having in files.groups(scans).items():
            named = {name: _one(scans[0].partition_values[name]) for name in keys} | dict(
                zip(rest, values, strict=True)
            )
            yield Group({name: named[name] for name in by}, files, values, having)


def _check_flat(schema: pa.Schema, by: Sequence[str]) -> None:
    for name in by:
        if pa.types.is_nested(schema.field(name).type):
            raise UserError("column.type", "Rows cannot be grouped by a column of lists", place=Place(column=name))


def _sizes(dataset: Dataset) -> Mapping[str, int]:
    return {stat.key: stat.size for stat in dataset.store.list(f"{dataset.header.uuid}/{dataset.table}/")}


class _Files:
    """Data files whose rows are cut by the values of `rest`; if they are `held`, each is read once."""

    def __init__(self, dataset: Dataset, columns: Sequence[str], rest: Sequence[str], *, held: bool) -> None:
        self._dataset, self._columns, self._rest = dataset, columns, rest
        self._held: dict[str, dict[Values, list[pa.Table]]] | None = {} if held else None

    def groups(self, scans: Sequence[FileScan]) -> dict[Values, tuple[FileScan, ...]]:
        """Return the values that rows have, each with the files that hold it."""
        if not self._rest:
            return {(): tuple(scans)}
        found: dict[Values, list[FileScan]] = {}
        for scan in scans:
            cut = self.cut(scan) if self._held is not None else _cut(self._read(scan, self._rest), self._rest, ())
            for values in cut:
                found.setdefault(values, []).append(scan)
        return {values: tuple(having) for values, having in found.items()}

    def cut(self, scan: FileScan) -> dict[Values, list[pa.Table]]:
        """Return the rows of a file by their values."""
        if self._held is not None and scan.label in self._held:
            return self._held[scan.label]
        rows = self._read(scan, list(dict.fromkeys([*self._columns, *self._rest])))
        found = _cut(rows, self._rest, self._columns)
        if self._held is not None:
            self._held[scan.label] = found
        return found

    def _read(self, scan: FileScan, columns: Sequence[str]) -> pa.Table:
        return read_scan(self._dataset.store, self._dataset.schema, scan, columns)


def _cut(rows: pa.Table, by: Sequence[str], columns: Sequence[str]) -> dict[Values, list[pa.Table]]:
    """Cut rows by values, the rows of each in their order; NaN is one value, and so are the two zeros."""
    wanted = rows.select(list(columns))
    if not by:
        return {(): [wanted]}
    if not rows.num_rows:
        return {}
    codes = np.zeros(rows.num_rows, np.int64)
    for name in by:
        encoded = rows[name].combine_chunks().dictionary_encode(null_encoding="encode")
        number = codes * len(encoded.dictionary) + encoded.indices.to_numpy()
        codes = np.unique(number, return_inverse=True)[1]
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    ordered = pc.take(wanted, pa.array(order)) if columns else wanted
    firsts = rows.select(list(by)).take(pa.array(order[starts]))
    found: dict[Values, list[pa.Table]] = {}
    ends = [*starts[1:], rows.num_rows]
    for row, start, end in zip(firsts.to_pylist(), starts, ends, strict=True):
        values = tuple(map(_one, row.values()))
        found.setdefault(values, []).append(ordered.slice(start, end - start))
    return found


def _one(value: Any) -> Any:
    """Return a value that is found again in a dictionary: one NaN for all, one zero."""
    if not isinstance(value, float):
        return value
    return math.nan if math.isnan(value) else value + 0.0
