"""Writes of every mode, from the files of new rows to the commit.

To settle a write is to find out what of the state that is there goes, and to write the touched files again without it.
After a lost race it is settled again on the new state, with the same files of new rows; what was written of old files
that are still there is used again. An overwrite, and an append without a primary key, have nothing to find out: what
looks into old files is loaded by the modes and keys that need it.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import pyarrow as pa
import pyarrow.compute as pc

from component.dataset.changes.execution import HERE, Executor
from component.dataset.commits.commit import CommitPlan, Prepared, prepare_and_publish, replan
from component.dataset.commits.latest import on_latest
from component.dataset.commits.scope import labels_in_scope
from component.dataset.files.write import Written
from component.dataset.format.facts import known_facts
from component.dataset.format.trusted import read_schema
from component.dataset.format.values import value_text
from component.dataset.reading.reader import Dataset
from component.errors import CommitRefusedError, UserError
from component.store.base import Store
from component.store.uncommitted import Uncommitted, discard

if TYPE_CHECKING:
    from component.dataset.changes.key_sets import KeySet
    from component.dataset.changes.rewrite import Rewritten


@dataclass(frozen=True, slots=True)
class Settled:
    """A write that is ready to be prepared: its plan with what goes, and the files that come.

    `fresh` are files of new rows, `rewritten` what became of old files, of which `rows_gone` are gone (None: unknown);
    `looked_at` are the labels of old files that were looked into. `sets` and `passing` are kept until the commit, for
    the next try; `carried` are files of tables that no rows come for. `warnings` say what is wrong with primary keys.
    """

    plan: CommitPlan
    fresh: tuple[Written, ...]
    rewritten: tuple[Rewritten, ...] = ()
    rows_gone: int | None = 0
    looked_at: frozenset[str] = frozenset()
    sets: tuple[KeySet, ...] = ()
    passing: tuple[Written, ...] = ()
    carried: tuple[Written, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def written(self) -> tuple[Written, ...]:
        """All files that come."""
        return (*self.fresh, *(one.written for one in self.rewritten), *self.carried)

    @property
    def temporary(self) -> Iterator[str]:
        """The keys of what the write needs only until its commit."""
        yield from (one.key for one in self.sets if one.key is not None)
        yield from (file.key for part in self.passing for file in part.files)

    @property
    def idle(self) -> bool:
        """Whether a write by key changes nothing of a dataset that is there: no row comes, and none goes."""
        there = self.plan.base is not None and self.plan.intent.by_key
        return there and not self.rewritten and not any(part.files for part in self.fresh)


def settle(
    uncommitted: Uncommitted,
    plan: CommitPlan,
    written: Sequence[Written],
    executor: Executor = HERE,
    before: Settled | None = None,
) -> Settled:
    """Find out what goes of the base, and write touched files again.

    `before` is the same write as it was settled on an earlier state. UserError `dataset.key` for a null in the key of a
    new row, and for an upsert when a key stands twice; `row.duplicate_key` for a primary key that rows have which stay,
    unless a warning is enough, and CommitRefusedError when these came since `before`.
    """
    settled = _settle(uncommitted, plan, written, executor, before)
    return replace(settled, warnings=_met(uncommitted.store, settled, executor, before))


def _settle(
    uncommitted: Uncommitted,
    plan: CommitPlan,
    written: Sequence[Written],
    executor: Executor,
    before: Settled | None,
) -> Settled:
    if plan.intent.by_key:
        from component.dataset.changes.settling_by_key import settle_by_key  # noqa: PLC0415 - as said above

        settled = settle_by_key(uncommitted, plan, tuple(written), executor, before)
        return _in_step(uncommitted, settled, settled.rewritten)
    if plan.intent.mode != "replace_partitions" or plan.base is None:
        return _in_step(uncommitted, Settled(plan, tuple(written)), ())
    from component.dataset.changes.rewrite import Rewritten  # noqa: PLC0415 - as said above

    plan = with_replaced(uncommitted.store, plan, written)
    going = [Rewritten((label,), Written(), table=plan.layout.table) for label in sorted(plan.removed)]
    gone = _rows_of(uncommitted.store, plan, plan.removed)
    return _in_step(uncommitted, Settled(plan, tuple(written), rows_gone=gone), going)


def with_replaced(store: Store, plan: CommitPlan, written: Sequence[Written]) -> CommitPlan:
    """Return a plan with what goes where new rows replace partitions."""
    if plan.intent.mode != "replace_partitions" or plan.base is None:
        return plan
    return replace(plan, removed=_replaced(dataset_of(store, plan), plan, written))


def _in_step(uncommitted: Uncommitted, settled: Settled, done: Sequence[Rewritten]) -> Settled:
    """Carry along the tables for which no rows come: `done` is what goes or is written again of the others."""
    plan = settled.plan
    if not plan.absent or plan.base is None:
        return settled
    from component.dataset.changes.carrying import carry  # noqa: PLC0415 - as said above

    store, header = uncommitted.store, plan.base.header
    tables = [Dataset(store, header, table, read_schema(store, header, table)) for table in header.tables]
    return replace(settled, carried=carry(uncommitted, tables, plan.all_layouts, done, settled.written))


def _met(store: Store, settled: Settled, executor: Executor, before: Settled | None) -> tuple[str, ...]:
    """Look for the primary keys of new rows among the rows that stay."""
    plan = settled.plan
    if not plan.may_repeat_keys:
        return ()
    from component.dataset.changes.known_keys import check_known_keys  # noqa: PLC0415 - as said above

    try:
        return check_known_keys(store, plan, settled.fresh, settled.rewritten, executor)
    except UserError as error:
        if before is None or plan.intent.on_duplicate_key != "reject" or error.code != "row.duplicate_key":
            raise
        raise CommitRefusedError(
            "commit.refused",
            f"Another writer has added rows to the dataset {plan.layout.uuid!r} that have a primary key of the new"
            " rows",
            remedy="Run again: the new rows with such keys are rejected then.",
        ) from error


def dataset_of(store: Store, plan: CommitPlan) -> Dataset:
    """Return the base of a plan, which has one, as a dataset."""
    assert plan.base is not None  # noqa: S101 - callers look first
    header = plan.base.header
    table = plan.layout.table if plan.layout.table in header.tables else header.table
    return Dataset(store, header, table, read_schema(store, header, table))


def _replaced(dataset: Dataset, plan: CommitPlan, written: Sequence[Written]) -> frozenset[str]:
    if plan.intent.scope is not None:
        return labels_in_scope(dataset, plan.intent.scope)
    keys = dataset.header.partition_keys
    new = {_values(dataset, file.key) for part in written for file in part.files}
    if not keys or not new:
        return frozenset()
    return frozenset(
        label
        for label, files in dataset.header.partitions.items()
        if _values(dataset, next(iter(files.values()))) in new
    )


def _rows_of(store: Store, plan: CommitPlan, labels: Collection[str]) -> int | None:
    """Return the rows that go with some labels by what the header knows of them; None where it does not know all."""
    assert plan.base is not None  # noqa: S101 - callers look first
    header, stays = plan.base.header, {other.layout.table for other in plan.absent}
    start = len(header.uuid) + 1
    named = (pair for label in labels for pair in header.partitions[label].items())
    files = [key[start:] for table, key in named if table not in stays]
    if not files:
        return 0
    facts = known_facts(store, header).table
    found = facts.filter(pc.is_in(facts["file"], value_set=pa.array(files, facts["file"].type)))
    return pc.sum(found["rows"]).as_py() if found.num_rows == len(files) else None


def _values(dataset: Dataset, key: str) -> tuple[str, ...]:
    """Return the partition values in a key as our writer spells them, which other clients may not."""
    return tuple(map(value_text, dataset.partition_values(key).values()))


def settle_again(uncommitted: Uncommitted, settled: Settled, executor: Executor = HERE) -> Settled:
    """Settle a write on the state that is there now, after another writer won; errors as `replan` and `settle`."""
    uncommitted.discard(file.key for part in settled.carried for file in part.files)
    plan = replan(uncommitted.store, settled.plan)
    return settle(uncommitted, plan, settled.passing or settled.fresh, executor, before=settled)


def commit_write(
    uncommitted: Uncommitted,
    plan: CommitPlan,
    written: Sequence[Written],
    executor: Executor = HERE,
    *,
    if_idle: Literal["commit", "leave"] = "commit",
) -> Prepared | None:
    """Settle, prepare and publish; None for an idle write that is to be left.

    A write that loses the race is settled again on the new state, an overwrite is not.

    Warns, as Python does, of what is wrong with primary keys, where that is no error. Errors as `commit`, `settle` and
    `check_new_keys`.
    """
    from component.dataset.changes.known_keys import check_new_keys  # noqa: PLC0415 - as said above

    warned = check_new_keys(uncommitted.store, plan, written)

    def attempt(settled: Settled) -> tuple[Settled, Prepared | None]:
        if settled.idle and if_idle == "leave":
            return settled, None
        return settled, prepare_and_publish(uncommitted, settled.plan, settled.written)

    def again(lost: Settled, refused: CommitRefusedError) -> Settled:
        if plan.intent.mode == "overwrite":
            raise refused
        return settle_again(uncommitted, lost, executor)

    settled, prepared = on_latest(settle(uncommitted, plan, written, executor), attempt, again)
    discard(uncommitted.store, settled.temporary)
    for text in (*warned, *settled.warnings):
        warnings.warn(text, stacklevel=2)
    return prepared
