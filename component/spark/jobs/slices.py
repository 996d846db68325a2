"""What runs on workers for outputs: some data files to one file of whatever format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from component.dataset.reading.reader import FileScan, read_scan
from component.folder.layout import writing
from component.formats.columns import described_columns, described_rows
from component.formats.contract import Writing
from component.formats.losses import LostCells, lost_cells
from component.store.base import Store

if TYPE_CHECKING:
    from component.records.statistics import FieldStatistics


@dataclass(frozen=True, slots=True)
class Share:
    """A part of the rows of one data file: those from `start` to `stop`, in `whole` parts of them."""

    start: int
    stop: int
    whole: int

    def of(self, rows: pa.Table) -> pa.Table:
        """Return the rows; together, all shares of a whole give each row once."""
        first = rows.num_rows * self.start // self.whole
        return rows.slice(first, rows.num_rows * self.stop // self.whole - first)


@dataclass(frozen=True, slots=True)
class SliceTask:
    """One file to be written from data files of a dataset. `order` finds it again among all tasks.

    `shares` are the parts of the files that it takes, one for each; none: whole files. With `statistics` it says what
    it saw of the columns. `narrow` are the types of numbers where all rows come from, if known and narrower than
    the dataset's. `bytes` are those of the files.
    """

    output: int
    order: int
    store: Store
    schema: pa.Schema
    scans: tuple[FileScan, ...]
    columns: tuple[str, ...]
    target: Path
    writing: Writing
    attributes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    shares: tuple[Share, ...] = ()
    statistics: bool = False
    narrow: pa.Schema | None = None
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class WrittenSlice:
    """A file that was written."""

    output: int
    order: int
    target: Path
    rows: int
    bytes: int
    statistics: tuple[FieldStatistics, ...] = ()
    losses: tuple[LostCells, ...] = ()


def write_slice(task: SliceTask) -> WrittenSlice:
    """Write one file; memory is that of one data file. UserError `store.full` and `output.unwritable`."""
    schema = wanted = pa.schema([(task.narrow or task.schema).field(name) for name in task.columns])
    attributes = task.attributes
    losses, lost = tuple(task.writing.losses(schema, attributes)), list[LostCells]()
    columns = None if task.writing.keeps_arrow_types else described_columns(schema, attributes)
    if columns is not None:
        schema, attributes = columns.arrow, {column.name: dict(column.attributes) for column in columns.columns}
    rows, seen = 0, []
    with writing(task.target):
        writer = task.writing.open(task.target, schema, attributes)
        for number, scan in enumerate(task.scans):
            table = read_scan(task.store, task.schema, scan, task.columns).cast(wanted)
            if task.shares:
                table = task.shares[number].of(table)
            lost += [LostCells(loss, loss.cells(table)) for loss in losses]
            if columns is not None:
                table = described_rows(table, columns)
            writer.write(table)
            rows += table.num_rows
            if task.statistics:
                from component.records.statistics import statistics_of  # noqa: PLC0415 - only records directories

                seen.append(statistics_of(table))
        writer.close()
        size = task.target.stat().st_size
    return WrittenSlice(task.output, task.order, task.target, rows, size, _merged(seen, schema), lost_cells(lost))


def _merged(seen: Sequence[tuple[FieldStatistics, ...]], schema: pa.Schema) -> tuple[FieldStatistics, ...]:
    if not seen:
        return ()
    from component.records.statistics import merged  # noqa: PLC0415 - only records directories

    return merged(seen, len(schema))
