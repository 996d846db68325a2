"""Primary keys of new rows that a dataset already has, exactly: in the rows that stay when the new ones come.

Files that can hold none of the keys are left out: by partition values and secondary indices on columns of the key, then
by the statistics in their footers. Of the others the columns of the key are read, file by file, and their hashes
compared with those of the new rows, which are held eight bytes a row and 64 MiB at a time. Only where hashes are equal
are the keys themselves compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from component import identity, naming
from component.dataset.changes.execution import HERE, Executor
from component.dataset.changes.key_sets import KeySet, set_of, stored_keys
from component.dataset.changes.primary_keys import (
    RANGE_HASHES,
    RANGE_KEYS,
    KeyTask,
    KeyWriter,
    RepeatedKeys,
    counted_keys,
    keys_in,
    known_errors,
    least_key,
    met_keys,
    null_errors,
    repeated_errors,
    repeated_hashes,
    repeated_keys,
    settle_errors,
    sorted_ranges,
)
from component.dataset.changes.rewrite import Rewritten, footer_allows, in_groups, within
from component.dataset.changes.row_keys import Ranges, ranges_of
from component.dataset.commits.commit import CommitPlan
from component.dataset.commits.tables import table_of_key
from component.dataset.files.predicates import Conjunction
from component.dataset.files.write import Written
from component.dataset.format.keys import partition_texts
from component.dataset.format.layout import Layout
from component.dataset.format.trusted import read_schema
from component.dataset.format.values import parse_value, value_text
from component.dataset.reading.reader import Dataset, FileScan, plan_scan
from component.errors import UserError
from component.store.base import Store
from component.store.uncommitted import discard
from component.tables.key_hash import Hashes, key_hashes

_MOST_RANGES: Final = 64
"""Files of new rows that are compared one by one with the statistics of those that are there; more as one."""
_LARGE_SET: Final = 65_536
"""Hashes among which it is faster to look up sorted ones."""
MOST_ASKED: Final = 100_000
"""More values than these are not looked up in an index: the files' own keys are read instead."""
_HASH: Final = "hash"


@dataclass(frozen=True, slots=True)
class NewRows:
    """Files of new rows of one table, the columns of its key in the types that hashes are made of, and their schema."""

    store: Store
    schema: pa.Schema
    scans: tuple[FileScan, ...]
    key: pa.Schema


@dataclass(frozen=True, slots=True)
class Met:
    """Hashes of keys of new rows that keys which are there have too, in order, and the files of these."""

    hashes: Hashes = field(default_factory=lambda: np.empty(0, np.uint64))
    scans: tuple[FileScan, ...] = ()


def known_keys(new: NewRows, met: Met, dataset: Dataset, most: int = RANGE_KEYS) -> RepeatedKeys:
    """Return the keys of new rows that a dataset has; about `most` are compared at once."""
    keys = rows = 0
    least = []
    for start in range(0, len(met.hashes), most):
        few = met.hashes[start : start + most]
        ours = counted_keys(new.store, new.schema, new.scans, new.key, few)
        found = met_keys(ours, counted_keys(dataset.store, dataset.schema, met.scans, new.key, few), new.key)
        keys, rows = keys + found.keys, rows + found.rows
        least += [found.first] if found.keys else []
    return RepeatedKeys(keys, rows, least_key(least, new.key))


def keys_there(new: NewRows, met: Met, dataset: Dataset, hashes: Hashes) -> pa.Table:
    """Return the keys of such hashes that a dataset has, each once."""
    return counted_keys(dataset.store, dataset.schema, met.scans, new.key, hashes).select(new.key.names)


