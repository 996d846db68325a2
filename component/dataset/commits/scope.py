"""A delete_scope: which partitions a replacement or a deletion takes away. Nothing means everything by mistake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from component.dataset.files.predicates import bind_predicates
from component.dataset.reading.reader import Dataset, plan_scan
from component.errors import Place, UserError

Scope = Mapping[str, Any]
"""Partition keys with the value that each must have."""


def check_scope(scope: Sequence[Scope], uuid: str, partition_keys: Sequence[str], schema: pa.Schema) -> None:
    """Raise UserError for a scope that cannot be meant.

    `dataset.scope` for an empty scope or condition, which would mean everything, and for a column that is no partition
    key or null, since whole partitions go; `dataset.predicate` for a value that is none of its column's.
    """
    if not scope or not all(scope):
        raise UserError(
            "dataset.scope",
            "The delete_scope has no condition and would match every partition",
            place=Place(table=uuid),
            remedy="Give each entry a partition key and its value.",
        )
    for name in (name for condition in scope for name in condition):
        if name not in partition_keys:
            raise UserError(
                "dataset.scope",
                "The delete_scope names a column that is no partition key",
                place=Place(table=uuid, column=name),
                remedy=f"Partition keys are {', '.join(partition_keys) or 'none'}; for single rows use predicates.",
            )
        if any(condition.get(name, "") is None for condition in scope):
            raise UserError(
                "dataset.scope",
                "The delete_scope asks for null, and no partition has that",
                place=Place(table=uuid, column=name),
                remedy="Give the value of a partition.",
            )
    bind_predicates(_predicates(scope), schema)


def labels_in_scope(dataset: Dataset, scope: Sequence[Scope]) -> frozenset[str]:
    """Return the labels that a delete_scope matches, of any table; errors as `check_scope`."""
    header = dataset.header
    check_scope(scope, header.uuid, header.partition_keys, dataset.schema)
    tables = [replace(dataset, table=table) for table in header.tables]
    return frozenset(scan.label for table in tables for scan in plan_scan(table, _predicates(scope)))


def _predicates(scope: Sequence[Scope]) -> list[list[list[Any]]]:
    return [[[name, "==", value] for name, value in condition.items()] for condition in scope]
