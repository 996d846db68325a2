from __future__ import annotations

import os

import pytest

from component.errors import UserError
from component.folder.out_listing import (
    HEAD_BYTES,
    OutFile,
    OutManifest,
    OutSlice,
    OutSource,
    Unseen,
    UnseenKind,
    as_files,
    list_files,
    list_outputs,
)


@pytest.fixture
def tables(tmp_path):
    folder = tmp_path / "data" / "out" / "tables"
    folder.mkdir(parents=True)
    return folder


def names(listing):
    return [source.name for source in listing.sources]


def test_files_and_directories_are_sources_sorted_by_name(tables):
    for name in ("b.csv", "a.csv", "a", "notes.txt"):
        (tables / name).write_bytes(b"x")
    (tables / "sliced.csv").mkdir()
    assert names(list_outputs(tables)) == ["a", "a.csv", "b.csv", "notes.txt", "sliced.csv"]


def test_the_root_is_the_data_folder(tables):
    assert list_outputs(tables).root == str(tables.parent.parent)


def test_slices_are_the_visible_regular_files_of_a_directory(tables):
    (tables / "t.csv" / "sub").mkdir(parents=True)
    for name, content in {"part2": b"22", "part1.gz": b"1", ".hidden": b"x", "part1.manifest": b"{}"}.items():
        (tables / "t.csv" / name).write_bytes(content)
    slices = (OutSlice("part1.gz", 1), OutSlice("part1.manifest", 2), OutSlice("part2", 2))
    assert list_outputs(tables).sources == (OutSource("t.csv", sliced=True, size=5, slices=slices),)


def test_an_empty_directory_is_a_sliced_table_without_slices(tables):
    (tables / "empty").mkdir()
    assert list_outputs(tables).sources == (OutSource("empty", sliced=True),)


def test_dot_files_are_invisible(tables):
    for name in (".DS_Store", ".gitkeep", ".x.csv", ".x.csv.manifest"):
        (tables / name).write_bytes(b"{}")
    (tables / ".ipynb_checkpoints").mkdir()
    listing = list_outputs(tables)
    assert not listing.sources
    assert not listing.manifests


@pytest.mark.parametrize("name", ["CVS", "_svn", "_darcs"])
def test_directories_of_version_control_are_invisible_and_files_of_that_name_are_not(tables, name):
    (tables / name).mkdir()
    (tables / "t" / name).mkdir(parents=True)
    assert names(list_outputs(tables)) == ["t"]
    (tables / name).rmdir()
    (tables / name).write_bytes(b"")
    assert names(list_outputs(tables)) == sorted([name, "t"])


def test_manifests_are_regular_files_with_the_suffix_in_lower_case(tables):
    (tables / "t.csv.manifest").write_bytes(b'{"a": 1}')
    (tables / "T.csv.MANIFEST").write_bytes(b"{}")
    (tables / "folder.manifest").mkdir()
    listing = list_outputs(tables)
    assert listing.manifests == (OutManifest("t.csv.manifest", b'{"a": 1}'),)
    assert names(listing) == ["T.csv.MANIFEST"]


def test_a_link_counts_as_what_it_leads_to(tables, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tables / "linked").symlink_to(tmp_path / "elsewhere")
    (tables / "lost").symlink_to(tmp_path / "nowhere")
    assert list_outputs(tables).sources == (OutSource("linked", sliced=True), OutSource("lost"))


def test_a_folder_that_does_not_exist_holds_nothing(tmp_path):
    listing = list_outputs(tmp_path / "out" / "tables")
    assert not listing.sources
    assert not listing.manifests


def test_a_manifest_that_cannot_be_read_is_named(tables, monkeypatch):
    (tables / "t.csv.manifest").write_bytes(b"{}")

    def denied(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("component.folder.out_listing.read_document_file", denied)
    with pytest.raises(UserError) as caught:
        list_outputs(tables)
    assert caught.value.code == "source.manifest"
    assert caught.value.place.table == "t.csv"
    assert "Permission denied" in str(caught.value)


def test_what_the_platform_does_not_see_is_listed_with_the_reason(tables):
    for name in (".git", "CVS", "x.manifest", "t/sub", "t/.svn"):
        (tables / name).mkdir(parents=True)
    for name in (".DS_Store", "t/.hidden", "t/part1"):
        (tables / name).write_bytes(b"x")
    assert list_outputs(tables).unseen == (
        Unseen(".DS_Store", UnseenKind.DOT),
        Unseen(".git", UnseenKind.VERSION_CONTROL),
        Unseen("CVS", UnseenKind.VERSION_CONTROL),
        Unseen("t/.hidden", UnseenKind.DOT),
        Unseen("t/.svn", UnseenKind.VERSION_CONTROL),
        Unseen("t/sub", UnseenKind.FOLDER),
        Unseen("x.manifest", UnseenKind.MANIFEST_FOLDER),
    )


def test_the_first_bytes_of_a_file_and_of_a_first_slice_are_known(tables):
    (tables / "a").write_bytes(b"1" * (HEAD_BYTES + 1))
    (tables / "t").mkdir()
    (tables / "t" / "part2").write_bytes(b"second")
    (tables / "t" / "part1").write_bytes(b"first")
    (tables / "empty").mkdir()
    heads = {source.name: source.head for source in list_outputs(tables).sources}
    assert heads == {"a": b"1" * HEAD_BYTES, "t": b"first", "empty": b""}


def test_a_pipe_is_not_waited_for(tables):
    os.mkfifo(tables / "pipe")
    (source,) = list_outputs(tables).sources
    assert (source.name, source.head) == ("pipe", b"")


def test_a_file_that_cannot_be_opened_has_no_first_bytes(tables, monkeypatch):
    (tables / "a").write_bytes(b"1")

    def denied(*given, **named):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", denied)
    assert list_outputs(tables).sources == (OutSource("a", size=1),)


class TestFiles:
    def test_regular_files_and_their_manifests_are_seen(self, tables):
        (tables / "b.txt").write_bytes(b"12")
        (tables / "a").write_bytes(b"")
        (tables / "a.manifest").write_bytes(b"{}")
        listing = list_files(tables)
        assert listing.root == str(tables.parent.parent)
        assert listing.files == (OutFile("a", 0), OutFile("b.txt", 2))
        assert listing.manifests == (OutManifest("a.manifest", b"{}"),)
        assert listing.unseen == ()

    def test_directories_dot_files_and_dead_links_are_not(self, tables):
        (tables / "dir" / "deep").mkdir(parents=True)
        (tables / "dir.manifest").mkdir()
        (tables / ".x").write_bytes(b"")
        (tables / "lost").symlink_to(tables / "nowhere")
        listing = list_files(tables)
        assert (listing.files, listing.manifests) == ((), ())
        assert listing.unseen == (
            Unseen(".x", UnseenKind.DOT),
            Unseen("dir", UnseenKind.FOLDER),
            Unseen("dir.manifest", UnseenKind.FOLDER),
            Unseen("lost", UnseenKind.FOLDER),
        )

    def test_a_folder_that_does_not_exist_holds_nothing(self, tmp_path):
        assert list_files(tmp_path / "out" / "files").files == ()

    def test_tables_seen_as_files_lose_their_directories(self, tables):
        (tables / "a.csv").write_bytes(b"1")
        (tables / "s").mkdir()
        (tables / "s.manifest").write_bytes(b"{}")
        listing = as_files(list_outputs(tables))
        assert listing.files == (OutFile("a.csv", 1),)
        assert listing.manifests == (OutManifest("s.manifest", b"{}"),)
        assert listing.unseen == (Unseen("s", UnseenKind.FOLDER),)
