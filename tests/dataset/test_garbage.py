import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from component import clock
from component.dataset.changes.restore import restore
from component.dataset.commits.commit import commit, plan_commit, prepare, publish
from component.dataset.commits.garbage import Retention, collect, delete_dataset, find_garbage
from component.dataset.format.header import encode_header, read_header
from component.dataset.format.history import history
from component.dataset.reading.reader import open_dataset, read_dataset
from component.errors import RetryError, UserError
from component.store.uncommitted import Uncommitted
from tests.dataset.making import bag, layout_of, read_all, write_dataset, write_files
from tests.dataset.memory import MemoryStore
from tests.store.faults import Crash, Fault, FaultStore

ONE = pa.table({"k": ["x"], "v": [1]})
TWO = pa.table({"k": ["x", "y"], "v": [1, 2]})
NOTHING = dt.timedelta(0)
LIVE_ONLY = Retention(commits=1, age=NOTHING)


def states(store):
    return {
        commit.id: bag(
            pa.concat_tables([ONE.slice(0, 0), *read_dataset(open_dataset(store, "sales", as_of=commit.id))])
        )
        for commit in history(store, "sales")
    }


def find(store, **options):
    return find_garbage(store, "sales", **{"min_age": NOTHING, "retention": LIVE_ONLY, **options})


@pytest.fixture
def store():
    store = MemoryStore()
    write_dataset(store, ONE, ["k"], ["v"])
    write_dataset(store, TWO, mode="append")
    write_dataset(store, TWO, ["k"], ["v"])
    return store


def test_a_fresh_dataset_has_no_garbage():
    store = MemoryStore()
    write_dataset(store, ONE, ["k"], ["v"])
    assert find(store).objects == ()


def test_what_only_dropped_states_name_goes_and_the_live_state_stays(store):
    garbage = find(store)
    assert sorted(one.kind for one in garbage.objects) == ["data"] * 3 + ["facts"] * 2 + ["history"] * 2 + ["index"] * 2
    assert garbage.bytes == sum(one.size for one in garbage.objects)
    collect(store, garbage)
    assert bag(read_all(store)) == bag(TWO)
    assert len(list(history(store, "sales"))) == 1
    assert find(store).objects == ()


def test_retained_states_stay_readable(store):
    before = states(store)
    garbage = find(store, retention=Retention(commits=2, age=NOTHING))
    assert [commit.id for commit in garbage.retained] == list(before)[:2]
    collect(store, garbage)
    assert states(store) == dict(list(before.items())[:2])


def test_a_state_that_was_live_within_the_age_is_retained(store, monkeypatch):
    now = clock.utc_now()
    monkeypatch.setattr(clock, "utc_now", lambda: now + dt.timedelta(days=3))
    assert len(find(store, retention=Retention(commits=1, age=dt.timedelta(days=4))).retained) == 3
    assert len(find(store, retention=Retention(commits=1, age=dt.timedelta(days=2))).retained) == 1


def test_files_of_a_writer_that_has_not_committed_yet_stay_for_the_least_age(store, monkeypatch):
    write_files(store, layout_of(TWO, ["k"], ["v"]), TWO)
    day = dt.timedelta(days=1)
    assert find(store, min_age=day).objects == ()
    now = clock.utc_now()
    monkeypatch.setattr(clock, "utc_now", lambda: now + 2 * day)
    assert len([one for one in find(store, min_age=day).objects if one.kind == "data"]) == 5


def test_what_a_slow_writer_commits_between_finding_and_collecting_stays(store):
    plan = plan_commit(store, layout_of(ONE, ["k"], ["v"]), "append")
    written = [write_files(store, plan.layout, ONE)]
    garbage = find(store)
    commit(store, plan, written)
    collect(store, garbage)
    assert bag(read_all(store)) == bag(pa.concat_tables([TWO, ONE]))


def test_a_header_that_json_hides_goes(store):
    store.put("sales.by-dataset-metadata.msgpack.zstd", b"old")
    assert [one.key for one in find(store).objects if one.kind == "header"] == [
        "sales.by-dataset-metadata.msgpack.zstd"
    ]


def test_the_remains_of_a_deleted_dataset_are_garbage_whole(store):
    store.delete("sales.by-dataset-metadata.json")
    collect(store, find(store))
    assert not list(store.list("sales"))


def test_other_datasets_are_not_touched(store):
    write_dataset(store, ONE, uuid="sales2")
    write_dataset(store, ONE, uuid="sales2")
    before = [stat.key for stat in store.list("sales2")]
    collect(store, find(store))
    delete_dataset(store, "sales")
    assert [stat.key for stat in store.list("")] == before


def test_a_header_that_cannot_be_read_makes_nothing_garbage(store):
    store.put("sales.by-dataset-metadata.json", b"{")
    with pytest.raises(UserError, match="header of dataset 'sales'"):
        find(store)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from(["append", "overwrite", "abandoned"]), max_size=5), st.integers(1, 4))
