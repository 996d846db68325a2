"""The main job: the splits of one source become data files, directly or through a shuffle by partition key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from component import identity, naming
from component.dataset.changes.primary_keys import KeyRuns, KeyTask
from component.dataset.files.write import Written
from component.dataset.format.layout import Layout
from component.errors import UserError, in_one
from component.formats.contract import Reader, Split
from component.formats.losses import Loss, LostCells, lost_cells
from component.spark.batches import batches
from component.spark.engine import Engine
from component.spark.heartbeat import Heart, Heartbeats
from component.spark.jobs.ledger import Ledger, SplitState
from component.spark.jobs.mill import Milled, MillTask, mill_together
from component.spark.jobs.shuffle import GatherTask, Scattered, gather_bucket, scatter_split
from component.store.base import Store
from component.store.uncommitted import Uncommitted, discard_run

_BUCKETS_PER_CORE = 8
"""So that a task of a shuffle holds a part of the partitions at a time: each costs memory, however few rows it has."""


@dataclass(frozen=True, slots=True)
class MillJob:
    """One source to be milled into one dataset. `scratch` takes rejected rows; None: a bad row fails the run.

    `keys`, `strict`, and, for each split, `repeats` and (by slice) `losses` are as of MillTask.
    """

    splits: tuple[Split, ...]
    reader: Reader
    layout: Layout
    store: Store
    scratch: Path | None
    direct_files: int = naming.DIRECT_FILES
    direct_partitions: int = naming.DIRECT_KEYS_PER_SPLIT
    buffer_bytes: int = naming.BUFFER_BYTES
    shuffle_bytes: int = naming.SHUFFLE_BYTES
    keys: KeyTask | None = None
    repeats: tuple[Path | None, ...] = ()
    strict: bool = False
    losses: Mapping[str, tuple[Loss, ...]] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        """What the keys of its data files begin with."""
        return f"{self.layout.uuid}/{self.layout.table}/"

    @property
    def most_partitions(self) -> int | None:
        """Partitions that one split may write directly: files = splits times partitions must stay bounded."""
        if self.layout.buckets is not None and len(self.splits) > 1:
            return 0  # so that rows of one bucket meet
        if not self.layout.partition_on:
            return None
        return max(self.direct_partitions, self.direct_files // max(1, len(self.splits)))


@dataclass(frozen=True, slots=True)
class SplitCount:
    """What is counted of one split, in the order of the source: records, bad rows and their file, mended records.

    `losses`: cells that are others than in the file.
    """

    slice: str
    records: int
    rejected: int
    rejected_file: Path | None
    mended: int = 0
    losses: tuple[LostCells, ...] = ()


@dataclass(frozen=True, slots=True)
class MillResult:
    """All of one source, written and not committed; `tasks` and `keys` are those of the splits as they were read."""

    written: tuple[Written, ...]
    counts: tuple[SplitCount, ...]
    shuffled: int
    tasks: tuple[MillTask, ...] = ()
    keys: tuple[KeyRuns, ...] = ()

    @property
    def keys_written(self) -> Iterator[str]:
        """The keys of the data files."""
        return (file.key for part in self.written for file in part.files)

    @property
    def records(self) -> int:
        """Records read, bad ones included."""
        return sum(count.records for count in self.counts)

    @property
    def rejected(self) -> int:
        """Records that were rejected."""
        return sum(count.rejected for count in self.counts)

    @property
    def mended(self) -> int:
        """Records with a fault that a lenient reading mended."""
        return sum(count.mended for count in self.counts)

    @property
    def losses(self) -> tuple[LostCells, ...]:
        """Cells that are others than in the file, counted once for each loss of a column."""
        return lost_cells(lost for count in self.counts for lost in count.losses)


@dataclass(slots=True)
class _Running:
    """A job while it runs: its splits, and what came of its shuffle, where there is one."""

    job: MillJob
    ledger: Ledger
    gathered: Sequence[Milled] = ()


OnDone = Callable[[int, int, int], None]
"""Called with splits, rows and bytes that are done; less than nothing takes back what turned out to be in doubt."""


def mill(engine: Engine, jobs: Sequence[MillJob], on_done: OnDone, *, all_errors: bool = False) -> list[MillResult]:
    """Run jobs together, so that small ones share the workers. On any error nothing that they wrote is left.

    The first error stops all jobs; with `all_errors` the others go on, and the first of each is raised (`in_one`).
    """
    run = identity.new_hex()[: naming.RUN_DIGITS]
    with ExitStack() as running:
        for job in jobs:
            running.enter_context(Uncommitted(job.store)).add_run(job.folder, run)
        return _mill(engine, jobs, run, on_done, all_errors=all_errors)


def _mill(engine: Engine, jobs: Sequence[MillJob], run: str, on_done: OnDone, *, all_errors: bool) -> list[MillResult]:
    """Mill all splits, then those that take the place of doubtful ones, then shuffle what is crowded."""
    running = [_Running(job, Ledger(job.reader, _tasks(job, run, number))) for number, job in enumerate(jobs, 1)]
    while any(one.ledger.pending for one in running):
        _pass(engine, [one.ledger for one in running], on_done, all_errors=all_errors)
        for one in running:
            one.ledger.replace_doubtful(one.job.store)
            if not one.ledger.pending and any(part.scattered is None for part in one.ledger.crowded):
                one.gathered = _shuffle(engine, one.job, one.ledger, run, on_done)
    return [_result(one.ledger, one.gathered) for one in running]


def _pass(engine: Engine, ledgers: Sequence[Ledger], on_done: OnDone, *, all_errors: bool) -> None:
    """Mill every split that waits; an error that is certain stops it, at once or with `all_errors` at the end."""
    failed: dict[int, UserError] = {}
    numbers = {id(ledger): number for number, ledger in enumerate(ledgers)}
    pending = [(ledger, part) for ledger in ledgers for part in ledger.pending]
    together = batches([part.task.split.size for _, part in pending], engine.parallelism)
    with Heartbeats(engine.scratch, partial(on_done, 0)) as beats:

        def note(batch: int, milled: Sequence[Milled]) -> None:
            for number, one in zip(together[batch], milled, strict=True):
                pending[number][1].milled = one
                _count_ended(one, beats.end(number), on_done)
            for number in together[batch]:
                ledger, part = pending[number]
                try:
                    ledger.raise_certain_error(part)
                except UserError as error:
                    if not all_errors:
                        raise
                    failed.setdefault(numbers[id(ledger)], error)

        tasks = [[_beating(pending[number][1].task, beats, number) for number in batch] for batch in together]
        engine.run(mill_together, tasks, on_done=note, on_wait=beats.tell)
    if failed:
        raise in_one([failed[number] for number in sorted(failed)])


def _beating(task: MillTask, beats: Heartbeats, number: int) -> MillTask:
    return replace(task, heart=Heart(beats.path, number))


def _count_ended(ended: Milled | Scattered, told: tuple[int, int], on_done: OnDone) -> None:
    """Count a split that has ended; what was told of it while it ran is in its figures, if these can be believed."""
    rows, byte_count = told
    if ended.is_sound:
        on_done(1, ended.records - rows, ended.bytes - byte_count)
    elif rows or byte_count:
        on_done(0, -rows, -byte_count)


def _tasks(job: MillJob, run: str, number: int) -> list[MillTask]:
    splits = Counter(split.slice for split in job.splits)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(split.slice for split in job.splits))}
    starts = {split.slice: split.start for split in sorted(job.splits, key=lambda split: split.start, reverse=True)}
    return [
        MillTask(
            split,
            job.reader,
            job.layout,
            job.store,
            job.scratch,
            job.most_partitions,
            run,
            numbers[split.slice],
            starts[split.slice],
            job.buffer_bytes,
            job.keys,
            repeats,
            job.strict,
            losses=job.losses.get(split.slice, ()),
            shares_files=number if splits[split.slice] == 1 else 0,
        )
        for split, repeats in zip(job.splits, job.repeats or [None] * len(job.splits), strict=True)
    ]


def _shuffle(engine: Engine, job: MillJob, ledger: Ledger, run: str, on_done: OnDone) -> list[Milled]:
    """Shuffle the splits with too many partitions; when one is doubtful, drop what came of it and say so by pending."""
    crowded = ledger.crowded
    attempt = (run + identity.new_hex())[: naming.RUN_DIGITS + 4]
    total = sum(part.task.split.size for part in crowded)
    buckets = max(engine.parallelism * _BUCKETS_PER_CORE, -(-total // job.shuffle_bytes))
    gather = partial(gather_bucket, GatherTask(job.layout, job.store, attempt, job.buffer_bytes))

    with Heartbeats(engine.scratch, partial(on_done, 0)) as beats:

        def say(number: int, one: Scattered | Milled) -> None:
            if isinstance(one, Scattered):
                _count_ended(one, beats.end(number), on_done)

        tasks = [_beating(part.task, beats, number) for number, part in enumerate(crowded)]
        sizes = [task.split.size for task in tasks]
        scattered, gathered = engine.shuffle(
            partial(scatter_split, buckets), tasks, buckets, gather, sizes=sizes, on_done=say, on_wait=beats.tell
        )
    for part, one in zip(crowded, scattered, strict=True):
        part.scattered = one
        ledger.raise_certain_error(part)
    if all(one.is_sound for one in scattered):
        return gathered
    discard_run(job.store, job.folder, attempt)
    ledger.replace_doubtful(job.store)
    for part in ledger.crowded:
        part.scattered = None
    return []


def _result(ledger: Ledger, gathered: Sequence[Milled]) -> MillResult:
    done = [part.milled for part in ledger.parts if part.milled is not None]
    return MillResult(
        written=tuple(milled.written for milled in [*done, *gathered]),
        counts=tuple(_count(part) for part in ledger.parts),
        shuffled=len(ledger.crowded),
        tasks=tuple(part.task for part in ledger.parts),
        keys=tuple((part.scattered or part.milled or Milled()).keys for part in ledger.parts),
    )


def _count(part: SplitState) -> SplitCount:
    outcome = part.scattered or part.milled or Milled()
    return SplitCount(
        part.task.split.slice, outcome.records, outcome.rejected, outcome.rejected_file, outcome.mended, outcome.losses
    )
