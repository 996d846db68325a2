"""Old data files written again without some rows, or several as one: tasks that any executor runs.

A task reads files of one state and puts new ones under new names; what it returns names them. Nothing is visible until
a commit names the new files and lets the old labels go. The memory of a task is that of one data file, the key columns
of its group, and one set of keys.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from component import identity, naming
from component.dataset.changes.column_edits import NewColumn, edited_rows
from component.dataset.changes.execution import Executor
from component.dataset.changes.key_sets import KeySet
from component.dataset.changes.row_keys import Ranges, may_meet, ranges_of, rows_with
from component.dataset.files.csv_file import open_data
from component.dataset.files.data_file import narrow_schema
from component.dataset.files.footer import naming_file, open_footer
from component.dataset.files.predicates import Condition, Conjunction, columns_of, mask_of
from component.dataset.files.pruning import groups_wanted
from component.dataset.files.write import PartitionWriter, Written
from component.dataset.format.layout import Layout
from component.dataset.reading.reader import FileScan, read_scan
from component.store.base import Store
from component.store.uncommitted import Uncommitted
from component.tables.key_hash import key_values

Mask: TypeAlias = pa.ChunkedArray
"""Which rows of a file are meant; never null."""
_STEM_DIGITS: Final = 32


@dataclass(frozen=True, slots=True)
class RewriteTarget:
    """Where files are read from and written to.

    `schema` is the dataset's, `layout` that of the new files; `run` begins the names of all that one change writes.
    """

    store: Store
    schema: pa.Schema
    layout: Layout
    run: str

    @property
    def folder(self) -> str:
        """What the keys of the new files begin with."""
        return f"{self.layout.uuid}/{self.layout.table}/"

    @property
    def columns(self) -> list[str]:
        """The columns of the rows, in the order of the source."""
        return list(self.layout.schema.names)

    def stems(self, label: str) -> Callable[[], str]:
        """Return what names the files that one is written again as: new names, the same in every table of a change."""
        numbers = count()

        def stem() -> str:
            name = hashlib.sha256(f"{label}\0{next(numbers)}".encode()).hexdigest()
            return self.run + name[: _STEM_DIGITS - len(self.run)]

        return stem


def new_target(store: Store, schema: pa.Schema, layout: Layout, run: str = "") -> RewriteTarget:
    """Return the target of a new change, or of one that has begun in another table under the name of its `run`."""
    return RewriteTarget(store, schema, layout, run or identity.new_hex()[: naming.RUN_DIGITS])


@dataclass(frozen=True, slots=True)
class DropRows:
    """Write files again without the rows that the `keep` of their scan is true of; where it is empty, all rows go."""

    target: RewriteTarget
    scans: tuple[FileScan, ...]


@dataclass(frozen=True, slots=True)
class DropKeys:
    """Write files again without the rows that have one of the keys."""

    target: RewriteTarget
    scans: tuple[FileScan, ...]
    key: tuple[str, ...]
    sets: tuple[KeySet, ...]


@dataclass(frozen=True, slots=True)
class JoinFiles:
    """Write files of one partition again as one, or as few as the buffer of a writer allows."""

    target: RewriteTarget
    scans: tuple[FileScan, ...]


@dataclass(frozen=True, slots=True)
class EditColumns:
    """Write files again in other columns, which those of the target's layout are; each file by itself."""

    target: RewriteTarget
    scans: tuple[FileScan, ...]
    columns: tuple[NewColumn, ...]


