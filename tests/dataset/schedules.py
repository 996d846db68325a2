"""Every schedule of actors that share a store: each stops before each store call, and one at a time goes on.

An actor is real code on a thread. What it does next depends only on what it has been told by the store, so two
schedules that lead to the same objects and the same answers are one from there on, and are followed once; of two orders
of steps that commute only one is followed. A crash is an actor that is never scheduled again: every state in which one
is stuck between two calls is visited, and checked.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pytest

from component import clock, identity
from component.errors import CommitRefusedError, CommitUnknownError, RetryError, TablemillError
from component.store.base import Stat, Store, Version
from tests.dataset.memory import MemoryStore
from tests.store.faults import Crash

Work = Callable[[Store], Any]
Choice = tuple[int, str]
"""Which actor goes on, and what strikes its call: nothing, or a fault."""

Call = tuple[str, str]
"""What is asked of the store, and for which key or prefix."""
WRITES = {"put", "put_if", "delete", "delete_if"}

_here = threading.local()


@pytest.fixture
def names(monkeypatch):
    """Names that depend on the actor alone, and a clock that stands still: the same schedule makes the same bytes."""
    now = clock.utc_now()
    monkeypatch.setattr(clock, "utc_now", lambda: now)
    monkeypatch.setattr(identity, "new_hex", new_name)
    set_actor(0)


def set_actor(number: int) -> None:
    _here.actor, _here.names = number, itertools.count()


def new_name() -> str:
    return f"{_here.actor:04x}{next(_here.names):04x}".ljust(32, "0")


def actor_of(name: str) -> int:
    """Who gave a name: 0 before all, then actors from 1."""
    return int(name[:4], 16)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an actor ended: done, refused, unknown, failed, or still running."""

    kind: str
    value: Any = None


@dataclass(slots=True)
class _Actor:
    number: int
    pending: tuple[str, str] | None = None
    effect: str = ""
    told: int = 0
    outcome: Outcome = Outcome("running")
    go: Any = field(default_factory=threading.Lock)
    back: Any = field(default_factory=threading.Lock)
    thread: threading.Thread | None = None


class _Handle:
    """The store as one actor has it."""

    def __init__(self, execution: Execution, actor: _Actor) -> None:
        self._execution, self._actor = execution, actor
        self.url = "memory://"

    def get(self, key: str) -> bytes:
        return self._call("get", key, lambda: self._inner.get(key))

    def get_versioned(self, key: str) -> tuple[bytes, Version] | None:
        return self._call("get_versioned", key, lambda: self._inner.get_versioned(key))

    def open(self, key: str) -> pa.NativeFile:
        return self._call("open", key, lambda: self._inner.open(key))

    def put(self, key: str, data: bytes | pa.Buffer) -> None:
        return self._call("put", key, lambda: self._inner.put(key, data))

    def put_all(self, objects: Sequence[tuple[str, bytes | pa.Buffer]]) -> None:
        for key, data in objects:
            self.put(key, data)

    def put_if(self, key: str, data: bytes | pa.Buffer, expected: Version | None) -> Version:
        return self._call("put_if", key, lambda: self._inner.put_if(key, data, expected))

    def list(self, prefix: str) -> Iterator[Stat]:
        return iter(self._call("list", prefix, lambda: list(self._inner.list(prefix))))

    def delete(self, key: str) -> None:
        return self._call("delete", key, lambda: self._inner.delete(key))

    def delete_if(self, key: str, expected: Version) -> bool:
        return self._call("delete_if", key, lambda: self._inner.delete_if(key, expected))

    @property
    def _inner(self) -> MemoryStore:
        return self._execution.store

    def _call(self, call: str, key: str, carry_out: Callable[[], Any]) -> Any:
        actor = self._actor
        if self._execution.over:
            raise Crash
        if not self._execution.quiet(call, key):
            actor.pending = call, key
            actor.back.release()
            actor.go.acquire()
            if self._execution.over:
                raise Crash
        self._execution.calls.add((call, key))
        effect, actor.effect, actor.pending = actor.effect, "", None
        if effect and not effect.endswith("after"):
            _strike(effect)
        try:
            answer = carry_out()
        except TablemillError as error:
            actor.told = hash((actor.told, call, key, type(error).__name__))
            raise
        actor.told = hash((actor.told, call, key, _digest(answer), effect))
        if effect:
            _strike(effect)
        return answer


