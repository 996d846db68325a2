"""The writer of the Spark data source: tasks write data files, the driver commits them or deletes them.

Nothing that a task writes is visible before the commit. Spark may run a task more than once; the attempts write files
of different names, and only those of the attempt that Spark counts are committed. The others are deleted by the attempt
itself when it fails, and by the driver when it knows of more than one; what a killed process leaves beyond that is
garbage that `find_garbage` finds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from component import identity, naming
from component.dataset.commits.fit import fitted_rows
from component.dataset.files.write import PartitionWriter, Written
from component.dataset.format.layout import Layout
from component.errors import CommitUnknownError, Place, TablemillError, UserError
from component.spark.source_commit import CommitTask, commit_source, plan_source
from component.spark.source_options import SourceOptions

RUN_DIGITS = 16
"""Digits at the beginning of every file's stem that are the same in all tasks of a write."""
_PAUSES: Final = (0.1, 0.3, 0.6)
"""Seconds between looks for files of tasks that Spark is still stopping."""


@dataclass(frozen=True, slots=True)
class TaskDone(WriterCommitMessage):
    """What one task wrote, and in which of its attempts (from 0)."""

    written: Written
    attempt: int


class KartothekWriter(DataSourceArrowWriter):
    """Planned on the driver, carried to the tasks, and committed or aborted on the driver.

    UserError when the rows cannot be written: errors as `plan_source`.
    """

    def __init__(self, options: SourceOptions, schema: StructType, *, overwrite: bool) -> None:
        self._task: CommitTask = plan_source(options, schema, overwrite=overwrite)
        self._run = identity.new_hex()[:RUN_DIGITS]

    def write(self, iterator: Iterator[pa.RecordBatch]) -> TaskDone:
        """Write the rows of one task; on any error nothing of it is left in the store."""
        layout = self._task.plan.layout
        writer = PartitionWriter(self._task.store, layout, stems(self._run))
        try:
            for rows in joined(iterator):
                writer.add(_checked(rows, layout))
            written = writer.finish()
        except BaseException:
            writer.abort()
            raise
        context = TaskContext.get()
        return TaskDone(written, context.attemptNumber() if context is not None else 0)

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Commit what the tasks wrote; errors as `commit_source`, and then the files are deleted.

        They stay after CommitUnknownError: the dataset may name them.
        """
        done = [message for message in messages if isinstance(message, TaskDone)]
        written = [message.written for message in done]
        try:
            commit_source(self._task, written)
        except CommitUnknownError:
            raise
        except TablemillError:
            self._delete(kept=())
            raise
        if any(message.attempt for message in done):
            self._delete(kept={file.key for part in written for file in part.files})

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Delete what the tasks wrote when some failed.

        Spark also aborts after a commit that failed: then every task has a message, and `commit` did what was to do.
        A task that Spark has not stopped yet may still put a file, so there are several looks; what comes later than
        the last one is garbage, which a collection finds.
        """
        if any(message is None for message in messages):
            for seconds in _PAUSES:
                self._delete(kept=())
                time.sleep(seconds)
            self._delete(kept=())

    def _delete(self, kept: Collection[str]) -> None:
        store, layout = self._task.store, self._task.plan.layout
        for stat in list(store.list(f"{layout.uuid}/{layout.table}/")):
            if stat.key.rpartition("/")[2].startswith(self._run) and stat.key not in kept:
                store.delete(stat.key)


def stems(run: str) -> Callable[[], str]:
    """Return what makes file stems of a write: 32 hexadecimal digits, the first of them the write's."""
    return lambda: run + identity.new_hex()[len(run) :]


def joined(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield batches together, some megabytes at a time: each is cut by the partition keys."""
    held: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
            size += batch.nbytes
        if size >= naming.BLOCK_BYTES:
            yield pa.Table.from_batches(held)
            held, size = [], 0
    if held:
        yield pa.Table.from_batches(held)


def _checked(rows: pa.Table, layout: Layout) -> pa.Table:
    fitted = fitted_rows(rows, layout.schema, layout.uuid)
    for name in layout.partition_on:
        if fitted[name].null_count:
            raise UserError(
                "row.null_partition",
                "A row has no value in a partition column",
                place=Place(table=layout.uuid, column=name),
                remedy="Fill the column, filter such rows out, or partition by another one.",
            )
    return fitted
