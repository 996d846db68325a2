"""Upserts and deletions by key are settled here: the files of old rows that have a key are written again without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from component.dataset.changes.execution import Executor
from component.dataset.changes.key_sets import GatherKeys, KeySet, all_keys, gather_sets, stored_keys
from component.dataset.changes.known_keys import candidates, fresh_scan
from component.dataset.changes.modes import files_layout
from component.dataset.changes.rewrite import new_target, run_rewrites
from component.dataset.changes.settling import Settled, dataset_of
from component.dataset.changes.upsert import drop_tasks
from component.dataset.commits.commit import CommitPlan
from component.dataset.files.write import Written
from component.dataset.reading.reader import Dataset
from component.store.base import Store
from component.store.uncommitted import Uncommitted


def settle_by_key(
    uncommitted: Uncommitted,
    plan: CommitPlan,
    written: tuple[Written, ...],
    executor: Executor,
    before: Settled | None,
) -> Settled:
    """Find the rows that new ones replace or delete, and write their files again; arguments and errors as `settle`."""
    store = uncommitted.store
    dataset = dataset_of(store, plan) if plan.base is not None else None
    sets = before.sets if before is not None else _gather(store, plan, dataset, written, executor)
    uncommitted.add(stored_keys(sets))
    deletes = plan.intent.mode == "delete"
    settled = Settled(plan, () if deletes else written, sets=sets, passing=written if deletes else ())
    return settled if dataset is None else _without_keys(uncommitted, settled, dataset, executor, before)


def _gather(
    store: Store, plan: CommitPlan, dataset: Dataset | None, written: Sequence[Written], executor: Executor
) -> tuple[KeySet, ...]:
    layout = files_layout(plan)
    schema = dataset.schema if dataset is not None else layout.stored_schema
    scans = tuple(fresh_scan(file.label, file.key, layout) for part in written for file in part.files)
    unique = plan.intent.mode == "upsert"
    task = GatherKeys(store, layout.uuid, schema, plan.intent.key, scans, unique)
    return gather_sets(executor, task, sum(part.rows for part in written))


def _without_keys(
    uncommitted: Uncommitted, settled: Settled, dataset: Dataset, executor: Executor, before: Settled | None
) -> Settled:
    """Write the files again that hold a key and were not written again before."""
    store, plan = dataset.store, settled.plan
    there = dataset.header.partitions.keys()
    known = before.rewritten if before is not None else ()
    looked_at = before.looked_at & there if before is not None else frozenset()
    scans = candidates(dataset, all_keys(settled.sets, store)) if settled.sets else ()
    scans = tuple(scan for scan in scans if scan.label not in looked_at)
    sizes = _sizes(dataset) if len(scans) > 1 else {}
    tasks = drop_tasks(new_target(store, dataset.schema, plan.layout), scans, sizes, plan.intent.key, settled.sets)
    fresh = run_rewrites(uncommitted, executor, tasks, sizes)
    kept = tuple(one for one in known if there >= set(one.labels))
    uncommitted.discard(key for one in known if one not in kept for key in one.keys)
    done = (*kept, *fresh)
    return replace(
        settled,
        plan=replace(plan, removed=frozenset(label for one in done for label in one.labels)),
        rewritten=done,
        rows_gone=sum(one.gone for one in done),
        looked_at=looked_at | {scan.label for scan in scans},
    )


def _sizes(dataset: Dataset) -> Mapping[str, int]:
    return {stat.key: stat.size for stat in dataset.store.list(f"{dataset.header.uuid}/{dataset.table}/")}
