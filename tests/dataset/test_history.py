import datetime as dt
from dataclasses import replace

import pyarrow as pa
import pytest

from component import clock
from component.dataset.commits.commit import commit, plan_commit
from component.dataset.format.header import encode_header, read_header
from component.dataset.format.history import commit_of, digest_of, history, lost_commits, state_as_of, was_committed
from component.dataset.format.keys import header_key
from component.dataset.reading.reader import open_dataset, read_dataset
from component.errors import CommitRefusedError, UserError
from tests.dataset.making import bag, layout_of, write_dataset, write_files
from tests.dataset.memory import MemoryStore

ONE = pa.table({"k": ["x"], "v": [1]})
TWO = pa.table({"k": ["y"], "v": [2]})
OTHER = pa.table({"k": ["z"], "w": ["new"]})


@pytest.fixture
def times(monkeypatch):
    """The clock goes one hour further at each look."""
    start = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    hours = iter(range(1000))
    monkeypatch.setattr(clock, "utc_now", lambda: start + dt.timedelta(hours=next(hours)))


@pytest.fixture
def store(times):
    store = MemoryStore()
    write_dataset(store, ONE, ["k"])
    write_dataset(store, TWO, mode="append")
    write_dataset(store, OTHER, ["k"])
    return store


def rows(store, as_of):
    dataset = open_dataset(store, "sales", as_of=as_of)
    return pa.concat_tables(read_dataset(dataset))


def test_every_commit_is_there_the_live_one_first(store):
    commits = list(history(store, "sales"))
    assert [commit.operation for commit in commits] == ["overwrite", "append", "overwrite"]
    assert [commit.parent for commit in commits] == [commits[1].id, commits[2].id, None]
    assert commits[0].header == read_header(store, "sales").header
    assert commits[0].time > commits[1].time > commits[2].time
    assert not any(commit.foreign for commit in commits)


def test_each_state_reads_as_it_was_also_with_another_schema(store):
    newest, middle, oldest = history(store, "sales")
    assert bag(rows(store, oldest.id)) == bag(ONE)
    assert bag(rows(store, middle.id)) == bag(pa.concat_tables([ONE, TWO]))
    assert bag(rows(store, newest.id)) == bag(OTHER)


def test_the_beginning_of_a_name_is_enough(store):
    oldest = list(history(store, "sales"))[-1]
    assert bag(rows(store, oldest.id[:12])) == bag(ONE)


def test_a_beginning_that_several_names_have_is_refused(store):
    with pytest.raises(UserError, match="Several commits begin with ''") as caught:
        state_as_of(store, "sales", "")
    assert caught.value.code == "dataset.history"


def test_a_time_gives_the_state_of_that_time(store):
    newest, middle, oldest = history(store, "sales")
    second = dt.timedelta(seconds=1)
    assert state_as_of(store, "sales", newest.time) == newest
    assert state_as_of(store, "sales", newest.time - second) == middle
    assert state_as_of(store, "sales", oldest.time) == oldest
    with pytest.raises(UserError, match="no state of"):
        state_as_of(store, "sales", oldest.time - second)


