"""From planned datasets to planned commits: what is in the store, and whether it takes the rows to come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from component.dataset.changes.modes import files_layout, plan_write
from component.dataset.commits.commit import CommitPlan
from component.dataset.format.layout import Layout, OtherTable
from component.plan.model import DatasetPlan
from component.store.base import Store

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
    return [
        replace(
            plan_write(
                store,
                layout_of(first),
                first.intent,
                metadata=first.metadata,
                storage_format=first.storage_format,
                primary_key=first.schema.primary_key,
                others=[OtherTable(layout_of(other), other.schema.primary_key) for other in others],
            ),
            succeeds=remembered.get(first.uuid) if first.mode == "overwrite" else None,
        )
        for first, *others in by_commit(plans)
    ]


def layouts_of(commit: CommitPlan) -> tuple[Layout, ...]:
    """Return how the rows of each table of a commit are laid out."""
    return (files_layout(commit), *(other.layout for other in commit.others))