def _strike(effect: str) -> None:
    if effect.startswith("unknown"):
        raise CommitUnknownError("commit.unknown", effect)
    raise RetryError("store.failed", effect)


def _digest(answer: Any) -> int:
    if isinstance(answer, pa.NativeFile):
        return 0  # what has a key that is opened never changes
    if isinstance(answer, list):  # a collector looks at ages
        return hash(tuple((stat.key, stat.size, _is_young(stat.modified)) for stat in answer))
    return hash(answer)


def _is_young(put: float) -> bool:
    """Whether an object was put by an actor; what was there before is days old."""
    return put > time.time() - 3600


class Execution:
    """One schedule of actors on one store."""

    def __init__(self, store: MemoryStore, works: list[Work], quiet: Callable[[str, str], bool]) -> None:
        self.store, self.quiet, self.over = store, quiet, False
        self.faults = self.switches = self.last = 0
        self.calls: set[Call] = set()
        self._actors = [_Actor(number) for number in range(1, len(works) + 1)]
        for actor, work in zip(self._actors, works, strict=True):
            actor.go.acquire(), actor.back.acquire()
            actor.thread = threading.Thread(target=self._live, args=(actor, work), daemon=True)
            actor.thread.start()
            actor.back.acquire()

    def _live(self, actor: _Actor, work: Work) -> None:
        set_actor(actor.number)
        try:
            actor.outcome = Outcome("done", work(_Handle(self, actor)))
        except CommitRefusedError as error:
            actor.outcome = Outcome("refused", error)
        except CommitUnknownError as error:
            actor.outcome = Outcome("unknown", error)
        except TablemillError as error:
            actor.outcome = Outcome("failed", error)
        except Crash:
            pass
        except BaseException as error:  # noqa: BLE001 - shown by the schedule, not by the thread
            actor.outcome = Outcome("broken", error)
        actor.pending = None
        actor.back.release()

    @property
    def outcomes(self) -> list[Outcome]:
        return [actor.outcome for actor in self._actors]

    @property
    def pending(self) -> list[tuple[str, str] | None]:
        """The call that each actor is about to make."""
        return [actor.pending for actor in self._actors]

    def choices(self, effects: tuple[str, ...]) -> list[Choice]:
        """What may happen next; one fault strikes in a schedule at most."""
        found = [(actor.number, "") for actor in self._actors if actor.pending]
        if self.faults == 0:
            for actor in self._actors:
                found += [(actor.number, effect) for effect in effects if actor.pending and _can(actor.pending, effect)]
        return found

    def step(self, choice: Choice) -> None:
        number, effect = choice
        actor = self._actors[number - 1]
        self.calls.clear()
        self.faults += bool(effect)
        left = self._actors[self.last - 1]
        self.switches += self.last not in (0, number) and left.pending is not None
        self.last = number
        actor.effect = effect
        actor.go.release()
        actor.back.acquire()
        if actor.outcome.kind == "broken":
            raise actor.outcome.value

    def key(self) -> int:
        told = tuple((actor.told, actor.pending) for actor in self._actors)
        young = frozenset(key for key, (_, put) in self.store.objects.items() if _is_young(put))
        return hash((content(self.store), young, told, self.faults))

    def end(self) -> None:
        """Let no actor do anything any more."""
        self.over = True
        for actor in self._actors:
            if actor.pending:
                actor.go.release()
            if actor.thread is not None:
                actor.thread.join()


def _can(pending: tuple[str, str], effect: str) -> bool:
    call, key = pending
    if effect.startswith("unknown"):
        return call == "put_if" and "by-dataset-metadata" in key
    return not effect.endswith("after") or call in {"put", "delete"}


