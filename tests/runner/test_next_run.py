"""Issue 2, points 7 and 8: a dataset that was there before, in a store or as an archive, and the state between runs."""

import json
import shutil

import pytest

from component.check.folder import check_folder
from tests.runner.data_folder import csv_text, snapshot


@pytest.fixture(params=["archive", "directory"])
def configure(request, folder):
    def set_up(outputs=({"dataset": "t"},), **facts):
        dataset = {"uuid": "t", "tables": [{"source": "t.csv", "columns": {"n": "integer"}}], **facts}
        place = folder.configure if request.param == "archive" else folder.file_store
        place(datasets=[dataset], outputs=list(outputs))

    return set_up


def rows(first, last):
    return [[f"k{row % 3}", row] for row in range(first, last)]


def text_of(cells):
    return sorted(tuple(map(str, row)) for row in cells)


def put(folder, cells):
    folder.table("t.csv", csv_text(["k", "n"], cells))


@pytest.mark.parametrize("storage_format", ["json", "msgpack.zstd"])
@pytest.mark.parametrize("partition_on", [[], ["k"]])
def test_an_append_adds_and_an_overwrite_replaces(folder, configure, run, partition_on, storage_format):
    facts = {"partition_on": partition_on, "secondary_indices": ["n"], "metadata_storage_format": storage_format}
    put(folder, rows(0, 30))
    configure(**facts, mode="append")
    assert run().done
    assert text_of(folder.rows("t")) == text_of(rows(0, 30))
    folder.next_run()
    put(folder, rows(20, 50))
    assert run().done
    assert text_of(folder.rows("t")) == text_of(rows(0, 30) + rows(20, 50))
    folder.next_run()
    configure([{"dataset": "t", "predicates": [[["n", "==", 25]]]}], **facts, mode="append")
    put(folder, rows(0, 0))
    assert run().done
    assert text_of(folder.rows("t")) == text_of([["k1", 25], ["k1", 25]])
    folder.next_run()
    put(folder, rows(100, 110))
    configure(**facts, mode="overwrite")
    assert run().done
    assert text_of(folder.rows("t")) == text_of(rows(100, 110))


def test_an_overwrite_may_change_everything(folder, configure, run):
    put(folder, rows(0, 30))
    configure(partition_on=["k"], secondary_indices=["n"])
    assert run().done
    folder.next_run()
    folder.table("t.csv", "n,other\n2026-01-01,x\n")
    configure(
        tables=[{"source": "t.csv", "columns": {"n": "date"}}],
        partition_on=["n"],
        metadata_storage_format="msgpack.zstd",
        metadata={"new": True},
    )
    assert run().done
    assert folder.rows("t") == [("2026-01-01", "x")]
    assert folder.columns("t") == ["n", "other"]


def test_the_header_has_the_user_s_metadata_and_keeps_what_was_there(folder, configure, run):
    put(folder, rows(0, 3))
    configure(metadata={"owner": "me", "deep": {"list": [1, None, "ž"]}}, partition_on=["k"], secondary_indices=["n"])
    assert run().done
    first = folder.header("t")
    assert first["metadata"]["owner"] == "me"
    assert first["metadata"]["deep"] == {"list": [1, None, "ž"]}
    assert first["dataset_uuid"] == "t"
    assert first["partition_keys"] == ["k"]
    assert list(first["indices"]) == ["n"]
    folder.next_run()
    configure(metadata={"more": 1}, partition_on=["k"], secondary_indices=["n"], mode="append")
    assert run().done
    second = folder.header("t")
    assert second["metadata"]["owner"] == "me"
    assert second["metadata"]["more"] == 1
    assert second["metadata"]["creation_time"] == first["metadata"]["creation_time"]
    assert len(second["partitions"]) == 2 * len(first["partitions"])


def test_an_output_of_an_earlier_dataset_only(folder, configure, run):
    put(folder, rows(0, 9))
    configure(partition_on=["k"])
    assert run().done
    before = folder.state
    folder.next_run()
    config = json.loads((folder.root / "config.json").read_bytes())
    config["parameters"].pop("datasets")
    config["parameters"]["outputs"] = [{"dataset": "t", "predicates": [[["k", "in", ["k0", "k2"]]]], "columns": ["n"]}]
    folder.config(config)
    assert run().done
    assert sorted(folder.rows("t")) == [("0",), ("2",), ("3",), ("5",), ("6",), ("8",)]
    assert folder.state == before


