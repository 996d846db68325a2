"""What runs on workers in the main job: one split to data files in the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from component import identity, naming
from component.dataset.changes.primary_keys import NO_KEYS, KeyRuns, KeyTask, KeyWriter
from component.dataset.commits.fit import fitted_values
from component.dataset.files.write import PartitionWriter, TooManyPartitionsError, Written
from component.dataset.format.layout import Layout
from component.errors import Place, UserError
from component.formats.contract import Reader, ReadsTogether, Split
from component.formats.csv.read import ReadAgainError
from component.formats.losses import Loss, LostCells, lost_cells
from component.formats.rows import BadRow, Parsed
from component.spark.heartbeat import Heart
from component.spark.jobs.rejects import Rejects
from component.store.base import Store
from component.tables.numeric import with_decimal_texts


@dataclass(frozen=True, slots=True)
class MillTask:
    """One split to be milled. `scratch` takes the rows that are rejected; None: the first one fails the run.

    `run` begins the stem of every file written, so that what a failed run left behind is known; then the place of the
    split in the source, so that rows can be read back in its order. `slice_start` is where the slice's first split
    begins.

    `keys` asks for the primary keys of the rows. `repeats` holds the numbers of rows to be rejected for their key, as
    `find_repeats` says; `strict`: these only, any other bad row fails the run. `heart` is told what is read. `losses`
    are what reading the split changes; their cells are counted.

    Neighbours with the same `shares_files`, unless it is 0, are all of their slices and may be written into one file.
    """

    split: Split
    reader: Reader
    layout: Layout
    store: Store
    scratch: Path | None
    most_partitions: int | None
    run: str
    slice_number: int = 0
    slice_start: int = 0
    buffer_bytes: int = naming.BUFFER_BYTES
    keys: KeyTask | None = None
    repeats: Path | None = None
    strict: bool = False
    heart: Heart = field(default_factory=Heart)
    losses: tuple[Loss, ...] = ()
    shares_files: int = 0


@dataclass(frozen=True, slots=True)
class Milled:
    """What became of one split.

    Nothing was written when one of these is set. `in_doubt`: the split ends inside an enclosed cell, so it, or one
    before it in its slice, does not begin or end at a record. `error`: some row does not fit, if the splits before are
    right. `overflow`: the split holds too many partitions to write directly; how it ends was not seen.

    `rejected_file` holds the bad rows, numbered within the split; `mended` as of Parsed. Of splits that share files the
    first one names them in `written`.
    """

    written: Written = field(default_factory=Written)
    records: int = 0
    bytes: int = 0
    rejected: int = 0
    mended: int = 0
    rejected_file: Path | None = None
    in_doubt: bool = False
    error: UserError | None = None
    overflow: bool = False
    keys: KeyRuns = NO_KEYS
    losses: tuple[LostCells, ...] = ()

    def drop_files(self) -> None:
        """Remove the scratch files of keys and of rejected rows."""
        self.keys.drop()
        if self.rejected_file is not None:
            self.rejected_file.unlink(missing_ok=True)

    @property
    def is_sound(self) -> bool:
        """Whether the split was read to its end, and ends at a record if it begins at one."""
        return not self.in_doubt and self.error is None and not self.overflow


def mill_together(tasks: Sequence[MillTask]) -> list[Milled]:
    """Mill splits one after the other; neighbours that may share files do. As many results as tasks, in their order."""
    milled: list[Milled] = []
    for _, run in groupby(
        enumerate(tasks), lambda numbered: (numbered[1].run, numbered[1].shares_files or -numbered[0])
    ):
        milled += _mill_shared([task for _, task in run])
    return milled


def _mill_shared(tasks: Sequence[MillTask]) -> list[Milled]:
    """Mill splits into the same files; the first result names them. Where one has a fault each is milled by itself."""
    if len(tasks) == 1:
        return [mill_split(tasks[0])]
    try:
        return _mill(tasks)
    except TooManyPartitionsError:
        return [Milled(overflow=True)] * len(tasks)
    except (ReadAgainError, UserError):
        return [mill_split(task) for task in tasks]


def mill_split(task: MillTask) -> Milled:
    """Read, cast, cut and write one split; on any error nothing of it is left in the store."""
    try:
        return _mill([task])[0]
    except ReadAgainError as again:
        return _read_again(task, again)
    except TooManyPartitionsError:
        return Milled(overflow=True)
    except UserError as error:
        return Milled(error=error)


def _mill(tasks: Sequence[MillTask]) -> list[Milled]:
    """Mill splits into the same files; whatever is raised, nothing of them is left."""
    first, most = tasks[0], tasks[0].most_partitions
    writer = PartitionWriter(
        first.store,
        first.layout,
        stems_in_order(first),
        most_partitions=None if most is None else most * len(tasks),
        buffer_bytes=first.buffer_bytes,
    )
    milled: list[Milled] = []
    try:
        with writer:
            for run in _texts(tasks):
                together = _read_together(writer, run) if len(run) > 1 else None
                for task in () if together else run:
                    milled.append(_read_into(writer, task))  # noqa: PERF401 - what was read is dropped on an error
                milled += together or ()
            written = writer.finish()
    except BaseException:
        for one in milled:
            one.drop_files()
        raise
    return [replace(milled[0], written=written), *milled[1:]]


def _texts(tasks: Sequence[MillTask]) -> Iterator[list[MillTask]]:
    """Yield the tasks in runs that are read as one text of about a block, and cast at once."""
    run: list[MillTask] = []
    size = 0
    for task in tasks:
        if run and size + task.split.size > naming.BLOCK_BYTES:
            yield run
            run, size = [], 0
        run.append(task)
        size += task.split.size
    if run:
        yield run


def _read_together(writer: PartitionWriter, tasks: Sequence[MillTask]) -> list[Milled] | None:
    """Read splits at once, and hand their rows to a writer; None where something is to be said of a single one."""
    first = tasks[0]
    if not isinstance(first.reader, ReadsTogether) or any(
        task.keys is not None or task.repeats is not None or task.losses for task in tasks
    ):
        return None
    found = first.reader.read_together([task.split for task in tasks])
    if found is None or any(found[0][one.column].null_count for one in _forbidden_nulls(first)):
        return None
    rows, counts = found
    writer.add(_fitted(rows, first))
    milled: list[Milled] = []
    for task, records in zip(tasks, counts, strict=True):
        task.heart.add(records, task.split.size)
        milled.append(Milled(records=records, bytes=task.split.size))
    return milled


def _read_into(writer: PartitionWriter, task: MillTask) -> Milled:
    """Read and cast one split, and hand its rows to a writer."""
    rejects = Rejects(task.split.slice, task.scratch)
    keys = KeyWriter(task.keys)
    records = mended = 0
    lost: list[LostCells] = []
    try:
        for parsed in checked_rows(task):
            records += parsed.records
            mended += parsed.mended
            lost += lost_in(parsed, task)
            rejects.add(parsed.bad)
            keys.add(parsed.rows)
            writer.add(parsed.rows)
    except BaseException:
        rejects.drop()
        keys.drop()
        raise
    return Milled(
        records=records,
        bytes=task.split.size,
        rejected=rejects.count,
        mended=mended,
        rejected_file=rejects.close(),
        keys=keys.close(),
        losses=lost_cells(lost),
    )


def lost_in(parsed: Parsed, task: MillTask) -> list[LostCells]:
    """Return how many of the cells that were read are others than in the file."""
    return [LostCells(loss, loss.cells(parsed.rows)) for loss in task.losses]


def stems(run: str) -> Callable[[], str]:
    """Return what makes stems of a run: 32 hexadecimal digits, the first of them the run's."""
    return lambda: run + identity.new_hex()[len(run) :]


