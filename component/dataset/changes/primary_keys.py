"""Primary keys of new rows: a hash of each on scratch, which keys stand twice, exactly, and what is said of them.

Whoever writes rows notes their hashes in sorted runs, eight bytes a row. Hashes that stand twice are found range by
range, so that memory stays bounded whatever the number of rows; only if there are any, the keys themselves are read
from the data files, and compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from component import identity, naming
from component.dataset.commits.intent import KeyRule
from component.dataset.reading.reader import FileScan, read_scan
from component.errors import Place, UserError
from component.store.base import Store
from component.tables.key_hash import Hashes, key_hashes, key_schema, key_values

RUN_HASHES: Final = 2 * naming.MIB
"""Hashes that a task holds before it writes them: 16 MiB."""
RANGE_HASHES: Final = 8 * naming.MIB
"""Hashes that are compared at once: 64 MiB."""
RANGE_KEYS: Final = naming.MIB
"""Rows whose keys are compared at once."""
_ALL: Final = 2**64
_BYTES: Final = 8
_COUNT: Final = "count of rows"


@dataclass(frozen=True, slots=True)
class KeyTask:
    """The columns of the primary key, and where the hashes of rows are put.

    `reject_nulls`: a row with a null among them is a bad row.
    """

    columns: tuple[str, ...]
    scratch: Path
    reject_nulls: bool = False


@dataclass(frozen=True, slots=True)
class KeyRuns:
    """The keys of one split: a file of sorted runs, the length of each, and nulls by column where there are any."""

    path: Path | None = None
    runs: tuple[int, ...] = ()
    nulls: Mapping[str, int] = field(default_factory=dict)

    def drop(self) -> None:
        """Remove the file."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


NO_KEYS: Final = KeyRuns()


class KeyWriter:
    """Takes the rows of one split, and writes the hashes of their keys; a key with a null is counted instead."""

    def __init__(self, task: KeyTask | None) -> None:
        self._task = task
        self._held: list[Hashes] = []
        self._count = 0
        self._runs: list[int] = []
        self._nulls: dict[str, int] = {}
        self._path: Path | None = None

    def add(self, rows: pa.Table) -> None:
        """Take rows."""
        if self._task is None:
            return
        rows = key_values(rows, self._task.columns)
        hashes = key_hashes(rows, self._task.columns)
        whole = _whole_keys(rows, self._task.columns)
        for name in self._task.columns:
            if rows[name].null_count:
                self._nulls[name] = self._nulls.get(name, 0) + rows[name].null_count
        self._held.append(hashes if whole is None else hashes[whole])
        self._count += len(self._held[-1])
        if self._count >= RUN_HASHES:
            self._write()

    def _write(self) -> None:
        if self._task is None or not self._count:
            return
        if self._path is None:
            self._path = self._task.scratch / f"{identity.new_hex()}.keys"
        hashes = np.concatenate(self._held)
        hashes.sort()
        with self._path.open("ab") as file:
            file.write(hashes.data)
        self._runs.append(len(hashes))
        self._held, self._count = [], 0

    def close(self) -> KeyRuns:
        """Return what was written."""
        self._write()
        return KeyRuns(self._path, tuple(self._runs), self._nulls)

    def drop(self) -> None:
        """Remove what was written."""
        KeyRuns(self._path).drop()


def _whole_keys(rows: pa.Table, key: Sequence[str]) -> Any:
    """Return which rows have a value in each column of the key; None where all have."""
    whole = None
    for name in key:
        if rows[name].null_count:
            valid = rows[name].is_valid().to_numpy()
            whole = valid if whole is None else whole & valid
    return whole


def repeated_hashes(parts: Sequence[KeyRuns], most: int = RANGE_HASHES) -> Hashes:
    """Return the hashes that stand more than once, in order; about `most` are compared at once."""
    twice = (np.unique(hashes[1:][hashes[1:] == hashes[:-1]]) for hashes in sorted_ranges(parts, most))
    return np.concatenate([np.empty(0, np.uint64), *twice])


def sorted_ranges(parts: Sequence[KeyRuns], most: int) -> Iterator[Hashes]:
    """Yield all hashes in order, range by range, in each about `most`."""
    runs = [run for part in parts for run in _runs_of(part)]
    for low, high in _ranges(sum(map(len, runs)), most):
        hashes = np.concatenate([_within(run, low, high) for run in runs])
        hashes.sort(kind="stable")  # it merges what is in order
        if len(hashes):
            yield hashes


def _runs_of(part: KeyRuns) -> Iterator[Hashes]:
    if part.path is None:
        return
    start = 0
    for count in part.runs:
        yield np.memmap(part.path, np.uint64, "r", start * _BYTES, (count,))
        start += count


