"""Who shares a store in the commit model, what each makes of the rows, and what must hold in every state."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from component.dataset.changes.operations import delete_rows
from component.dataset.changes.restore import restore
from component.dataset.commits.commit import commit, plan_commit, prepare, publish
from component.dataset.commits.garbage import Retention, collect, delete_dataset, find_garbage
from component.dataset.commits.rollback import rollback
from component.dataset.commits.writable import settled_header
from component.dataset.format.header import encode_header, read_header
from component.dataset.format.history import Commit, commit_of, history, lost_commits
from component.dataset.format.keys import header_key
from component.dataset.reading.reader import Dataset, open_dataset, read_dataset
from component.dataset.verification.verify import verify
from component.errors import CommitUnknownError, RetryError, TablemillError
from component.store.base import Store
from component.store.uncommitted import Uncommitted
from tests.dataset.making import layout_of, read_all, write_dataset, write_files
from tests.dataset.memory import MemoryStore
from tests.dataset.schedules import Execution, Explored, Outcome, Work, actor_of, content, explore, set_actor

Rows = list[int]
Makes = Callable[[Rows], Rows]

BASE: Rows = [1, 2]
HOUR = dt.timedelta(hours=1)
LIVE_ONLY = Retention(commits=1, age=dt.timedelta(0))
LONG_AGO = 10 * 24 * 3600.0


def rows_of(values: Rows) -> pa.Table:
    return pa.table({"v": pa.array(values, pa.int64())})


def values_of(dataset: Dataset) -> Rows:
    return sorted(value for rows in read_dataset(dataset) for value in rows["v"].to_pylist())


def live_values(store: Store) -> Rows:
    return sorted(read_all(store)["v"].to_pylist()) if read_header(store, "sales") else []


def dataset(storage_format: Any = "json", *, appended: bool = True) -> MemoryStore:
    """Two states, of which the older one has the rows 1; all of it was put long ago."""
    store = MemoryStore()
    set_actor(0)
    write_dataset(store, rows_of(BASE[:1]), [], ["v"], storage_format=storage_format)
    if appended:
        write_dataset(store, rows_of(BASE[1:]), [], ["v"], mode="append")
    return aged(store)


def aged(store: MemoryStore) -> MemoryStore:
    return MemoryStore({key: (data, put - LONG_AGO) for key, (data, put) in store.objects.items()})


def only_shared(call: str, key: str) -> bool:
    """Calls that no other writer or reader can tell from not made: on index files and copies, which have new names."""
    return "/indices/" in key or ("/_history/" in key and call != "get_versioned")


def only_headers(call: str, key: str) -> bool:
    """The same, and looks at a schema that is there and that nobody changes."""
    return only_shared(call, key) or (call in {"get", "get_versioned"} and key.endswith("/_common_metadata"))


class LastStepError(RetryError):
    """What comes after the commit fails."""


@dataclass
class Scenario:
    """A store and its actors: each a work, and for a writer what it makes of the rows before it."""

    base: MemoryStore
    works: dict[str, Work] = field(default_factory=dict)
    makes: dict[int, Makes] = field(default_factory=dict)
    may_vanish: bool = False
    """Whether the dataset may be deleted, or a commit taken back."""
    moves_back: bool = False
    """Whether a header that moved to JSON is taken from there: then one call of a late mover is not looked behind."""

    def add(self, name: str, work: Work, makes: Makes | None = None) -> None:
        number = len(self.works) + 1
        self.works[f"{number} {name}"] = work
        if makes is not None:
            self.makes[number] = makes

    def write(self, mode: Any, storage_format: Any = "json") -> None:
        """A writer whose data files are in the store before it begins: nobody sees files that no header names."""
        plan_and_files = self._files(mode, storage_format)

        def work(store: Store) -> Any:
            plan, written = plan_and_files(store)
            return commit(store, plan, written).header

        self.add(mode, work, self._makes(mode))

    def overwrite_with(self, rows: pa.Table) -> None:
        """A writer of rows that have other columns or types."""
        layout = layout_of(rows)
        set_actor(0x1000 + len(self.works))
        written = [write_files(self.base, layout, rows)]
        self.add("other schema", lambda store: commit(store, plan_commit(store, layout, "overwrite"), written))

    def write_and_take_back(self, mode: Any, storage_format: Any = "json") -> None:
        """A run whose last step fails after its header was put; what it wrote goes, if the commit is taken back."""
        plan_and_files = self._files(mode, storage_format)
        self.may_vanish = True

        def work(store: Store) -> Any:
            plan, written = plan_and_files(store)
            with suppress(LastStepError), Uncommitted(store) as uncommitted:
                uncommitted.add(file.key for part in written for file in part.files)
                prepared = prepare(uncommitted, plan, written)
                try:
                    publish(store, prepared)
                    raise LastStepError("output.unwritable", "The last step fails")
                except TablemillError as error:
                    try:
                        rollback(store, prepared)
                    except TablemillError:
                        uncommitted.keep()
                        raise
                    if isinstance(error, CommitUnknownError):
                        raise RetryError("store.failed", error.text) from error
                    raise
            return "taken back"

        self.add("taken back", work, self._makes(mode))

    def _files(self, mode: Any, storage_format: Any) -> Callable[[Store], Any]:
        layout = layout_of(rows_of([]), [], ["v"])
        set_actor(0x1000 + len(self.works))
        written = [write_files(self.base, layout, rows_of([10 + len(self.works)]))]
        return lambda store: (plan_commit(store, layout, mode, storage_format=storage_format), written)

    def _makes(self, mode: str) -> Makes:
        value = 10 + len(self.works)
        return lambda before: sorted([*(before if mode == "append" else []), value])

    def delete(self, value: int) -> None:
        def work(store: Store) -> Any:
            prepared = delete_rows(store, "sales", [[["v", "==", value]]])
            return prepared and prepared.header

        self.add("delete", work, lambda before: [one for one in before if one != value])

    def restore_oldest(self) -> None:
        oldest = list(history(self.base, "sales"))[-1]
        self.add("restore", lambda store: restore(store, "sales", oldest.id).header, lambda _: BASE[:1])

    def collector(self) -> None:
        """What was put long ago is old, what the others put is young."""

        def work(store: Store) -> None:
            collect(store, find_garbage(store, "sales", min_age=HOUR, retention=LIVE_ONLY))

        self.add("gc", work)

    def deleter(self) -> None:
        self.may_vanish = True
        self.add("delete all", lambda store: delete_dataset(store, "sales"))

    def reader(self) -> None:
        self.add("reader", lambda store: values_of(open_dataset(store, "sales")))

    def foreign(self, storage_format: Any = "json") -> None:
        """A client that reads a header and puts it back without its first partition, whatever is there by then."""

        def work(store: Store) -> None:
            found = read_header(store, "sales")
            assert found is not None
            fewer = dict(list(found.header.partitions.items())[1:])
            store.put(header_key("sales", "json"), encode_header(_with(found.header, fewer), storage_format))

        self.add("foreign", work)

    def explore(self, **bounds: Any) -> Explored:
        return explore(self.base, self.works, on_state=Checks(self).on_state, **bounds)


def _with(header: Any, partitions: Any) -> Any:
    return type(header)(header.uuid, partitions, header.partition_keys, {}, header.metadata)


class Checks:
    """What must hold in every state; a state of the store is looked at once."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.chains: dict[object, list[Commit]] = {}
        self.seen: list[Rows] = []

    def on_state(self, before: MemoryStore, execution: Execution) -> None:
        if self.scenario.moves_back and is_arriving(execution):
            return
        new = self.chain(execution.store)
        old = self.chain(before) if content(before) in self.chains else []
        ids = [one.id for one in new]
        assert not old or old[0].id in ids[:2] or self.gone_back(old, new), "a commit was lost"
        for number in self.scenario.makes:
            self.check_outcome(number, execution.outcomes[number - 1], ids)

    def gone_back(self, old: list[Commit], new: list[Commit]) -> bool:
        if not new:
            return self.scenario.may_vanish
        return self.taken_back(actor_of(old[0].id)) and old[0].parent in {new[0].id, new[0].parent}

    def check_outcome(self, number: int, outcome: Outcome, ids: list[str]) -> None:
        mine = [name for name in ids if actor_of(name) == number]
        assert len(mine) <= 1, "committed twice"
        if self.taken_back(number):
            assert not (mine and outcome.kind == "done"), "taken back, and yet there"
        elif outcome.kind == "done" and not self.scenario.may_vanish:
            assert len(mine) == (outcome.value is not None), "done, and yet not there"
        if outcome.kind in {"refused", "failed"} and not self.taken_back(number):
            assert not mine, f"{outcome.kind}, and yet there"

    def taken_back(self, number: int) -> bool:
        return f"{number} taken back" in self.scenario.works

    def chain(self, store: MemoryStore) -> list[Commit]:
        """The states of the dataset as the next writer finds them, the live one first; readers see one of them."""
        key = content(store)
        if key not in self.chains:
            settled = store.copy()
            settled_header(settled, "sales")
            chain = self.chains[key] = self.checked(settled)
            raw = read_header(store, "sales")
            assert raw is None if not chain else raw is not None
            assert raw is None or commit_of(raw.header).id in [one.id for one in chain]
            self.go_on(store.copy(), live_values(settled))
        return self.chains[key]

    def checked(self, store: MemoryStore) -> list[Commit]:
        """Every state that is kept has exactly the rows that its operation makes of the one before."""
        if read_header(store, "sales") is None:
            return []
        commits = list(history(store, "sales"))
        rows: Rows | None = None
        for one in reversed(commits):
            found = values_of(open_dataset(store, "sales", as_of=one.id))
            makes = self.scenario.makes.get(actor_of(one.id))
            assert rows is None or makes is None or found == makes(rows)
            rows = found
        passing = {"verify.hidden_header", *(["verify.schema"] if self.scenario.may_vanish else [])}
        verdict = verify(store, "sales")
        assert {fault.code for fault in verdict.faults} <= passing
        assert "verify.unknown" not in {notice.code for notice in verdict.notices}, "facts of a file are lost"
        return commits

    def go_on(self, store: MemoryStore, before: Rows) -> None:
        """As if all had crashed here: another writer appends, and whatever is left is collected."""
        set_actor(0xFFF)
        write_dataset(store, rows_of([99]), [], ["v"], mode="append")
        collect(store, find_garbage(store, "sales", min_age=-HOUR, retention=LIVE_ONLY))
        assert live_values(store) == sorted([*before, 99])
        assert not verify(store, "sales").faults


def is_arriving(execution: Execution) -> bool:
    """Whether an actor has put a header as JSON and not yet looked whether it was right to."""
    headers = [header_key("sales", storage_format) for storage_format in ("json", "msgpack.zstd")]
    return any(
        pending is not None and pending[0] == "delete_if" and pending[1] in headers for pending in execution.pending
    )


def is_lost_or_there(store: MemoryStore, number: int) -> bool:
    """Whether the commit of an actor is in the history, or reported as lost."""
    found = [*history(store, "sales"), *lost_commits(store, "sales")]
    return any(actor_of(one.id) == number for one in found)