def stems_in_order(task: MillTask) -> Callable[[], str]:
    """Return what makes stems in the order of the source: by run, slice, start of the split after the first, and file.

    So the first files of tables that are milled together have the same stems, and belong together in a dataset of them.
    """
    files = count()
    start = task.split.start - task.slice_start
    return lambda: f"{task.run}{task.slice_number:05x}{start:011x}{next(files):04x}"


def _read_again(task: MillTask, again: ReadAgainError) -> Milled:
    """Read again here what concerns only this split; leave to the driver what concerns others of the slice."""
    alone = (task.split.start, task.split.size) == (again.split.start, again.split.size)
    if again.whole_slice and not alone:
        return Milled(in_doubt=True)
    return mill_split(replace(task, split=again.split))


def checked_rows(task: MillTask) -> Iterator[Parsed]:
    """Yield a split's rows: none is null where it must not be, and none is rejected for its key (`repeats`)."""
    forbidden = _forbidden_nulls(task)
    repeats = np.empty((2, 0), np.int64) if task.repeats is None else np.load(task.repeats)
    done = 0
    for parsed in task.reader.read(task.split):
        task.heart.add(parsed.records, parsed.bytes)
        kept = _checked(parsed, task, done, forbidden, repeats)
        yield replace(kept, rows=_fitted(kept.rows, task))
        done += parsed.records