def test_state_is_carried_forward(folder, run):
    (folder.root / "in" / "state.json").write_text('{"mine": {"a": [1, "ž"]}, "tablemill": {"old": 1}}')
    folder.table("t.csv", "id\n1\n2\n")
    assert run().done
    commit = folder.header("t")["metadata"]["tablemill"]["commit"]
    ours = {"old": 1, "datasets": {"t": {"commit": commit, "rows": 2}}}
    assert folder.state == {"mine": {"a": [1, "ž"]}, "tablemill": ours}


def test_state_as_php_writes_it_is_empty(folder, run):
    (folder.root / "in" / "state.json").write_text("[]")
    folder.table("t.csv", "id\n1\n")
    assert run().done
    assert list(folder.state) == ["tablemill"]


def test_an_archive_comes_back_under_the_name_that_the_platform_gives_files(folder, run):
    folder.configure(
        datasets=[{"uuid": "t", "tables": [{"source": "t.csv"}], "mode": "append"}], outputs=[{"dataset": "t"}]
    )
    put(folder, rows(0, 3))
    assert run().done
    folder.next_run()
    files = folder.root / "in" / "files"
    (files / "t.dataset.zip").rename(files / "4711_t.dataset.zip")
    (files / "t.dataset.zip.manifest").rename(files / "4711_t.dataset.zip.manifest")
    put(folder, rows(3, 6))
    assert run().done
    assert text_of(folder.rows("t")) == text_of(rows(0, 6))
    assert folder.out_files == ["t.dataset.zip"]
    assert folder.manifest("t.dataset.zip", "files")["tags"] == ["tablemill-dataset", "tablemill-dataset:t"]


def arrive(folder, name, data):
    """Let a file come to in/files as the platform names it."""
    (folder.root / "in" / "files" / name).write_bytes(data)
    (folder.root / "in" / "files" / f"{name}.manifest").write_text('{"id": 1, "tags": ["tablemill-dataset"]}')


def archives_of_runs(folder, run, runs):
    """The archives that runs leave one after the other, each with one more row, and the last state."""
    folder.configure(datasets=[{"uuid": "t", "mode": "append"}], outputs=[{"dataset": "t"}])
    found = []
    for number in range(runs):
        folder.table("t.csv", f"id\n{number}\n")
        assert run().done
        found.append((folder.root / "out" / "files" / "t.dataset.zip").read_bytes())
        folder.next_run()
    (folder.root / "in" / "files" / "t.dataset.zip").unlink()
    (folder.root / "in" / "files" / "t.dataset.zip.manifest").unlink()
    return found


def findings(folder):
    return [(one.level.value, one.code) for one in check_folder({}, folder.root).findings if one.level.value != "note"]


def test_of_several_archives_the_newest_by_its_history_wins(folder, run, refused):
    first, second, third = archives_of_runs(folder, run, 3)
    for name, data in [("7_t.dataset.zip", third), ("8_t.dataset.zip", second), ("9_t.dataset.zip", first)]:
        arrive(folder, name, data)
    said = "not used: '8_t.dataset.zip' (1 commit older), '9_t.dataset.zip' (2 commits older)."
    assert findings(folder) == []
    assert any(said in one.text for one in check_folder({}, folder.root).findings)
    outcome = run()
    assert outcome.done
    assert said in outcome.out
    assert text_of(folder.rows("t")) == [("0",), ("1",), ("2",), ("2",)]
    assert folder.manifest("t.dataset.zip", "files")["is_permanent"] is True
    fourth = (folder.root / "out" / "files" / "t.dataset.zip").read_bytes()
    # back to the third, and another commit onto it: two that each hold rows the other lacks
    shutil.rmtree(folder.root / "in" / "files")
    (folder.root / "in" / "files").mkdir()
    (folder.root / "out" / "files" / "t.dataset.zip").unlink()
    arrive(folder, "7_t.dataset.zip", third)
    assert run().done
    arrive(folder, "8_t.dataset.zip", fourth)
    arrive(folder, "9_t.dataset.zip", (folder.root / "out" / "files" / "t.dataset.zip").read_bytes())
    assert findings(folder)[0] == ("error", "archive.diverged")
    refused("archive.diverged", "'t'", "8_t.dataset.zip", "9_t.dataset.zip", '"file_ids"')