def test_after_any_history_every_retained_state_reads_as_before_and_nothing_else_is_left(steps, commits):
    store = MemoryStore()
    write_dataset(store, ONE, ["k"], ["v"])
    for step in steps:
        if step == "abandoned":
            write_files(store, layout_of(TWO, ["k"], ["v"]), TWO)
        else:
            write_dataset(store, TWO, ["k"], ["v"], mode=step)
    before = list(states(store).items())
    collect(store, find(store, retention=Retention(commits, NOTHING)))
    assert list(states(store).items()) == before[:commits]
    assert find(store, retention=Retention(commits, NOTHING)).objects == ()


@pytest.mark.parametrize("effect", ["fail", "crash"])
def test_a_collection_that_is_cut_short_leaves_every_retained_state_and_can_be_repeated(store, effect):
    base, expected = store, states(store)
    live = next(iter(expected))
    for number in range(1, 1 + len(find(base).objects)):
        store = base.copy()
        broken = FaultStore(store, Fault("delete", number, effect))
        with pytest.raises((RetryError, Crash)):
            collect(broken, find(store))
        assert all(rows == expected[name] for name, rows in states(store).items())
        collect(store, find(store))
        assert list(states(store)) == [live]


def test_a_deleted_dataset_is_gone_with_its_history(store):
    store.put("sales.by-dataset-metadata.msgpack.zstd", b"old")
    count = len(list(store.list("sales")))
    assert delete_dataset(store, "sales") == count
    assert not list(store.list(""))
    with pytest.raises(UserError, match="no dataset 'sales'"):
        delete_dataset(store, "sales")


def test_a_deletion_that_is_cut_short_leaves_the_dataset_whole_or_gone(store):
    base = store
    for number in range(1, 1 + len(list(base.list("sales")))):
        store = base.copy()
        with pytest.raises(Crash):
            delete_dataset(FaultStore(store, Fault("delete", number, "crash")), "sales")
        if read_header(store, "sales") is not None:
            assert bag(read_all(store)) == bag(TWO)
        collect(store, find(store))
        assert bool(list(store.list("sales"))) == (read_header(store, "sales") is not None)


def aged(store):
    """The same store, of which everything was put ten days ago."""
    return MemoryStore({key: (data, put - 10 * 24 * 3600) for key, (data, put) in store.objects.items()})


def test_a_state_that_was_live_within_the_least_age_stays_for_its_readers_however_old_its_files_are(store):
    store = aged(store)
    opened = open_dataset(store, "sales")
    write_dataset(store, ONE, ["k"], ["v"])
    collect(store, find(store, min_age=dt.timedelta(hours=1)))
    assert bag(pa.concat_tables(read_dataset(opened))) == bag(TWO)


def test_what_a_young_copy_names_stays_since_its_writer_may_be_about_to_commit_it(store):
    store = aged(store)
    plan = plan_commit(store, layout_of(ONE, ["k"], ["v"]), "append")
    written = [write_files(store, plan.layout, ONE)]
    store = aged(store)
    prepared = prepare(Uncommitted(store), plan, written)
    collect(store, find(store, min_age=dt.timedelta(hours=1)))
    publish(store, prepared)
    assert bag(read_all(store)) == bag(pa.concat_tables([TWO, ONE]))


def test_a_state_that_is_put_back_between_finding_and_collecting_stays(store):
    store = aged(store)
    oldest = list(history(store, "sales"))[-1]
    garbage = find(store, min_age=dt.timedelta(hours=1))
    restore(store, "sales", oldest.id)
    collect(store, garbage)
    assert bag(read_all(store)) == bag(ONE)


def test_a_state_that_is_being_collected_cannot_be_put_back(store):
    oldest = list(history(store, "sales"))[-1]

    class Collected(FaultStore):
        def put(self, key, data):
            store.delete(f"sales/_history/{oldest.id}.msgpack.zstd")
            return super().put(key, data)

    with pytest.raises(UserError, match="Of the state"):
        restore(Collected(store), "sales", oldest.id)
    assert bag(read_all(store)) == bag(TWO)


def test_a_deletion_leaves_young_files_that_no_state_names_since_their_writer_may_create_the_dataset(store):
    written = write_files(store, layout_of(ONE), ONE)
    delete_dataset(store, "sales")
    assert list(store.objects) == [file.key for file in written.files]
    assert [one.key for one in find(store).objects] == list(store.objects)


def test_a_newer_header_that_an_older_one_hides_keeps_its_files(store):
    older = read_header(store, "sales").header
    write_dataset(store, ONE, mode="append")
    newer = read_header(store, "sales").header
    store.put("sales.by-dataset-metadata.msgpack.zstd", encode_header(newer, "msgpack.zstd"))
    store.put("sales.by-dataset-metadata.json", encode_header(older, "json"))
    collect(store, find(store))
    write_dataset(store, ONE, mode="append")
    assert bag(read_all(store)) == bag(pa.concat_tables([TWO, ONE, ONE]))
