"""Primary keys that are null, stand twice in the rows of a run, or are in the dataset: told, refused or rejected.

Where rows are not rejected, those that the dataset has already are looked for when the write is settled, onto whatever
state that is (`dataset.changes.settling`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from component.dataset.changes.known_keys import Meeting, fresh_scan, keys_there, meetings, met_hashes
from component.dataset.changes.primary_keys import (
    KeyTask,
    RepeatedKeys,
    null_errors,
    repeated_errors,
    repeated_hashes,
    repeated_keys,
    settle_errors,
)
from component.dataset.changes.settling import with_replaced
from component.dataset.commits.commit import CommitPlan
from component.plan.model import DatasetPlan
from component.spark.engine import Engine
from component.spark.executor import SparkExecutor
from component.spark.jobs.job import MillJob, MillResult, OnDone, discard, mill
from component.spark.jobs.repeats import NONE_THERE, KeysThere, find_repeats
from component.tables.key_hash import Hashes


def key_task(plan: DatasetPlan, key: Sequence[str], scratch: Path) -> KeyTask | None:
    """Return what tasks note of primary keys; None without one, and where rows are keys themselves.

    `key` is that of the dataset to be: the one of the plan, or what an append finds there.
    """
    if not key or plan.mode == "delete":
        return None
    return KeyTask(tuple(key), scratch, reject_nulls=plan.on_duplicate_key == "reject")


def settle_keys(
    engine: Engine,
    plans: Sequence[DatasetPlan],
    jobs: Sequence[MillJob],
    results: Sequence[MillResult],
    on_done: OnDone,
    warn: Callable[[str], None],
    commits: Sequence[CommitPlan] = (),
) -> tuple[Sequence[MillJob], Sequence[MillResult]]:
    """Return the jobs and results that hold once primary keys were looked at; where rows are rejected, others.

    `commits` are those that the rows are for. The sources of a run are read again only if a key stands twice, or is in
    the dataset, and its rows are to be rejected. UserError
    `row.null_key` and `row.duplicate_key`; on any error nothing of the jobs is left.
    """
    try:
        there = _meetings(jobs, results, commits) if commits else [None] * len(jobs)
        repeats = [
            _look_at(engine, plan, job, result, warn, meeting)
            for plan, job, result, meeting in zip(plans, jobs, results, there, strict=True)
        ]
    except BaseException:
        _discard_all(jobs, results)
        raise
    if not any(repeats):
        return jobs, results
    _discard_all(jobs, results)
    again = [
        replace(job, splits=tuple(task.split for task in result.tasks), repeats=found)
        for job, result, found in zip(jobs, results, repeats, strict=True)
    ]
    return again, mill(engine, again, on_done)


def _discard_all(jobs: Sequence[MillJob], results: Sequence[MillResult]) -> None:
    for job, result in zip(jobs, results, strict=True):
        discard(job, result)


def _meetings(
    jobs: Sequence[MillJob], results: Sequence[MillResult], commits: Sequence[CommitPlan]
) -> list[Meeting | None]:
    """Return, for each job, the rows that stay beside its own, where they could have a key of these.

    An upsert by another key than the primary one decides what stays later, and what it then meets is an error.
    """
    found: list[Meeting | None] = []
    for commit in commits:
        written = [part for one in results[len(found) : len(found) + len(commit.layouts)] for part in one.written]
        store = jobs[len(found)].store
        plan = with_replaced(store, commit, written)
        by_table = {} if plan.intent.by_key else {one.dataset.table: one for one in meetings(store, plan, written)}
        found += [by_table.get(layout.table) for layout in commit.layouts]
    return found


def _look_at(
    engine: Engine,
    plan: DatasetPlan,
    job: MillJob,
    result: MillResult,
    warn: Callable[[str], None],
    meeting: Meeting | None,
) -> tuple[Path | None, ...]:
    """Return the rows to be rejected, by split; nothing where there are none."""
    if job.keys is None:
        return ()
    table, rule = plan.source.file_name, plan.on_duplicate_key
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
