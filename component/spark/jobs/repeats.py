"""Rows whose primary key stood in a row before, or is in the dataset, by their numbers: the source is read again.

The first row of a key, in the order of slices and rows, stays, unless the dataset has the key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from component import identity
from component.dataset.changes.primary_keys import RANGE_KEYS
from component.dataset.changes.row_keys import rows_with
from component.formats.csv.read import ReadAgainError
from component.spark.engine import Engine
from component.spark.jobs.mill import MillTask, checked_rows, row_numbers
from component.tables.key_hash import Hashes, key_hashes, key_schema, key_values

_NUMBER: Final = "number of the row"
_SPLIT: Final = "number of the split"
_AT: Final = "place among all"


@dataclass(frozen=True, slots=True)
class FindTask:
    """One split to be read for the rows whose hashes are in the file `hashes`; their keys are put into `target`."""

    mill: MillTask
    columns: tuple[str, ...]
    hashes: Path
    target: Path


def find_rows(task: FindTask) -> Path:
    """Write key and number of the rows that may have a key which stands twice; return the file."""
    wanted = np.load(task.hashes)
    schema = key_schema(task.mill.layout.stored_schema, task.columns)
    try:
        with pa.ipc.new_stream(task.target, schema.append(pa.field(_NUMBER, pa.int64()))) as writer:
            done = 0
            for parsed in checked_rows(task.mill):
                numbers = pa.array(row_numbers(parsed, done), pa.int64())
                done += parsed.records
                found = key_values(parsed.rows, task.columns)
                chosen = np.isin(key_hashes(found, task.columns), wanted)
                keys = found.append_column(_NUMBER, numbers)
                writer.write_table(keys.filter(pa.array(chosen)))
    except ReadAgainError as again:
        return find_rows(replace(task, mill=replace(task.mill, split=again.split)))
    return task.target


@dataclass(frozen=True, slots=True)
class KeysThere:
    """What the dataset has of keys of the new rows: hashes of such, and the keys of some hashes."""

    hashes: Hashes = field(default_factory=lambda: np.empty(0, np.uint64))
    keys: Callable[[Hashes], pa.Table] | None = None


NONE_THERE: Final = KeysThere()


def find_repeats(
    engine: Engine,
    tasks: Sequence[MillTask],
    columns: tuple[str, ...],
    twice: Hashes,
    scratch: Path,
    there: KeysThere = NONE_THERE,
) -> tuple[Path | None, ...]:
    """Return, for each task, a file of the numbers of rows to be rejected; None where there are none.

    `tasks` are the splits as they were read, in the order of the source; `twice` hashes that stand twice in it. In the
    file each number is beside a 1 where the dataset has the key, and a 0 where it stood in a row before.
    """
    hashes = np.union1d(twice, there.hashes)
    chosen = scratch / f"{identity.new_hex()}.npy"
    np.save(chosen, hashes)
    plain = [replace(task, keys=None, repeats=None) for task in tasks]
    found = engine.run(
        find_rows, [FindTask(task, columns, chosen, scratch / f"{identity.new_hex()}.keys.arrow") for task in plain]
    )
    numbers: list[list[Hashes]] = [[] for _ in tasks]
    for start in range(0, len(hashes), RANGE_KEYS):
        few = hashes[start : start + RANGE_KEYS]
        known = there.keys(few) if there.keys is not None else None
        for split, rows in _later_rows(found, columns, few, known).items():
            numbers[split].append(rows)
    return tuple(_saved(each, scratch) for each in numbers)


def _later_rows(
    files: Sequence[Path], columns: tuple[str, ...], hashes: Hashes, there: pa.Table | None
) -> dict[int, Hashes]:
    """Return the numbers of rows, by split, that are not the first of their key or whose key is `there`, and which.

    Of the keys of some hashes.
    """
    tables = []
    for split, path in enumerate(files):
        with pa.ipc.open_stream(path) as reader:
            rows = reader.read_all()
        rows = rows.filter(pa.array(np.isin(key_hashes(rows, columns), hashes))).drop_null()
        tables.append(rows.append_column(_SPLIT, pa.repeat(pa.scalar(split), rows.num_rows)))
    together = pa.concat_tables(tables)
    numbered = together.append_column(_AT, pa.array(np.arange(together.num_rows)))
    firsts = numbered.group_by(list(columns), use_threads=False).aggregate([(_AT, "min")])
    later = np.ones(together.num_rows, np.bool_)
    later[firsts[f"{_AT}_min"].to_numpy()] = False
    known = np.zeros(together.num_rows, np.bool_)
    if there is not None and there.num_rows:
        known = rows_with(there, together.select(list(columns)))
    later |= known
    chosen = together.filter(pa.array(later))
    splits, rows = chosen[_SPLIT].to_numpy(), np.stack([chosen[_NUMBER].to_numpy(), known[later]])
    return {int(split): rows[:, splits == split] for split in np.unique(splits)}


def _saved(numbers: Sequence[Hashes], scratch: Path) -> Path | None:
    if not numbers:
        return None
    path = scratch / f"{identity.new_hex()}.npy"
    rows = np.concatenate(numbers, axis=1)
    np.save(path, rows[:, np.argsort(rows[0])])
    return path
