"""What every store promises to one caller. Bind it by a subclass with the fixtures `store` (empty) and `reopen`."""

from __future__ import annotations

import itertools
import pickle
import time
from collections.abc import Callable

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.errors import CommitRefusedError, UserError
from component.store.base import Store, Version
from tests.strategies.keys import BAD_KEYS, key_sets, objects

ORDER_OF_KEYS = ["a!", "a-b", "a/a", "a/b/c", "a0", "b", "b.parquet", "c d"]
fresh = itertools.count()
per_example = settings(
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)


def keys_of(store: Store, prefix: str = "") -> list[str]:
    return [found.key for found in store.list(prefix)]


def version_of(store: Store, key: str) -> Version:
    found = store.get_versioned(key)
    assert found is not None
    return found[1]


class StoreContract:
    def test_what_was_put_is_read_the_same_in_every_way(self, store: Store):
        store.put("folder/object", b"content")
        assert store.get("folder/object") == b"content"
        with store.open("folder/object") as opened:
            assert opened.read() == b"content"
        found = store.get_versioned("folder/object")
        assert found is not None
        assert found[0] == b"content"
        assert [(stat.key, stat.size) for stat in store.list("")] == [("folder/object", 7)]

    def test_an_empty_object_is_an_object(self, store: Store):
        store.put("empty", b"")
        assert store.get("empty") == b""
        assert [stat.size for stat in store.list("")] == [0]
        with store.open("empty") as opened:
            assert opened.read() == b""

    def test_objects_that_are_put_together_are_there_each_with_its_content(self, store: Store):
        store.put("folder/there", b"a longer first content")
        objects = {"folder/there": b"second", "folder/one/deep": b"1", "other/empty": b"", "top": b"top"}
        store.put_all([])
        store.put_all(list(objects.items()))
        assert {stat.key: stat.size for stat in store.list("")} == {key: len(data) for key, data in objects.items()}
        assert {key: store.get(key) for key in objects} == objects

    def test_an_arrow_buffer_is_put_as_its_bytes(self, store: Store):
        large = bytes(range(256)) * 40_000
        store.put("large", pa.py_buffer(large))
        version = store.put_if("header", pa.py_buffer(large).slice(3, 5), None)
        assert store.get("large") == large
        assert store.get_versioned("header") == (large[3:8], version)

    def test_an_open_object_is_read_at_any_place(self, store: Store):
        store.put("object", b"0123456789")
        with store.open("object") as opened:
            assert opened.size() == 10
            assert opened.read_at(3, 4) == b"456"
            opened.seek(8)
            assert opened.read() == b"89"

    def test_a_put_replaces(self, store: Store):
        store.put("object", b"a longer first content")
        store.put("object", b"second")
        assert store.get("object") == b"second"
        assert [stat.size for stat in store.list("")] == [6]

    def test_what_is_not_there_is_missing(self, store: Store):
        store.put("folder/object", b"")
        for key in ("nothing", "folder", "folder/object/below", "folder/nothing"):
            assert store.get_versioned(key) is None
            for read in (store.get, store.open):
                with pytest.raises(UserError) as caught:
                    read(key)
                assert caught.value.code == "store.missing"

    def test_deleting_removes_one_object_and_again_is_no_error(self, store: Store):
        store.put("folder/one", b"1")
        store.put("folder/two", b"2")
        for key in ("folder/one", "folder/one", "folder", "nothing"):
            store.delete(key)
        assert keys_of(store) == ["folder/two"]
        assert store.get("folder/two") == b"2"

    def test_delete_if_deletes_only_the_version_that_was_read(self, store: Store):
        store.put("header", b"one")
        version = version_of(store, "header")
        store.put("header", b"two")
        assert not store.delete_if("header", version)
        assert store.get("header") == b"two"
        assert store.delete_if("header", version_of(store, "header"))
        assert keys_of(store) == []
        assert not store.delete_if("header", version)

    def test_put_if_none_puts_only_what_is_not_there(self, store: Store):
        version = store.put_if("header", b"first", None)
        with pytest.raises(CommitRefusedError) as caught:
            store.put_if("header", b"second", None)
        assert caught.value.code == "commit.refused"
        assert store.get_versioned("header") == (b"first", version)

    def test_put_if_puts_only_over_the_version_that_was_read(self, store: Store):
        first = store.put_if("header", b"first", None)
        second = store.put_if("header", b"second", first)
        with pytest.raises(CommitRefusedError):
            store.put_if("header", b"third", first)
        assert store.get_versioned("header") == (b"second", second)

    def test_put_if_refuses_when_the_version_that_was_read_is_gone(self, store: Store):
        first = store.put_if("header", b"first", None)
        store.delete("header")
        with pytest.raises(CommitRefusedError):
            store.put_if("header", b"second", first)
        assert store.get_versioned("header") is None
        assert keys_of(store) == []

    def test_put_if_sees_a_put_without_condition(self, store: Store):
        first = store.put_if("header", b"first", None)
        store.put("header", b"foreign")
        with pytest.raises(CommitRefusedError):
            store.put_if("header", b"second", first)
        assert store.get("header") == b"foreign"
        store.put_if("header", b"second", version_of(store, "header"))
        assert store.get("header") == b"second"

    def test_other_content_has_another_version(self, store: Store):
        tokens = set()
        for content in (b"", b"a", b"b", b"ab"):
            store.put("header", content)
            tokens.add(version_of(store, "header").token)
        assert len(tokens) == 4

    def test_a_listing_is_sorted_by_key(self, store: Store):
        for key in reversed(ORDER_OF_KEYS):
            store.put(key, b"")
        assert keys_of(store) == ORDER_OF_KEYS == sorted(ORDER_OF_KEYS)

    @pytest.mark.parametrize(
        "prefix", ["", "a", "a-", "a/", "a/b", "a/b/", "a/b/c", "b.", "c ", "x", "x/y", "a/.", "a/b/c/d"]
    )
    def test_a_listing_has_the_keys_that_start_so(self, store: Store, prefix: str):
        for key in ORDER_OF_KEYS:
            store.put(key, b"")
        assert keys_of(store, prefix) == [key for key in ORDER_OF_KEYS if key.startswith(prefix)]

    @pytest.mark.parametrize("prefix", ["", "a", "a/", "a/b", "a/b/", "b.", "x", "a/b/c/d"])
    def test_a_listing_that_is_not_deep_has_only_keys_without_another_slash(self, store: Store, prefix: str):
        for key in ORDER_OF_KEYS:
            store.put(key, b"")
        found = [stat.key for stat in store.list(prefix, deep=False)]
        assert found == [key for key in keys_of(store, prefix) if "/" not in key.removeprefix(prefix)]

    @pytest.mark.parametrize("prefix", ["/", "../", "a/../", "a//", "./", "é", "a;b", "a\0"])
    def test_a_prefix_of_no_key_is_refused(self, store: Store, prefix: str):
        with pytest.raises(UserError) as caught:
            store.list(prefix)
        assert caught.value.code == "store.key"

    def test_a_listing_says_when_an_object_was_put(self, store: Store):
        before = time.time()
        store.put("object", b"")
        (stat,) = store.list("")
        assert before - 5 <= stat.modified <= time.time() + 5

    def test_an_empty_store_reads_as_empty(self, store: Store):
        assert keys_of(store) == []
        assert store.get_versioned("header") is None
        store.delete("header")

    @pytest.mark.parametrize("key", BAD_KEYS)
    def test_a_bad_key_is_refused_by_every_call(self, store: Store, key: str):
        calls: list[Callable[[], object]] = [
            lambda: store.get(key),
            lambda: store.get_versioned(key),
            lambda: store.open(key),
            lambda: store.put(key, b""),
            lambda: store.put_if(key, b"", None),
            lambda: store.delete(key),
        ]
        for call in calls:
            with pytest.raises(UserError) as caught:
                call()
            assert caught.value.code == "store.key"
        assert keys_of(store) == []

    def test_the_url_and_a_pickle_lead_to_the_same_objects(self, store: Store, reopen: Callable[[Store], Store]):
        version = store.put_if("header", b"content", None)
        for other in (reopen(store), pickle.loads(pickle.dumps(store))):
            assert other.url == store.url
            assert other.get_versioned("header") == (b"content", version)
            other.put("from/there", b"seen")
            assert store.get("from/there") == b"seen"

    @per_example
    @given(contents=objects())
    def test_any_keys_hold_any_contents(self, store: Store, contents: dict[str, bytes]):
        folder = f"example-{next(fresh)}"
        for key, content in contents.items():
            store.put(f"{folder}/{key}", content)
        listed = [(stat.key, stat.size) for stat in store.list(f"{folder}/")]
        assert listed == sorted((f"{folder}/{key}", len(content)) for key, content in contents.items())
        assert {key: store.get(f"{folder}/{key}") for key in contents} == contents

    @per_example
    @given(data=st.data())
    def test_any_order_of_calls_does_what_a_dict_would(self, store: Store, data: st.DataObject):
        folder = f"example-{next(fresh)}/"
        names = st.sampled_from([folder + key for key in data.draw(key_sets(max_size=4))])
        calls = st.tuples(st.sampled_from(["put", "put_if", "stale", "delete"]), names, st.binary(max_size=8))
        model: dict[str, bytes] = {}
        for call, key, content in data.draw(st.lists(calls, max_size=12)):
            found = store.get_versioned(key)
            assert (None if found is None else found[0]) == model.get(key)
            if call == "stale":
                with pytest.raises(CommitRefusedError):
                    store.put_if(key, content, Version("of nothing"))
            elif call == "delete":
                store.delete(key)
                model.pop(key, None)
            else:
                if call == "put":
                    store.put(key, content)
                else:
                    store.put_if(key, content, None if found is None else found[1])
                model[key] = content
            assert [(stat.key, stat.size) for stat in store.list(folder)] == sorted(
                (name, len(held)) for name, held in model.items()
            )
