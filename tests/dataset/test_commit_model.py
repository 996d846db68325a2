"""Writers, readers and collectors in every order of their store calls, each of them ended by a crash at any of them.

What is checked in every state that can be reached: the live state is the one before, or follows it by one commit, of
which the rows are exactly what its operation makes of the rows before it; so nothing that was committed is lost. Every
index is exact, and the chain of the history leads to where it began. At the end: an actor that is done has its commit
in the chain, one that was refused or failed has not. And after a crash at any point: the next writer can go on, and a
collection leaves the dataset whole.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pytest

from component import clock
from component.dataset.commit import commit, plan_commit
from component.dataset.garbage import Retention, collect, find_garbage
from component.dataset.header import read_header
from component.dataset.history import Commit, history
from component.dataset.operations import delete_rows
from component.dataset.reader import open_dataset, plan_scan, read_scan
from component.dataset.verify import verify
from component.store.base import Store
from tests.dataset.making import bag, layout_of, read_all, write_dataset, write_files
from tests.dataset.memory import MemoryStore
from tests.dataset.schedules import Explored, Outcome, Work, actor_of, content, explore, names, set_actor

pytestmark = pytest.mark.usefixtures(names.__name__)
__all__ = ["names"]

Rows = list[int]
HOUR = dt.timedelta(hours=1)
LIVE_ONLY = Retention(commits=1, age=dt.timedelta(0))


def rows_of(values: Rows) -> pa.Table:
    return pa.table({"v": pa.array(values, pa.int64())})


@dataclass
class Scenario:
    """A store, and the writers by name: each a work, and what it makes of the rows before it."""

    base: MemoryStore
    works: dict[str, Work] = field(default_factory=dict)
    makes: dict[int, Callable[[Rows], Rows]] = field(default_factory=dict)

    def add(self, work: Work, makes: Callable[[Rows], Rows] | None = None) -> int:
        number = len(self.works) + 1
        self.works[f"{number}"] = work
        if makes is not None:
            self.makes[number] = makes
        return number

    def append(self, *values: int, storage_format="json") -> int:
        return self.write("append", values, storage_format)

    def overwrite(self, *values: int, storage_format="json") -> int:
        return self.write("overwrite", values, storage_format)

    def write(self, mode, values, storage_format="json") -> int:
        """A writer whose data files are in the store before it begins: nobody sees files that no header names."""
        layout = layout_of(rows_of(values), [], ["v"])
        set_actor(len(self.works) + 1 + 0x1000)
        written = [write_files(self.base, layout, rows_of(values))]

        def work(store: Store):
            plan = plan_commit(store, layout, mode, storage_format=storage_format)
            return commit(store, plan, written).header

        return self.add(work, lambda before: sorted([*(before if mode == "append" else []), *values]))

    def delete(self, value: int) -> int:
        def work(store: Store):
            prepared = delete_rows(store, "sales", [[["v", "==", value]]])
            return prepared and prepared.header

        return self.add(work, lambda before: [one for one in before if one != value])

    def explore(self, **bounds) -> Explored:
        return explore(self.base, self.works, on_state=Checks(self).on_state, **bounds)


class Checks:
    """What must hold in every state; a state of the store is looked at once."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.chains: dict[object, list[Commit]] = {}
        self.root = [one.id for one in self.chain(scenario.base)][-1:]

    def on_state(self, before: MemoryStore, after: MemoryStore, outcomes: list[Outcome]) -> None:
        old, new = self.chain(before), self.chain(after)
        ids = [one.id for one in new]
        assert not old or old[0].id in ids[:2], "a commit was lost"
        for number in self.scenario.makes:
            self.check_outcome(number, outcomes[number - 1], ids)

    def check_outcome(self, number: int, outcome: Outcome, ids: list[str]) -> None:
        mine = [name for name in ids if actor_of(name) == number]
        assert len(mine) <= 1
        if outcome.kind == "done":
            assert mine == [] if outcome.value is None else mine
        if outcome.kind in {"refused", "failed"}:
            assert not mine, f"{outcome.kind}, and yet visible"

    def chain(self, store: MemoryStore) -> list[Commit]:
        """The states of the dataset, the live one first, checked."""
        key = content(store)
        if key not in self.chains:
            self.chains[key] = self.checked(store)
            self.go_on(store.copy())
        return self.chains[key]

    def checked(self, store: MemoryStore) -> list[Commit]:
        if read_header(store, "sales") is None:
            return []
        commits = list(history(store, "sales"))
        assert commits[-1].parent is None, "the chain is broken"
        rows: Rows = []
        for one in reversed(commits):
            rows = self.scenario.makes.get(actor_of(one.id), lambda rows: rows)(rows) if actor_of(one.id) else BASE
            found = [read_scan(store, d.schema, s, ["v"]) for d in [open_dataset(store, "sales", as_of=one.id)] for s in plan_scan(d)]
            assert sorted(v for t in found for v in t["v"].to_pylist()) == rows
        assert not [fault for fault in verify(store, "sales").faults if fault.code != "verify.hidden_header"]
        return commits

    def go_on(self, store: MemoryStore) -> None:
        """As if all writers had crashed here: another one appends, and what is left is collected."""
        set_actor(0xFFF)
        before = sorted(read_all(store)["v"].to_pylist()) if read_header(store, "sales") else []
        write_dataset(store, rows_of([99]), [], ["v"], mode="append")
        collect(store, find_garbage(store, "sales", min_age=-HOUR, retention=LIVE_ONLY))
        assert sorted(read_all(store)["v"].to_pylist()) == sorted([*before, 99])
        assert not verify(store, "sales").faults


BASE: Rows = [1]


def dataset(storage_format="json") -> MemoryStore:
    store = MemoryStore()
    set_actor(0)
    write_dataset(store, rows_of(BASE), [], ["v"], storage_format=storage_format)
    return store


def test_try():
    import time
    for left, right in [("append","append"),("append","overwrite"),("overwrite","overwrite")]:
        for base in ("json","msgpack.zstd"):
            t=time.time()
            s = Scenario(dataset(base)); s.write(left,[5]); s.write(right,[6])
            e = s.explore()
            print(left,right,base,e.schedules,e.states,len(e.ends),set(e.ends),time.time()-t)
