"""Several tables of one configured dataset: what they must have in common, and which of them an output reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import pyarrow as pa

from component.dataset.commits.tables import check_shared
from component.errors import UserError
from component.plan.model import DatasetPlan


def check_tables(plans: Sequence[DatasetPlan], *, inferred: bool = False) -> None:
    """Raise UserError `column.type` where tables of one dataset do not agree on the type of a column.

    Of tables that become datasets of their own only the partition columns need to agree. `inferred`: the types that the
    run finds out are known.
    """
    for named, group in groupby(plans, lambda plan: plan.named and plan.named[0]):
        tables = list(group)
        if named is None or len(tables) < 2:
            continue
        unknown = () if inferred else [(_table(plan), name) for plan in tables for name in plan.infer]
        check_shared({_table(plan): _shared(plan) for plan in tables}, named, unknown)


def _table(plan: DatasetPlan) -> str:
    return plan.named[1] if plan.named else plan.table


def _shared(plan: DatasetPlan) -> pa.Schema:
    """Return the columns that must have the types of the other tables."""
    if plan.compatibility == "kartothek":
        return plan.schema.arrow
    return pa.schema([plan.schema.arrow.field(name) for name in plan.partition_on])


Made = Mapping[str, Sequence[DatasetPlan]]
"""The tables that a run makes, by each name of their dataset."""


def made_by(plans: Iterable[DatasetPlan]) -> Made:
    """Return planned tables by the names of their datasets: a table that is a dataset of its own has two."""
    found: dict[str, list[DatasetPlan]] = {}
    for plan in plans:
        for name in {plan.uuid, plan.named[0] if plan.named else plan.uuid}:
            found.setdefault(name, []).append(plan)
    return found


def find_made(made: Made, uuid: str, table: str | None) -> DatasetPlan | None:
    """Return what an output of a dataset and a table reads of what the run makes; None when the run does not make it.

    A table that is a dataset of its own has two names. UserError `config.value` when the dataset does not have the
    table, or the output does not say which of several it means.
    """
    of_it = made.get(uuid, ())
    if not of_it:
        return None
    tables = [plan.table if plan.uuid == uuid else _table(plan) for plan in of_it]
    if table is None and len(of_it) == 1:
        return of_it[0]
    if table in tables:
        return of_it[tables.index(table)]
    what = "does not say which table it means" if table is None else f"is of the table {table!r}"
    raise UserError(
        "config.value",
        f"An output of the dataset {uuid!r} {what}, and the dataset has {', '.join(tables)}",
        remedy='Name one of them in its "table".',
    )
