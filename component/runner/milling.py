"""From planned datasets to prepared commits: types found out, splits milled, indices built; nothing visible yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path

from component.dataset.changes.execution import Executor
from component.dataset.changes.settling import Settled, drop_settled, settle, settle_again
from component.dataset.commits.commit import CommitPlan, Prepared, prepare, withdraw
from component.dataset.commits.tables import fill_tables
from component.dataset.format.values import check_partition_type
from component.formats.contract import Split
from component.formats.csv.read import CsvReader
from component.formats.csv.source import CsvSplit
from component.formats.rows import mended_text
from component.plan.model import DatasetPlan, Limits
from component.plan.splits import reader_of
from component.plan.tables import check_tables
from component.report.messages.progress import Progress
from component.runner.commits import layouts_of
from component.runner.keys import key_task, settle_keys
from component.spark.engine import Engine
from component.spark.jobs.infer import Untyped, infer_types
from component.spark.jobs.job import MillJob, MillResult, discard, mill
from component.store.base import Store
from component.tables.types import arrow_type

Splits = tuple[Split, ...]


@dataclass(frozen=True, slots=True)
class MilledTable:
    """One table whose data files are in the store: the job that wrote them, and what it counted."""

    plan: DatasetPlan
    job: MillJob
    result: MillResult


@dataclass(frozen=True, slots=True)
class MilledDataset:
    """One dataset whose data files are in the store: its tables, in most datasets one, and the commit.

    `settled` says what goes of the dataset that was there, and what was written again of it.
    """

    tables: tuple[MilledTable, ...]
    prepared: Prepared
    settled: Settled

    @property
    def plan(self) -> DatasetPlan:
        """The plan of the first table; what is said of a dataset as a whole is the same in all."""
        return self.tables[0].plan

    @property
    def records(self) -> int:
        """Records read, bad ones included."""
        return sum(table.result.records for table in self.tables)

    @property
    def rejected(self) -> int:
        """Records that were rejected."""
        return sum(table.result.rejected for table in self.tables)


def find_types(
    engine: Engine,
    plans: Sequence[DatasetPlan],
    splits: Sequence[Future[Splits]],
    say: Callable[[str], None],
    progress: Progress,
) -> list[DatasetPlan]:
    """Return the plans with the types of the columns that were to be inferred; `say` is told what was found."""
    untyped: dict[int, Untyped] = {}
    for number, (plan, future) in enumerate(zip(plans, splits, strict=True)):
        reader = reader_of(plan.source, plan.schema, reject=True)
        if plan.infer and isinstance(reader, CsvReader):
            csv_splits = tuple(split for split in future.result() if isinstance(split, CsvSplit))
            untyped[number] = Untyped(plan.schema, reader, csv_splits, plan.infer, plan.marks)
    if untyped:
        looked_at = [split for one in untyped.values() for split in one.splits]
        progress.stage("infer", len(looked_at), sum(split.size for split in looked_at))
    found = list(plans)
    tables = list(untyped.values())
    for number, inferred in zip(untyped, infer_types(engine, tables, progress.advance), strict=True):
        for note in inferred.notes:
            say(note)
        plan = found[number] = replace(plans[number], schema=inferred.schema)
        for name in plan.partition_on:
            check_partition_type(name, arrow_type(plan.schema.column(name)), table=plan.source.file_name)
    check_tables(found, inferred=True)
    return found


def mended_rows(plans: Sequence[DatasetPlan], written: Sequence[tuple[MillJob, MillResult]]) -> list[str]:
    """Return what is to be said of sources of which a lenient reading mended rows."""
    return [
        mended_text(plan.source.file_name, result.mended)
        for plan, (_, result) in zip(plans, written, strict=True)
        if result.mended
    ]


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
    warn: Callable[[str], None],
) -> list[tuple[MillJob, MillResult]]:
    """Write the data files of all tables of all datasets, and look at primary keys; on any error nothing is left.

    UserError as of `settle_keys`.
    """
    layouts = [layout for commit in commits for layout in layouts_of(commit)]
    own = [key for commit in commits for key in (commit.primary_key, *(one.primary_key for one in commit.others))]
    jobs = [
        MillJob(
            splits=parts,
            reader=reader_of(plan.source, plan.schema, reject=plan.reject),
            layout=layout,
            store=store,
            scratch=scratch if plan.has_rejected else None,
            direct_files=limits.direct_files,
            buffer_bytes=limits.buffer_bytes,
            keys=key_task(plan, key, scratch),
            strict=not plan.reject,
            losses=plan.losses,
        )
        for plan, layout, key, parts in zip(plans, layouts, own, splits, strict=True)
    ]
    everything = [split for parts in splits for split in parts]
    progress.stage("mill", len(everything), sum(split.size for split in everything))
    results = mill(engine, jobs, progress.advance)
    return list(zip(*settle_keys(engine, plans, jobs, results, progress.advance, warn, commits), strict=True))


def prepare_datasets(
    store: Store,
    executor: Executor,
    commits: Sequence[CommitPlan],
    milled: Sequence[tuple[MillJob, MillResult]],
    plans: Sequence[DatasetPlan],
) -> list[MilledDataset]:
    """Let the new rows meet the old ones, build the indices, make the headers; on any error nothing of it is left."""
    tables = [MilledTable(plan, job, result) for plan, (job, result) in zip(plans, milled, strict=True)]
    prepared: list[MilledDataset] = []
    first = 0
    try:
        for commit in commits:
            its = slice(first, first + len(commit.layouts))
            tables[its] = _fill(store, commit, tables[its])
            own = tuple(tables[its])
            settled = settle(store, commit, [part for one in own for part in one.result.written], executor)
            prepared.append(MilledDataset(own, _prepare(store, settled), settled))
            first = its.stop
    except BaseException:
        abandon(store, prepared)
        for one in tables[first:]:
            discard(one.job, one.result)
        raise
    return prepared


def _fill(store: Store, commit: CommitPlan, tables: Sequence[MilledTable]) -> list[MilledTable]:
    """Return the tables of a dataset, each with a file in every partition that one of them has a file in."""
    written = [part for one in tables for part in one.result.written]
    filled = fill_tables(store, commit.layouts, written)
    return [
        replace(one, result=replace(one.result, written=(*one.result.written, *([more] if more.files else []))))
        for one, more in zip(tables, filled, strict=True)
    ]


def _prepare(store: Store, settled: Settled) -> Prepared:
    try:
        return prepare(store, settled.plan, settled.written)
    except BaseException:
        drop_settled(store, settled)
        raise


def prepare_again(store: Store, executor: Executor, milled: Sequence[MilledDataset]) -> list[MilledDataset]:
    """Prepare the same data files on the state that is in the store now, after another writer won.

    On any error nothing of that is left; what was milled is, as before.
    """
    again: list[MilledDataset] = []
    try:
        for one in milled:
            withdraw(store, one.prepared)
            settled = settle_again(store, one.settled, executor)
            again.append(replace(one, prepared=_prepare(store, settled), settled=settled))
    except BaseException:
        for one in again:
            withdraw(store, one.prepared)
            drop_settled(store, one.settled)
        raise
    return again


def abandon(store: Store, milled: Sequence[MilledDataset]) -> None:
    """Delete everything that was written for datasets that are not committed."""
    for one in milled:
        withdraw(store, one.prepared)
        drop_settled(store, one.settled)
        for table in one.tables:
            discard(table.job, table.result)
