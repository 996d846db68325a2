"""The datasets of a run, each one value that grows with the run: planned, milled, settled, prepared.

A value carries all that belongs to its dataset, so nothing has to be found again by its position.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final

from component.dataset.changes.settling import Settled
from component.dataset.commits.commit import CommitPlan, Prepared
from component.dataset.files.write import Written
from component.dataset.format.layout import OtherTable
from component.formats.contract import Split
from component.plan.model import DatasetPlan
from component.spark.jobs.job import MillJob, MillResult

Splits = tuple[Split, ...]
NOT_MILLED: Final = MillResult((), (), 0)


@dataclass(frozen=True, slots=True)
class TableSource:
    """The rows to come of one table: its plan, and its splits, which are found while Spark starts."""

    plan: DatasetPlan
    splits: Future[Splits]


@dataclass(frozen=True, slots=True)
class PlannedTable:
    """One table of a planned dataset, and how the commit will lay it out."""

    source: TableSource
    target: OtherTable


@dataclass(frozen=True, slots=True)
class PlannedDataset:
    """The tables that one commit brings, in most datasets one, and that commit."""

    tables: tuple[PlannedTable, ...]
    commit: CommitPlan


@dataclass(frozen=True, slots=True)
class MilledTable:
    """One table whose data files are in the store: the job that writes them, and what it wrote and counted."""

    plan: DatasetPlan
    job: MillJob
    result: MillResult = NOT_MILLED


@dataclass(frozen=True, slots=True)
class MilledDataset:
    """One dataset whose data files are in the store: its tables, and the commit that they are for."""

    tables: tuple[MilledTable, ...]
    commit: CommitPlan

    @property
    def plan(self) -> DatasetPlan:
        """The plan of the first table; what is said of a dataset as a whole is the same in all."""
        return self.tables[0].plan

    @property
    def written(self) -> list[Written]:
        """The data files of all tables."""
        return [part for table in self.tables for part in table.result.written]

    @property
    def keys(self) -> Iterator[str]:
        """The keys of the data files of all tables."""
        return (file.key for part in self.written for file in part.files)

    @property
    def records(self) -> int:
        """Records read, bad ones included."""
        return sum(table.result.records for table in self.tables)

    @property
    def rejected(self) -> int:
        """Records that were rejected."""
        return sum(table.result.rejected for table in self.tables)


@dataclass(frozen=True, slots=True)
class SettledDataset(MilledDataset):
    """One dataset of which is known what goes of the state that was there, and what was written again of it."""

    settled: Settled


@dataclass(frozen=True, slots=True)
class PreparedDataset(SettledDataset):
    """One dataset whose commit is ready: everything is in the store but schemas and header."""

    prepared: Prepared
