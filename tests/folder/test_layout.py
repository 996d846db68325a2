from __future__ import annotations

import errno
import tempfile

import pytest

from component.errors import UserError
from component.folder.layout import DataFolder, entries


def test_everything_has_its_place(tmp_path):
    (tmp_path / "in").mkdir()
    folder = DataFolder(tmp_path)
    places = (folder.config, folder.in_tables, folder.in_files, folder.in_state)
    assert [str(place.relative_to(tmp_path)) for place in places] == [
        "config.json",
        "in/tables",
        "in/files",
        "in/state.json",
    ]
    places = (folder.out, folder.out_tables, folder.out_files, folder.out_state)
    assert [str(place.relative_to(tmp_path)) for place in places] == [
        "out",
        "out/tables",
        "out/files",
        "out/state.json",
    ]


def test_missing_output_folders_are_made_and_input_is_left_alone(tmp_path):
    folder = DataFolder(tmp_path / "data")
    folder.create_missing()
    folder.create_missing()
    assert folder.out_tables.is_dir()
    assert folder.out_files.is_dir()
    assert not (tmp_path / "data" / "in").exists()


def test_a_file_where_out_should_be_cannot_be_written(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(UserError, match="cannot be written") as caught:
        DataFolder(tmp_path).create_missing()
    assert caught.value.code == "output.unwritable"


def test_a_check_of_writable_folders_leaves_nothing_behind(folder):
    folder.check_writable()
    assert sorted(path.name for path in folder.out.rglob("*")) == ["files", "tables"]


@pytest.mark.parametrize("missing", ["out_tables", "out_files"])
def test_a_folder_that_is_not_there_is_not_writable(folder, missing):
    getattr(folder, missing).rmdir()
    with pytest.raises(UserError) as caught:
        folder.check_writable()
    assert caught.value.code == "output.unwritable"
    assert str(getattr(folder, missing)) in str(caught.value)


@pytest.mark.parametrize(
    ("number", "code"),
    [(errno.EACCES, "output.unwritable"), (errno.EROFS, "output.unwritable"), (errno.ENOSPC, "store.full")],
)
def test_the_refusal_of_the_system_says_who_must_act(folder, monkeypatch, number, code):
    def refuse(**_):
        raise OSError(number, "refused")

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    with pytest.raises(UserError) as caught:
        folder.check_writable()
    assert caught.value.code == code


def test_entries_are_sorted_without_dot_files(tmp_path):
    for name in ("b", "a", ".hidden"):
        (tmp_path / name).touch()
    (tmp_path / "C").mkdir()
    assert [path.name for path in entries(tmp_path)] == ["C", "a", "b"]
    assert entries(tmp_path / "nowhere") == ()


def test_a_folder_that_cannot_be_listed_is_said(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be read") as caught:
        entries(tmp_path / "file")
    assert caught.value.code == "source.missing"
