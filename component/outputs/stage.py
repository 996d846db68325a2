"""Outputs are written out of sight and appear all at once, when everything has succeeded."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from component import identity, naming
from component.folder.layout import DataFolder, writing


class Stage:
    """A hidden folder in out/, on the same file system, whose content moves to its place by renaming.

    Use `table`, `file` and `manifest` while writing, then `publish`; `discard` removes what is staged.
    """

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder
        self._root = folder.out / f".tablemill-{identity.new_hex()[:12]}"
        self._tables = self._root / "tables"
        self._files = self._root / "files"
        with writing(self._root):
            self._tables.mkdir(parents=True)
            self._files.mkdir()

    def table(self, name: str, *, sliced: bool) -> Path:
        """Return where an output table is written: a folder that exists when it is sliced, else a file."""
        path = self._tables / name
        if sliced:
            with writing(path):
                path.mkdir()
        return path

    def file(self, name: str) -> Path:
        """Return where an output file is written."""
        return self._files / name

    def manifest(self, path: Path, content: Mapping[str, Any]) -> None:
        """Write the manifest of a staged table or file."""
        beside = path.with_name(path.name + naming.MANIFEST_SUFFIX)
        with writing(beside):
            beside.write_text(json.dumps(content, indent=4, ensure_ascii=False) + "\n", encoding="utf-8")

    def publish(self) -> None:
        """Move everything to its place, manifests after what they describe; what has the same name there goes."""
        for staged, place in ((self._tables, self._folder.out_tables), (self._files, self._folder.out_files)):
            for path in sorted(staged.iterdir(), key=lambda path: path.name.endswith(naming.MANIFEST_SUFFIX)):
                _replace(path, place / path.name)
        self.discard()

    def discard(self) -> None:
        """Remove what is staged."""
        shutil.rmtree(self._root, ignore_errors=True)


def _replace(path: Path, target: Path) -> None:
    with writing(target):
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        elif path.is_dir():
            target.unlink(missing_ok=True)
        path.rename(target)
