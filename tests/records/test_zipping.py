from __future__ import annotations

import os
import zipfile

import pytest

from component.records.archives import zip_directory
from tests.records.making import make_directory


def test_the_same_files_make_the_same_bytes(tmp_path):
    one, other = (make_directory(tmp_path / name, {"data001.csv": b"1\n"}, entries=[]) for name in ("a", "b"))
    os.utime(other / "data001.csv", (0, 0))
    (other / "data001.csv").chmod(0o600)
    assert zip_directory(one, tmp_path / "a.zip") == zip_directory(other, tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_data_come_first_and_the_manifest_last(tmp_path):
    root = make_directory(tmp_path / "r", {"data001.csv.gz": b"1", "data002.csv": b"2"})
    size = zip_directory(root, tmp_path / "r.zip")
    assert size == (tmp_path / "r.zip").stat().st_size
    with zipfile.ZipFile(tmp_path / "r.zip") as packed:
        names = packed.namelist()
        kinds = {info.filename: info.compress_type for info in packed.infolist()}
    assert names == ["data001.csv.gz", "data002.csv", "_format_delimited", "_schema.json", "_manifest"]
    assert kinds["data001.csv.gz"] == zipfile.ZIP_STORED
    assert kinds["data002.csv"] == kinds["_manifest"] == zipfile.ZIP_DEFLATED


def test_nothing_is_left_of_a_zip_that_could_not_be_made(tmp_path, monkeypatch):
    root = make_directory(tmp_path / "r")
    monkeypatch.setattr("component.records.archives.force", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        zip_directory(root, tmp_path / "out" / "r.zip")
    assert list((tmp_path / "out").iterdir()) == []
