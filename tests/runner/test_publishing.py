"""Nothing half done is ever visible: what fails at the very end leaves datasets and out/ as they were."""

import json
from pathlib import Path

import pytest

from component.dataset.commits import commit
from component.errors import CommitRefusedError, CommitUnknownError, RetryError
from component.runner import milling, publishing
from component.store.local import LocalStore
from tests.runner.data_folder import csv_text

ROWS = [[f"k{row % 3}", row] for row in range(30)]
SCHEMA = "_common_metadata"
"""Stays where no dataset was before: another first writer may rely on it by now."""
BEFORE = {"partition_on": ["k"], "secondary_indices": ["n"]}


@pytest.fixture(params=["archive", "directory"])
def configure(request, folder):
    def set_up(**facts):
        dataset = {"uuid": "t", "tables": [{"source": "t.csv", "columns": {"n": "integer"}}], **facts}
        place = folder.configure if request.param == "archive" else folder.file_store
        place(datasets=[dataset, {"uuid": "u", "tables": [{"source": "t.csv"}]}], outputs=[{"dataset": "t"}])

    return set_up


@pytest.fixture
def unmovable(monkeypatch):
    """Let the system refuse one of the last renames."""

    def refuse(name):
        rename = Path.rename

        def rename_or_not(self, target):
            if self.name == name and self.parent.name == "new":
                raise OSError(16, "Device or resource busy")
            return rename(self, target)

        monkeypatch.setattr(Path, "rename", rename_or_not)

    return refuse


@pytest.mark.parametrize("name", ["t", "t.manifest", "state.json"])
def test_a_first_run_whose_outputs_cannot_be_moved_leaves_nothing(folder, configure, refused, unmovable, name):
    folder.table("t.csv", csv_text(["k", "n"], ROWS))
    configure(**BEFORE)
    folder.store.mkdir()
    unmovable(name)
    refused("output.unwritable", "Device or resource busy", but=SCHEMA)


@pytest.mark.parametrize(
    "after",
    [
        {**BEFORE},
        {**BEFORE, "mode": "append"},
        {"metadata": {"new": 1}},
        {"metadata_storage_format": "msgpack.zstd"},
        {"tables": [{"source": "t.csv", "columns": {"n": "string"}}]},
    ],
    ids=["overwrite", "append", "metadata", "format", "schema"],
)
def test_a_later_run_whose_outputs_cannot_be_moved_leaves_what_was(folder, configure, run, refused, unmovable, after):
    folder.table("t.csv", csv_text(["k", "n"], ROWS))
    configure(**BEFORE)
    assert run().done
    folder.next_run()
    assert run().done
    configure(**after)
    unmovable("state.json")
    refused("output.unwritable", "Device or resource busy")


def test_a_header_that_cannot_be_put_takes_the_one_before_it_back(folder, refused, monkeypatch):
    folder.table("t.csv", csv_text(["k", "n"], ROWS))
    folder.file_store(datasets=[{"uuid": name, "tables": [{"source": "t.csv"}]} for name in ("a", "b")])
    folder.store.mkdir()
    put_if = LocalStore.put_if

    def put_or_not(self, key, data, expected):
        if key.startswith("b."):
            raise RetryError("store.failed", "The disk went away", remedy="Bring it back.")
        return put_if(self, key, data, expected)

    monkeypatch.setattr(LocalStore, "put_if", put_or_not)
    refused("store.failed", "The disk went away", but=SCHEMA)


@pytest.fixture
def silent_store(monkeypatch):
    """Let the store fail without saying whether it has put a header."""

    def keep_silent(*, put):
        put_if = LocalStore.put_if

        def put_without_answer(self, key, data, expected):
            version = put_if(self, key, data, expected) if put or not key.startswith("t.") else None
            if key.startswith("t."):
                raise CommitUnknownError("commit.unknown", "No answer came")
            return version

        monkeypatch.setattr(LocalStore, "put_if", put_without_answer)

    return keep_silent


def configure_append(folder):
    folder.table("t.csv", csv_text(["k", "n"], ROWS))
    datasets = [{"uuid": "t", "tables": [{"source": "t.csv"}], "mode": "append"}]
    folder.file_store(datasets=datasets, outputs=[{"dataset": "t"}])


def test_a_store_that_does_not_say_that_it_has_put_the_header_is_asked(folder, run, silent_store):
    configure_append(folder)
    silent_store(put=True)
    assert run().done
    assert len(folder.header("t")["partitions"]) == 1


def test_a_store_that_does_not_say_that_it_has_not_put_the_header_is_asked(folder, run, refused, silent_store):
    configure_append(folder)
    assert run().done
    silent_store(put=False)
    refused("store.failed", "No answer came", "Nothing was changed; run again.")


def test_a_header_that_cannot_be_put_back_keeps_its_files(folder, run, monkeypatch):
    folder.table("t.csv", csv_text(["k", "n"], ROWS))
    folder.file_store(datasets=[{"uuid": "t", "tables": [{"source": "t.csv"}]}])

    def put_without_answer(*_):
        raise CommitUnknownError("commit.unknown", "No answer came")

    def no_rollback(*_):
        raise RetryError("store.failed", "The disk went away")

    monkeypatch.setattr(publishing, "publish", put_without_answer)
    monkeypatch.setattr(publishing, "rollback", no_rollback)
    outcome = run()
    assert outcome.code == 1
    assert "may have been changed: The disk went away" in outcome.err
    assert list(folder.store.glob("t/table/*.parquet"))
    assert folder.out_tables == []


def test_an_append_that_loses_the_race_is_carried_out_on_what_the_winner_left(folder, run, monkeypatch):
    configure_append(folder)
    assert run().done
    publish = publishing.publish
    raced = []

    def publish_late(store, prepared):
        if not raced:
            raced.append(prepared)
            other = commit.plan_commit(store, prepared.plan.layout, "append", metadata={"winner": True})
            commit.commit(store, other, [])
        return publish(store, prepared)

    monkeypatch.setattr(publishing, "publish", publish_late)
    assert run().done
    assert raced
    assert folder.header("t")["metadata"]["winner"] is True
    assert len(folder.rows("t")) == 60


def test_an_append_whose_base_is_collected_while_it_builds_indices_goes_on_with_the_new_state(folder, run, monkeypatch):
    configure_append(folder)
    assert run().done
    prepare = milling.prepare
    passed = []

    def prepare_late(uncommitted, plan, written):
        if not passed:
            passed.append(plan)
            raise CommitRefusedError("commit.refused", "An index file is not there any more")
        return prepare(uncommitted, plan, written)

    monkeypatch.setattr(milling, "prepare", prepare_late)
    assert run().done
    assert passed
    assert len(folder.rows("t")) == 60


def test_an_overwrite_that_loses_the_race_is_refused(folder, run, monkeypatch):
    folder.table("t.csv", csv_text(["k", "n"], ROWS))
    folder.file_store(datasets=[{"uuid": "t", "tables": [{"source": "t.csv"}]}])
    assert run().done
    publish = publishing.publish

    def publish_late(store, prepared):
        other = commit.plan_commit(store, prepared.plan.layout, "append", metadata={"winner": True})
        commit.commit(store, other, [])
        return publish(store, prepared)

    monkeypatch.setattr(publishing, "publish", publish_late)
    files = sorted(folder.store.glob("t/table/*.parquet"))
    outcome = run()
    assert outcome.code == 1
    assert "has changed since it was read" in outcome.err
    assert json.loads((folder.store / "t.by-dataset-metadata.json").read_bytes())["metadata"]["winner"] is True
    assert sorted(folder.store.glob("t/table/*.parquet")) == files
