"""From planned datasets to prepared commits: types found out, splits milled, indices built; nothing visible yet."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path

from component.dataset.commit import CommitPlan, Prepared, prepare, replan, withdraw
from component.dataset.values import check_partition_type
from component.formats.csv.read import CsvReader
from component.formats.csv.source import CsvSplit
from component.plan.model import DatasetPlan, Limits
from component.plan.splits import reader_of
from component.report.progress import Progress
from component.spark.engine import Engine
from component.spark.infer import infer_types
from component.spark.job import MillJob, MillResult, discard, mill
from component.spark.mill import Split, split_bytes
from component.store.base import Store
from component.tables.types import arrow_type

Splits = tuple[Split, ...]


@dataclass(frozen=True, slots=True)
class MilledDataset:
    """One dataset whose data files are in the store: the job that wrote them, what it counted, and the commit."""

    plan: DatasetPlan
    job: MillJob
    result: MillResult
    prepared: Prepared


def find_types(engine: Engine, plans: Sequence[DatasetPlan], splits: Sequence[Future[Splits]]) -> list[DatasetPlan]:
    """Return the plans with the types of the columns that were to be inferred."""
    found = []
    for plan, future in zip(plans, splits, strict=True):
        reader = reader_of(plan.source, plan.schema, reject=True)
        if plan.infer and isinstance(reader, CsvReader):
            csv_splits = [split for split in future.result() if isinstance(split, CsvSplit)]
            schema = infer_types(engine, plan.schema, reader, csv_splits, plan.infer)
            plan = replace(plan, schema=schema)  # noqa: PLW2901 - the plan with its types
            for name in plan.partition_on:
                check_partition_type(name, arrow_type(schema.column(name)), table=plan.source.file_name)
        found.append(plan)
    return found


def mill_datasets(
    engine: Engine,
    store: Store,
    commits: Sequence[CommitPlan],
    plans: Sequence[DatasetPlan],
    splits: Sequence[Splits],
    *,
    limits: Limits,
    scratch: Path,
    progress: Progress,
) -> list[tuple[MillJob, MillResult]]:
    """Write the data files of all datasets; on any error nothing of them is left."""
    jobs = [
        MillJob(
            splits=parts,
            reader=reader_of(plan.source, plan.schema, reject=plan.reject),
            layout=commit.layout,
            store=store,
            scratch=scratch if plan.reject else None,
            direct_files=limits.direct_files,
            buffer_bytes=limits.buffer_bytes,
        )
        for plan, commit, parts in zip(plans, commits, splits, strict=True)
    ]
    everything = [split for parts in splits for split in parts]
    progress.stage("mill", len(everything), sum(split_bytes(split) for split in everything))
    return list(zip(jobs, mill(engine, jobs, progress.advance), strict=True))


def prepare_datasets(
    store: Store,
    commits: Sequence[CommitPlan],
    milled: Sequence[tuple[MillJob, MillResult]],
    plans: Sequence[DatasetPlan],
) -> list[MilledDataset]:
    """Build the indices and make the headers; on any error nothing of the datasets is left."""
    prepared: list[MilledDataset] = []
    try:
        for plan, commit, (job, result) in zip(plans, commits, milled, strict=True):
            prepared.append(MilledDataset(plan, job, result, prepare(store, commit, result.written)))
    except BaseException:
        abandon(store, prepared)
        for job, result in milled[len(prepared) :]:
            discard(job, result)
        raise
    return prepared


def prepare_again(store: Store, milled: Sequence[MilledDataset]) -> list[MilledDataset]:
    """Prepare the same data files on the state that is in the store now, after another writer won."""
    again = []
    for one in milled:
        withdraw(store, one.prepared)
        again.append(replace(one, prepared=prepare(store, replan(store, one.prepared.plan), one.result.written)))
    return again


def abandon(store: Store, milled: Sequence[MilledDataset]) -> None:
    """Delete everything that was written for datasets that are not committed."""
    for one in milled:
        withdraw(store, one.prepared)
        discard(one.job, one.result)
