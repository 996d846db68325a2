"""What runs on workers for outputs: some data files to one file of text or Parquet."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from component.dataset.reader import FileScan, read_scan
from component.folder.layout import writing
from component.formats.csv.dialect import Dialect
from component.formats.csv.write import CsvWriter
from component.store.base import Store


@dataclass(frozen=True, slots=True)
class SliceTask:
    """One file to be written from data files of a dataset. `order` finds it again among all tasks."""

    output: int
    order: int
    store: Store
    schema: pa.Schema
    scans: tuple[FileScan, ...]
    columns: tuple[str, ...]
    target: Path
    format: Literal["csv", "parquet"]
    header: bool
    gzip: bool
    dialect: Dialect = field(default_factory=Dialect)


@dataclass(frozen=True, slots=True)
class WrittenSlice:
    """A file that was written."""

    output: int
    order: int
    target: Path
    rows: int
    bytes: int


def write_slice(task: SliceTask) -> WrittenSlice:
    """Write one file; memory is that of one data file. UserError `store.full` and `output.unwritable`."""
    schema = pa.schema([task.schema.field(name) for name in task.columns])
    rows = 0
    with writing(task.target):
        writer = _writer(task, schema)
        for scan in task.scans:
            table = read_scan(task.store, task.schema, scan, task.columns)
            writer.write(table)
            rows += table.num_rows
        writer.close()
        size = task.target.stat().st_size
    return WrittenSlice(task.output, task.order, task.target, rows, size)


def _writer(task: SliceTask, schema: pa.Schema) -> CsvWriter | pq.ParquetWriter:
    if task.format == "parquet":
        return pq.ParquetWriter(task.target, schema, compression="snappy")
    return CsvWriter(task.target, schema, header=task.header, gzip=task.gzip, dialect=task.dialect)