def _fitted(rows: pa.Table, task: MillTask) -> pa.Table:
    try:
        return fitted_values(rows, task.layout)
    except UserError as error:
        raise error.at(table=task.split.place.table, slice=task.split.place.slice) from error


@dataclass(frozen=True, slots=True)
class _Forbidden:
    """A column that must not be null: the code and text of a row where it is, and what to do."""

    column: str
    code: str
    reason: str
    remedy: str


def _forbidden_nulls(task: MillTask) -> tuple[_Forbidden, ...]:
    """Return the columns that must not be null, each once: those of the partition first."""
    found = [
        _Forbidden(
            name,
            "row.null_partition",
            "The row has no value in a partition column",
            "Fill the column, partition by another one, or set on_bad_row to reject.",
        )
        for name in task.layout.partition_on
    ]
    found += [
        _Forbidden(
            column.name,
            "row.null",
            "The row has no value in a column that is not nullable",
            "Fill the cell, set nullable of the column to true, or set on_bad_row to reject.",
        )
        for column in task.reader.schema.columns
        if not column.nullable
    ]
    if task.keys is not None and task.keys.reject_nulls:
        reason, remedy = "The row has no value in a column of the primary key", "Fill the cell."
        found += [_Forbidden(name, "row.null_key", reason, remedy) for name in task.keys.columns]
    return tuple({one.column: one for one in reversed(found)}.values())[::-1]


def row_numbers(parsed: Parsed, done: int) -> Any:
    """Return the number of each row in its split, from 1, as an array of numpy; `done` records came before."""
    numbers = np.arange(done + 1, done + parsed.records + 1)
    if not parsed.bad:
        return numbers
    return np.setdiff1d(numbers, [row.row for row in parsed.bad], assume_unique=True)


def _checked(
    parsed: Parsed, task: MillTask, done: int, forbidden: Sequence[_Forbidden], repeats: npt.NDArray[np.int64]
) -> Parsed:
    nulls = [one for one in forbidden if parsed.rows[one.column].null_count]
    again, known = repeats[:, (repeats[0] > done) & (repeats[0] <= done + parsed.records)]
    if not nulls and not len(again):
        return parsed
    numbers = row_numbers(parsed, done)
    found: dict[int, BadRow] = {}
    for one in nulls:
        for at in pc.indices_nonzero(pc.is_null(parsed.rows[one.column])).to_pylist():
            if at not in found:
                found[at] = _bad_row(parsed.rows, at, int(numbers[at]), one.code, one.reason, one.column)
        _refuse_first(one, found, task)
    key = task.keys.columns if task.keys is not None else ()
    for at in np.flatnonzero(np.isin(numbers, again)).tolist():
        if at not in found:
            has_it = known[np.searchsorted(again, numbers[at])]
            reason = "The dataset already has the primary key" if has_it else "The primary key stood in a row before"
            found[at] = _bad_row(parsed.rows, at, int(numbers[at]), "row.duplicate_key", reason, *key)
    kept = pa.array(np.setdiff1d(np.arange(parsed.rows.num_rows), np.fromiter(found, np.int64)))
    bad_rows = tuple(sorted([*parsed.bad, *found.values()], key=lambda row: row.row))
    return Parsed(parsed.rows.take(kept), bad_rows, parsed.records, parsed.mended)


def _refuse_first(one: _Forbidden, found: dict[int, BadRow], task: MillTask) -> None:
    """Raise the error of the first row found, where bad rows fail the run."""
    if task.scratch is not None and not (task.strict and one.code != "row.null_key"):
        return
    bad = found[min(found)]
    place = task.split.place
    raise UserError(bad.code, bad.reason, place=Place(place.table, place.slice, bad.row, bad.column), remedy=one.remedy)


def _bad_row(rows: pa.Table, at: int, number: int, code: str, reason: str, *columns: str) -> BadRow:
    cells = with_decimal_texts(rows.slice(at, 1)).to_pylist()[0]
    texts = {name: "" if cell is None else str(cell) for name, cell in cells.items()}
    value = naming.DELIMITER.join(texts[name] for name in columns)
    record = naming.DELIMITER.join(texts.values())
    return BadRow(number, code, reason, naming.DELIMITER.join(columns), value or None, record)
