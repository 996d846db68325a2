"""What became of each split of a source, and when that can be believed.

Splits are cut by looking at the bytes around each cut, and reading proves them: a split that begins at a record and
does not end inside an enclosed cell ends at a record, so the next one begins at one. The first split begins right. So
when every split of a slice is sound, every cut was right; and an error in a row is certain once all splits before it in
its slice are sound. Until then it may come from a wrong cut, and the slice is read again: with cuts by a count of all
enclosures, and if they do not pair up, as one split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from component.errors import TablemillError, UserError
from component.formats.contract import Reader
from component.formats.csv.read import CsvReader, ReadAgainError
from component.formats.csv.source import CsvSplit
from component.formats.csv.split import plan_splits
from component.spark.jobs.mill import Milled, MillTask
from component.spark.jobs.shuffle import Scattered
from component.store.base import Store
from component.store.uncommitted import discard

_THREADS = 2


@dataclass(slots=True, eq=False)
class SplitState:
    """One split, and what became of it."""

    task: MillTask
    milled: Milled | None = None
    scattered: Scattered | None = None

    @property
    def is_sound(self) -> bool:
        """Whether it was read to its end without a doubt."""
        outcome = self.scattered or self.milled
        return outcome is not None and outcome.is_sound

    @property
    def records(self) -> int:
        """How many records were read of it, bad ones included; of a sound part all of them."""
        outcome = self.scattered or self.milled
        return 0 if outcome is None else outcome.records

    @property
    def error(self) -> TablemillError | None:
        """The error that it ended with, certain or not."""
        outcome = self.scattered or self.milled
        return None if outcome is None else outcome.error

    @property
    def is_doubtful(self) -> bool:
        """Whether its slice must be read again: only where cuts are guessed can an error come from a wrong one."""
        outcome = self.scattered or self.milled
        if outcome is None or not isinstance(self.task.split, CsvSplit):
            return False
        return outcome.in_doubt or outcome.error is not None


class Ledger:
    """The parts of one job, in the order of the source."""

    def __init__(self, reader: Reader, tasks: Sequence[MillTask]) -> None:
        self._reader = reader
        self._faulty: set[str] = set()
        self._put([SplitState(task) for task in tasks])

    def _put(self, parts: list[SplitState]) -> None:
        """Take parts, and find them by their slice."""
        self.parts = parts
        self._by_slice: dict[str, list[SplitState]] = {}
        for part in parts:
            self._by_slice.setdefault(part.task.split.slice, []).append(part)

    @property
    def pending(self) -> list[SplitState]:
        """Parts that are to be milled."""
        return [part for part in self.parts if part.milled is None]

    @property
    def crowded(self) -> list[SplitState]:
        """Parts whose rows must be shuffled by key."""
        return [part for part in self.parts if part.milled is not None and part.milled.overflow]

    def raise_certain_error(self, news: SplitState) -> None:
        """Raise the first error of a slice as soon as all parts before it are sound; rows counted within the slice."""
        name = news.task.split.slice
        if news.error is not None:
            self._faulty.add(name)
        if name not in self._faulty:
            return
        there = self._by_slice[name]
        for number, part in enumerate(there):
            if part.error is not None:
                raise self._in_slice(there[: number + 1], part.error)
            if not part.is_sound:
                return

    def _in_slice(self, there: Sequence[SplitState], error: TablemillError) -> TablemillError:
        """Return the error of the last of the first parts of a slice with its row counted within the slice."""
        if error.place.row is None:
            return error
        placed = error.at(row=error.place.row + sum(part.records for part in there[:-1]))
        first = there[0].task.split
        if isinstance(first, CsvSplit) and isinstance(self._reader, CsvReader):
            return _of_other_columns(self._reader, first, placed) or placed
        return placed

    def replace_doubtful(self, store: Store) -> None:
        """Put other splits in the place of those of doubtful slices, and discard what was written of them."""
        doubtful = {part.task.split.slice for part in self.parts if part.is_doubtful}
        if not doubtful:
            return
        parts: list[SplitState] = []
        replaced: set[str] = set()
        for part in self.parts:
            name = part.task.split.slice
            if name not in doubtful:
                parts.append(part)
                continue
            _discard(store, part)
            if name not in replaced:
                replaced.add(name)
                old = [other.task for other in self._by_slice[name]]
                parts += [
                    SplitState(replace(part.task, split=split, shares_files=0)) for split in self._other_splits(old)
                ]
        self._faulty -= doubtful
        self._put(parts)

    def _other_splits(self, tasks: Sequence[MillTask]) -> list[CsvSplit]:
        splits = [task.split for task in tasks if isinstance(task.split, CsvSplit)]
        first = splits[0]
        # To count the enclosures of an object would take all of it through the driver: it is read as one split.
        if first.guessed and isinstance(first.location, Path) and isinstance(self._reader, CsvReader):
            ranges = plan_splits(
                first.location,
                self._reader.dialect,
                start=first.data_start,
                split_bytes=max(split.range.size for split in splits),
                threads=_THREADS,
            )
            if len(ranges) > 1:
                return [replace(first, range=found, guessed=False) for found in ranges]
        return [first.whole()]


def _of_other_columns(reader: CsvReader, first: CsvSplit, error: TablemillError) -> UserError | None:
    """Return what to say when the first two rows of a slice show that all of it has other columns than its table."""
    if error.code != "row.cells" or first.slice == first.table:
        return None
    try:
        begun = next(replace(reader, reject=True).read(first), None)
    except ReadAgainError:
        return None
    bad = begun.bad[:2] if begun else ()
    reasons = {row.reason.removeprefix("The row has ") for row in bad}
    if [row.row for row in bad] != [1, 2] or len(reasons) > 1:
        return None
    return UserError(
        "column.sets_differ",
        f"The slices have different columns: the rows of this one have {reasons.pop()}",
        place=first.place,
        remedy=f"Give all slices the columns of the table: {', '.join(reader.schema.names)}.",
    )


def _discard(store: Store, part: SplitState) -> None:
    if part.milled is not None:
        discard(store, (file.key for file in part.milled.written.files))
    for outcome in (part.milled, part.scattered):
        if outcome is not None:
            outcome.keys.drop()
            if outcome.rejected_file is not None:
                outcome.rejected_file.unlink(missing_ok=True)
