import errno
import json
from pathlib import Path

import pytest

from component.errors import UserError
from component.folder.layout import DataFolder
from component.folder.result import result_of
from component.folder.usage import usage_of
from component.outputs.manifest import manifest_text
from component.outputs.stage import Stage
from tests.runner.data_folder import snapshot


@pytest.fixture
def folder(tmp_path):
    made = DataFolder(tmp_path)
    made.create_missing()
    return made


def fill(stage):
    (stage.table("sliced", sliced=True) / "part-00000.csv").write_text("new")
    stage.table("plain.csv", sliced=False).write_text("new")
    stage.manifest(stage.table("sliced", sliced=False), {"destination": "out.c-x.ž"})
    stage.file("x.bin").write_text("new")
    stage.usage(usage_of({"rows": 1}))
    stage.result(result_of({"rows": 1}))
    stage.state({"a": 1})


def visible(folder):
    return sorted(path.relative_to(folder.out).as_posix() for path in folder.out.rglob("*") if path.is_file())


NAMES = [
    "files/x.bin",
    "result.json",
    "state.json",
    "tables/plain.csv",
    "tables/sliced.manifest",
    "tables/sliced/part-00000.csv",
    "usage.json",
]


def test_nothing_is_in_its_place_before_it_is_published(folder):
    stage = Stage(folder)
    fill(stage)
    assert all(part.startswith(".") for path in folder.out_tables.iterdir() for part in [path.name])
    stage.publish()
    assert visible(folder) == NAMES
    assert json.loads((folder.out_tables / "sliced.manifest").read_text(encoding="utf-8")) == {
        "destination": "out.c-x.ž"
    }


def test_what_is_discarded_leaves_nothing(folder):
    before = snapshot(folder.out)
    stage = Stage(folder)
    fill(stage)
    stage.discard()
    assert snapshot(folder.out) == before


def old_outputs(folder):
    (folder.out_tables / "sliced").write_text("old")
    (folder.out_tables / "plain.csv").mkdir()
    (folder.out_tables / "plain.csv" / "old").write_text("old")
    (folder.out_tables / "other").write_text("old")
    (folder.out_tables / "sliced.manifest").write_text("old")
    folder.out_state.write_text("{}")
    (folder.out / "usage.json").write_text("[]")


def test_what_was_there_under_the_same_name_goes_whatever_it_was(folder):
    old_outputs(folder)
    stage = Stage(folder)
    fill(stage)
    stage.publish()
    assert visible(folder) == sorted([*NAMES, "tables/other"])
    assert (folder.out_tables / "plain.csv").read_text() == "new"


@pytest.mark.parametrize(
    "refused", ["plain.csv", "sliced", "sliced.manifest", "x.bin", "usage.json", "result.json", "state.json"]
)
@pytest.mark.parametrize("old", [False, True])
def test_when_a_step_fails_everything_is_as_it_was(folder, monkeypatch, refused, old):
    if old:
        old_outputs(folder)
    before = snapshot(folder.out)
    stage = Stage(folder)
    fill(stage)
    rename = Path.rename

    def rename_or_not(self, target):
        if self.name == refused and self.parent.name == "new":
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", rename_or_not)
    with pytest.raises(UserError) as caught:
        stage.publish()
    assert caught.value.code == "store.full"
    stage.discard()
    assert snapshot(folder.out) == before


def test_an_interrupt_between_two_steps_leaves_everything_as_it_was(folder, monkeypatch):
    old_outputs(folder)
    before = snapshot(folder.out)
    stage = Stage(folder)
    fill(stage)
    rename = Path.rename

    def rename_and_interrupt(self, target):
        rename(self, target)
        if self.name == "sliced" and self.parent == folder.out_tables:
            raise KeyboardInterrupt
        return target

    monkeypatch.setattr(Path, "rename", rename_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        stage.publish()
    stage.discard()
    assert snapshot(folder.out) == before


def test_a_stage_that_cannot_be_made_leaves_nothing(folder):
    folder.out_files.rmdir()
    folder.out_files.write_text("no folder")
    before = snapshot(folder.out)
    with pytest.raises(UserError) as caught:
        Stage(folder)
    assert caught.value.code == "output.unwritable"
    assert snapshot(folder.out) == before


def test_manifests_come_after_what_they_describe_and_the_state_comes_last(folder, monkeypatch):
    stage = Stage(folder)
    fill(stage)
    moved = []
    rename = Path.rename

    def note(self, target):
        if self.parent.name == "new":
            moved.append(self.name)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", note)
    stage.publish()
    assert moved == ["plain.csv", "sliced", "sliced.manifest", "x.bin", "result.json", "usage.json", "state.json"]


def test_what_is_written_twice_has_the_same_bytes(folder):
    manifest = {"destination": "out.c-x.ž", "incremental": False}
    path = folder.out_tables / "t.manifest"
    seen = []
    for _ in range(2):
        stage = Stage(folder)
        stage.manifest(stage.table("t", sliced=False), manifest)
        stage.publish()
        seen.append(path.read_bytes())
    assert seen[0] == seen[1] == manifest_text(manifest).encode()


def test_what_the_run_before_left_goes_and_comes_back_when_a_step_fails(folder, monkeypatch):
    for names in (["a", "b"], ["b"]):
        stage = Stage(folder, replaces=True)
        for name in names:
            stage.table(name, sliced=False).write_text("x")
        if names == ["b"]:
            before = snapshot(folder.out)
            with monkeypatch.context() as patch:
                patch.setattr(Path, "rename", failing_for(Path.rename, "b"))
                with pytest.raises(UserError):
                    stage.publish()
            assert snapshot(folder.out) == before
        stage.publish()
    assert [path.name for path in folder.out_tables.iterdir()] == ["b"]


def failing_for(rename, name):
    def rename_or_not(self, target):
        if self.name == name and self.parent.name == "new":
            raise OSError(errno.ENOSPC, "full")
        return rename(self, target)

    return rename_or_not