def new_key_errors(new: NewRows, table: str) -> Iterator[UserError]:
    """Yield what is wrong with the keys of new rows themselves: nulls, and keys that stand twice."""
    columns = tuple(new.key.names)
    with TemporaryDirectory(prefix="tablemill-") as folder:
        writer = KeyWriter(KeyTask(columns, Path(folder)))
        for scan in new.scans:
            writer.add(keys_in(new.store, new.schema, scan, new.key))
        keys = writer.close()
        hashes = repeated_hashes([keys])
    yield from null_errors(keys.nulls, table)
    if len(hashes):
        yield from repeated_errors(
            repeated_keys(new.store, new.schema, new.scans, columns, hashes), table, reject=False
        )


def met_hashes(new: NewRows, dataset: Dataset, stays: Sequence[FileScan], executor: Executor = HERE) -> Met:
    """Return which keys of new rows may be in files that stay, by their hashes; UserError as `key_values`."""
    with TemporaryDirectory(prefix="tablemill-") as folder:
        keys = _gather(new, stays, Path(folder))
        candidates = _candidates(keys, dataset, stays)
        if not candidates:
            return Met()
        sizes = _sizes(dataset) if len(candidates) > 1 else {}
        run, sets = identity.new_hex()[: naming.RUN_DIGITS], list[KeySet]()
        try:
            for hashes in sorted_ranges([keys.writer.close()], RANGE_HASHES):
                sets.append(set_of(pa.table({_HASH: hashes}), new.store, dataset.header.uuid, run))
            tasks = [
                FindKeys(dataset.store, dataset.schema, new.key, group, keys.wanted(dataset.schema), tuple(sets))
                for group in in_groups(candidates, sizes)
            ]
            size = sum(sizes.get(scan.key, 0) for scan in candidates)
            where = HERE if len(tasks) == 1 else executor
            found = [one for part in where.run(find_keys, tasks, files=len(candidates), size=size) for one in part]
        finally:
            discard(new.store, stored_keys(sets))
    by_label = {scan.label: scan for scan in candidates}
    hashes = np.unique(np.concatenate([one for _, one in found])) if found else np.empty(0, np.uint64)
    return Met(hashes, tuple(by_label[label] for label, _ in found))


def _sizes(dataset: Dataset) -> Mapping[str, int]:
    return {stat.key: stat.size for stat in dataset.store.list(f"{dataset.header.uuid}/{dataset.table}/")}


@dataclass(slots=True)
class _Keys:
    """What is known of the keys of new rows: their hashes on scratch, ranges by file, and the values of columns."""

    writer: KeyWriter
    rows: int = 0
    ranges: list[Ranges] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)

    def add(self, keys: pa.Table) -> None:
        """Take the keys of one file, without nulls."""
        self.writer.add(keys)
        self.rows += keys.num_rows
        plain = keys.select([one.name for one in keys.schema if not pa.types.is_floating(one.type)])
        self.ranges.append(ranges_of(plain))
        for name in [one for one in self.values if one in keys.column_names]:
            together = pc.unique(pa.chunked_array([self.values[name], *keys[name].chunks]))
            if len(together) > MOST_ASKED:
                del self.values[name]
            else:
                self.values[name] = together

    def wanted(self, schema: pa.Schema) -> tuple[Conjunction, ...]:
        """Return the conditions one of which holds for every row that has one of the keys; nothing: any row may."""
        plain = [one.name for one in schema if not pa.types.is_nested(one.type)]
        ranges = self.ranges if len(self.ranges) <= _MOST_RANGES else [_together(self.ranges)]
        found = tuple(within(one, schema, plain) for one in ranges)
        return found if all(found) else ()


def _together(ranges: Sequence[Ranges]) -> Ranges:
    """Return the ranges of all files; of columns that all of them have."""
    found = {name: (low, high) for name, low, high in ranges[0]}
    for one in ranges[1:]:
        ends = {name: (low, high) for name, low, high in one}
        found = {
            name: (min(low, ends[name][0]), max(high, ends[name][1]))
            for name, (low, high) in found.items()
            if name in ends
        }
    return tuple((name, low, high) for name, (low, high) in found.items())


