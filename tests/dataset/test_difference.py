import datetime as dt
from dataclasses import replace

import pyarrow as pa
import pytest

from component.dataset.changes.operations import build_indices, delete_partitions, set_metadata
from component.dataset.commits.difference import ColumnChange, diff
from component.dataset.format.header import encode_header, read_header
from component.dataset.format.history import history
from component.errors import UserError
from tests.dataset.making import write_dataset
from tests.dataset.memory import MemoryStore

ROWS = pa.table({"k": ["x", "x", "y"], "v": [1, 2, 3]})
MORE = pa.table({"k": ["y", "z"], "v": [4, 5]})


@pytest.fixture
def store():
    store = MemoryStore()
    write_dataset(store, ROWS, ["k"], ["v"])
    write_dataset(store, MORE, mode="append")
    return store


def reads(store):
    """A store that opens no file, so that what comes back came of facts."""
    without = store.copy()
    without.objects.update({key: (b"gone", put) for key, (_, put) in store.objects.items() if key.endswith(".parquet")})
    return without


def test_an_append_adds_its_rows_files_and_new_partitions_without_reading_data(store):
    found = diff(reads(store), "sales")
    assert (found.rows_added, found.rows_removed, found.footers_read) == (2, 0, 0)
    assert [one.label.split("/")[0] for one in found.added] == ["k=y", "k=z"]
    assert (found.partitions_added, found.partitions_removed) == (("k=z",), ())
    assert {one.key: one.bytes for one in found.added} == {
        one.key: len(store.objects[one.key][0]) for one in found.added
    }


def test_the_other_way_round_what_came_goes(store):
    there, back = diff(store, "sales", "HEAD~1", "HEAD"), diff(store, "sales", "HEAD", "HEAD~1")
    assert (back.added, back.removed) == (there.removed, there.added)
    assert back.partitions_removed == there.partitions_added


def test_states_are_named_by_commit_time_or_distance(store):
    _, first = history(store, "sales")
    by = [diff(store, "sales", name).rows_added for name in (first.id, first.id[:8], first.time, "HEAD~1")]
    assert by == [2, 2, 2, 2]


@pytest.mark.parametrize("name", ["HEAD~2", "0" * 32, dt.datetime(2000, 1, 1, tzinfo=dt.UTC)])
def test_a_state_that_is_not_kept_is_refused(store, name):
    with pytest.raises(UserError) as caught:
        diff(store, "sales", name)
    assert caught.value.code == "dataset.history"


def test_partitions_that_went_are_told(store):
    delete_partitions(store, "sales", [{"k": "y"}])
    found = diff(store, "sales")
    assert (found.rows_added, found.rows_removed) == (0, 2)
    assert found.partitions_removed == ("k=y",)


def test_metadata_and_indices_are_compared(store):
    set_metadata(store, "sales", {"owner": "me"})
    assert diff(store, "sales").metadata == {"owner": (None, "me")}
    build_indices(store, "sales", ["v"])
    assert diff(store, "sales").indices_added == ()
    write_dataset(store, MORE.rename_columns(["k", "w"]), ["k"], ["w"])
    found = diff(store, "sales")
    assert (found.indices_added, found.indices_removed) == (("w",), ("v",))
    assert set(found.columns) == {
        ColumnChange("table", "w", None, "int64"),
        ColumnChange("table", "v", "int64", None),
    }


def test_of_a_foreign_clients_file_the_footer_is_read(store):
    header = read_header(store, "sales").header
    foreign = MemoryStore()
    write_dataset(foreign, pa.table({"k": ["q"], "v": [9]}), ["k"])
    ((label, files),) = read_header(foreign, "sales").header.partitions.items()
    store.put(files["table"], foreign.get(files["table"]))
    fewer = {**dict(list(header.partitions.items())[1:]), label: files}
    key = "sales.by-dataset-metadata.json"
    store.put(key, encode_header(replace(header, partitions=fewer), "json"))
    found = diff(store, "sales")
    assert (found.rows_added, found.rows_removed, found.footers_read) == (1, 2, 1)
    assert found.after.foreign
    store.delete(files["table"])
    assert diff(store, "sales").rows_added is None
