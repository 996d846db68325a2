from __future__ import annotations

import os

from component.folder.slices import Slice, is_data, slices_of


def test_a_file_is_its_own_only_slice(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"abc")
    assert slices_of(path) == ((Slice("a.csv", path, 3),), ())


def test_the_files_of_a_directory_are_its_slices_by_name(tmp_path):
    for name, data in {"part2": b"22", "part1.gz": b"1", ".part0": b"", "x.csv": b""}.items():
        (tmp_path / name).write_bytes(data)
    slices, warnings = slices_of(tmp_path)
    assert [(part.name, part.size) for part in slices] == [("part1.gz", 1), ("part2", 2), ("x.csv", 0)]
    assert warnings == ()


def test_folders_and_manifests_inside_are_left_out_with_a_warning(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "deep").touch()
    (tmp_path / "part1").touch()
    (tmp_path / "part1.manifest").touch()
    slices, warnings = slices_of(tmp_path)
    assert [part.name for part in slices] == ["part1"]
    assert "'inner'" in warnings[0]
    assert "'part1.manifest'" in warnings[1]


def test_an_empty_directory_has_no_slices(tmp_path):
    assert slices_of(tmp_path) == ((), ())


def test_what_has_no_content_is_no_data(tmp_path):
    (tmp_path / "dead").symlink_to(tmp_path / "nowhere")
    (tmp_path / "real").touch()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    os.mkfifo(tmp_path / "pipe")
    assert [name for name in ("dead", "link", "pipe", "real") if is_data(tmp_path / name)] == ["link", "real"]
