"""What every store promises when many processes use it, and when one is killed. Bind it like the contract."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Barrier, Event
from typing import Any

import pytest

from component.errors import CommitRefusedError
from component.store.base import Store
from tests.store.contract import keys_of, version_of

WRITERS = 4
ROUNDS = 15
INCREMENTS = 20
KILLS = 6
SPAWN = multiprocessing.get_context("spawn")

_barrier: Barrier


def _meet_at(barrier: Barrier) -> None:
    global _barrier  # noqa: PLW0603 # a barrier reaches a pool's processes only when they start
    _barrier = barrier


def _race(store: Store, me: int, on_missing: bool) -> list[bool]:
    """Put one header per round on the version that all writers read, and say which puts won."""
    won = []
    for number in range(ROUNDS):
        key = f"header-{on_missing}-{number}"
        found = store.get_versioned(key)
        assert (found is None) == on_missing
        _barrier.wait(60)
        try:
            store.put_if(key, f"writer {me}".encode(), None if found is None else found[1])
            won.append(True)
        except CommitRefusedError:
            won.append(False)
    return won


def _increment(store: Store, _me: int) -> None:
    for _ in range(INCREMENTS):
        while True:
            found = store.get_versioned("counter")
            value, version = (0, None) if found is None else (int(found[0]), found[1])
            try:
                store.put_if("counter", str(value + 1).encode(), version)
                break
            except CommitRefusedError:
                continue


def uniform(number: int) -> bytes:
    """A content whose every byte and whose length tell its number."""
    return bytes([number % 251]) * (1 + 4099 * (number % 50))


def is_uniform(content: bytes) -> bool:
    return len(content) % 4099 == 1 and content.count(content[0]) == len(content)


def _overwrite(store: Store, started: Event, stop: Event) -> None:
    """Replace two objects for ever, one by condition, one without."""
    number = 0
    while not stop.is_set():
        number += 1
        store.put("object", uniform(number))
        found = store.get_versioned("header")
        store.put_if("header", uniform(number), None if found is None else found[1])
        started.set()


@contextmanager
def writer(store: Store) -> Iterator[BaseProcess]:
    """Run a process that replaces objects, from when it has replaced the first."""
    started, stop = SPAWN.Event(), SPAWN.Event()
    process = SPAWN.Process(target=_overwrite, args=(store, started, stop))
    process.start()
    try:
        assert started.wait(60)
        yield process
    finally:
        stop.set()
        process.join(60)


def _everywhere(task: Callable[..., Any], store: Store, *rest: object) -> list[Any]:
    barrier = SPAWN.Barrier(WRITERS)
    with ProcessPoolExecutor(WRITERS, mp_context=SPAWN, initializer=_meet_at, initargs=(barrier,)) as pool:
        return [done.result() for done in [pool.submit(task, store, me, *rest) for me in range(WRITERS)]]


class RaceContract:
    @pytest.mark.parametrize("on_missing", [True, False])
    def test_of_many_writers_on_one_version_exactly_one_wins(self, store: Store, on_missing: bool):
        for number in range(ROUNDS if not on_missing else 0):
            store.put(f"header-{on_missing}-{number}", b"before")
        won = _everywhere(_race, store, on_missing)
        for number, results in enumerate(zip(*won, strict=True)):
            assert sum(results) == 1
            assert store.get(f"header-{on_missing}-{number}") == f"writer {results.index(True)}".encode()

    def test_no_update_is_lost(self, store: Store):
        _everywhere(_increment, store)
        assert store.get("counter") == str(WRITERS * INCREMENTS).encode()

    def test_readers_never_see_a_half_written_object(self, store: Store):
        seen = set()
        with writer(store):
            for _ in range(150):
                with store.open("object") as opened:
                    contents = [store.get("object"), store.get("header"), opened.read()]
                found = store.get_versioned("header")
                assert found is not None
                assert all(is_uniform(content) for content in (*contents, found[0]))
                assert {stat.key for stat in store.list("")} <= {"header", "object"}
                seen.update(map(len, contents))
        assert len(seen) > 1

    def test_a_killed_writer_leaves_the_old_or_the_new_state(self, store: Store):
        moments = random.Random(7)
        for _ in range(KILLS):
            with writer(store) as process:
                time.sleep(moments.uniform(0, 0.05))
                os.kill(process.pid, signal.SIGKILL)
            assert process.exitcode == -signal.SIGKILL
            assert all(is_uniform(store.get(key)) for key in keys_of(store))
            assert set(keys_of(store)) == {"header", "object"}
            store.put_if("header", uniform(1), version_of(store, "header"))

    def test_a_deleted_header_is_not_brought_back(self, store: Store):
        with ThreadPoolExecutor(2) as pool:
            for number in range(40):
                key = f"header-{number}"
                version = store.put_if(key, b"first", None)
                together = threading.Barrier(2)

                def append(key=key, version=version, together=together) -> None:
                    together.wait(30)
                    with suppress(CommitRefusedError):
                        store.put_if(key, b"second", version)

                done = pool.submit(append)
                together.wait(30)
                store.delete(key)
                done.result()
                assert store.get_versioned(key) is None

    def test_putting_and_deleting_side_by_side_disturb_nobody(self, store: Store):
        def come_and_go(name: str) -> None:
            for _ in range(100):
                store.put(f"deep/folder/{name}", name.encode())
                assert store.get(f"deep/folder/{name}") == name.encode()
                store.delete(f"deep/folder/{name}")

        with ThreadPoolExecutor(3) as pool:
            for done in [pool.submit(come_and_go, name) for name in ("one", "two", "three")]:
                done.result()
        assert keys_of(store) == []
