"""A commit of plateau between ours: what we keep in the header comes through, or its loss is said."""

import datetime as dt

import pyarrow as pa
import pytest

from component.dataset.changes.copying import rename_dataset
from component.dataset.changes.operations import set_metadata
from component.dataset.changes.restore import restore
from component.dataset.commits.commit import commit, plan_commit
from component.dataset.format.facts import known_facts, sums_of
from component.dataset.format.header import read_header
from component.dataset.format.history import history
from component.dataset.format.keys import header_key
from component.dataset.format.layout import Layout
from component.dataset.reading.reader import open_dataset
from component.dataset.verification.lost_header import NOT_KNOWN
from component.dataset.verification.repair import repair
from component.dataset.verification.verify import verify
from component.errors import UserError
from component.store.local import LocalStore
from tests.dataset.making import bag, read_all, write_dataset, write_splits
from tests.plateau.process import PlateauError

pytestmark = pytest.mark.plateau
OURS = pa.table({"k": ["x", "y", "y"], "id": [1, 2, 3], "at": ["09:00:00", None, "10:30:00"]})
THEIRS = pa.table({"k": ["y", "z"], "id": [4, 5], "at": [None, "11:00:00"]})
BOTH = pa.concat_tables([OURS, THEIRS])


@pytest.fixture
def store(tmp_path):
    """A dataset of which we know more than the format says: key, order of columns, attributes, facts, history."""
    store = LocalStore(tmp_path)
    attributes = (("at", (("logical", "time"),)),)
    layout = Layout("sales", OURS.select(["id", "k", "at"]).schema, ("k",), ("id",), attributes=attributes)
    plan = plan_commit(store, layout, "overwrite", primary_key=["id"], metadata={"owner": "me"})
    commit(store, plan, write_splits(store, plan, OURS.select(["id", "k", "at"])))
    return store


@pytest.fixture(params=["plateau", "plateau_pandas3"])
def client(request):
    return request.getfixturevalue(request.param)


def codes(verdict):
    return [fault.code for fault in verdict.notices]


def test_what_we_know_comes_through_an_append_of_theirs(client, store):
    before = read_header(store, "sales").header
    client.append(store, "sales", THEIRS, partition_on=["k"], secondary_indices=["id"])
    live, ours = list(history(store, "sales"))
    assert (live.foreign, live.parent, ours.id, ours.foreign) == (True, ours.id, before.extras["commit"], False)
    dataset = open_dataset(store, "sales")
    assert (dataset.columns, dataset.primary_key) == (("id", "k", "at"), ("id",))
    assert dataset.attributes == {"at": {"logical": "time"}}
    facts = known_facts(store, live.header).by_file()
    kept = [files["table"].removeprefix("sales/") for files in before.partitions.values()]
    assert sum(facts[key].rows for key in kept) == OURS.num_rows
    sums = sums_of(store, live.header, foreign=True)
    assert (sums.rows, sums.unknown) == ({"table": 3}, 2)
    found = verify(store, "sales")
    assert found.faults == ()
    assert codes(found) == ["verify.foreign", "verify.unknown"]


def test_we_commit_onto_theirs_and_restore_what_was_before_or_theirs(client, store):
    client.append(store, "sales", THEIRS, partition_on=["k"], secondary_indices=["id"])
    theirs, ours = list(history(store, "sales"))
    write_dataset(store, THEIRS, ["k"], ["id"], mode="append")
    states = list(history(store, "sales"))
    assert [(state.foreign, state.id) for state in states[1:]] == [(True, theirs.id), (False, ours.id)]
    assert bag(pa.concat_tables([BOTH, THEIRS])) == bag(read_all(store))
    for wanted, rows in ((ours.id, OURS), (theirs.id, BOTH)):
        restore(store, "sales", wanted)
        assert bag(read_all(store)) == bag(rows)
        assert bag(client.read(store, "sales")) == bag(rows.select(client.read(store, "sales").column_names))
        assert verify(store, "sales").faults == ()


def test_metadata_of_theirs_is_kept_and_said_and_is_no_new_state(client, store):
    client.set_metadata(store, "sales", {"owner": "you", "more": [1]})
    (live,) = history(store, "sales")
    assert (live.foreign, live.header.metadata["owner"]) == (False, "you")
    found = verify(store, "sales")
    assert found.faults == ()
    assert codes(found) == ["verify.metadata", "verify.rewritten"]
    write_dataset(store, THEIRS, ["k"], ["id"], mode="append")
    metadata = read_header(store, "sales").header.metadata
    assert (metadata["owner"], metadata["more"]) == ("you", [1])
    found = verify(store, "sales")
    assert found.faults == ()
    assert codes(found) == ["verify.state"]  # of the state before, whose index they put again


def test_objects_that_say_nothing_are_left_out_by_them_and_that_is_no_damage(client, store):
    """Each commit of theirs leaves out what is `{}` within other metadata."""
    set_metadata(store, "sales", {"something": {"nothing": {}, "a": 1}})
    client.set_metadata(store, "sales", {"owner": "me"})
    assert read_header(store, "sales").header.metadata["something"] == {"a": 1}
    assert bag(read_all(store)) == bag(OURS)
    assert codes(verify(store, "sales")) == ["verify.rewritten"]


