"""Primary keys that are null or stand twice in the rows of a run: a warning, an error, or rejected rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from component.dataset.changes.settling import fresh_scan
from component.dataset.format.layout import Layout
from component.errors import Place, UserError
from component.plan.model import DatasetPlan
from component.spark.engine import Engine
from component.spark.job import MillJob, MillResult, OnDone, discard, mill
from component.spark.keys import KeyTask, RepeatedKeys, repeated_hashes, repeated_keys
from component.spark.repeats import find_repeats
from component.tables.key_hash import Hashes


def key_task(plan: DatasetPlan, layout: Layout, scratch: Path) -> KeyTask | None:
    """Return what tasks note of primary keys; None without one, and where rows are keys themselves.

    Lists and structs are no key: nobody can say of them which of two is the same.
    """
    types = [layout.stored_schema.field(name).type for name in plan.schema.primary_key]
    if not types or plan.mode == "delete" or any(map(pa.types.is_nested, types)):
        return None
    return KeyTask(plan.schema.primary_key, scratch, reject_nulls=plan.on_duplicate_key == "reject")


def settle_keys(
    engine: Engine,
    plans: Sequence[DatasetPlan],
    jobs: Sequence[MillJob],
    results: Sequence[MillResult],
    on_done: OnDone,
    warn: Callable[[str], None],
) -> tuple[Sequence[MillJob], Sequence[MillResult]]:
    """Return the jobs and results that hold once primary keys were looked at; where rows are rejected, others.

    The sources of a run are read again only if a key stands twice and its rows are to be rejected. UserError
    `row.null_key` and `row.duplicate_key`; on any error nothing of the jobs is left.
    """
    try:
        repeats = [
            _look_at(engine, plan, job, result, warn) for plan, job, result in zip(plans, jobs, results, strict=True)
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


def _look_at(
    engine: Engine, plan: DatasetPlan, job: MillJob, result: MillResult, warn: Callable[[str], None]
) -> tuple[Path | None, ...]:
    """Return the rows to be rejected, by split; nothing where there are none."""
    if job.keys is None:
        return ()
    _look_at_nulls(plan, result, warn)
    hashes = repeated_hashes(result.keys)
    for part in result.keys:
        part.drop()
    if not len(hashes):
        return ()
    if plan.on_duplicate_key == "reject":
        found = find_repeats(engine, result.tasks, job.keys.columns, hashes, job.keys.scratch)
        return found if any(found) else ()
    _say(plan, _repeated(plan, job, result, hashes), warn)
    return ()


def _look_at_nulls(plan: DatasetPlan, result: MillResult, warn: Callable[[str], None]) -> None:
    for name in plan.schema.primary_key:
        count = sum(part.nulls.get(name, 0) for part in result.keys)
        if not count or plan.on_duplicate_key == "reject":
            continue
        rows = "1 row" if count == 1 else f"{count:,} rows"
        text = f"A column of the primary key is null in {rows}"
        remedy = "Fill the column, or leave it out of primary_key."
        if plan.on_duplicate_key == "fail":
            raise UserError("row.null_key", text, place=Place(plan.source.file_name, column=name), remedy=remedy)
        warn(f"{text} (table {plan.source.file_name!r}, column {name!r}). {remedy}")


def _repeated(plan: DatasetPlan, job: MillJob, result: MillResult, hashes: Hashes) -> RepeatedKeys:
    scans = [fresh_scan(file.label, file.key, job.layout) for part in result.written for file in part.files]
    return repeated_keys(job.store, job.layout.stored_schema, scans, plan.schema.primary_key, hashes)


def _say(plan: DatasetPlan, found: RepeatedKeys, warn: Callable[[str], None]) -> None:
    if not found.keys:
        return
    place = Place(plan.source.file_name, column=", ".join(found.first), value=", ".join(map(str, found.first.values())))
    if found.keys == 1:
        text = f"A primary key stands in {found.rows:,} rows"
    else:
        text = f"{found.keys:,} primary keys stand in {found.rows:,} rows; the least of them is this"
    remedy = "Correct the rows or the primary key, or set on_duplicate_key to reject, which keeps the first of them."
    error = UserError("row.duplicate_key", text, place=place, remedy=remedy)
    if plan.on_duplicate_key == "fail":
        raise error
    warn(str(error))
