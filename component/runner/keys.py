"""Primary keys that are null, stand twice in the rows of a run, or are in the dataset: told, refused or rejected.

Where rows are not rejected, those that the dataset has already are looked for when the write is settled, onto whatever
state that is (`dataset.changes.settling`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from component.dataset.changes.known_keys import Meeting, fresh_scan, keys_there, meetings, met_hashes
from component.dataset.changes.primary_keys import (
    RepeatedKeys,
    null_errors,
    repeated_errors,
    repeated_hashes,
    repeated_keys,
    settle_errors,
)
from component.dataset.changes.settling import with_replaced
from component.runner.datasets import MilledDataset, MilledTable
from component.runner.milling import Say, mill_all
from component.spark.engine import Engine
from component.spark.executor import SparkExecutor
from component.spark.jobs.job import MillJob, MillResult, OnDone
from component.spark.jobs.repeats import NONE_THERE, KeysThere, find_repeats
from component.store.uncommitted import Uncommitted
from component.tables.key_hash import Hashes


def settle_keys(
    engine: Engine, uncommitted: Uncommitted, datasets: Sequence[MilledDataset], on_done: OnDone, warn: Say
) -> list[MilledDataset]:
    """Return the datasets that hold once primary keys were looked at; where rows are rejected, milled again.

    The sources of a run are read again only if a key stands twice, or is in the dataset, and its rows are to be
    rejected. UserError `row.null_key` and `row.duplicate_key`.
    """
    looked_at = [
        replace(one, tables=tuple(_look_at(engine, table, warn, meeting) for table, meeting in _meetings(one)))
        for one in datasets
    ]
    if not any(table.job.repeats for one in looked_at for table in one.tables):
        return list(datasets)
    uncommitted.discard(key for one in datasets for key in one.keys)
    return mill_all(engine, uncommitted, looked_at, on_done)


def _meetings(dataset: MilledDataset) -> list[tuple[MilledTable, Meeting | None]]:
    """Return, for each table, the rows that stay beside its own, where they could have a key of these.

    An upsert by another key than the primary one decides what stays later, and what it then meets is an error.
    """
    store, written = dataset.tables[0].job.store, dataset.written
    plan = with_replaced(store, dataset.commit, written)
    by_table = {} if plan.intent.by_key else {one.dataset.table: one for one in meetings(store, plan, written)}
    return [(table, by_table.get(table.job.layout.table)) for table in dataset.tables]


def _look_at(engine: Engine, milled: MilledTable, warn: Say, meeting: Meeting | None) -> MilledTable:
    """Return a table with the job that holds: of the splits as they were read, and the rows to be rejected of each."""
    splits = tuple(task.split for task in milled.result.tasks)
    return replace(milled, job=replace(milled.job, splits=splits, repeats=_repeats(engine, milled, warn, meeting)))


def _repeats(engine: Engine, milled: MilledTable, warn: Say, meeting: Meeting | None) -> tuple[Path | None, ...]:
    """Return the rows to be rejected, by split; nothing where there are none."""
    job, result = milled.job, milled.result
    if job.keys is None:
        return ()
    table, rule = milled.plan.source.file_name, milled.plan.on_duplicate_key
    nulls = {name: sum(part.nulls.get(name, 0) for part in result.keys) for name in job.keys.columns}
    if rule != "reject":
        settle_errors(null_errors({name: count for name, count in nulls.items() if count}, table), rule, warn)
    hashes = repeated_hashes(result.keys)
    for part in result.keys:
        part.drop()
    if rule == "reject":
        there = _there(engine, meeting)
        if not len(hashes) and not len(there.hashes):
            return ()
        found = find_repeats(engine, result.tasks, job.keys.columns, hashes, job.keys.scratch, there)
        return found if any(found) else ()
    if not len(hashes):
        return ()
    settle_errors(repeated_errors(_repeated(job, job.keys.columns, result, hashes), table, reject=True), rule, warn)
    return ()


def _there(engine: Engine, meeting: Meeting | None) -> KeysThere:
    if meeting is None:
        return NONE_THERE
    met = met_hashes(meeting.new, meeting.dataset, meeting.stays, SparkExecutor(engine))
    return KeysThere(met.hashes, partial(keys_there, meeting.new, met, meeting.dataset))


def _repeated(job: MillJob, columns: Sequence[str], result: MillResult, hashes: Hashes) -> RepeatedKeys:
    scans = [fresh_scan(file.label, file.key, job.layout) for part in result.written for file in part.files]
    return repeated_keys(job.store, job.layout.stored_schema, scans, columns, hashes)