def _gather(new: NewRows, stays: Sequence[FileScan], folder: Path) -> _Keys:
    """Read the keys of new rows, file by file; where nothing stays, none."""
    columns = tuple(new.key.names)
    exact = [one for one in new.key if not pa.types.is_floating(one.type) and not pa.types.is_nested(one.type)]
    found = _Keys(KeyWriter(KeyTask(columns, folder)), values={one.name: pa.array([], one.type) for one in exact})
    for scan in new.scans if stays else ():
        keys = keys_in(new.store, new.schema, scan, new.key).drop_null()
        if keys.num_rows:
            found.add(keys)
    return found


def _candidates(keys: _Keys, dataset: Dataset, stays: Sequence[FileScan]) -> tuple[FileScan, ...]:
    """Return the files that stay and may hold one of the keys, as far as partition values and indices tell."""
    if not keys.rows or not stays:
        return ()
    there = dataset.header.partitions.keys()
    allowed = {scan.label for scan in files_with(dataset, keys.values)}
    return tuple(scan for scan in stays if scan.label in allowed or scan.label not in there)


@dataclass(frozen=True, slots=True)
class FindKeys:
    """Look for hashes of keys, in sets that are in order, in some files; `wanted` as of `footer_allows`, or nothing."""

    store: Store
    schema: pa.Schema
    key: pa.Schema
    scans: tuple[FileScan, ...]
    wanted: tuple[Conjunction, ...]
    sets: tuple[KeySet, ...]


def find_keys(task: FindKeys) -> list[tuple[str, Hashes]]:
    """Return the labels of files with a key of such a hash, each with these hashes; each set is read once."""
    hashes = []
    for scan in task.scans:
        stored = tuple(tuple(c for c in one if c.column not in scan.partition_values) for one in task.wanted)
        if not task.wanted or footer_allows(task.store, task.schema, scan, stored):
            keys = keys_in(task.store, task.schema, scan, task.key).drop_null()
            hashes.append((scan.label, key_hashes(keys, task.key.names)))
    found: dict[str, list[Hashes]] = {}
    for one in task.sets if hashes else ():
        known = one.read(task.store)[_HASH].to_numpy()
        for label, there in hashes:
            met = _met(known, there)
            if len(met):
                found.setdefault(label, []).append(met)
    return [(label, np.concatenate(parts)) for label, parts in found.items()]


def _met(known: Hashes, there: Hashes) -> Hashes:
    """Return the hashes that are among those known, which are in order."""
    if len(known) > _LARGE_SET:
        there = np.sort(there)
    at = np.searchsorted(known, there)
    at[at == len(known)] = 0
    return np.unique(there[known[at] == there])


# --- the tables of a write ---


def check_new_keys(store: Store, plan: CommitPlan, written: Sequence[Written]) -> tuple[str, ...]:
    """Look for primary keys that are null or stand twice among new rows, and return what is to be said of them.

    UserError `row.null_key` and `row.duplicate_key` unless a warning is enough. An upsert checks its own key.
    """
    said: list[str] = []
    intent = plan.intent
    if intent.mode == "delete":
        return ()
    for layout, key in ((plan.layout, plan.primary_key), *((one.layout, one.primary_key) for one in plan.others)):
        if key and set(key) <= set(layout.schema.names) and not (intent.by_key and set(intent.key) <= set(key)):
            new = new_rows(store, layout, key, written)
            settle_errors(new_key_errors(new, layout.uuid), intent.on_duplicate_key, said.append)
    return tuple(said)


@dataclass(frozen=True, slots=True)
class Meeting:
    """New rows of one table with a primary key, and the files of the rows there that stay beside them."""

    name: str
    new: NewRows
    dataset: Dataset
    stays: tuple[FileScan, ...]


