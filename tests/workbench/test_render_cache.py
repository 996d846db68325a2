"""The render cache gives back what was kept, or nothing: it is never wrong, and never makes anything fail."""

from __future__ import annotations

import datetime as dt
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component import clock
from component.errors import UserError
from component.workbench.cache.render_cache import (
    CacheBounds,
    CacheUse,
    RenderCache,
    entry_of,
    entry_of_text,
    entry_text,
)
from component.workbench.render.messages import RenderError, plain_message
from component.workbench.render.rendered import Rendered
from component.workbench.tables.columns import number_column
from component.workbench.tables.table import NO_TABLE
from tests.strategies.workbench_messages import errors
from tests.strategies.workbench_tables import same_tables, table_of, workbench_tables

NOW = dt.datetime(2030, 1, 1, tzinfo=dt.UTC)
KEY, OTHER = "a" * 40, "b" * 40


def result(number=1, rows=1):
    return Rendered(table_of((number_column("A"), pa.array([number] * rows))))


def same(one, other):
    alike = (one.errors, one.json, one.status) == (other.errors, other.json, other.status)
    return alike and same_tables(one.table, other.table)


def age(folder, seconds):
    for path in folder.iterdir():
        then = path.stat().st_mtime - seconds
        os.utime(path, (then, then))


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache"


@given(table=workbench_tables(), said=st.lists(errors, max_size=2).map(tuple))
def test_what_was_kept_comes_back(tmp_path_factory, table, said):
    cache = RenderCache(tmp_path_factory.mktemp("c"))
    kept = Rendered(table, said, {"x": [1, "é", None]})
    assert cache.keep(KEY, kept)
    found = cache.find(KEY).result
    assert found is not None
    assert same(found, kept)


def test_an_unchanged_run_skips_the_work_and_says_so(folder):
    made, said = [], []

    def make():
        made.append(1)
        return result()

    cache = RenderCache(folder, say=said.append)
    assert same(cache.render(KEY, make), cache.render(KEY, make))
    assert made == [1]
    assert said == [
        "Cache miss (aaaaaaaaaaaa): nothing is kept for these inputs, configuration and code.",
        "Cache hit (aaaaaaaaaaaa): the same inputs, configuration and code.",
    ]
    assert cache.use == CacheUse(hits=1, misses=1, kept=1)


def test_another_key_is_a_miss(folder):
    cache = RenderCache(folder)
    cache.keep(KEY, result())
    assert not cache.find(OTHER).hit


def test_an_entry_under_the_name_of_another_is_a_miss(folder):
    cache = RenderCache(folder)
    cache.keep(KEY, result())
    (folder / f"{KEY}.json").rename(folder / f"{OTHER}.json")
    found = cache.find(OTHER)
    assert not found.hit
    assert "another key" in found.reason


def test_results_without_columns_have_no_parquet_file(folder):
    cache = RenderCache(folder)
    failed = Rendered(NO_TABLE, (RenderError(plain_message("bad")),))
    cache.keep(KEY, failed)
    assert [path.name for path in folder.iterdir()] == [f"{KEY}.json"]
    found = cache.find(KEY).result
    assert found is not None
    assert same(found, failed)


