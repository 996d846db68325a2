"""The keys of new rows, gathered from their files into sets of bounded size: tasks that any executor runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from component import identity, naming
from component.dataset.changes.execution import Executor
from component.dataset.changes.row_keys import Ranges, check_keys, distinct_keys, ranges_of
from component.dataset.reading.reader import FileScan, read_scan
from component.store.base import Store
from component.store.uncommitted import Uncommitted
from component.tables.key_hash import key_values

KEYS_PER_SET: Final = 4_000_000
"""Keys that a task holds at once: some hundred megabytes with the table that finds them."""
INLINE_BYTES: Final = naming.MIB
"""A set up to this size travels in the tasks; a larger one is an object that they read."""
_FILES_PER_SAMPLE: Final = 16
_SAMPLE: Final = 1_000
_NAME_DIGITS: Final = 32


@dataclass(frozen=True, slots=True)
class KeySet:
    """Some of the keys: here as a table, or in the object `key`. `ranges` bound the values of each column."""

    rows: int
    ranges: Ranges
    table: pa.Table | None = None
    key: str | None = None

    def read(self, store: Store) -> pa.Table:
        """Return the keys."""
        if self.key is None:
            return self.table
        with store.open(self.key) as file:
            return pq.ParquetFile(file, page_checksum_verification=True).read(use_threads=False)


def set_of(keys: pa.Table, store: Store, uuid: str, run: str = "") -> KeySet:
    """Return a set of keys that are at hand; a large one is put into the store, and is to be discarded after use."""
    keys = keys.combine_chunks()
    if keys.nbytes <= INLINE_BYTES:
        return KeySet(keys.num_rows, ranges_of(keys), table=keys)
    sink = pa.BufferOutputStream()
    pq.write_table(keys, sink, compression="zstd", write_page_checksum=True)
    name = run + identity.new_hex()[: _NAME_DIGITS - len(run)]
    key = f"{uuid}/{naming.KEYS_FOLDER}/{name}{naming.PARQUET_SUFFIX}"
    store.put(key, sink.getvalue())
    return KeySet(keys.num_rows, ranges_of(keys), key=key)


def stored_keys(sets: Iterable[KeySet]) -> Iterator[str]:
    """Yield the keys of the objects that hold sets: they are discarded after use, whatever came of it."""
    return (one.key for one in sets if one.key is not None)


@dataclass(frozen=True, slots=True)
class GatherKeys:
    """Gather the keys in some files: those with a value of `column` from `low` on and below `high` (None: open).

    `run` begins the names of what it puts. `unique`: a key that stands twice is an error.
    """

    store: Store
    uuid: str
    schema: pa.Schema
    key: tuple[str, ...]
    scans: tuple[FileScan, ...]
    unique: bool
    run: str = ""
    column: str = ""
    low: Any = None
    high: Any = None


def gather_keys(task: GatherKeys) -> KeySet:
    """Carry out one task; UserError `dataset.key` as `check_keys`."""
    keys = pa.concat_tables(_inside(task, _keys_of(task, scan)) for scan in task.scans)
    check_keys(keys, task.uuid, unique=task.unique)
    return set_of(keys if task.unique else distinct_keys(keys), task.store, task.uuid, task.run)


def _keys_of(task: GatherKeys, scan: FileScan) -> pa.Table:
    return key_values(read_scan(task.store, task.schema, scan, list(task.key)), task.key)


def _inside(task: GatherKeys, keys: pa.Table) -> pa.Table:
    if task.low is None and task.high is None:
        return keys  # and all files are checked at once: a person thinks of rows, and not of files
    check_keys(keys, task.uuid, unique=False)  # a null is on no side of a bound
    if task.low is not None:
        keys = keys.filter(pc.greater_equal(keys[task.column], pa.scalar(task.low, keys[task.column].type)))
    if task.high is not None:
        keys = keys.filter(pc.less(keys[task.column], pa.scalar(task.high, keys[task.column].type)))
    return keys


def sample_keys(task: GatherKeys) -> pa.Table:
    """Return about a thousand of the keys in some files, evenly from all of them."""
    found = []
    for scan in task.scans:
        keys = _keys_of(task, scan)
        check_keys(keys, task.uuid, unique=False)
        step = max(1, keys.num_rows * len(task.scans) // _SAMPLE)
        found.append(keys.take(pa.array(np.arange(0, keys.num_rows, step))))
    return pa.concat_tables(found).combine_chunks()


def gather_sets(executor: Executor, task: GatherKeys, rows: int, *, per_set: int = KEYS_PER_SET) -> tuple[KeySet, ...]:
    """Return the keys of all files of a task, in sets of about `per_set`, cut by the values of one column.

    All rows of one key meet in one set. `rows` is how many there are. Errors as `check_keys`; then no object is left.
    """
    if not task.scans:
        return ()
    task = replace(task, run=identity.new_hex()[: naming.RUN_DIGITS])
    tasks = [task]
    if rows > per_set:
        column, bounds = _bounds(_sample(executor, task), -(-rows // per_set))
        tasks = [replace(task, column=column, low=low, high=high) for low, high in pairwise([None, *bounds, None])]
    with Uncommitted(task.store) as running:
        running.add_run(f"{task.uuid}/{naming.KEYS_FOLDER}/", task.run)
        return tuple(executor.run(gather_keys, tasks, files=len(task.scans)))


def _sample(executor: Executor, task: GatherKeys) -> pa.Table:
    starts = range(0, len(task.scans), _FILES_PER_SAMPLE)
    parts = [replace(task, scans=task.scans[at : at + _FILES_PER_SAMPLE]) for at in starts]
    return pa.concat_tables(executor.run(sample_keys, parts, files=len(task.scans)))


def _bounds(sample: pa.Table, parts: int) -> tuple[str, list[Any]]:
    """Return the column with the most values, and the values that cut the sample into so many parts."""
    distinct = {name: pc.count_distinct(sample[name]).as_py() for name in sample.column_names}
    column = max(distinct, key=lambda name: distinct[name])
    values = sample[column].combine_chunks()
    ordered = values.take(pc.sort_indices(values))
    cuts = [ordered[len(ordered) * number // parts].as_py() for number in range(1, parts)]
    return column, list(dict.fromkeys(cuts))


def all_keys(sets: Sequence[KeySet], store: Store) -> pa.Table | None:
    """Return all the keys where they are few enough to be held: one set. None for more."""
    return sets[0].read(store) if len(sets) == 1 else None