def test_a_stale_archive_or_none_is_refused_unless_it_is_configured(folder, run, refused):
    first, _ = archives_of_runs(folder, run, 2)
    assert findings(folder) == [("error", "archive.missing"), ("warning", "archive.warning")]
    refused("archive.missing", "'t'", "in/files holds no archive of it", "on_missing_dataset")
    arrive(folder, "1_t.dataset.zip", first)
    assert findings(folder) == [("error", "archive.stale")]
    refused("archive.stale", "'1_t.dataset.zip'", "on_stale_dataset")
    dataset = {"datasets": [{"uuid": "t", "mode": "append"}], "outputs": [{"dataset": "t"}]}
    folder.configure(**dataset, on_stale_dataset="use", archives={"is_permanent": False})
    assert findings(folder) == [("warning", "archive.warning")]
    assert run().done
    assert text_of(folder.rows("t")) == [("0",), ("1",)]
    assert folder.manifest("t.dataset.zip", "files")["is_permanent"] is False
    (folder.root / "in" / "files" / "1_t.dataset.zip").unlink()
    folder.configure(**dataset, on_missing_dataset="create")
    outcome = run()
    assert outcome.done
    assert "begins anew" in outcome.out
    assert folder.rows("t") == [("1",)]


def test_an_overwrite_goes_on_from_the_state_without_its_archive(folder, run):
    """So that archives of one configuration stay one history, though no mapping brings them back."""
    folder.configure(datasets=[{"uuid": "t"}])
    folder.table("t.csv", "id\n1\n")
    assert run().done
    first = folder.header("t")["metadata"]["tablemill"]["commit"]
    folder.next_run()
    (folder.root / "in" / "files" / "t.dataset.zip").unlink()
    assert run().done
    assert folder.header("t")["metadata"]["tablemill"]["parent"] == first


def test_a_store_that_lost_the_dataset_is_refused(folder, run, refused):
    folder.file_store(datasets=[{"uuid": "t", "mode": "append"}], outputs=[{"dataset": "t"}])
    folder.table("t.csv", "id\n1\n")
    assert run().done
    folder.next_run()
    shutil.rmtree(folder.store)
    refused("archive.missing", folder.store.as_uri())
    assert findings(folder) == [("error", "archive.missing")]


def test_the_archive_holds_just_what_the_header_names(folder, run):
    put(folder, rows(0, 30))
    folder.configure(
        datasets=[{"uuid": "t", "tables": [{"source": "t.csv"}], "partition_on": ["k"], "secondary_indices": ["n"]}]
    )
    assert run().done
    folder.next_run()
    assert run().done
    header = folder.header("t")
    named = {key for files in header["partitions"].values() for key in files["files"].values()}
    named |= set(header["indices"].values()) | {"t/table/_common_metadata", "t.by-dataset-metadata.json"}
    named.add(f"t/_history/{header['metadata']['tablemill']['facts']['name']}.facts.arrow")
    objects = folder.archived("t")
    assert set(objects) == named
    assert list(objects)[-1] == "t.by-dataset-metadata.json"


def test_the_input_is_never_touched(folder, configure, run):
    put(folder, rows(0, 30))
    configure(partition_on=["k"], mode="append")
    assert run().done
    folder.next_run()
    before = snapshot(folder.root / "in")
    assert run().done
    assert snapshot(folder.root / "in") == before


def test_earlier_outputs_of_the_same_name_are_replaced_whole(folder, run):
    folder.table("t.csv", "id\n1\n")
    tables = folder.root / "out" / "tables"
    (tables / "t").mkdir()
    (tables / "t" / "part-00009.csv").write_text("old")
    (tables / "t.manifest").write_text('{"destination": "out.c-x.old"}')
    (tables / "other.csv").write_text("kept")
    (tables / "other.csv.manifest").write_text('{"destination": "out.c-x.other"}')
    assert run().done
    assert [path.name for path in (tables / "t").iterdir()] == ["part-00000.csv.gz"]
    assert folder.manifest("t")["destination"] == "out.c-tablemill.t"
    assert (tables / "other.csv").read_text() == "kept"
