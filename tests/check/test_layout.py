from __future__ import annotations

import os
import shutil

import pytest

from component.check.layout import check_layout
from component.folder.layout import DataFolder
from tests.check.making import check, found, lay_out, only


def test_folders_that_the_platform_makes_are_missed(tmp_path):
    lay_out(tmp_path)
    shutil.rmtree(tmp_path / "in/files")
    shutil.rmtree(tmp_path / "out")
    assert found(check(tmp_path)) == [
        ("note", "folder.missing", "in/files"),
        ("note", "folder.missing", "out/tables"),
        ("note", "folder.missing", "out/files"),
    ]


def test_a_file_in_the_place_of_a_folder_is_an_error(tmp_path):
    lay_out(tmp_path)
    (tmp_path / "out/files").rmdir()
    (tmp_path / "out/files").write_text("")
    assert ("error", "folder.missing", "out/files") in found(check(tmp_path))


@pytest.mark.parametrize(("name", "place"), [("notes.txt", "/"), ("in/x", "in"), ("out/cache", "out")])
def test_what_the_platform_has_not_there_is_noted(tmp_path, name, place):
    report = check(lay_out(tmp_path, {name: "x"}))
    assert found(report) == [("note", "folder.junk", place)]


def test_what_belongs_there_is_not_noted(tmp_path):
    (tmp_path / "in/user").mkdir(parents=True)
    files = {".gitignore": "", "out/tables/.gitkeep": "", "in/state.json": {}}
    assert found(check(lay_out(tmp_path, files))) == []


def test_long_lists_are_cut(tmp_path):
    report = check(lay_out(tmp_path, {f"junk{number}": "" for number in range(9)}))
    assert "'junk4' and 4 more" in only(report, "folder.junk").text


def test_what_lies_in_out_is_told(tmp_path):
    files = {"out/files/old.txt": "", "out/files/deep/x.txt": "", "out/tables/.DS_Store": ""}
    report = check(lay_out(tmp_path, files))
    assert [one for one in found(report) if one[1].startswith("folder.")] == [
        ("warning", "folder.leftover", "out/files"),
        ("warning", "folder.junk", "out/files"),
        ("note", "folder.junk", "out/tables"),
    ]


def test_a_folder_that_cannot_be_written_to_is_an_error(tmp_path, monkeypatch):
    lay_out(tmp_path)
    really = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith("tables") and really(path, mode))
    assert ("output.unwritable", "out/tables") in [(one.code, one.place) for one in check_layout(DataFolder(tmp_path))]