def _ranges(count: int, most: int) -> list[tuple[int, int]]:
    """Return half-open ranges of hashes, in each of which about `most` of so many lie; hashes are spread evenly."""
    parts = -(-count // most)
    bounds = [_ALL * part // max(parts, 1) for part in range(parts + 1)]
    return list(pairwise(bounds))


def _within(run: Hashes, low: int, high: int) -> Hashes:
    start = int(np.searchsorted(run, np.uint64(low)))
    return np.array(run[start : len(run) if high == _ALL else int(np.searchsorted(run, np.uint64(high)))])


@dataclass(frozen=True, slots=True)
class RepeatedKeys:
    """Keys that stand more than once: how many they are, the rows that have them, and the least of them."""

    keys: int = 0
    rows: int = 0
    first: Mapping[str, Any] = field(default_factory=dict)


def repeated_keys(
    store: Store,
    schema: pa.Schema,
    scans: Sequence[FileScan],
    columns: Sequence[str],
    hashes: Hashes,
    most: int = RANGE_KEYS,
) -> RepeatedKeys:
    """Return the keys in some files that stand more than once; their hashes are among these.

    `schema` has the types of which the hashes were made. About `most` rows are compared at once, if few have one key.
    """
    keys = rows = 0
    least: list[Mapping[str, Any]] = []
    wanted = pa.schema([schema.field(name) for name in columns])
    for start in range(0, len(hashes), most):
        counts = counted_keys(store, schema, scans, wanted, hashes[start : start + most])
        twice = counts.filter(pc.greater(counts[_COUNT], 1))
        keys += twice.num_rows
        rows += pc.sum(twice[_COUNT]).as_py() or 0
        least += _least(twice, columns)
    return RepeatedKeys(keys, rows, least_key(least, wanted))


def counted_keys(
    store: Store, schema: pa.Schema, scans: Sequence[FileScan], wanted: pa.Schema, hashes: Hashes
) -> pa.Table:
    """Return the keys in some files whose hashes are among these, in order, each once, with how many rows have it.

    `wanted` are the columns of the key in the types of which the hashes were made.
    """
    columns = wanted.names
    counts = key_schema(wanted, columns).append(pa.field(_COUNT, pa.int64())).empty_table()
    for scan in scans:
        keys = keys_in(store, schema, scan, wanted).drop_null()
        chosen = keys.filter(pa.array(np.isin(key_hashes(keys, columns), hashes)))
        ones = chosen.append_column(_COUNT, pa.repeat(pa.scalar(1, pa.int64()), chosen.num_rows))
        counts = _counted(pa.concat_tables([counts, ones]), columns)
    return counts


def keys_in(store: Store, schema: pa.Schema, scan: FileScan, wanted: pa.Schema) -> pa.Table:
    """Return the keys in one file, of `schema`, as `key_values` of the types that are `wanted`."""
    rows = read_scan(store, schema, replace(scan, keep=()), wanted.names)
    return key_values(rows.select(wanted.names).cast(wanted), wanted.names)


def _counted(rows: pa.Table, columns: Sequence[str]) -> pa.Table:
    summed = rows.group_by(list(columns), use_threads=False).aggregate([(_COUNT, "sum")])
    return summed.rename_columns([*columns, _COUNT]).select([*columns, _COUNT])


def met_keys(new: pa.Table, there: pa.Table, wanted: pa.Schema) -> RepeatedKeys:
    """Return which keys of new rows are also there, with how many new rows have them; both as `counted_keys`."""
    columns = wanted.names
    zeros = pa.repeat(pa.scalar(0, pa.int64()), there.num_rows)
    counted = pa.concat_tables([new, there.set_column(len(columns), _COUNT, zeros)])
    summed = counted.group_by(columns, use_threads=False).aggregate([(_COUNT, "sum"), ([], "count_all")])
    both = summed.filter(pc.equal(summed["count_all"], 2))
    least = _least(both.select(columns), columns)
    return RepeatedKeys(both.num_rows, pc.sum(both[f"{_COUNT}_sum"]).as_py() or 0, next(iter(least), {}))


def _least(twice: pa.Table, columns: Sequence[str]) -> list[Mapping[str, Any]]:
    ordered = twice.select(list(columns)).take(
        pc.select_k_unstable(twice, 1, sort_keys=[(name, "ascending") for name in columns])
    )
    found: list[Mapping[str, Any]] = ordered.to_pylist()
    return found


def least_key(found: Sequence[Mapping[str, Any]], wanted: pa.Schema) -> Mapping[str, Any]:
    """Return the least of some keys, whose columns are `wanted`; nothing where there are none."""
    schema = key_schema(wanted, wanted.names)
    return next(iter(_least(pa.Table.from_pylist(list(found), schema), schema.names)), {}) if found else {}


# --- what is said of them ---


def null_errors(nulls: Mapping[str, int], table: str) -> Iterator[UserError]:
    """Yield an error for each column of the key that is null in some rows."""
    for name, count in nulls.items():
        yield UserError(
            "row.null_key",
            f"A column of the primary key is null in {_rows(count)}",
            place=Place(table, column=name),
            remedy="Fill the column, or leave it out of primary_key.",
        )


def repeated_errors(found: RepeatedKeys, table: str, *, reject: bool) -> Iterator[UserError]:
    """Yield the error of keys that stand in several of the new rows; `reject`: they could be rejected."""
    choice = ", or set on_duplicate_key to reject, which keeps the first of them." if reject else "."
    if found.keys:
        yield UserError(
            "row.duplicate_key",
            f"A primary key stands in {_rows(found.rows)}"
            if found.keys == 1
            else f"{found.keys:,} primary keys stand in {_rows(found.rows)}; the least of them is this",
            place=_place(found, table),
            remedy=f"Correct the rows or the primary key{choice}",
        )


def known_errors(found: RepeatedKeys, table: str) -> Iterator[UserError]:
    """Yield the error of keys of new rows that rows have which are in the dataset already, and stay there."""
    if found.keys:
        what = "the primary key" if found.keys == 1 else f"{found.keys:,} primary keys"
        least = "" if found.keys == 1 else "; the least of them is this"
        yield UserError(
            "row.duplicate_key",
            f"The dataset already has {what} of {_rows(found.rows)}{least}",
            place=_place(found, table),
            remedy="Leave such rows out, which a run does with on_duplicate_key: reject, or use upsert to replace the"
            " rows that are there.",
        )


def settle_errors(errors: Iterator[UserError], rule: KeyRule, warn: Callable[[str], None]) -> None:
    """Raise the first of some errors, or warn of all where that is the rule."""
    for error in errors:
        if rule != "warn":
            raise error
        warn(str(error))


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _place(found: RepeatedKeys, table: str) -> Place:
    return Place(table, column=", ".join(found.first), value=", ".join(map(str, found.first.values())))
