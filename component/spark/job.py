"""The main job: the splits of one source become data files, directly or through a shuffle by partition key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from component import identity, naming
from component.dataset.layout import Layout
from component.dataset.write import Written
from component.errors import TablemillError
from component.formats.csv.count import count_records
from component.formats.csv.read import CsvReader
from component.formats.csv.source import CsvSplit
from component.spark.engine import Engine
from component.spark.mill import Milled, MillTask, Reader, Split, mill_split, split_bytes
from component.spark.shuffle import GatherTask, Scattered, gather_bucket, scatter_split
from component.store.base import Store

RUN_DIGITS = 12


@dataclass(frozen=True, slots=True)
class MillJob:
    """One source to be milled into one dataset. `scratch` takes rejected rows; None: a bad row fails the run."""

    splits: tuple[Split, ...]
    reader: Reader
    layout: Layout
    store: Store
    scratch: Path | None
    direct_files: int = naming.DIRECT_FILES
    buffer_bytes: int = naming.BUFFER_BYTES
    shuffle_bytes: int = naming.SHUFFLE_BYTES

    @property
    def most_partitions(self) -> int | None:
        """Partitions that one split may write directly: files = splits times partitions must stay bounded."""
        if not self.layout.partition_on:
            return None
        return max(naming.DIRECT_KEYS_PER_SPLIT, self.direct_files // max(1, len(self.splits)))


@dataclass(frozen=True, slots=True)
class SplitCount:
    """What is counted of one split, in the order of the source: records, bad rows, and where those are."""

    slice: str
    records: int
    rejected: int
    rejected_file: Path | None


@dataclass(frozen=True, slots=True)
class MillResult:
    """All of one source, written and not committed."""

    written: tuple[Written, ...]
    counts: tuple[SplitCount, ...]
    shuffled: int
    seconds: tuple[tuple[str, float], ...]

    @property
    def records(self) -> int:
        """Records read, bad ones included."""
        return sum(count.records for count in self.counts)

    @property
    def rejected(self) -> int:
        """Records that were rejected."""
        return sum(count.rejected for count in self.counts)


OnDone = Callable[[int, int, int], None]
"""Called with splits, rows and bytes that are done."""


def mill(engine: Engine, jobs: Sequence[MillJob], on_done: OnDone) -> list[MillResult]:
    """Run jobs together, so that small ones share the workers. On any error nothing that they wrote is left."""
    run = identity.new_hex()[:RUN_DIGITS]
    try:
        return _mill(engine, jobs, run, on_done)
    except BaseException:
        for job in jobs:
            sweep(job, run)
        raise


def sweep(job: MillJob, run: str) -> None:
    """Delete every data file of a run, also those of tasks that were killed."""
    for stat in list(job.store.list(f"{job.layout.uuid}/{job.layout.table}/")):
        if stat.key.rsplit("/", 1)[-1].startswith(run):
            job.store.delete(stat.key)


def discard(job: MillJob, result: MillResult) -> None:
    """Delete the data files of a job that is not committed."""
    for written in result.written:
        for file in written.files:
            job.store.delete(file.key)


def _mill(engine: Engine, jobs: Sequence[MillJob], run: str, on_done: OnDone) -> list[MillResult]:
    def say(milled: Milled) -> None:
        if milled.read_again is None and not milled.overflow:
            on_done(1, milled.records, milled.bytes)

    tasks = [[_task(job, split, run) for split in job.splits] for job in jobs]
    numbered = [(job, number) for job in jobs for number in range(len(job.splits))]

    def explain(number: int, error: TablemillError) -> TablemillError:
        return _place_in_slice(*numbered[number], error)

    first = iter(engine.run(mill_split, [task for some in tasks for task in some], on_done=say, explain=explain))
    results = [[next(first) for _ in some] for some in tasks]
    return [
        _finish(engine, job, some, milled, on_done, say) for job, some, milled in zip(jobs, tasks, results, strict=True)
    ]


def _finish(
    engine: Engine,
    job: MillJob,
    tasks: list[MillTask],
    results: list[Milled],
    on_done: OnDone,
    say: Callable[[Milled], None],
) -> MillResult:
    """Do what the first pass over a job's splits left: slices to read again, splits to shuffle."""
    tasks, results = _read_slices_again(engine, job, tasks, results, say)
    crowded = [at for at, milled in enumerate(results) if milled.overflow]
    counts = [_count(task, milled) for task, milled in zip(tasks, results, strict=True)]
    written = [milled.written for milled in results]
    if crowded:
        scattered, gathered = _shuffle(engine, job, [tasks[at] for at in crowded], on_done)
        for at, one in zip(crowded, scattered, strict=True):
            counts[at] = SplitCount(tasks[at].split.slice, one.records, one.rejected, one.rejected_file)
        written += [milled.written for milled in gathered]
    return MillResult(tuple(written), tuple(counts), len(crowded), _sum_seconds(results))