@given(st.data())
def test_any_damage_is_a_miss_and_the_next_result_replaces_it(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("c")
    cache = RenderCache(folder)
    cache.keep(KEY, result())
    path = data.draw(st.sampled_from(sorted(folder.iterdir())))
    content = bytearray(path.read_bytes())
    change = data.draw(st.sampled_from(["flip", "cut", "empty", "gone"]))
    position = data.draw(st.integers(0, len(content) - 1))
    if change == "gone":
        path.unlink()
    else:
        content[position] ^= 1 << data.draw(st.integers(0, 7))
        path.write_bytes({"flip": content, "cut": content[:position], "empty": b""}[change])
    assert not cache.find(KEY).hit
    assert same(cache.render(KEY, lambda: result(2)), result(2))
    assert cache.find(KEY).hit


def test_every_cut_and_every_changed_bit_of_the_json_is_damage():
    text = entry_text(entry_of(KEY, Rendered(NO_TABLE, (RenderError(plain_message("bad")),)), None, None)).encode()
    assert entry_of_text(text, KEY).key == KEY
    damaged = [text[:end] for end in range(len(text))]
    damaged += [text + more for more in (b"\n", b" ", b"{}")]
    for at, byte in enumerate(text):
        damaged += [text[:at] + bytes([byte ^ (1 << bit)]) + text[at + 1 :] for bit in range(8)]
    for content in damaged:
        with pytest.raises(UserError):
            entry_of_text(content, KEY)


def test_a_result_that_replaces_another_leaves_nothing_of_it(folder):
    cache = RenderCache(folder)
    cache.keep(KEY, result(1))
    cache.keep(KEY, result(2))
    assert len(list(folder.iterdir())) == 2
    found = cache.find(KEY).result
    assert found is not None
    assert same(found, result(2))


def test_a_result_that_cannot_be_kept_is_given_all_the_same(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("x", encoding="utf-8")
    said = []
    cache = RenderCache(blocked / "cache", say=said.append)
    assert same(cache.render(KEY, result), result())
    assert cache.use == CacheUse(misses=1, not_kept=1)
    assert any("was not kept" in line for line in said)


@pytest.mark.parametrize("json", [{"x": float("nan")}, {"x": object()}, {"x": "\ud800"}])
def test_json_that_cannot_be_written_keeps_nothing_and_fails_nothing(folder, json):
    cache = RenderCache(folder)
    assert not cache.keep(KEY, Rendered(NO_TABLE, (), json))
    assert not cache.find(KEY).hit


def test_a_disk_that_fills_up_keeps_the_old_result_or_none(folder, monkeypatch):
    cache = RenderCache(folder)
    cache.keep(KEY, result(1))

    def full(_path, _target):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(Path, "rename", full)
        assert not cache.keep(KEY, result(2))
    found = cache.find(KEY).result
    assert found is not None
    assert same(found, result(1))


def test_results_used_longest_ago_go_first(folder):
    size = RenderCache(folder)
    size.keep("0" * 40, result(0, 1000))
    one = sum(path.stat().st_size for path in folder.iterdir())
    cache = RenderCache(folder, CacheBounds(bytes=int(one * 2.5)))
    age(folder, 100)
    cache.keep(KEY, result(1, 1000))
    age(folder, 100)
    assert cache.find("0" * 40).hit
    cache.keep(OTHER, result(2, 1000))
    assert [cache.find(key).hit for key in ("0" * 40, KEY, OTHER)] == [True, False, True]
    assert cache.use.removed == 1
    assert len(list(folder.iterdir())) == 4


def test_results_not_used_for_too_long_go(folder, monkeypatch):
    cache = RenderCache(folder, CacheBounds(seconds=60))
    monkeypatch.setattr(clock, "utc_now", lambda: NOW)
    cache.keep(KEY, result())
    monkeypatch.setattr(clock, "utc_now", lambda: NOW + dt.timedelta(seconds=50))
    assert cache.find(KEY).hit
    monkeypatch.setattr(clock, "utc_now", lambda: NOW + dt.timedelta(seconds=105))
    cache.trim()
    assert cache.find(KEY).hit
    monkeypatch.setattr(clock, "utc_now", lambda: NOW + dt.timedelta(seconds=166))
    cache.trim()
    assert list(folder.iterdir()) == []


def test_leftovers_go_when_nobody_can_be_writing_them(folder):
    cache = RenderCache(folder)
    cache.keep(KEY, result())
    for name in (f"{OTHER}.123.parquet", ".123.part"):
        (folder / name).write_bytes(b"x")
    cache.trim()
    assert len(list(folder.iterdir())) == 4
    age(folder, 4000)
    (folder / "notes.txt").write_text("somebody else's", encoding="utf-8")
    cache.trim()
    assert sorted(path.suffix for path in folder.iterdir()) == [".json", ".parquet", ".txt"]
    assert cache.find(KEY).hit


def test_many_writers_and_readers_of_one_key_never_see_a_mixture(folder):
    caches = [RenderCache(folder) for _ in range(4)]

    def work(number):
        cache = caches[number % 4]
        cache.keep(KEY, result(number, number % 5 + 1))
        found = cache.find(KEY).result
        return found is None or len({*found.table.rows.column("A").to_pylist()}) == 1

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(80)))
    assert caches[0].find(KEY).hit
    assert len(list(folder.glob("*.json"))) == 1
