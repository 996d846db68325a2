"""What indices and partition values say of a question: which partitions may hold rows, and what is left to ask there.

An index knows every value of its column that is neither null nor NaN, with the labels of all partitions that hold it.
So it answers for conditions on values, and for no other; and a conjunction is narrowed by each of its indices, whatever
the other conjunctions ask.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from component.dataset.files.predicates import Condition, Conjunction, Predicates
from component.dataset.indices.lookup import labels_where, lookup, naming_index, read_embedded
from component.store.base import Store


@dataclass(frozen=True, slots=True)
class Narrowed:
    """One conjunction: labels that indices leave (None: any), tests of partition values, what is asked of rows."""

    labels: frozenset[str] | None
    tests: tuple[tuple[str, Callable[[Any], bool]], ...]
    rest: Conjunction

    def allows(self, label: str) -> bool:
        """Whether the indices leave the partition over."""
        return self.labels is None or label in self.labels

    def holds(self, partition_values: Mapping[str, Any]) -> bool:
        """Whether what is asked of the partition values is true."""
        return all(test(partition_values[column]) for column, test in self.tests)


def residual(conjunctions: Sequence[Narrowed], partition_values: Mapping[str, Any]) -> Predicates | None:
    """Return what is left to ask of the rows in a partition. None: no row can be wanted. Empty: every row is."""
    left = tuple(one.rest for one in conjunctions if one.holds(partition_values))
    return () if not all(left) else left or None


@dataclass(frozen=True, slots=True)
class Indices:
    """The secondary indices of a dataset and where they are; `schema` is that of its rows."""

    store: Store
    schema: pa.Schema
    indices: Mapping[str, Any]

    def answers(self, condition: Condition) -> bool:
        """Whether an index says in which partitions the condition may be true."""
        return condition.indexable and condition.column in self.indices

    def labels(self, column: str, conditions: Sequence[Condition]) -> list[frozenset[str]]:
        """Return the labels for each condition on a column; the index is read once.

        UserError of the code of what is wrong when the index cannot be used.
        """
        index = self.indices[column]
        if isinstance(index, Mapping):
            return labels_where(read_embedded(index, column, self.schema.field(column).type), conditions)
        with naming_index(column), self.store.open(index) as file:
            return lookup(file, column, conditions)


def narrow(
    predicates: Predicates, partition_keys: Sequence[str], indices: Indices
) -> tuple[tuple[Narrowed, ...], dict[str, frozenset[str]]]:
    """Return the conjunctions as indices and partition keys narrow them, and what each index that was read leaves over.

    Each index is read once at most, and none where some conjunction leaves every partition open: all are read then.
    """
    asked: dict[str, list[Condition]] = {}
    if all(any(c.column in partition_keys or indices.answers(c) for c in conjunction) for conjunction in predicates):
        for conjunction in predicates:
            for condition in conjunction:
                if indices.answers(condition):
                    asked.setdefault(condition.column, []).append(condition)
    found = {column: indices.labels(column, conditions) for column, conditions in asked.items()}
    ahead = {column: iter(labels) for column, labels in found.items()}
    narrowed = []
    for conjunction in predicates:
        labels = [next(ahead[c.column]) for c in conjunction if c.column in found and indices.answers(c)]
        of_keys = [condition for condition in conjunction if condition.column in partition_keys]
        narrowed.append(
            Narrowed(
                frozenset.intersection(*labels) if labels else None,
                tuple((condition.column, condition.test()) for condition in of_keys),
                tuple(condition for condition in conjunction if condition.column not in partition_keys),
            )
        )
    return tuple(narrowed), {column: frozenset().union(*labels) for column, labels in found.items()}
