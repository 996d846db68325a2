"""From planned datasets to prepared commits: types found out, splits milled, indices built; nothing visible yet.

What is put is noted as uncommitted, and discarded when the run fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from component.dataset.changes.execution import Executor
from component.dataset.changes.primary_keys import KeyTask
from component.dataset.changes.settling import settle, settle_again
from component.dataset.commits.commit import prepare
from component.dataset.commits.tables import fill_tables
from component.dataset.format.values import check_partition_type
from component.formats.csv.read import CsvReader
from component.formats.csv.source import CsvSplit
from component.formats.losses import Loss
from component.formats.rows import mended_text
from component.plan.model import DatasetPlan, Limits
from component.plan.splits import reader_of
from component.plan.tables import check_tables
from component.report.messages.progress import Progress
from component.runner.commits import joining_losses_of, plan_tables, targets_of
from component.runner.datasets import (
    MilledDataset,
    MilledTable,
    PlannedDataset,
    PlannedTable,
    PreparedDataset,
    SettledDataset,
    TableSource,
)
from component.spark.engine import Engine
from component.spark.jobs.infer import Inferred, Untyped, infer_types
from component.spark.jobs.job import MillJob, OnDone, mill
from component.store.base import Store
from component.store.uncommitted import Uncommitted
from component.tables.types import arrow_type

Say = Callable[[str], None]


def find_types(engine: Engine, sources: Sequence[TableSource], say: Say, progress: Progress) -> list[TableSource]:
    """Return the sources with the types of the columns that were to be inferred; `say` is told what was found."""
    asked = [(source, _untyped(source)) for source in sources]
    untyped = [one for _, one in asked if one is not None]
    if untyped:
        looked_at = [split for one in untyped for split in one.splits]
        progress.stage("infer", len(looked_at), sum(split.size for split in looked_at))
    inferred = iter(infer_types(engine, untyped, progress.advance))
    found = [source if one is None else _typed(source, next(inferred), say) for source, one in asked]
    check_tables([source.plan for source in found], inferred=True)
    return found


def _untyped(source: TableSource) -> Untyped | None:
    plan = source.plan
    reader = reader_of(plan.source, plan.schema, reject=True)
    if not (plan.infer and isinstance(reader, CsvReader)):
        return None
    splits = tuple(split for split in source.splits.result() if isinstance(split, CsvSplit))
    return Untyped(plan.schema, reader, splits, plan.infer, plan.marks)


def _typed(source: TableSource, inferred: Inferred, say: Say) -> TableSource:
    for note in inferred.notes:
        say(note)
    plan = replace(source.plan, schema=inferred.schema)
    for name in plan.partition_on:
        check_partition_type(name, arrow_type(plan.schema.column(name)), table=plan.source.file_name)
    return replace(source, plan=plan)


def plan_datasets(store: Store, sources: Sequence[TableSource], remembered: Mapping[str, str]) -> list[PlannedDataset]:
    """Return the datasets to be made, each with the commit that its tables come with; errors as `plan_tables`."""
    return [
        _planned(store, tuple(tables), remembered) for _, tables in groupby(sources, lambda source: source.plan.uuid)
    ]


def _planned(store: Store, sources: Sequence[TableSource], remembered: Mapping[str, str]) -> PlannedDataset:
    commit = plan_tables(store, [source.plan for source in sources], remembered)
    return PlannedDataset(tuple(map(PlannedTable, sources, targets_of(commit))), commit)


def key_task(plan: DatasetPlan, key: Sequence[str], scratch: Path) -> KeyTask | None:
    """Return what tasks note of primary keys; None without one, and where rows are keys themselves.

    `key` is that of the dataset to be: the one of the plan, or what an append finds there.
    """
    if not key or plan.mode == "delete":
        return None
    return KeyTask(tuple(key), scratch, reject_nulls=plan.on_duplicate_key == "reject")


def mill_all(
    engine: Engine,
    uncommitted: Uncommitted,
    datasets: Sequence[MilledDataset],
    on_done: OnDone,
    *,
    all_errors: bool = False,
) -> list[MilledDataset]:
    """Run the jobs of all tables together, and return the datasets with what came of them (`all_errors` as `mill`)."""
    jobs = [table.job for one in datasets for table in one.tables]
    results = iter(mill(engine, jobs, on_done, all_errors=all_errors))
    milled = [
        replace(one, tables=tuple(replace(table, result=next(results)) for table in one.tables)) for one in datasets
    ]
    uncommitted.add(key for one in milled for key in one.keys)
    return milled


def mill_datasets(
    engine: Engine,
    uncommitted: Uncommitted,
    datasets: Sequence[PlannedDataset],
    *,
    limits: Limits,
    scratch: Path,
    progress: Progress,
    warn: Say,
) -> list[MilledDataset]:
    """Write the data files of all tables of all datasets, and look at primary keys; UserError as of `settle_keys`."""
    planned = [_unmilled(one, uncommitted.store, limits, scratch) for one in datasets]
    splits = [split for one in planned for table in one.tables for split in table.job.splits]
    progress.stage("mill", len(splits), sum(split.size for split in splits))
    # of a folder that nobody configured all faults are named at once; the first one stops a configured run early
    lying = any(table.plan.source.lying for one in planned for table in one.tables)
    milled = mill_all(engine, uncommitted, planned, progress.advance, all_errors=lying)
    if all(table.job.keys is None for one in milled for table in one.tables):
        return milled
    from component.runner.keys import settle_keys  # noqa: PLC0415 - only of tables with a primary key

    return settle_keys(engine, uncommitted, milled, progress.advance, warn)


def _unmilled(dataset: PlannedDataset, store: Store, limits: Limits, scratch: Path) -> MilledDataset:
    joining = joining_losses_of(dataset.commit, [one.source.plan for one in dataset.tables])
    tables = (
        MilledTable(one.source.plan, _job(one, losses, store, limits, scratch))
        for one, losses in zip(dataset.tables, joining, strict=True)
    )
    return MilledDataset(tuple(tables), dataset.commit)


def _job(table: PlannedTable, joining: Sequence[Loss], store: Store, limits: Limits, scratch: Path) -> MillJob:
    """Return the job of a table; `joining` is what its rows lose by joining those of the dataset."""
    plan, target = table.source.plan, table.target
    return MillJob(
        splits=table.source.splits.result(),
        reader=reader_of(plan.source, plan.schema, reject=plan.reject),
        layout=target.layout,
        store=store,
        scratch=scratch if plan.has_rejected else None,
        direct_files=limits.direct_files,
        buffer_bytes=limits.buffer_bytes,
        keys=key_task(plan, target.primary_key, scratch),
        strict=not plan.reject,
        losses={part.name: (*plan.losses.get(part.name, ()), *joining) for part in plan.source.slices},
    )


def mended_rows(datasets: Sequence[MilledDataset]) -> list[str]:
    """Return what is to be said of sources of which a lenient reading mended rows."""
    return [
        mended_text(table.plan.source.file_name, table.result.mended)
        for one in datasets
        for table in one.tables
        if table.result.mended
    ]


def settle_dataset(uncommitted: Uncommitted, executor: Executor, dataset: MilledDataset) -> SettledDataset:
    """Let the new rows of a dataset meet the old ones; errors as `settle`."""
    tables = _filled(uncommitted, dataset)
    written = [part for table in tables for part in table.result.written]
    settled = settle(uncommitted, dataset.commit, written, executor)
    return SettledDataset(tables, dataset.commit, settled)


def _filled(uncommitted: Uncommitted, dataset: MilledDataset) -> tuple[MilledTable, ...]:
    """Return the tables of a dataset, each with a file in every partition that one of them has a file in."""
    filled = fill_tables(uncommitted, dataset.commit.layouts, dataset.written)
    return tuple(
        replace(table, result=replace(table.result, written=(*table.result.written, more))) if more.files else table
        for table, more in zip(dataset.tables, filled, strict=True)
    )


def settle_dataset_again(uncommitted: Uncommitted, executor: Executor, dataset: SettledDataset) -> SettledDataset:
    """Settle the same data files on the state that is in the store now, after another writer won."""
    return replace(dataset, settled=settle_again(uncommitted, dataset.settled, executor))


def prepare_dataset(uncommitted: Uncommitted, dataset: SettledDataset) -> PreparedDataset:
    """Build the indices of a dataset, and make its header; errors as `prepare`."""
    settled = dataset.settled
    prepared = prepare(uncommitted, settled.plan, settled.written)
    return PreparedDataset(dataset.tables, dataset.commit, settled, prepared)