def content(store: MemoryStore) -> frozenset[tuple[str, int]]:
    return frozenset((key, hash(data)) for key, (data, _) in store.objects.items())


@dataclass(slots=True)
class Explored:
    """How much was looked at."""

    schedules: int = 0
    states: int = 0
    ends: list[tuple[str, ...]] = field(default_factory=list)

    def note(self, execution: Execution, *, is_end: bool) -> None:
        """Count a state, and how all actors have ended in it."""
        self.states += 1
        if is_end:
            self.ends.append(tuple(outcome.kind for outcome in execution.outcomes))


def explore(
    base: MemoryStore,
    works: Mapping[str, Work],
    *,
    on_state: Callable[[MemoryStore, Execution], None],
    quiet: Callable[[str, str], bool] = lambda call, key: False,
    effects: tuple[str, ...] = (),
    switches: int | None = None,
) -> Explored:
    """Reach every state by some schedule; with `switches`, by one that leaves a running actor for another so often.

    `on_state` gets the store before the last step, and the execution after it; it raises where something is wrong.
    """
    tried: dict[object, set[Choice]] = {}
    orders = _Orders()
    explored = Explored()
    waiting: list[tuple[Choice, ...]] = [()]
    while waiting:
        prefix = waiting.pop()
        execution = Execution(base.copy(), list(works.values()), quiet)
        explored.schedules += 1
        try:
            for choice in prefix[:-1]:
                execution.step(choice)
            rest, path = list(prefix[-1:]), list(prefix[:-1])
            came: tuple[object, Choice] | None = None
            state: object = execution.key()
            while True:
                before = execution.store.copy()
                if rest:
                    execution.step(rest[0])
                    came = state, rest[0]
                    orders.note(*came, execution.calls)
                    path += rest
                    state = execution.key()
                place = state, switches is not None and (execution.switches, execution.last)
                choices = execution.choices(effects)
                if place not in tried:
                    tried[place] = set()
                    on_state(before, execution)
                    explored.note(execution, is_end=not choices)
                if switches is None:
                    choices = orders.wanted(choices, came, state)
                elif execution.switches >= switches:
                    choices = [choice for choice in choices if choice[0] == execution.last] or choices
                choices = [choice for choice in choices if choice not in tried[place]]
                tried[place].update(choices)
                if not choices:
                    break
                waiting += [(*path, choice) for choice in choices[1:]]
                rest = choices[:1]
        except BaseException as error:
            error.add_note(f"Schedule: {path}")
            raise
        finally:
            execution.end()
    return explored


class _Orders:
    """Which of two orders of neighbours is followed where both lead to one state: the lower actor goes first.

    Two steps commute where neither writes what the other one touches. The state between them is reached in both
    orders, since each of them is a choice before. So every state is reached, by the schedule to it in which no two
    neighbours stand the other way.
    """

    def __init__(self) -> None:
        self._calls: dict[tuple[object, Choice], frozenset[Call]] = {}

    def note(self, state: object, choice: Choice, calls: set[Call]) -> None:
        """Keep what a step from a state asked of the store."""
        self._calls[state, choice] = frozenset(calls)

    def wanted(self, choices: list[Choice], came: tuple[object, Choice] | None, state: object) -> list[Choice]:
        """Return the choices in a state without those that could as well have been taken before the last step."""
        return [choice for choice in choices if came is None or not self._is_other_way(*came, choice, state)]

    def _is_other_way(self, before: object, taken: Choice, choice: Choice, state: object) -> bool:
        calls = self._calls.get((before, choice))
        if choice[0] >= taken[0] or choice[1] or taken[1] or calls is None:
            return False
        if _meet(calls, self._calls[before, taken]):
            return False
        self._calls[state, choice] = calls
        return True


def _meet(one: frozenset[Call], other: frozenset[Call]) -> bool:
    return any(
        (call in WRITES or against in WRITES) and _same_place(call, key, against, its)
        for call, key in one
        for against, its in other
    )


def _same_place(call: str, key: str, against: str, its: str) -> bool:
    return key == its or (call == "list" and its.startswith(key)) or (against == "list" and key.startswith(its))
