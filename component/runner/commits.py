"""From planned datasets to planned commits: what is in the store, and whether it takes the rows to come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from component.dataset.changes.modes import files_layout, plan_write
from component.dataset.commits.commit import CommitPlan
from component.dataset.commits.fit import joining_losses
from component.dataset.format.header import read_header
from component.dataset.format.layout import Layout, OtherTable
from component.dataset.reading.reader import open_dataset
from component.formats.losses import Loss
from component.plan.model import DatasetPlan
from component.store.base import Store
from component.tables.marks import NO_MARKS, marks_of, with_marks
from component.tables.types import Column

NOTHING_REMEMBERED: Final[Mapping[str, str]] = {}


def layout_of(plan: DatasetPlan) -> Layout:
    """Return the layout that a planned dataset asks for."""
    return Layout(
        plan.uuid,
        plan.schema.arrow,
        plan.partition_on,
        plan.secondary_indices,
        plan.sort_by,
        plan.table,
        tuple((column.name, column.attributes) for column in plan.schema.columns if column.attributes),
        plan.compatibility,
        plan.buckets,
    )


def by_commit(plans: Sequence[DatasetPlan]) -> list[tuple[DatasetPlan, ...]]:
    """Return the plans of tables that come with one commit together: those of one uuid in the store."""
    return [tuple(tables) for _, tables in groupby(plans, lambda plan: plan.uuid)]


def plan_commits(
    store: Store, plans: Sequence[DatasetPlan], remembered: Mapping[str, str] = NOTHING_REMEMBERED
) -> list[CommitPlan]:
    """Read what is there and check that it takes what is planned, before anything is read or written.

    There is one commit for each dataset, in the order of `by_commit`. `remembered` are the commits of the last run by
    dataset: a dataset that is overwritten without being there still goes on from its own.
    """
    return [plan_tables(store, tables, remembered) for tables in by_commit(plans)]


def plan_tables(store: Store, tables: Sequence[DatasetPlan], remembered: Mapping[str, str]) -> CommitPlan:
    """Return the commit that brings some tables, all of one dataset; `remembered` as of `plan_commits`."""
    first, *others = tables
    plan = plan_write(
        store,
        layout_of(first),
        first.intent,
        metadata=first.metadata,
        storage_format=first.storage_format,
        primary_key=first.schema.primary_key,
        others=[OtherTable(layout_of(other), other.schema.primary_key) for other in others],
    )
    return replace(plan, succeeds=remembered.get(first.uuid) if first.mode == "overwrite" else None)


def with_stored_types(store: Store, plans: Sequence[DatasetPlan]) -> list[DatasetPlan]:
    """Return the plans with the types that a dataset has already, where rows are to meet those that are there.

    What is found out from one day's cells may be another type than that of the day before.
    """
    return [_with_stored_types(store, plan) if plan.infer and plan.mode != "overwrite" else plan for plan in plans]


def _with_stored_types(store: Store, plan: DatasetPlan) -> DatasetPlan:
    stored = read_header(store, plan.uuid)
    if stored is None or plan.table not in stored.header.tables:
        return plan
    there = open_dataset(store, plan.uuid, table=plan.table)
    known = {column.name: column for column in there.described([name for name in plan.infer if name in there.columns])}
    columns = tuple(
        _as_known(column, known[column.name], plan.marks) if column.name in known else column
        for column in plan.schema.columns
    )
    infer = tuple(name for name in plan.infer if name not in known)
    return replace(plan, schema=replace(plan.schema, columns=columns), infer=infer)


def _as_known(column: Column, known: Column, marks: tuple[str, str] | None) -> Column:
    """Return a column with the type that the dataset has, and numbers written as configured, or as they came before."""
    typed = replace(column, type=known.type, length=known.length)
    return with_marks(typed, *(marks or marks_of(known) or NO_MARKS))


def targets_of(commit: CommitPlan) -> tuple[OtherTable, ...]:
    """Return how the rows of each table of a commit are laid out, and the primary key of each, in the given order."""
    return (OtherTable(files_layout(commit), commit.primary_key), *commit.others)


def joining_losses_of(commit: CommitPlan, plans: Sequence[DatasetPlan]) -> list[tuple[Loss, ...]]:
    """Return, for each table of a commit, what its rows and those of the dataset lose by being one column."""
    if not commit.appends or commit.base is None or commit.intent.mode == "delete":
        return [() for _ in plans]
    header = commit.base.header
    pairs = zip(plans, commit.layouts, strict=True)
    return [tuple(joining_losses(layout_of(plan), layout, header)) for plan, layout in pairs]