def test_a_clock_that_goes_back_does_not_break_the_chain(store, monkeypatch):
    monkeypatch.setattr(clock, "utc_now", lambda: dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
    write_dataset(store, TWO, ["k"])
    commits = list(history(store, "sales"))
    assert len(commits) == 4
    assert commits[0].time > commits[1].time
    assert state_as_of(store, "sales", commits[1].time) == commits[1]


@pytest.mark.parametrize("name", ["0" * 32, "nope"])
def test_a_commit_that_is_not_kept_is_refused(store, name):
    with pytest.raises(UserError, match="no state of") as caught:
        open_dataset(store, "sales", as_of=name)
    assert caught.value.code == "dataset.history"


def test_a_dataset_that_is_not_there_has_no_history():
    with pytest.raises(UserError, match="no dataset 'sales'"):
        list(history(MemoryStore(), "sales"))


def test_a_foreign_commit_is_told_apart_and_kept_by_the_next_commit(store):
    ours = next(history(store, "sales"))
    foreign = replace(read_header(store, "sales").header, partitions={})
    store.put(header_key("sales", "json"), encode_header(foreign, "json"))
    live, before, *_ = history(store, "sales")
    assert (live.foreign, live.time, live.operation, live.parent) == (True, None, None, ours.id)
    assert before == ours
    write_dataset(store, TWO, ["k"])
    assert [commit.foreign for commit in history(store, "sales")] == [False, True, False, False, False]


def test_headers_of_real_clients_are_foreign_states_without_a_parent():
    store = MemoryStore()
    write_dataset(store, ONE, ["k"])
    header = read_header(store, "sales").header
    bare = type(header)(header.uuid, header.partitions, header.partition_keys, header.indices, {"creation_time": "x"})
    commit = commit_of(bare)
    assert (commit.foreign, commit.parent) == (True, None)
    assert commit.id == digest_of(header.partitions, header.indices)


def test_the_digest_does_not_depend_on_the_order_of_partitions():
    files = {"a": {"table": "u/table/a.parquet"}, "b": {"table": "u/table/b.parquet"}}
    assert digest_of(files, {}) == digest_of(dict(reversed(files.items())), {})
    assert digest_of(files, {}) != digest_of({"a": files["a"]}, {})
    assert digest_of(files, {}) != digest_of(files, {"v": "u/indices/v/1.by-dataset-index.parquet"})


def test_the_original_clients_see_no_data_file_in_the_history(store):
    kept = [stat.key for stat in store.list("sales/_history/")]
    assert len(kept) == 3 + 3
    assert not any(key.endswith(".parquet") or "by-dataset-metadata" in key for key in kept)


def test_a_commit_that_loses_leaves_no_copy(store):
    plan = plan_commit(store, layout_of(TWO, ["k"]), "overwrite")
    write_dataset(store, ONE, ["k"])
    before = [stat.key for stat in store.list("sales/_history/")]
    with pytest.raises(CommitRefusedError):
        commit(store, plan, [write_files(store, plan.layout, TWO)])
    assert [stat.key for stat in store.list("sales/_history/")] == before
    assert 2 * len(list(history(store, "sales"))) == len(before) == 8


def test_a_commit_that_a_foreign_client_overwrites_is_named(store):
    older = read_header(store, "sales").header
    write_dataset(store, OTHER, mode="append")
    lost = next(history(store, "sales"))
    store.put(header_key("sales", "json"), encode_header(replace(older, partitions={}), "json"))
    assert list(lost_commits(store, "sales")) == [lost]


def test_a_commit_is_named_when_the_foreign_client_changes_metadata_only(store):
    older = read_header(store, "sales").header
    write_dataset(store, OTHER, mode="append")
    lost = next(history(store, "sales"))
    touched = replace(older, metadata={**older.metadata, "owner": "me"})
    store.put(header_key("sales", "json"), encode_header(touched, "json"))
    assert list(lost_commits(store, "sales")) == [lost]


def test_all_commits_are_named_when_the_foreign_client_drops_what_we_keep_in_the_header(store):
    states = {commit.id for commit in history(store, "sales")}
    header = read_header(store, "sales").header
    store.put(header_key("sales", "json"), encode_header(replace(header, metadata={}), "json"))
    assert {commit.id for commit in lost_commits(store, "sales")} == states


def test_nothing_is_lost_where_no_foreign_client_wrote(store):
    write_dataset(store, OTHER, mode="append")
    store.put("sales/_history/notes.msgpack.zstd", b"no header")
    assert list(lost_commits(store, "sales")) == []


def test_a_history_whose_middle_is_gone_ends_there(store):
    newest, middle, oldest = history(store, "sales")
    store.delete(f"sales/_history/{middle.id}.msgpack.zstd")
    assert [commit.id for commit in history(store, "sales")] == [newest.id]
    assert was_committed(store, oldest.header, None) is None
    assert was_committed(store, newest.header, middle.header) is True
