"""The writer of the Spark data source: tasks write data files, the driver commits them or deletes them.

Nothing that a task writes is visible before the commit. Spark may run a task more than once; the attempts write files
of different names, and only those of the attempt that Spark counts are committed. The others are deleted by the attempt
itself when it fails, and by the driver when it knows of more than one; what a killed process leaves beyond that is
garbage that `find_garbage` finds. The commit appends, overwrites, or replaces the partitions of a scope.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from component import identity, naming
from component.dataset.changes.change import open_base
from component.dataset.changes.known_keys import check_known_keys, check_new_keys
from component.dataset.commits.commit import CommitPlan, commit, plan_commit, replan
from component.dataset.commits.fit import fitted_rows
from component.dataset.commits.latest import on_latest
from component.dataset.commits.scope import Scope, labels_in_scope
from component.dataset.commits.tables import fill_tables
from component.dataset.files.write import PartitionWriter, Written
from component.dataset.format.header import read_header
from component.dataset.format.layout import Layout
from component.dataset.format.values import check_partition_type
from component.dataset.reading.reader import open_dataset
from component.errors import CommitRefusedError, Place, UserError
from component.spark.datasource.options import SourceOptions
from component.spark.datasource.types import dataset_schema, known_types
from component.store.base import Store, Version
from component.store.uncommitted import Uncommitted, discard_run

_WRITE_DIGITS = 16
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
        self._run = identity.new_hex()[:_WRITE_DIGITS]

    def write(self, iterator: Iterator[pa.RecordBatch]) -> TaskDone:
        """Write the rows of one task; on any error nothing of it is left in the store."""
        layout = self._task.plan.layout
        with PartitionWriter(self._task.store, layout, stems(self._run)) as writer:
            for rows in joined(iterator):
                writer.add(_checked(rows, layout))
            written = writer.finish()
        context = TaskContext.get()
        return TaskDone(written, context.attemptNumber() if context is not None else 0)

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Commit what the tasks wrote; errors as `commit_source`, and then the files are deleted.

        They stay after CommitUnknownError: the dataset may name them.
        """
        done = [message for message in messages if isinstance(message, TaskDone)]
        written = [message.written for message in done]
        with Uncommitted(self._task.store) as uncommitted:
            uncommitted.add_run(self._folder, self._run)
            commit_source(self._task, written, uncommitted)
        if any(message.attempt for message in done):
            kept = {file.key for part in written for file in part.files}
            discard_run(self._task.store, self._folder, self._run, kept)

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Delete what the tasks wrote when some failed.

        Spark also aborts after a commit that failed: then every task has a message, and `commit` did what was to do.
        A task that Spark has not stopped yet may still put a file, so there are several looks; what comes later than
        the last one is garbage, which a collection finds.
        """
        if any(message is None for message in messages):
            discard_run(self._task.store, self._folder, self._run)
            for seconds in _PAUSES:
                time.sleep(seconds)
                discard_run(self._task.store, self._folder, self._run)

    @property
    def _folder(self) -> str:
        return f"{self._task.plan.layout.uuid}/{self._task.plan.layout.table}/"


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


@dataclass(frozen=True, slots=True)
class CommitTask:
    """A write that is planned: how files are laid out, and onto what they will be committed.

    It travels to every task, so it names the state that it was planned on by its `version` only; None: no dataset.
    """

    store: Store
    plan: CommitPlan
    version: Version | None
    scope: tuple[Scope, ...] | None


def plan_source(options: SourceOptions, schema: StructType, *, overwrite: bool) -> CommitTask:
    """Plan a write by the state of the dataset now.

    UserError `spark.option` for a delete_scope without overwrite, `column.missing` and `column.type` for columns that
    options name, `dataset.schema`, `dataset.partitioning` and `dataset.scope` where a dataset that is there differs.
    """
    store, uuid, scope = options.address.store, options.address.uuid, options.delete_scope
    if scope is not None and not overwrite:
        raise UserError(
            "spark.option", "delete_scope is given to an append", remedy='Use mode("overwrite"), or leave it out.'
        )
    keeps = not overwrite or scope is not None
    rows = dataset_schema(schema)
    _check_columns(options, rows)
    if keeps and read_header(store, uuid) is not None:
        rows = known_types(rows, open_dataset(store, uuid).schema)
    if scope is not None:
        labels_in_scope(open_base(store, uuid).dataset, scope)
    plan = plan_commit(
        store,
        _layout(options, rows),
        "append" if keeps else "overwrite",
        metadata=options.metadata,
        primary_key=options.primary_key,
    )
    plan = replace(plan, intent=replace(plan.intent, on_duplicate_key=options.on_duplicate_key))
    base, light = plan.base, replace(plan, base=None)
    if keeps and base is not None and not options.primary_key:
        light = replace(light, primary_key=tuple(base.header.extras.get("primary_key", ())))
    return CommitTask(store, light, base.version if base else None, None if scope is None else tuple(scope))


def _layout(options: SourceOptions, rows: pa.Schema) -> Layout:
    return Layout(
        options.address.uuid,
        rows,
        options.partition_on,
        options.secondary_indices,
        options.sort_by,
        options.table or naming.DEFAULT_TABLE,
    )


def _check_columns(options: SourceOptions, rows: pa.Schema) -> None:
    for name in (*options.partition_on, *options.sort_by, *options.primary_key):
        if name not in rows.names:
            raise UserError(
                "column.missing",
                "An option names a column that the rows do not have",
                place=Place(table=options.address.uuid, column=name),
                remedy=f"The columns are {', '.join(rows.names)}.",
            )
    for name in options.partition_on:
        check_partition_type(name, rows.field(name).type, table=options.address.uuid)


def commit_source(task: CommitTask, written: Sequence[Written], uncommitted: Uncommitted) -> None:
    """Commit what the tasks wrote.

    Warns, as Python does, of what is wrong with primary keys; with `on_duplicate_key` fail a UserError, `row.null_key`
    or `row.duplicate_key`. An append is committed onto the state that is there by now, and so is a replacement of
    partitions, which decides anew what is in its scope. CommitRefusedError when the dataset is partitioned or indexed
    in another way by now, or for an overwrite when it is not the state any more that was there when the write was
    planned.
    """

    def attempt(plan: CommitPlan) -> list[str]:
        warned = [*check_new_keys(task.store, plan, written), *check_known_keys(task.store, plan, written)]
        with uncommitted:
            filled = fill_tables(uncommitted, plan.all_layouts, written)
            commit(task.store, plan, [*written, *filled], uncommitted)
        return warned

    def again(lost: CommitPlan, refused: CommitRefusedError) -> CommitPlan:
        if lost.mode == "overwrite":
            raise refused
        return _plan_now(task)

    for text in on_latest(_plan_now(task), attempt, again):
        warnings.warn(text, stacklevel=2)


def _plan_now(task: CommitTask) -> CommitPlan:
    """Return the plan on the state that is there now; what it decides is decided again after a lost race."""
    plan = replan(task.store, task.plan)
    if task.plan.mode == "overwrite" and (plan.base.version if plan.base else None) != task.version:
        raise CommitRefusedError(
            "commit.refused",
            f"The dataset {task.plan.layout.uuid!r} has changed since the overwrite began",
            remedy="Run again, if it is still to be overwritten.",
        )
    if task.scope is None:
        return replace(plan, operation=plan.mode)
    base = open_base(task.store, task.plan.layout.uuid)
    removed = labels_in_scope(base.dataset, task.scope)
    return replace(plan, base=base.stored, operation="replace partitions", removed=removed)