def test_our_commits_onto_a_dataset_of_theirs_stay_readable_after_theirs(client, tmp_path):
    """Of their files we know no facts, so the sums in the extras are empty, which they leave out."""
    store = LocalStore(tmp_path)
    client.create(store, "sales", OURS)
    set_metadata(store, "sales", {"a": 1})
    client.append(store, "sales", THEIRS)
    assert bag(read_all(store)) == bag(BOTH)
    write_dataset(store, THEIRS, mode="append")
    assert bag(read_all(store)) == bag(pa.concat_tables([BOTH, THEIRS]))
    assert verify(store, "sales").faults == ()


def test_their_overwrite_loses_what_we_know_and_that_is_said(client, store):
    client.create(store, "sales", THEIRS, overwrite=True)
    assert bag(read_all(store)) == bag(THEIRS)
    assert open_dataset(store, "sales").primary_key == ()
    assert "verify.extras" in codes(verify(store, "sales"))
    assert [fault.code for fault in verify(store, "sales").faults] == ["verify.lost_commit"]


def test_states_whose_files_they_collect_are_said_and_not_restored(client, store):
    client.append(
        store, "sales", THEIRS, partition_on=["k"], secondary_indices=["id"], delete_scope=[{"k": "x"}, {"k": "y"}]
    )
    client.collect(store, "sales")
    assert bag(read_all(store)) == bag(THEIRS)
    found = verify(store, "sales")
    assert found.faults == ()
    assert "verify.state" in codes(found)
    with pytest.raises(UserError, match="files are gone") as caught:
        restore(store, "sales", "HEAD~1")
    assert caught.value.code == "dataset.history"
    assert bag(read_all(store)) == bag(THEIRS)


def test_moments_of_pandas_3_are_refused_by_an_index_on_moments_and_nothing_is_lost(plateau_pandas3, tmp_path):
    """Reference kartothek 2.3 and C.5: it refuses its own frames too, unless they have nanoseconds."""
    rows = pa.table({"at": pa.array([dt.datetime.fromisoformat("2024-01-01T12:00:00.000001")], pa.timestamp("us"))})
    store = LocalStore(tmp_path)
    write_dataset(store, rows, [], ["at"])
    with pytest.raises(PlateauError, match=r"TypeError: .*Expected `timestamp\[ns\]` but got `timestamp\[us\]`"):
        plateau_pandas3.append(store, "sales", rows, nanoseconds=False)
    assert bag(read_all(store)) == bag(rows)
    assert verify(store, "sales").faults == ()
    plateau_pandas3.append(store, "sales", rows)
    assert bag(read_all(store)) == bag(pa.concat_tables([rows, rows]))


def test_bytes_with_a_zero_byte_are_cut_there_in_an_index_of_theirs_which_verify_says(client, tmp_path):
    rows = pa.table({"raw": [b"a\0b", b"a", b"\0"]})
    store = LocalStore(tmp_path)
    client.create(store, "sales", rows, secondary_indices=["raw"])
    assert bag(read_all(store)) == bag(rows)
    assert {(fault.code, fault.column) for fault in verify(store, "sales").faults} == {("verify.index", "raw")}


def test_a_dataset_of_theirs_alone_is_renamed_and_theirs_again(client, tmp_path):
    store = LocalStore(tmp_path)
    client.create(store, "sales", OURS, partition_on=["k"], secondary_indices=["id"])
    rename_dataset(store, "sales", "moved")
    assert bag(client.read(store, "moved")) == bag(OURS) == bag(read_all(store, "moved"))
    client.append(store, "moved", THEIRS, partition_on=["k"], secondary_indices=["id"])
    assert bag(client.read(store, "moved")) == bag(BOTH) == bag(read_all(store, "moved"))
    assert verify(store, "moved").faults == ()


def test_a_lost_header_of_theirs_is_made_again_and_they_go_on_with_it(client, tmp_path):
    store = LocalStore(tmp_path)
    client.create(store, "theirs", OURS, partition_on=["k"], secondary_indices=["id"])
    client.append(store, "theirs", THEIRS, partition_on=["k"], secondary_indices=["id"])
    before = read_header(store, "theirs")
    store.delete(header_key("theirs", before.storage_format))
    assert repair(store, "theirs", rebuild_header=True)[1] == (
        f"made the header from {len(before.header.partitions)} data files of table, partitioned on k, indexed on id",
        NOT_KNOWN,
    )
    now = read_header(store, "theirs").header
    assert (dict(now.partitions), now.indices) == (dict(before.header.partitions), before.header.indices)
    assert bag(client.read(store, "theirs")) == bag(BOTH.select(["k", "at", "id"]))
    client.append(store, "theirs", THEIRS, partition_on=["k"], secondary_indices=["id"])
    assert bag(read_all(store, "theirs")) == bag(pa.concat_tables([BOTH, THEIRS]).select(["k", "at", "id"]))
    assert verify(store, "theirs").faults == ()