def meetings(
    store: Store, plan: CommitPlan, fresh: Sequence[Written], rewritten: Sequence[Rewritten] = ()
) -> Iterator[Meeting]:
    """Yield the tables in which new rows could have a primary key that is there.

    `plan` says what goes; a key by which rows replace each other, or more of it, is never there.
    """
    if not plan.may_repeat_keys or plan.base is None:
        return
    header, intent = plan.base.header, plan.intent
    for layout, key in ((plan.layout, plan.primary_key), *((one.layout, one.primary_key) for one in plan.others)):
        if not key or (intent.by_key and set(intent.key) <= set(key)) or layout.table not in header.tables:
            continue
        dataset = Dataset(store, header, layout.table, read_schema(store, header, layout.table))
        if not set(key) <= set(dataset.schema.names):
            continue
        name = layout.uuid if len(header.tables) == 1 else f"{layout.uuid}/{layout.table}"
        stays = tuple(scan for scan in plan_scan(dataset) if scan.label not in plan.removed)
        again = tuple(
            fresh_scan(file.label, file.key, layout)
            for one in rewritten
            if one.table == layout.table
            for file in one.written.files
        )
        yield Meeting(name, new_rows(store, layout, key, fresh), dataset, (*stays, *again))


def new_rows(store: Store, layout: Layout, key: Sequence[str], fresh: Sequence[Written]) -> NewRows:
    """Return the new rows of one table."""
    schema = layout.stored_schema
    scans = tuple(
        fresh_scan(file.label, file.key, layout)
        for part in fresh
        for file in part.files
        if file.rows and table_of_key(file.key) == layout.table
    )
    return NewRows(store, schema, scans, pa.schema([schema.field(name) for name in key]))


def check_known_keys(
    store: Store,
    plan: CommitPlan,
    fresh: Sequence[Written],
    rewritten: Sequence[Rewritten] = (),
    executor: Executor = HERE,
) -> tuple[str, ...]:
    """Look for the primary keys of new rows among the rows that stay, and return what is to be said of them.

    UserError `row.duplicate_key` unless a warning is enough.
    """
    said, rule = list[str](), plan.intent.on_duplicate_key
    for meeting in meetings(store, plan, fresh, rewritten):
        met = met_hashes(meeting.new, meeting.dataset, meeting.stays, executor)
        found = known_keys(meeting.new, met, meeting.dataset)
        settle_errors(known_errors(found, meeting.name), rule, said.append)
    return tuple(said)


def fresh_scan(label: str, key: str, layout: Layout) -> FileScan:
    """Return how a file that is in no header yet is read."""
    texts = partition_texts(key, layout.partition_on)
    schema = layout.stored_schema
    return FileScan(label, key, {name: parse_value(text, schema.field(name).type) for name, text in texts.items()}, ())


# --- the files to look into ---


def candidates(dataset: Dataset, keys: pa.Table | None) -> tuple[FileScan, ...]:
    """Return the files that may hold one of the keys, as far as indices and partition values tell.

    Without keys, because there are too many to be held here, all files; the tasks look at their ranges.
    """
    if keys is None:
        return plan_scan(dataset)
    return files_with(dataset, {name: pc.unique(keys[name]) for name in keys.column_names})


def files_with(dataset: Dataset, values: Mapping[str, pa.Array]) -> tuple[FileScan, ...]:
    """Return the files that may hold a row with one of the values in each of some columns, none of them NaN."""
    header = dataset.header
    indexed = [name for name in values if name in header.indices and 0 < len(values[name]) <= MOST_ASKED]
    asked = [[name, "in", values[name].to_pylist()] for name in indexed]
    scans = plan_scan(dataset, [asked] if asked else None)
    for name in (name for name in values if name in header.partition_keys):
        texts = {_text(value) for value in values[name].to_pylist()}
        scans = tuple(scan for scan in scans if _text(scan.partition_values[name]) in texts)
    return tuple(replace(scan, keep=()) for scan in scans)


def _text(value: Any) -> str:
    """Return the text of a value, the same for both zeros."""
    return value_text(value + 0.0 if isinstance(value, float) else value)