def _place_in_slice(job: MillJob, number: int, error: TablemillError) -> TablemillError:
    """Return the error with its row counted from the beginning of the slice, not of the split."""
    split = job.splits[number]
    if error.place.row is None or not isinstance(split, CsvSplit) or not isinstance(job.reader, CsvReader):
        return error
    before = [s for s in job.splits[:number] if isinstance(s, CsvSplit) and s.slice == split.slice]
    rows = sum(count_records(other, job.reader.schema, job.reader.dialect) for other in before)
    return error.at(row=error.place.row + rows)


def _task(job: MillJob, split: Split, run: str) -> MillTask:
    return MillTask(split, job.reader, job.layout, job.store, job.scratch, job.most_partitions, run, job.buffer_bytes)


def _count(task: MillTask, milled: Milled) -> SplitCount:
    return SplitCount(task.split.slice, milled.records, milled.rejected, milled.rejected_file)


def _read_slices_again(
    engine: Engine,
    job: MillJob,
    tasks: list[MillTask],
    results: list[Milled],
    say: Callable[[Milled], None],
) -> tuple[list[MillTask], list[Milled]]:
    """Read the slices whose splits were no whole records again, each as one split; drop what their splits wrote."""
    again = {
        task.split.slice: milled.read_again
        for task, milled in zip(tasks, results, strict=True)
        if milled.read_again is not None
    }
    if not again:
        return tasks, results
    kept: list[tuple[MillTask, Milled | None]] = []
    replaced: set[str] = set()
    for task, milled in zip(tasks, results, strict=True):
        split = again.get(task.split.slice)
        if split is None:
            kept.append((task, milled))
            continue
        _drop(job.store, milled)
        if task.split.slice not in replaced:
            kept.append((replace(task, split=split), None))
            replaced.add(task.split.slice)
    fresh = iter(engine.run(mill_split, [task for task, milled in kept if milled is None], on_done=say))
    return [task for task, _ in kept], [milled or next(fresh) for _, milled in kept]


def _drop(store: Store, milled: Milled) -> None:
    for file in milled.written.files:
        store.delete(file.key)
    if milled.rejected_file is not None:
        milled.rejected_file.unlink()


def _shuffle(
    engine: Engine, job: MillJob, tasks: Sequence[MillTask], on_done: OnDone
) -> tuple[list[Scattered], list[Milled]]:
    def say(one: Scattered | Milled) -> None:
        if isinstance(one, Scattered):
            on_done(1, one.records, one.bytes)

    total = sum(split_bytes(task.split) for task in tasks)
    buckets = max(engine.parallelism, -(-total // job.shuffle_bytes))
    gather = partial(gather_bucket, GatherTask(job.layout, job.store, tasks[0].run, job.buffer_bytes))
    return engine.shuffle(partial(scatter_split, buckets), tasks, buckets, gather, on_done=say)


def _sum_seconds(results: Sequence[Milled]) -> tuple[tuple[str, float], ...]:
    total: dict[str, float] = {}
    for milled in results:
        for stage, seconds in milled.seconds:
            total[stage] = total.get(stage, 0.0) + seconds
    return tuple(total.items())
