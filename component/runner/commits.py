"""From planned datasets to planned commits: what is in the store, and whether it takes the rows to come."""

from __future__ import annotations

from collections.abc import Sequence

from component.dataset.commit import CommitPlan, plan_commit
from component.dataset.layout import Layout
from component.plan.model import DatasetPlan
from component.store.base import Store


def layout_of(plan: DatasetPlan) -> Layout:
    """Return the layout that a planned dataset asks for."""
    return Layout(plan.uuid, plan.schema.arrow, plan.partition_on, plan.secondary_indices, plan.sort_by, plan.table)


def plan_commits(store: Store, plans: Sequence[DatasetPlan]) -> list[CommitPlan]:
    """Read what is there and check that it takes what is planned, before anything is read or written."""
    return [
        plan_commit(
            store,
            layout_of(plan),
            plan.mode,
            metadata=plan.metadata,
            storage_format=plan.storage_format,
            primary_key=plan.schema.primary_key,
        )
        for plan in plans
    ]
