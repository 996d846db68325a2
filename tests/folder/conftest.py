from __future__ import annotations

import gzip
import json

import pytest

from component.folder.layout import DataFolder


class FolderWriter:
    """Writes a data folder piece by piece."""

    def __init__(self, root):
        self.folder = DataFolder(root)
        for path in (self.folder.in_tables, self.folder.in_files, self.folder.out_tables, self.folder.out_files):
            path.mkdir(parents=True)

    def table(self, name, data=b"", manifest=None):
        return self._write(self.folder.in_tables / name, data, manifest)

    def sliced(self, name, slices, manifest=None):
        directory = self.folder.in_tables / name
        directory.mkdir()
        for slice_name, data in slices.items():
            (directory / slice_name).write_bytes(data)
        return self._write(directory, None, manifest)

    def file(self, name, data=b"", manifest=None):
        return self._write(self.folder.in_files / name, data, manifest)

    def _write(self, path, data, manifest):
        if data is not None:
            path.write_bytes(data)
        if manifest is not None:
            path.with_name(f"{path.name}.manifest").write_text(json.dumps(manifest), encoding="utf-8")
        return path


@pytest.fixture
def writer(tmp_path):
    return FolderWriter(tmp_path / "data")


@pytest.fixture
def folder(writer):
    return writer.folder


@pytest.fixture
def gzipped():
    return lambda text: gzip.compress(text.encode(), mtime=0)