Rewrite = DropRows | DropKeys | JoinFiles | EditColumns


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What became of old files of a table: their labels go, `written` comes. `gone` rows did not come again."""

    labels: tuple[str, ...]
    written: Written
    gone: int = 0
    table: str = ""

    @property
    def keys(self) -> Iterator[str]:
        """The keys of the files that come."""
        return (file.key for file in self.written.files)


def rewrite(task: Rewrite) -> tuple[Rewritten, ...]:
    """Carry out one task; files that hold no such rows are left out. On any error nothing of it is left."""
    done: list[Rewritten] = []
    with Uncommitted(task.target.store) as uncommitted:
        for one in _rewritten(task):
            uncommitted.add(one.keys)
            done.append(replace(one, table=task.target.layout.table))
    return tuple(done)


def _rewritten(task: Rewrite) -> Iterator[Rewritten]:
    if isinstance(task, JoinFiles):
        target = _narrow(task.target, task.scans)
        rows = (_read(target, scan) for scan in task.scans)
        yield Rewritten(tuple(scan.label for scan in task.scans), _write(task.target, rows, task.scans[0].label))
    elif isinstance(task, EditColumns):
        yield from (_edited(task, scan) for scan in task.scans)
    elif isinstance(task, DropRows):
        yield from (one for scan in task.scans if (one := _without(task.target, scan, _asked(task.target, scan))))
    else:
        for scan, mask in _held(task):
            if one := _without(task.target, scan, mask):
                yield one


def _edited(task: EditColumns, scan: FileScan) -> Rewritten:
    sources = [column.source for column in task.columns if column.source is not None]
    rows = edited_rows(_read(task.target, scan, sources), task.columns)
    return Rewritten((scan.label,), _write(task.target, [rows], scan.label))


def _asked(target: RewriteTarget, scan: FileScan) -> Mask | None:
    """Return of which rows the predicates are true; None: of all. Only the columns asked about are read."""
    if not scan.keep:
        return None
    rows = _read(target, scan, sorted(columns_of(scan.keep)))
    return mask_of(scan.keep, rows)


def _held(task: DropKeys) -> Iterator[tuple[FileScan, Mask]]:
    """Yield each file with which of its rows have one of the keys; each set is read once for all files."""
    scans = [scan for scan in task.scans if _may_hold(task, scan)]
    columns = [key_values(_read(task.target, scan, task.key), task.key) for scan in scans]
    ranges = [ranges_of(rows) for rows in columns]
    masks = [np.zeros(rows.num_rows, bool) for rows in columns]
    for one in task.sets:
        near = [number for number, found in enumerate(ranges) if one.rows and may_meet(one.ranges, found)]
        if not near:
            continue
        keys = one.read(task.target.store)
        for number in near:
            masks[number] |= rows_with(keys, columns[number])
    yield from ((scan, pa.chunked_array([mask])) for scan, mask in zip(scans, masks, strict=True))


def _may_hold(task: DropKeys, scan: FileScan) -> bool:
    """Say whether a file may hold one of the keys by the statistics in its footer; its rows are not read."""
    schema = task.target.schema
    stored = [name for name in task.key if name not in scan.partition_values]
    wanted = tuple(within(one.ranges, schema, stored) for one in task.sets if one.rows)
    return footer_allows(task.target.store, schema, scan, wanted)


def footer_allows(store: Store, schema: pa.Schema, scan: FileScan, wanted: Sequence[Conjunction]) -> bool:
    """Say whether a file may hold a row that one of some conjunctions is true of, by the statistics in its footer."""
    if not all(wanted):
        return bool(wanted)
    with naming_file(scan.key), open_data(store, scan.key, schema) as file:
        return bool(groups_wanted(open_footer(file), schema, tuple(wanted)))


def within(found: Ranges, schema: pa.Schema, names: Sequence[str]) -> Conjunction:
    """Return the conditions on some columns that hold for every row whose values are in the ranges."""
    ranges = {name: (low, high) for name, low, high in found if name in names}
    return tuple(
        Condition(name, operator, pa.scalar(value, schema.field(name).type))
        for name, ends in ranges.items()
        if not pa.types.is_null(schema.field(name).type) and not pa.types.is_nested(schema.field(name).type)
        for operator, value in zip((">=", "<="), ends, strict=True)
    )


def _without(target: RewriteTarget, scan: FileScan, mask: Mask | None) -> Rewritten | None:
    """Write the rows of a file that the mask is not true of; None when it is true of none."""
    if mask is None:
        return Rewritten((scan.label,), Written(), 0)
    gone = pc.sum(mask).as_py() or 0
    if not gone:
        return None
    if gone == len(mask):
        return Rewritten((scan.label,), Written(), gone)
    rows = _read(target, scan, as_stored=True).filter(pc.invert(mask))
    return Rewritten((scan.label,), _write(target, [rows], scan.label), gone)


def _narrow(target: RewriteTarget, scans: Sequence[FileScan]) -> RewriteTarget:
    """Return a target that reads numbers as narrow as all files hold them: so they are written again."""
    stored = []
    for scan in scans:
        with naming_file(scan.key), open_data(target.store, scan.key, target.schema) as file:
            stored.append(open_footer(file).schema_arrow)
    return replace(target, schema=narrow_schema(target.schema, stored))


def _read(
    target: RewriteTarget, scan: FileScan, columns: Sequence[str] | None = None, *, as_stored: bool = False
) -> pa.Table:
    whole, names = replace(scan, keep=()), target.columns if columns is None else list(columns)
    return read_scan(target.store, target.schema, whole, names, as_stored=as_stored)


def _write(target: RewriteTarget, rows: Iterable[pa.Table], label: str) -> Written:
    with PartitionWriter(target.store, target.layout, target.stems(label), known=True) as writer:
        for table in rows:
            writer.add(table)
        return writer.finish()


def run_rewrites(
    uncommitted: Uncommitted, executor: Executor, tasks: Sequence[Rewrite], sizes: Mapping[str, int] | None = None
) -> tuple[Rewritten, ...]:
    """Run the tasks of one change; on any error what they wrote is discarded, that of killed tasks as well.

    `sizes` are the bytes of files by key, where they are known; they decide where the tasks run.
    """
    scans = [scan for task in tasks for scan in task.scans]
    size = sum((sizes or {}).get(scan.key, 0) for scan in scans)
    with Uncommitted(uncommitted.store) as running:
        for target in (task.target for task in tasks):
            running.add_run(target.folder, target.run)
        results = executor.run(rewrite, tasks, files=len(scans), size=size)
    done = tuple(one for found in results for one in found)
    uncommitted.add(key for one in done for key in one.keys)
    return done


def in_groups(scans: Sequence[FileScan], sizes: Mapping[str, int]) -> Iterator[tuple[FileScan, ...]]:
    """Yield files together as long as they stay within `naming.SPLIT_BYTES`; a file of unknown size counts as none."""
    group: list[FileScan] = []
    total = 0
    for scan in scans:
        size = sizes.get(scan.key, 0)
        if group and (total + size > naming.SPLIT_BYTES or len(group) >= naming.REWRITE_GROUP_FILES):
            yield tuple(group)
            group, total = [], 0
        group.append(scan)
        total += size
    if group:
        yield tuple(group)
